-- STALE is told by the last beat, as in list-workers. An instance without slots runs chores only and is no worker.
select case when w.last_beat_at < statement_timestamp() - :staleMs * interval '1 millisecond' then 'STALE'
            when w.draining_since is not null then 'DRAINING'
            else 'ACTIVE' end as status,
       count(*) as workers
  from konduit_worker w
 where w.concurrency > 0
 group by 1
