-- An example of a later version for the tests of migrations: needs the hot table for itself.
alter table konduit_task add column example integer;
