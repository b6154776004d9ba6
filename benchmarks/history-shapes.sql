-- The shapes that history could have: one table, partitions by range of id, and a ring of slots. What an insert, a lookup and the
-- removal cost, and what they lock. In a schema of its own, which is dropped in the end (docs/decisions/0036).
--
--   psql -qAt -f benchmarks/history-shapes.sql    as a superuser, on any database of a server with nothing else to do

\set ON_ERROR_STOP on
drop schema if exists hs cascade; create schema hs; set search_path = hs;
create unlogged table src as
select g::bigint as id, 'default'::text as queue, 'noop'::text as type, to_jsonb(g) as payload, 2::smallint as priority,
       clock_timestamp() as run_at, 1 as attempts, 3 as max_attempts, true as reapable, 0 as zombie_count, 1::bigint as lease_epoch,
       gen_random_uuid() as locked_by, clock_timestamp() as locked_at, null::timestamptz as last_checkpoint_at,
       null::text as unique_key, null::text as last_error, clock_timestamp() as created_at, null::int as snoozes
  from generate_series(1, 200000) g;
create index on src (id); analyze src;
create table cols_today (id bigint not null, queue text not null, type text not null, payload jsonb not null, priority smallint not null,
  status text not null, run_at timestamptz not null, attempts integer not null, max_attempts integer, snoozes integer, reapable boolean,
  zombie_count integer not null, lease_epoch bigint not null, locked_by uuid, locked_at timestamptz, last_checkpoint_at timestamptz,
  unique_key text, last_error text, created_at timestamptz not null, finished_at timestamptz not null);
create table cols_packed (id bigint not null, lease_epoch bigint not null, created_at timestamptz not null, run_at timestamptz not null,
  locked_at timestamptz, finished_at timestamptz not null, last_checkpoint_at timestamptz, locked_by uuid,
  attempts integer not null, max_attempts integer, snoozes integer, zombie_count integer not null,
  priority smallint not null, slot smallint, reapable boolean, status text not null,
  queue text not null, type text not null, payload jsonb not null, unique_key text, last_error text);
create table ring (slot smallint primary key, opened_at timestamptz, closed_at timestamptz);
insert into ring select g, case when g = 0 then now() end, null from generate_series(0, 7) g;
create function mk(name text, kind text, cols text, idx text, n int) returns void language plpgsql as $$
declare p text; i int;
begin
  if kind = 'plain' then
    execute format('create table %I (like %I including all, primary key (id), check (status in (''COMPLETED'', ''CANCELLED'')))', name, cols);
    if idx = 'btree' then execute format('create index on %I (finished_at, id)', name); end if;
    if idx = 'brin' then execute format('create index on %I using brin (finished_at) with (autosummarize = on)', name); end if;
    return;
  end if;
  if kind = 'range' then
    execute format('create table %I (like %I including all, primary key (id), check (status in (''COMPLETED'', ''CANCELLED''))) partition by range (id)', name, cols);
    if idx = 'btree' then execute format('create index on %I (finished_at, id)', name); end if;
    for i in 0..n-1 loop
      execute format('create table %I partition of %I for values from (%s) to (%s)', name||i, name, i * 200000/ n, (i + 1) * 200000 / n);
    end loop;
    execute format('create table %I partition of %I default', name||'d', name);
  else
    execute format('create table %I (like %I including all, check (status in (''COMPLETED'', ''CANCELLED''))) partition by list (slot)', name, cols);
    for i in 0..n loop
      if i < n then execute format('create table %I partition of %I (primary key (id)) for values in (%s)', name||i, name, i);
      else execute format('create table %I partition of %I (primary key (id)) default', name||i, name); end if;
      if idx = 'btree' then execute format('create index on %I (finished_at, id)', name||i); end if;
      if idx = 'brin' then execute format('create index on %I using brin (finished_at) with (autosummarize = on)', name||i); end if;
    end loop;
  end if;
end $$;
create table result (run int, name text, us numeric, wal numeric);
create procedure fill(run int, name text, slotted bool) language plpgsql as $$
declare b int; t timestamptz; w pg_lsn; sql text; us numeric; wal numeric;
begin
  sql := format('with gone as (select * from hs.src where id = any ($1)) insert into hs.%I (id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, snoozes, status, finished_at%s) select id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, snoozes, ''COMPLETED'', statement_timestamp()%s from gone',
    name, case when slotted then ', slot' else '' end, case when slotted then ', (select slot from hs.ring where opened_at is not null and closed_at is null limit 1)' else '' end);
  execute format('truncate hs.%I', name); commit;
  t := clock_timestamp(); w := pg_current_wal_insert_lsn();
  for b in 0..1999 loop
    execute sql using array(select generate_series(b * 100 + 1, b * 100 + 100)::bigint);
    commit;
  end loop;
  insert into hs.result values (run, name, extract(epoch from clock_timestamp() - t) * 1e6 / 200000, (pg_current_wal_insert_lsn() - w) / 200000);
  commit;
