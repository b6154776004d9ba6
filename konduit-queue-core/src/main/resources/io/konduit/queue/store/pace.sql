-- B1: how many tasks of one slot of history ended in each minute of the last hour, and how long they had waited and run. Rows lie
-- in a slot in the order in which they ended, so a binary search finds the first page of the hour. Of the pages from there on, at
-- most :pages are read, evenly spread; each stands for as many others.
with recursive hour as (
  select date_trunc('minute', statement_timestamp()) - interval '59 minutes' as starts,
         pg_relation_size('{{slot-*}}'::regclass) / current_setting('block_size')::bigint as pages),
search (low, high) as (
  select 0::bigint, h.pages from hour h
  union all
  select case when m.earlier then m.middle + 1 else s.low end, case when m.earlier then s.high else m.middle end
    from search s
   cross join lateral (
     select (s.low + s.high) / 2 as middle,
            coalesce((select t.finished_at < (select starts from hour)
                        from {{slot-*}} t
                       where t.ctid >= format('(%s,1)', (s.low + s.high) / 2)::tid
                       limit 1), false) as earlier) m
   where s.low < s.high),
span as (
  select b.first, h.pages - b.first as pages, least(h.pages - b.first, :pages) as read
    from hour h
   cross join (select greatest(0, max(low) - 1) as first from search where low = high) b),
sample as (
  select r.status, r.finished_at, r.locked_at, r.run_at, s.pages::double precision / s.read as stands_for
    from span s
   cross join lateral generate_series(0, s.read - 1) n
   cross join lateral (
     select t.status, t.finished_at, t.locked_at, t.run_at
       from {{slot-*}} t
      where t.ctid >= format('(%s,0)', s.first + n * s.pages / s.read)::tid
        and t.ctid < format('(%s,0)', s.first + n * s.pages / s.read + 1)::tid
      limit 300) r)
select date_trunc('minute', s.finished_at) as minute,
       coalesce(sum(s.stands_for) filter (where s.status = 'COMPLETED'), 0) as completed,
       bool_or(s.stands_for > 1) as estimated,
       percentile_cont(0.5) within group (order by w.waited) filter (where s.status = 'COMPLETED') as waited_median,
       percentile_cont(0.95) within group (order by w.waited) filter (where s.status = 'COMPLETED') as waited_most,
       percentile_cont(0.5) within group (order by w.ran) filter (where s.status = 'COMPLETED') as ran_median,
       percentile_cont(0.95) within group (order by w.ran) filter (where s.status = 'COMPLETED') as ran_most
  from sample s
 cross join lateral (
   select greatest(0, extract(epoch from s.locked_at - s.run_at))::double precision as waited,
          extract(epoch from s.finished_at - s.locked_at)::double precision as ran) w
 where s.finished_at >= (select starts from hour)
 group by 1
