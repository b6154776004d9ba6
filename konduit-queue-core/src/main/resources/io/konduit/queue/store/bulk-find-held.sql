-- S13: held tasks in the order of their ids, by the index on (status, finished_at, id): a held task has no finished_at.
with examined as materialized (
  select t.id, t.queue, t.type, t.status, t.hold_reason, t.created_at, t.finished_at, null::timestamptz as place
    from konduit_task t
   where t.status = 'HELD' and t.finished_at is null and t.id > :afterId
   order by t.finished_at, t.id
   limit :examine),
matched as materialized (
  select e.id, e.status, e.place
    from examined e
   where e.status = any (:statuses::text[])
     and coalesce(e.finished_at, e.created_at) <= :until::timestamptz
     and (:queue::text is null or e.queue = :queue)
     and (:type::text is null or e.type = :type)
     and (:holdReason::text is null or e.hold_reason = :holdReason)
     -- that of its newest error, as a reader sees it: one index probe for each row that is looked at
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
   order by e.place, e.id
   limit :most)
select x.examined, x.last_place, x.last_id, m.id, m.status, m.place
  from (select count(*) as examined,
               (array_agg(l.place::text order by l.place desc, l.id desc))[1] as last_place,
               (array_agg(l.id order by l.place desc, l.id desc))[1] as last_id
          from examined l) x
  left join matched m on true
 order by m.place, m.id
