-- E1, K1: whether a follower can take the leader's lock. Usually it cannot, and this read is all it sends. IDLE: it cannot, no task runs, and
-- the leader has renewed its lock in time, so nobody needs to look again soon.
select case when s.lock_until <= timezone('utc', statement_timestamp()) then 'FREE'
            when exists (
              select from konduit_worker w
               where w.id::text = s.locked_by and {{witness-gone}}) then 'GONE'
            -- the least id rather than any row: no plan reads the table for it, whatever its statistics say
            when s.lock_until > timezone('utc', statement_timestamp()) + :freshMs * interval '1 millisecond'
             and (select min(t.id) from konduit_task t where t.status = 'RUNNING') is null then 'IDLE'
            else 'HELD' end
  from konduit_shedlock s
 where s.name = :lock
