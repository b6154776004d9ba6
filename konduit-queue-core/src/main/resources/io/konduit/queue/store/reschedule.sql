-- T17: changes the start of a waiting task. Never earlier than now: a start in the past would overtake tasks that have
-- waited longer, and a claim's lower bound could hide it for two seconds.
update konduit_task
   set run_at = greatest(statement_timestamp(), coalesce(:runAt::timestamptz, statement_timestamp() + :delayMs * interval '1 millisecond'))
 where id = :id and status = 'PENDING'
returning queue, ceil(extract(epoch from run_at - statement_timestamp()) * 1000)::bigint as in_ms
