-- R1: notes this pass in every slot, and moves the times of the slots by as much as the clock has jumped since the last
-- pass: time counts as age only if it has passed. If the caller made the last pass, it has measured it with its own
-- monotonic clock. Nobody has measured the time since the pass of another instance: it counts up to a limit.
with last as materialized (
  select statement_timestamp() as time, max(s.seen_at) as seen_at from konduit_history_slot s),
moved as materialized (
  select l.time,
         case when l.time < l.seen_at then l.time - l.seen_at
              else greatest(interval '0', l.time - l.seen_at - interval '1 millisecond'
                * case when floor(extract(epoch from l.seen_at) * 1000000) = :seen::bigint then :elapsedMs::bigint
                       else :unwatchedMs::bigint end) end as jump
    from last l),
noted as (
  update konduit_history_slot s
     set seen_at = m.time, opened_at = s.opened_at + coalesce(m.jump, interval '0'),
         closed_at = s.closed_at + coalesce(m.jump, interval '0')
    from moved m)
select floor(extract(epoch from m.time) * 1000000)::bigint as seen,
       coalesce(extract(epoch from m.jump) * 1000, 0)::bigint as jump_ms
  from moved m
