-- Rejects every transition that docs/how-it-works.md does not list, and every row that breaks a rule of several columns. For
-- tests only, never in production: PostgreSQL would parse the text of the checks for each statement (decision 6).
alter table ${schema}konduit_task
  add constraint rule_lease check (
    (status = 'RUNNING') = (locked_by is not null)
    and (locked_by is null) = (locked_at is null)
    and (locked_by is null) = (lock_timeout_at is null)),
  add constraint rule_decided check (status <> 'RUNNING' or (max_attempts is not null and reapable is not null)),
  add constraint rule_hold check ((status = 'HELD') = (hold_reason is not null)),
  add constraint rule_finished check ((status = 'FAILED') = (finished_at is not null)),
  add constraint rule_zombie_base check (zombie_base <= zombie_count),
  add constraint rule_uncharged check (uncharged <= attempts),
  add constraint rule_snoozes check (snoozes is null or snoozes <= coalesce(uncharged, 0));
create function ${schema}konduit_check_transition() returns trigger language plpgsql as $$
declare
  step text := old.status || ' -> ' || new.status;
begin
  if new.attempts < old.attempts or new.zombie_count < old.zombie_count or new.lease_epoch < old.lease_epoch then
    raise exception 'I4: task %: attempts, zombie_count and lease_epoch never decrease (%)', old.id, step;
  end if;
  if coalesce(new.uncharged, 0) <> coalesce(old.uncharged, 0)
     and (step <> 'RUNNING -> PENDING' or coalesce(new.uncharged, 0) <> coalesce(old.uncharged, 0) + 1
          or new.max_attempts <> least(old.max_attempts::bigint + 1, 2147483647)) then
    raise exception 'T9, T19: task %: only giving back and snoozing add one to uncharged, and one to max_attempts (%)', old.id, step;
  end if;
  if coalesce(new.snoozes, 0) <> coalesce(old.snoozes, 0)
     and (step <> 'RUNNING -> PENDING' or coalesce(new.snoozes, 0) <> coalesce(old.snoozes, 0) + 1
          or coalesce(new.uncharged, 0) = coalesce(old.uncharged, 0)) then
    raise exception 'T19: task %: only a snooze adds one to snoozes, and it is not charged (%)', old.id, step;
  end if;
  if step = 'PENDING -> RUNNING' then
    if new.attempts <> old.attempts + 1 or new.lease_epoch <> greatest(old.lease_epoch, (${schema}konduit_timeline() - 1) << 32) + 1
       or new.zombie_count <> old.zombie_count then
      raise exception 'I4: task %: a claim adds exactly one to attempts, and to lease_epoch or to what its timeline begins with', old.id;
    end if;
    if old.run_at > clock_timestamp() then
      raise exception 'T2: task % is not due', old.id;
    end if;
  elsif new.attempts <> old.attempts or new.lease_epoch <> old.lease_epoch then
    raise exception 'I4: task %: only a claim changes attempts and lease_epoch (%)', old.id, step;
  elsif step = 'RUNNING -> RUNNING' then
    if new.locked_by <> old.locked_by or new.zombie_count <> old.zombie_count then
      raise exception 'I2: task %: an extension or checkpoint keeps the owner', old.id;
    end if;
  elsif step = 'RUNNING -> PENDING' then
    if new.zombie_count > old.zombie_count + 1 then
      raise exception 'T7: task %: a reclaim adds one to zombie_count', old.id;
    -- T9 gives back whatever was claimed, also the run after a reclaim that had used the last attempt (L3)
    elsif new.zombie_count = old.zombie_count and coalesce(new.uncharged, 0) = coalesce(old.uncharged, 0)
          and new.max_attempts <= new.attempts then
      raise exception 'T5: task %: no attempt is left', old.id;
    end if;
  elsif step = 'RUNNING -> HELD' then
    if new.zombie_count <> old.zombie_count + 1 then
      raise exception 'T8: task %: a hold adds one to zombie_count', old.id;
    end if;
  elsif step in ('RUNNING -> FAILED', 'HELD -> FAILED', 'HELD -> PENDING', 'FAILED -> PENDING') then
    if new.zombie_count <> old.zombie_count then
      raise exception 'task %: % keeps zombie_count', old.id, step;
    end if;
  -- PENDING -> PENDING: T17 moves the start
  elsif step not in ('PENDING -> PENDING', 'HELD -> HELD', 'FAILED -> FAILED') then
    raise exception 'task %: % is not a transition', old.id, step;
  end if;
  return new;
