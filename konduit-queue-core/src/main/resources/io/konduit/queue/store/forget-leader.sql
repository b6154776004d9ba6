-- The row stays: the documented grants of workers have no delete here.
update konduit_chore set valid_until = statement_timestamp() where name = :name and worker = :worker
