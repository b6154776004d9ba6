-- S13: those of the found tasks that still match. Never waits: a row that somebody else has locked is left out.
select t.id, t.queue
  from konduit_task t
 where t.id = any (:ids::bigint[])
   and t.status = any (:statuses::text[])
   and (:holdReason::text is null or t.hold_reason = :holdReason)
   and coalesce(t.finished_at, t.created_at) <= :until::timestamptz
 order by t.id
   for update skip locked
