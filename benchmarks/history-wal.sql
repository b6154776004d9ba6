-- Which records of the log a task writes from its enqueueing to its end, in bytes per task, and what removing it costs by
-- delete with the vacuum that follows, and by truncate. Batches of 100, on a server with nothing else to do.
--
--   psql -qAt -f benchmarks/history-wal.sql    as a superuser, on a database with the tables of the queue (they are emptied)
--
-- With full_page_writes on, whole pages are counted apart: how many there are depends on the checkpoints.

\set ON_ERROR_STOP on
create extension if not exists pg_walinspect;
truncate konduit_task, konduit_task_history;
update konduit_history_slot set opened_at = case when slot = 0 then now() end, closed_at = null;
create temp table wal (step text, lsn pg_lsn);
create temp table lease (id bigint primary key);

create or replace procedure pg_temp.life(tasks integer) language plpgsql as $body$
declare
  worker constant uuid := gen_random_uuid();
begin
  for batch in 0 .. tasks / 100 - 1 loop
    insert into konduit_task (queue, type, payload, priority, status, run_at, max_attempts, reapable, created_at)
    select 'default', 'noop', to_jsonb(n), 2, 'PENDING', clock_timestamp(), 3, true, clock_timestamp() from generate_series(1, 100) n;
    commit;
  end loop;
  insert into wal values ('enqueue', pg_current_wal_insert_lsn());
  commit;
  for batch in 0 .. tasks / 100 - 1 loop
    update konduit_task t
       set status = 'RUNNING', attempts = attempts + 1, lease_epoch = lease_epoch + 1, locked_by = worker,
           locked_at = clock_timestamp(), lock_timeout_at = clock_timestamp() + interval '5 min'
     where t.ctid = any (array(select d.ctid from konduit_task d where d.queue = 'default' and d.priority = 2
                                  and d.status = 'PENDING' order by d.run_at, d.id limit 100 for no key update skip locked));
    commit;
  end loop;
  insert into wal values ('claim', pg_current_wal_insert_lsn());
  commit;
  for batch in 0 .. tasks / 100 - 1 loop
    with gone as (
      delete from konduit_task t where t.id = any (array(select id from konduit_task where status = 'RUNNING' order by id limit 100))
      returning t.*)
    insert into konduit_task_history (id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count,
                                      lease_epoch, locked_by, locked_at, created_at, status, finished_at, slot)
    select id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count,
           lease_epoch, locked_by, locked_at, created_at, 'COMPLETED', statement_timestamp(),
           (select s.slot from konduit_history_slot s where s.opened_at is not null and s.closed_at is null limit 1)
      from gone;
    commit;
  end loop;
  insert into wal values ('complete', pg_current_wal_insert_lsn());
  commit;
end $body$;

checkpoint;
insert into wal values ('start', pg_current_wal_insert_lsn());
call pg_temp.life(20000);
delete from konduit_task_history where id in (select id from konduit_task_history order by id limit 10000);
insert into wal values ('delete (of half)', pg_current_wal_insert_lsn());
vacuum konduit_task_history_0;
insert into wal values ('vacuum (after that)', pg_current_wal_insert_lsn());
truncate only konduit_task_history_0;
insert into wal values ('truncate (of half)', pg_current_wal_insert_lsn());

\echo step | record | count per task | bytes per task | of them whole pages
with steps as (
  select step, lag(lsn) over (order by lsn) as "from", lsn as "to", case when step like '%half%' or step like 'vacuum%' then 10000 else 20000 end as tasks
    from wal)
select s.step, w."resource_manager/record_type", round(w.count::numeric / s.tasks, 2), round((w.combined_size)::numeric / s.tasks, 1),
       round(w.fpi_size::numeric / s.tasks, 1)
  from steps s
 cross join lateral pg_get_wal_stats(s."from", s."to", true) w
 where s."from" is not null and w.combined_size > s.tasks / 2
 order by s."to", w.combined_size desc;
\echo step | bytes per task
select step, round((lsn - lag(lsn) over (order by lsn)) / case when step like '%half%' or step like 'vacuum%' then 10000 else 20000 end, 1)
  from wal order by lsn offset 1;
drop extension pg_walinspect;
