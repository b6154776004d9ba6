-- Whether a queue is known, so that a misspelt name is refused: it is paused, a worker serves it, or a task waits or
-- runs in it. One probe each; workers and running rows are few.
select exists (select 1 from konduit_queue q where q.name = :queue)
    or exists (select 1 from konduit_worker w where :queue = any (w.queues))
    or exists (select 1 from konduit_task t where t.status = 'PENDING' and t.queue = :queue)
    or exists (select 1 from konduit_task t where t.status = 'RUNNING' and t.queue = :queue)
