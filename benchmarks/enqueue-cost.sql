-- What each guard of a new row costs the server: microseconds per statement, for a batch of four tasks. Prints the best of
-- five rounds with all guards, and again after each guard that is taken away. Rolls everything back.
--
--   psql -qAt -f benchmarks/enqueue-cost.sql    on a database with the tables of the queue and no other load

\set ON_ERROR_STOP on
begin;

create function pg_temp.measure(guards text) returns void language plpgsql as $body$
declare
  rounds constant integer := 5;
  statements constant integer := 3000;
  payloads constant text[] := array['1', '2', '3', '4'];
  new_queue constant text := 'default';
  new_type constant text := 'noop';
  started timestamptz;
  best numeric;
begin
  truncate konduit_task;
  for round in 1 .. rounds loop
    started := clock_timestamp();
    for i in 1 .. statements loop
      -- as in enqueue-many-same-shape.sql
      with clock as materialized (select now, now as run_at from statement_timestamp() as now)
      insert into konduit_task (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, created_at)
      select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40), new_queue, new_type,
             r.payload::jsonb, 2, 'PENDING', (select run_at from clock), 3, true, (select now from clock)
        from (select unnest(payloads) as payload) r;
    end loop;
    best := least(best, extract(epoch from clock_timestamp() - started) * 1000000 / statements);
  end loop;
  raise notice '%: % microseconds', guards, round(best, 1);
end $body$;

select pg_temp.measure('all guards');

alter table konduit_task drop constraint konduit_task_running_has_lease_end;
select pg_temp.measure('without the check');

drop view konduit_tasks;
alter table konduit_task
  alter attempts type integer, alter uncharged type integer, alter zombie_count type integer, alter zombie_base type integer,
  alter lease_epoch type bigint;
select pg_temp.measure('nor domains of counts');

alter table konduit_task
  alter queue type text, alter type type text, alter unique_key type text, alter status type text,
  alter priority type smallint, alter max_attempts type integer, alter lock_timeout_ms type bigint,
  alter timeout_ms type bigint;
select pg_temp.measure('nor any domain');

create or replace function konduit_timeline() returns bigint language sql immutable as 'select 1::bigint';
select pg_temp.measure('nor the timeline');

rollback;
