-- S13: like bulk-lock, for a retry. A task is left out if another live task has its unique key. Of two failed tasks
-- with the same key, the one that failed last is taken.
with locked as materialized (
  select t.id, t.queue, t.unique_key, t.finished_at
    from konduit_task t
   where {{still-matches}}
     and not exists (
       select 1
         from konduit_task o
        where o.queue = t.queue and o.unique_key = t.unique_key and o.status in ('PENDING', 'RUNNING', 'HELD'))
   order by t.id
     for update of t skip locked)
select l.id, l.queue
  from (select id, queue, unique_key, row_number() over (partition by queue, unique_key order by finished_at desc, id desc) as number
          from locked) l
 where l.unique_key is null or l.number = 1
 order by l.id
