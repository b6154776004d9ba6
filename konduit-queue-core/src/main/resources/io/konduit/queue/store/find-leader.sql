-- Who leads. ShedLock keeps UTC without a zone. With a lock provider of the application's own there is no row of the lock
-- here; then the leader says so in konduit_chore, for as long as its lock lasts.
select clock_timestamp() as moment,
       coalesce(
         (select s.locked_by
            from konduit_shedlock s
           where s.name = :lock and s.lock_until > timezone('utc', clock_timestamp())),
         (select c.worker::text from konduit_chore c where c.name = :record and c.valid_until > clock_timestamp())) as leader,
       (select c.worker from konduit_chore c where c.name = :chore) as last_reaper
