-- B1: incidents of the last days by what happened. Each day reads at most :cap entries of the index on (detected_at, id).
-- As in pace.sql, the end of the day is checked outside.
select d.starts as day, s.classification, count(*) as incidents, coalesce(max(s.nth), 0) >= :cap as cut
  from (select date_trunc('day', statement_timestamp(), 'UTC') - n * interval '1 day' as starts
          from generate_series(0, :days - 1) n) d
 cross join lateral (
   select r.classification, row_number() over (order by r.detected_at, r.id) as nth
     from (select n.classification, n.detected_at, n.id
             from konduit_task_incident n
            where n.detected_at >= d.starts
            order by n.detected_at, n.id
            limit :cap) r
    where r.detected_at < d.starts + interval '1 day') s
 group by d.starts, s.classification
 order by d.starts, s.classification
