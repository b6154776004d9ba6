-- B1: how many tasks ended in each minute of the last hour, and how long they had waited and run. Each minute reads at most :cap
-- entries of an index from its start, and as many from its end. What is between them goes by their rates.
select m.starts as minute, e.ended, e.completed, e.head_seconds, e.tail_seconds, e.gap_seconds,
       e.pickup_p50, e.pickup_p95, e.run_p50, e.run_p95, f.failed, f.failed_seconds,
       e.tail >= :cap or f.failed >= :cap as estimated
  from (select date_trunc('minute', statement_timestamp()) - n * interval '1 minute' as starts
          from generate_series(0, 59) n) m
 cross join lateral (
   with head as materialized (
     select t.id, t.status, t.finished_at, t.locked_at, t.run_at
       from konduit_task_history t
      where t.finished_at >= m.starts and t.finished_at < m.starts + interval '1 minute'
      order by t.finished_at, t.id
      limit :cap),
   edge as materialized (
     select count(*) as rows, max(h.finished_at) as last, (array_agg(h.id order by h.finished_at desc, h.id desc))[1] as last_id
       from head h),
   tail as materialized (
     select t.id, t.status, t.finished_at, t.locked_at, t.run_at
       from konduit_task_history t
      where (t.finished_at, t.id) > ((select last from edge), (select last_id from edge))
        and t.finished_at < m.starts + interval '1 minute'
        and (select rows from edge) >= :cap
      order by t.finished_at desc, t.id desc
      limit :cap)
   select count(*) as ended, count(*) filter (where not s.first) as tail,
          count(*) filter (where s.status = 'COMPLETED') as completed,
          extract(epoch from max(s.finished_at) filter (where s.first) - min(s.finished_at) filter (where s.first)) as head_seconds,
          extract(epoch from max(s.finished_at) - min(s.finished_at) filter (where not s.first)) as tail_seconds,
          extract(epoch from min(s.finished_at) filter (where not s.first) - max(s.finished_at) filter (where s.first)) as gap_seconds,
          percentile_cont(0.5) within group (order by s.waited) filter (where s.status = 'COMPLETED') as pickup_p50,
          percentile_cont(0.95) within group (order by s.waited) filter (where s.status = 'COMPLETED') as pickup_p95,
          percentile_cont(0.5) within group (order by s.ran) filter (where s.status = 'COMPLETED') as run_p50,
          percentile_cont(0.95) within group (order by s.ran) filter (where s.status = 'COMPLETED') as run_p95
     from (select a.first, a.status, a.finished_at, extract(epoch from a.finished_at - a.locked_at)::double precision as ran,
                  greatest(0, extract(epoch from a.locked_at - a.run_at))::double precision as waited
             from (select true as first, h.* from head h union all select false, t.* from tail t) a) s) e
 cross join lateral (
   select count(*) as failed, extract(epoch from max(h.finished_at) - m.starts) as failed_seconds
     from (select t.finished_at
             from konduit_task t
            where t.status = 'FAILED' and t.finished_at >= m.starts and t.finished_at < m.starts + interval '1 minute'
            order by t.finished_at, t.id
            limit :cap) h) f
 order by m.starts
