select id
  from konduit_task
 where queue = :queue and unique_key = :uniqueKey and status in ('PENDING', 'RUNNING', 'HELD')
