-- L2: what makes a running task an orphan. :serverTime is the database's time when the pass began: a later clock jump
-- ends no lease.
t.lock_timeout_at < least(:serverTime::timestamptz, statement_timestamp()) - :graceMs * interval '1 millisecond'
