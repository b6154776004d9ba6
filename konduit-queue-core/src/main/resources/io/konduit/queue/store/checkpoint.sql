-- T16: joins the caller's transaction. It also extends the lease, because nothing else can while that transaction is open.
update konduit_task
   set checkpoint = :state::jsonb, last_checkpoint_at = statement_timestamp(),
       lock_timeout_at = greatest(lock_timeout_at, statement_timestamp() + :lockTimeoutMs * interval '1 millisecond')
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