end $$;
create trigger konduit_check_transition before update on ${schema}konduit_task
  for each row execute function ${schema}konduit_check_transition();

create function ${schema}konduit_check_start() returns trigger language plpgsql as $$
begin
  if new.status <> 'PENDING' or new.attempts <> 0 or new.lease_epoch <> 0 or new.zombie_count <> 0 then
    raise exception 'T1: task %: a new task is PENDING with all counters at zero', new.id;
  end if;
  return new;
end $$;
create trigger konduit_check_start before insert on ${schema}konduit_task
  for each row execute function ${schema}konduit_check_start();

-- Which incident rows each transaction has added; a row that it only changed is not among them.
create table ${schema}konduit_added_evidence (xact xid8 not null, task_id bigint not null);
create index on ${schema}konduit_added_evidence (task_id);
create function ${schema}konduit_note_evidence() returns trigger language plpgsql as $$
begin
  insert into ${schema}konduit_added_evidence values (pg_current_xact_id(), new.task_id);
  return null;
end $$;
create trigger konduit_note_evidence after insert on ${schema}konduit_task_incident
  for each row execute function ${schema}konduit_note_evidence();

-- I8, at commit: exactly one incident row of this transaction for each step that needs one.
create function ${schema}konduit_check_evidence() returns trigger language plpgsql as $$
declare
  found_rows integer;
begin
  select count(*) into found_rows from ${schema}konduit_added_evidence e
   where e.task_id = new.id and e.xact = pg_current_xact_id();
  if found_rows <> 1 then
    raise exception 'I8: task %: % -> % needs exactly one incident row, found %', new.id, old.status, new.status, found_rows;
  end if;
  return null;
end $$;
create constraint trigger konduit_check_evidence after update on ${schema}konduit_task
  deferrable initially deferred for each row
  when (new.status = 'HELD' and old.status <> 'HELD'
        or old.status = 'HELD' and new.status <> 'HELD'
        or old.status = 'FAILED' and new.status <> 'FAILED'
        or old.status = 'RUNNING' and new.status = 'PENDING' and new.zombie_count > old.zombie_count)
  execute function ${schema}konduit_check_evidence();

-- I1 and I7, at commit: a row that left the hot table is in history, once, and only a running task was completed.
create function ${schema}konduit_check_departure() returns trigger language plpgsql as $$
declare
  departed text;
  found_rows integer;
begin
  select h.status into departed from ${schema}konduit_task_history h where h.id = old.id;
  if departed = 'CANCELLED' then
    select count(*) into found_rows from ${schema}konduit_added_evidence e
     where e.task_id = old.id and e.xact = pg_current_xact_id();
    if found_rows <> 1 then
      raise exception 'I8: task %: % -> CANCELLED needs exactly one incident row, found %', old.id, old.status, found_rows;
    end if;
  end if;
  if old.status = 'FAILED' then
    return null; -- retention may remove a failed task
  end if;
  if departed is null then
    raise exception 'I1: task % left the hot table and is not in history', old.id;
  elsif departed = 'COMPLETED' and old.status <> 'RUNNING' then
    raise exception 'T4: task % was completed from %', old.id, old.status;
  end if;
  return null;
end $$;
create constraint trigger konduit_check_departure after delete on ${schema}konduit_task
  deferrable initially deferred for each row execute function ${schema}konduit_check_departure();
