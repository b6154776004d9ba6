-- P6: notes since when no live worker declares a schedule, and forgets it when one does. Writes only changes.
with found as materialized (
  select s.name,
         exists (select 1 from konduit_worker w
                  where w.last_beat_at >= statement_timestamp() - :staleMs * interval '1 millisecond'
                    and s.name = any (w.schedules)) as alive
    from konduit_schedule s
   where s.declared and s.pause_reason is null)
update konduit_schedule s
   set undeclared_since = case when f.alive then null else statement_timestamp() end
  from found f
 where s.name = f.name and f.alive = (s.undeclared_since is not null)
