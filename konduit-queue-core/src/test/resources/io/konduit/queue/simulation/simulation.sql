-- What the simulation adds to a migrated database: a clock that it moves, randomness that repeats, a log of all changes
-- and the invariants. Functions of this schema come before PostgreSQL's in the search path of its sessions.
create schema simulation;
create sequence simulation.micros minvalue 0;
create sequence simulation.started minvalue 0;

-- A sequence is seen by all sessions at once, whatever their snapshots.
create function simulation.clock_timestamp() returns timestamptz language plpgsql stable as $$
begin
  return timestamptz 'epoch' + (select last_value from simulation.micros) * interval '1 microsecond';
end $$;
create function simulation.statement_timestamp() returns timestamptz language plpgsql stable as $$
begin
  return timestamptz 'epoch' + (select last_value from simulation.micros) * interval '1 microsecond';
end $$;
create function simulation.now() returns timestamptz language plpgsql stable as $$
begin
  return timestamptz 'epoch' + (select last_value from simulation.micros) * interval '1 microsecond';
end $$;
create function simulation.pg_postmaster_start_time() returns timestamptz language plpgsql stable as $$
begin
  return timestamptz 'epoch' + (select last_value from simulation.started) * interval '1 microsecond';
end $$;
create function simulation.random() returns double precision language plpgsql stable as $$
begin
  return (select last_value / 1000 * 7919 % 1000 from simulation.micros) / 1000.0;
end $$;

-- Every committed enqueue.
create table simulation.enqueued (id bigint primary key);

-- What handlers write in their own transactions: T in that of the completion, G in one that the fence guards.
create table simulation.effect (task_id bigint not null, epoch bigint not null, owner uuid not null, kind text not null);

-- Every committed change, until the observer has read it.
create table simulation.log (
  n               bigint generated always as identity,
  what            text not null,
  task_id         bigint,
  old_status      text,
  new_status      text,
  old_epoch       bigint,
  new_epoch       bigint,
  old_owner       uuid,
  new_owner       uuid,
  old_zombies     integer,
  new_zombies     integer,
  old_end         timestamptz,
  new_end         timestamptz,
  run_at          timestamptz,
  progress_at     timestamptz,
  reapable        boolean,
  attempts_added  integer,
  uncharged_added integer,
  checkpoint_by   bigint,
  at              timestamptz not null,
  detail          text);

create function simulation.log_task() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into simulation.enqueued values (new.id);
    insert into simulation.log (what, task_id, new_status, at) values ('TASK', new.id, new.status, clock_timestamp());
  elsif tg_op = 'UPDATE' then
    insert into simulation.log (what, task_id, old_status, new_status, old_epoch, new_epoch, old_owner, new_owner,
        old_zombies, new_zombies, old_end, new_end, run_at, progress_at, reapable, attempts_added, uncharged_added,
        checkpoint_by, at)
    values ('TASK', new.id, old.status, new.status, old.lease_epoch, new.lease_epoch, old.locked_by, new.locked_by,
        old.zombie_count, new.zombie_count, old.lock_timeout_at, new.lock_timeout_at, new.run_at,
        greatest(old.locked_at, old.last_checkpoint_at), new.reapable,
        new.max_attempts - old.max_attempts, coalesce(new.uncharged, 0) - coalesce(old.uncharged, 0),
        case when new.checkpoint is distinct from old.checkpoint then (new.checkpoint ->> 'epoch')::bigint end,
        clock_timestamp());
  else
    insert into simulation.log (what, task_id, old_status, old_epoch, old_owner, at)
    values ('TASK', old.id, old.status, old.lease_epoch, old.locked_by, clock_timestamp());
  end if;
  return null;
end $$;
create trigger simulation_log after insert or update or delete on konduit_task
  for each row execute function simulation.log_task();

create function simulation.log_history() returns trigger language plpgsql as $$
begin
  insert into simulation.log (what, task_id, new_status, new_epoch, new_owner, at, detail)
  values ('HISTORY', new.id, new.status, new.lease_epoch, new.locked_by, clock_timestamp(), new.type);
  return null;
end $$;
create trigger simulation_log after insert on konduit_task_history
  for each row execute function simulation.log_history();

