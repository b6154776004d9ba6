delete from konduit_worker where id = :id
