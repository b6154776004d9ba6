-- As in list-workers. An instance without slots only runs chores and does not count as a worker.
select case when not w.silent then case when w.draining_since is null then 'ACTIVE' else 'DRAINING' end
            when w.id = any (array(select t.locked_by from konduit_task t where t.status = 'RUNNING')) then 'STALE'
            when w.last_beat_at < statement_timestamp() - :goneMs * interval '1 millisecond' then 'GONE'
            when (select count(*) from konduit_worker y where y.name = w.name and y.started_at > w.last_beat_at) >= w.nth then 'GONE'
            else 'STALE' end as status,
       count(*) as workers
  from (select k.*, s.silent, row_number() over (partition by k.name, s.silent order by k.last_beat_at desc, k.id) as nth
          from konduit_worker k
         cross join lateral (
           select k.last_beat_at < statement_timestamp() - :staleMs * interval '1 millisecond' as silent) s
         where k.concurrency > 0) w
 group by 1
