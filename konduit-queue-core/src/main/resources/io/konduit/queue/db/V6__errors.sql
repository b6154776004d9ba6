-- Why attempts failed: one row for each, the newest 20 of a task, as long as the task is kept. No foreign key: a completion
-- would pay for it. The stack has no messages of the application and may be read by more people than the message.
create table konduit_task_error (
  task_id     bigint      not null,
  lease_epoch bigint      not null,
  attempt     integer     not null,
  type        text        not null,                    -- the class of the root cause
  message     text,
  stack       text        not null,
  outcome     text        not null,                    -- what became of the attempt
  worker      uuid        not null,
  at          timestamptz not null,
  constraint konduit_task_error_pkey primary key (task_id, lease_epoch),
  constraint konduit_task_error_outcome check (outcome in ('RETRIED', 'FAILED', 'INTERRUPTED', 'REFUSED'))
);
