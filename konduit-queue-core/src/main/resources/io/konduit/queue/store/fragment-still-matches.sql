-- Whether a task that was found still matches.
t.id = any (:ids::bigint[])
and t.status = any (:statuses::text[])
and (:holdReason::text is null or t.hold_reason = :holdReason)
and coalesce(t.finished_at, t.created_at) <= :until::timestamptz
