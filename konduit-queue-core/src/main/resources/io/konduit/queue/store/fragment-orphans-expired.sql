-- O2: those that a reclaim would take now, oldest first. :serverTime is null: there is no pass with a start time.
{{expired}}
 order by t.lock_timeout_at, t.id
