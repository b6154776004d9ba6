-- How often the task was claimed and given back without a charge: the number of an attempt is attempts - uncharged.
-- Null for none, so that a row is no byte longer and nothing is rewritten.
alter table konduit_task add column uncharged integer;
