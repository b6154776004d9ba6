-- The current leader. ShedLock stores UTC without a zone. With the application's own lock provider there is no lock row
-- here; the leader then records itself in konduit_chore, for the lifetime of its lock.
select clock_timestamp() as server_time,
       coalesce(
         (select s.locked_by
            from konduit_shedlock s
           where s.name = :lock and s.lock_until > timezone('utc', clock_timestamp())),
         (select c.worker::text from konduit_chore c where c.name = :record and c.valid_until > clock_timestamp())) as leader,
       (select c.worker from konduit_chore c where c.name = :chore) as last_reaper
