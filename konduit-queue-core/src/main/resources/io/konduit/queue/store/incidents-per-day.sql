-- B1: incidents of the last days by what happened. Each day reads at most :cap entries of the index on (detected_at, id).
select d.starts as day, s.classification, count(*) as incidents, coalesce(max(s.nth), 0) >= :cap as cut
  from (select date_trunc('day', statement_timestamp(), 'UTC') - n * interval '1 day' as starts
          from generate_series(0, :days - 1) n) d
 cross join lateral (
   select n.classification, row_number() over (order by n.detected_at, n.id) as nth
     from konduit_task_incident n
    where n.detected_at >= d.starts and n.detected_at < d.starts + interval '1 day'
    order by n.detected_at, n.id
    limit :cap) s
 group by d.starts, s.classification
 order by d.starts, s.classification
