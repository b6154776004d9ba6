-- Ids for tasks that are sent by COPY, which returns none, and the moment of the first of them: microseconds since 2000, as
-- COPY takes it. Ids of one array grow.
select array_agg(id) as ids,
       (extract(epoch from statement_timestamp() - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint as moment
  from (select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40) as id from generate_series(1, :count)) drawn
