-- H2: rows of workers long gone.
delete from konduit_worker
 where id in (
   select id
     from konduit_worker
    where last_beat_at < statement_timestamp() - :keepMs * interval '1 millisecond'
    order by last_beat_at
    limit :limit
      for update skip locked)
