-- S13: one page of the tasks that a bulk action concerns. It reads at most :examine rows and returns how far it got.
-- The variant decides which rows, and by which index.
with examined as materialized (
{{bulk-find-*}}),
matched as materialized (
  select e.id, e.status, e.sort_time
    from examined e
   where e.status = any (:statuses::text[])
     and coalesce(e.finished_at, e.created_at) <= :until::timestamptz
     and (:queue::text is null or e.queue = :queue)
     and (:type::text is null or e.type = :type)
     and (:holdReason::text is null or e.hold_reason = :holdReason)
     -- the newest error of each row, as a reader sees it: one index probe per row read
     and (:errorType::text is null or :errorType = (
       select k.type
         from konduit_task_error k
        where k.task_id = e.id and k.outcome <> 'REFUSED'
        order by k.lease_epoch desc
        limit 1))
     and (:createdAfter::timestamptz is null or e.created_at >= :createdAfter::timestamptz)
     and (:createdBefore::timestamptz is null or e.created_at < :createdBefore::timestamptz)
     and (:finishedAfter::timestamptz is null or e.finished_at >= :finishedAfter::timestamptz)
     and (:finishedBefore::timestamptz is null or e.finished_at < :finishedBefore::timestamptz)
   order by e.sort_time, e.id
   limit :limit)
select x.examined, x.last_sort_time, x.last_id, m.id, m.status, m.sort_time
  from (select count(*) as examined,
               (array_agg(l.sort_time::text order by l.sort_time desc, l.id desc))[1] as last_sort_time,
               (array_agg(l.id order by l.sort_time desc, l.id desc))[1] as last_id
          from examined l) x
  left join matched m on true
 order by m.sort_time, m.id
