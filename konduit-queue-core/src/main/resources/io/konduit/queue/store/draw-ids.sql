-- Ids for tasks that are sent by COPY, which returns none, and the timestamp of the first task: microseconds since
-- 2000, the format of COPY. The ids of one array are ascending.
select array_agg(id) as ids,
       (extract(epoch from statement_timestamp() - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint as now_micros
  from (select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40) as id from generate_series(1, :count)) drawn
