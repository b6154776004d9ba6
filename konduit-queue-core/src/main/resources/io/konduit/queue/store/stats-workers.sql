select status, count(*) as workers from konduit_worker group by status
