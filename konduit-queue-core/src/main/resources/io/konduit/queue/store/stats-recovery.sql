-- O4, O5: the state of recovery. Running rows are bounded by the workers' slots; zombies have their own index.
select (select extract(epoch from statement_timestamp() - min(t.lock_timeout_at))
          from konduit_task t
         where t.status = 'RUNNING' and t.lock_timeout_at < statement_timestamp()) as oldest_expired_seconds,
       (select count(*)
          from (select 1 from konduit_task t where t.zombie_count > :warnAbove and t.zombie_count > 0 limit :cap) counted) as zombies_above,
       (select extract(epoch from clock_timestamp() - c.last_pass_at)
          from konduit_chore c
         where c.name = :chore) as since_reaper_seconds,
       (select extract(epoch from clock_timestamp() - min(s.next_at))
          from konduit_schedule s
         where s.pause_reason is null and s.next_at < statement_timestamp()) as schedules_late_seconds
