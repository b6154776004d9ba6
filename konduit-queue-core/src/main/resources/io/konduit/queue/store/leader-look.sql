-- E1, K1: whether a follower can take the leader's lock. Usually it cannot, and this read is all it sends.
select case when s.lock_until <= timezone('utc', statement_timestamp()) then 'FREE'
            when exists (
              select from konduit_worker w
               where w.id::text = s.locked_by and {{witness-gone}}) then 'GONE'
            else 'HELD' end
  from konduit_shedlock s
 where s.name = :lock
