-- L8: how long until the earliest lease ends; null when nothing runs.
select (extract(epoch from min(lock_timeout_at) - statement_timestamp()) * 1000)::bigint
  from konduit_task
 where status = 'RUNNING'
