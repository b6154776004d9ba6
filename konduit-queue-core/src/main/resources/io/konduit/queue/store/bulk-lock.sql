-- S13: the found tasks that still match. Never waits: a row that is locked elsewhere is left out.
select t.id, t.queue
  from konduit_task t
 where {{still-matches}}
 order by t.id
   for update skip locked
