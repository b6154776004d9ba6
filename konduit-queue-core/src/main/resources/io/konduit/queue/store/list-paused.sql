-- The queues that are paused now: a row is there only while its queue is.
select name, paused_at, paused_by, note
  from konduit_queue
 order by name
 limit :most
