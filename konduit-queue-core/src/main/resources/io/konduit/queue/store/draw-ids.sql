-- Ids for tasks that are sent by COPY, which returns none, and the moment that all of them get: microseconds since 2000,
-- as COPY takes it. Ids of one array grow.
select array_agg(id) as ids,
       (extract(epoch from clock_timestamp() - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint as now
  from (select nextval('konduit_task_id_seq') as id from generate_series(1, :count)) drawn