create function simulation.log_incident() returns trigger language plpgsql as $$
begin
  if new.action = 'LEASE_ENDED'
     and coalesce(greatest(new.last_beat_at, new.lease_started_at) >= new.witness_gone_at, true) then
    raise exception 'T18: task %: its worker has shown life since its witness was gone', new.task_id using errcode = 'KS001';
  end if;
  insert into simulation.log (what, task_id, new_status, old_owner, new_epoch, at, detail)
  values ('INCIDENT', new.task_id, new.action, new.previous_owner, new.lease_epoch, clock_timestamp(),
          new.classification || ' ' || new.actor);
  return null;
end $$;
create trigger simulation_log after insert on konduit_task_incident
  for each row execute function simulation.log_incident();

-- What was sent before the last word of a worker about its witness changes nothing (K3), and a witness counts on the server
-- that has its lock only (K4).
create function simulation.check_witness() returns trigger language plpgsql as $$
begin
  if new.witness_term < old.witness_term then
    raise exception 'K3: a late statement about the witness of worker % counts', new.id using errcode = 'KS001';
  end if;
  if old.witness_gone_at is null and new.witness_server <> pg_postmaster_start_time() and new.witness_gone_at is not null then
    raise exception 'K4: the witness of worker % is missed, which another server had', new.id using errcode = 'KS001';
  end if;
  return new;
end $$;
create trigger simulation_witness before update of witness_term, witness_gone_at on konduit_worker
  for each row execute function simulation.check_witness();

-- F3 and I9, at commit: an effect needs the lease, or the completion of that very lease.
create function simulation.check_effect() returns trigger language plpgsql as $$
begin
  if new.kind = 'G' and not exists (
       select from konduit_task t where t.id = new.task_id and t.lease_epoch = new.epoch and t.locked_by = new.owner
          and t.status = 'RUNNING') then
    raise exception 'F3: task %: a run commits without the lease of epoch %', new.task_id, new.epoch using errcode = 'KS001';
  elsif new.kind = 'T' and not exists (
       select from konduit_task_history h where h.id = new.task_id and h.lease_epoch = new.epoch
          and h.locked_by = new.owner and h.status = 'COMPLETED') then
    raise exception 'I9: task %: an effect commits without the completion of epoch %', new.task_id, new.epoch using errcode = 'KS001';
  end if;
  return null;
end $$;
create constraint trigger simulation_effect after insert on simulation.effect
  deferrable initially deferred for each row execute function simulation.check_effect();

-- Sets the clock, hands over the changes since the last look, and what is broken.
create function simulation.observe(to_micros bigint, quarantine_after integer) returns setof simulation.log
language plpgsql as $$
begin
  if to_micros <> (select last_value from simulation.micros) then
    perform setval('simulation.micros', to_micros);
  end if;
  if not exists (select from simulation.log) then
    return;
  end if;
  return query delete from simulation.log returning *;
  return query
    select 0::bigint, 'VIOLATION', v.id, null::text, null::text, null::bigint, null::bigint, null::uuid, null::uuid, null::integer,
           null::integer, null::timestamptz, null::timestamptz, null::timestamptz, null::timestamptz, null::boolean,
           null::integer, null::integer, null::bigint, clock_timestamp(), v.detail
      from (
        select e.id, 'I1, I7: not in exactly one of hot table and history' as detail
          from simulation.enqueued e
         where (select count(*) from konduit_task t where t.id = e.id)
             + (select count(*) from konduit_task_history h where h.id = e.id) <> 1
        union all
        select t.id, 'I6: more reclaims than quarantine-after without a person'
          from konduit_task t
         where t.status in ('PENDING', 'RUNNING') and t.zombie_count >= quarantine_after
           and (select count(*) from konduit_task_incident i
                 where i.task_id = t.id and i.action in ('RECLAIMED', 'HELD')
                   and i.id > coalesce((select max(p.id) from konduit_task_incident p
                                         where p.task_id = t.id and p.action in ('RELEASED', 'RETRIED')), 0)) >= quarantine_after
        union all
        select q.task_id, 'L17: quarantined before quarantine-after reclaims'
          from konduit_task_incident q
         where q.classification = 'QUARANTINED'
           and (select count(*) from konduit_task_incident i
                 where i.task_id = q.task_id and i.action in ('RECLAIMED', 'HELD') and i.id <= q.id
                   and i.id > coalesce((select max(p.id) from konduit_task_incident p
                                         where p.task_id = q.task_id and p.action = 'RELEASED' and p.id < q.id), 0)) < quarantine_after
        union all
        select f.task_id, 'I9: an effect without its completion, or twice'
          from simulation.effect f
         where f.kind = 'T'
         group by f.task_id
        having count(*) > 1
            or not exists (select from konduit_task_history h where h.id = f.task_id and h.status = 'COMPLETED')
        union all
        select h.id, 'I9: a completion without its effect'
          from konduit_task_history h
         where h.status = 'COMPLETED' and h.type = 'transactional'
           and not exists (select from simulation.effect f where f.task_id = h.id and f.kind = 'T' and f.epoch = h.lease_epoch)
      ) v;