end $$;
select mk('plain', 'plain', 'cols_today', 'btree', 0), mk('packed', 'plain', 'cols_packed', 'btree', 0), mk('packed_brin', 'plain', 'cols_packed', 'brin', 0),
  mk('range8', 'range', 'cols_today', 'btree', 8), mk('ring8', 'list', 'cols_packed', 'btree', 8), mk('ring8_brin', 'list', 'cols_packed', 'brin', 8), mk('ring8_none', 'list', 'cols_packed', 'none', 8), mk('ring32_none', 'list', 'cols_packed', 'none', 32);
\o /dev/null
do $$ begin for r in 1..3 loop call fill(r, 'plain', false); call fill(r, 'packed', false); call fill(r, 'packed_brin', false); call fill(r, 'range8', false); call fill(r, 'ring8', true); call fill(r, 'ring8_brin', true); call fill(r, 'ring8_none', true); call fill(r, 'ring32_none', true); end loop; end $$;
\o
\echo insert into history, batches of 100: name | us per row (median) | WAL bytes per row
select name, round(percentile_disc(0.5) within group (order by us), 2), round(percentile_disc(0.5) within group (order by wal)) from result group by 1 order by 1;
\o /dev/null
truncate plain, range8, ring8_none, ring32_none, result;
insert into plain (id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, status, finished_at) select id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, 'COMPLETED', now() from src;
insert into range8 select * from plain;
insert into ring8_none (id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, status, finished_at, slot) select id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, 'COMPLETED', now(), id * 8 / 200001 from src;
insert into ring32_none (id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, status, finished_at, slot) select id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, 'COMPLETED', now(), id * 32 / 200001 from src;
vacuum analyze plain, range8, ring8_none, ring32_none;
\o
create or replace function look(name text, q text) returns void language plpgsql as $$
declare t timestamptz; i int; d numeric; pl numeric := 0; l text; x bigint; r record;
begin
  execute format('prepare look_%s (bigint) as %s', name, format(q, name));
  for i in 1..10 loop execute format('execute look_%s(%s)', name, i); end loop;
  t := clock_timestamp();
  for i in 1..20000 loop execute format('execute look_%s(%s)', name, (i * 7919) % 200000 + 1); end loop;
  d := extract(epoch from clock_timestamp() - t) * 1e6 / 20000;
  for i in 1..200 loop
    for l in execute format('explain (summary) ' || replace(q, '$1', (i * 997)::text), name) loop
      if l like 'Planning Time%' then pl := pl + substring(l from '[0-9.]+')::numeric * 1000 / 200; end if;
    end loop;
  end loop;
  execute format('deallocate look_%s', name);
  raise notice '% | % us executed with a kept plan | % us planning', rpad(name, 12), round(d, 1), round(pl, 1);
end $$;
\echo lookup by id
select look(n, 'select status, finished_at from %s where id = $1') from unnest(array['plain','range8','ring8_none','ring32_none']) n;
\echo newest 50 below an id
select look(n, 'select id, status from %s where id < $1 order by id desc limit 50') from unnest(array['plain','range8','ring8_none','ring32_none']) n;
\echo emptying 25 000 rows: us and WAL bytes per row
do $$
declare t timestamptz; w pg_lsn;
begin
  t := clock_timestamp(); w := pg_current_wal_insert_lsn();
  for i in 1..5 loop
    with old as materialized (select id from hs.plain where finished_at < now() + interval '1 day' order by finished_at, id limit 5000 for update skip locked)
    delete from hs.plain where id = any (array(select old.id from old));
    commit;
  end loop;
  raise notice 'delete: % us, % bytes', round(extract(epoch from clock_timestamp() - t) * 1e6 / 25000, 3), round((pg_current_wal_insert_lsn() - w) / 25000, 2);
  t := clock_timestamp(); w := pg_current_wal_insert_lsn();
  drop table hs.range80; commit;
  raise notice 'drop partition: % us, % bytes', round(extract(epoch from clock_timestamp() - t) * 1e6 / 25000, 3), round((pg_current_wal_insert_lsn() - w) / 25000, 2);
  t := clock_timestamp(); w := pg_current_wal_insert_lsn();
  truncate hs.ring8_none0; commit;
  raise notice 'truncate slot: % us, % bytes', round(extract(epoch from clock_timestamp() - t) * 1e6 / 25000, 3), round((pg_current_wal_insert_lsn() - w) / 25000, 2);
  t := clock_timestamp();
  perform 1 where exists (select 1 from hs.ring8_none1 where finished_at > now() + interval '1 day');
  raise notice 'reading a slot to check its newest row: % us', round(extract(epoch from clock_timestamp() - t) * 1e6 / 25000, 3);
end $$;
\echo locks on the parent and the neighbour
begin; drop table range81; select 'drop: ' || string_agg(relation::regclass || ' ' || mode, ', ') from pg_locks where pid = pg_backend_pid() and relation::regclass::text in ('range8', 'range82', 'range8d') ; rollback;
begin; truncate ring8_none1; select 'truncate: ' || coalesce(string_agg(relation::regclass || ' ' || mode, ', '), 'none') from pg_locks where pid = pg_backend_pid() and relation::regclass::text in ('ring8_none', 'ring8_none2', 'ring8_none8'); rollback;
drop schema hs cascade;
