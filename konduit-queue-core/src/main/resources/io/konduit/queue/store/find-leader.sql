-- Who leads. ShedLock keeps UTC without a zone. An application with a lock provider of its own has no row here; then
-- the instance of the reaper's last pass is the best there is to know.
select clock_timestamp() as moment,
       (select s.locked_by
          from konduit_shedlock s
         where s.name = :lock and s.lock_until > timezone('utc', clock_timestamp())) as leader,
       (select c.worker from konduit_chore c where c.name = :chore) as last_reaper
