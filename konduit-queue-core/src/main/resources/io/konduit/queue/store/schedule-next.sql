-- P9: how long until the next schedule is due, negative if it is late; no row when there is none. One probe of an index.
select (extract(epoch from s.next_at - clock_timestamp()) * 1000)::bigint
  from konduit_schedule s
 where s.pause_reason is null
 order by s.next_at
 limit 1
