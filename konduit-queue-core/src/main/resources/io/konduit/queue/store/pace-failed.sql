-- B1: the minutes of the last hour, and how many tasks failed for good in each. Each minute reads at most :cap entries of an index.
-- The end of the minute is checked outside: with both ends inside, PostgreSQL expects so few rows that it may sort the whole minute.
select m.starts as minute, f.failed, f.seconds
  from (select date_trunc('minute', statement_timestamp()) - n * interval '1 minute' as starts
          from generate_series(0, 59) n) m
 cross join lateral (
   select count(*) as failed, extract(epoch from max(h.finished_at) - m.starts)::double precision as seconds
     from (select t.finished_at
             from konduit_task t
            where t.status = 'FAILED' and t.finished_at >= m.starts
            order by t.finished_at, t.id
            limit :cap) h
    where h.finished_at < m.starts + interval '1 minute') f
 order by m.starts
