-- The queues that are paused now: a row exists only while its queue is paused.
select name, paused_at, paused_by, note
  from konduit_queue
 order by name
 limit :limit
