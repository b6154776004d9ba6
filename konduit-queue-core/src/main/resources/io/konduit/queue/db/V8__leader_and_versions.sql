-- The version of the application that a worker belongs to; version is that of this library.
alter table konduit_worker add column application_version text;

-- Who leads where the leader lock is not in konduit_shedlock: the row 'leader', and until when its word is good.
alter table konduit_chore add column valid_until timestamptz;
