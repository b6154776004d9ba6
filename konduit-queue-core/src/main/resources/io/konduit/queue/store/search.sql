-- O1: one page of tasks, newest first. It reads at most :examine rows and returns how far it got. The variant decides
-- which rows, and by which index; the cost does not grow with the number of tasks.
with examined as materialized (
{{search-*}}),
matched as (
  select e.*
    from examined e
   where (:type::text is null or e.type = :type)
     and (:queue::text is null or e.queue = :queue)
     and (:key::text is null or e.unique_key = :key)
     and (:status::text is null or e.status = :status)
   order by e.sort_time desc nulls first, e.id desc
   limit :limit)
select x.examined, x.last_sort_time, x.last_id,
       m.id, m.queue, m.type, m.status, m.priority, m.run_at, m.attempts, m.max_attempts, m.reapable, m.zombie_count,
       m.lease_epoch, m.locked_by, m.locked_at, m.lock_timeout_at, m.last_checkpoint_at, m.hold_reason, m.unique_key,
       m.created_at, m.finished_at
  from (select count(*) as examined,
               (array_agg(l.sort_time order by l.sort_time, l.id))[1] as last_sort_time,
               (array_agg(l.id order by l.sort_time, l.id))[1] as last_id
          from examined l) x
  left join matched m on true
 order by m.sort_time desc nulls first, m.id desc
