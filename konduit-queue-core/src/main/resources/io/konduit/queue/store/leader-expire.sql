-- K1, E2: the lock of a leader whose witness is gone ends now instead of with its TTL. No grace: two leaders do no harm, and
-- one that comes back sees at its next renewal that it has lost the lock.
update konduit_shedlock s
   set lock_until = timezone('utc', statement_timestamp())
  from konduit_worker w
 where s.name = :lock and s.lock_until > timezone('utc', statement_timestamp())
   and w.id::text = s.locked_by and {{witness-gone}}
