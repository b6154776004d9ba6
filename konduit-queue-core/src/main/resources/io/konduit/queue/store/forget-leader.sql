delete from konduit_chore where name = :name and worker = :worker