end $$;

-- Empties the tables. Truncating them would be dearer, because every session would plan all its statements anew: that
-- is done now and then, against bloat.
create function simulation.reset(to_micros bigint, whole boolean) returns void language plpgsql as $$
declare
  name text;
begin
  perform set_config('session_replication_role', 'replica', true);
  -- the only statement of this world that may wait: autovacuum gives way to it after deadlock_timeout
  perform set_config('lock_timeout', '30s', true);
  foreach name in array array['konduit_task', 'konduit_task_history', 'konduit_task_incident', 'konduit_task_error',
      'konduit_worker', 'konduit_chore', 'konduit_shedlock', 'konduit_queue', 'konduit_queue_audit', 'konduit_audit',
      'konduit_added_evidence', 'simulation.enqueued', 'simulation.effect', 'simulation.log',
      'simulation.copy_task', 'simulation.copy_history', 'simulation.copy_incident', 'simulation.copy_error',
      'simulation.copy_worker', 'simulation.copy_effect'] loop
    execute case when whole then 'truncate ' else 'delete from ' end || name;
  end loop;
  perform setval(pg_get_serial_sequence('konduit_task', 'id'), 1, false);
  perform setval(pg_get_serial_sequence('konduit_task_incident', 'id'), 1, false);
  perform setval(pg_get_serial_sequence('simulation.log', 'n'), 1, false);
  perform setval('simulation.micros', to_micros);
  perform setval('simulation.started', to_micros - 86400000000);
end $$;

-- A failover to a standby that has not received the last commits: everything is as it was when copy() was called.
create table simulation.copy_task (like konduit_task);
create table simulation.copy_history (like konduit_task_history);
create table simulation.copy_incident (like konduit_task_incident);
create table simulation.copy_error (like konduit_task_error);
create table simulation.copy_worker (like konduit_worker);
create table simulation.copy_effect (like simulation.effect);
create function simulation.copy() returns void language plpgsql as $$
begin
  delete from simulation.copy_task; insert into simulation.copy_task select * from konduit_task;
  delete from simulation.copy_history; insert into simulation.copy_history select * from konduit_task_history;
  delete from simulation.copy_incident; insert into simulation.copy_incident select * from konduit_task_incident;
  delete from simulation.copy_error; insert into simulation.copy_error select * from konduit_task_error;
  delete from simulation.copy_worker; insert into simulation.copy_worker select * from konduit_worker;
  delete from simulation.copy_effect; insert into simulation.copy_effect select * from simulation.effect;
end $$;
create function simulation.fail_over() returns void language plpgsql as $$
begin
  perform set_config('session_replication_role', 'replica', true);
  delete from konduit_task; insert into konduit_task select * from simulation.copy_task;
  delete from konduit_task_history; insert into konduit_task_history select * from simulation.copy_history;
  delete from konduit_task_incident; insert into konduit_task_incident select * from simulation.copy_incident;
  delete from konduit_task_error; insert into konduit_task_error select * from simulation.copy_error;
  delete from konduit_worker; insert into konduit_worker select * from simulation.copy_worker;
  delete from simulation.effect; insert into simulation.effect select * from simulation.copy_effect;
  delete from simulation.log;
  delete from konduit_added_evidence;
end $$;

-- Vacuum and analyze come at times of their own: plans and the order of rows must not depend on them, and no statement
-- may wait while vacuum shortens a file.
do $$
declare
  name regclass;
begin
  for name in select c.oid from pg_class c
               where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'simulation'::regnamespace) loop
    execute format('alter table %s set (autovacuum_enabled = false)', name);
  end loop;
end $$;
