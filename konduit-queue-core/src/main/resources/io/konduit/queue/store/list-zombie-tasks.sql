-- L15: live tasks that have lost more than this many workers, highest count first, by their own index.
select {{live-columns}}
  from konduit_task t
 where t.zombie_count > :above and t.zombie_count > 0
 order by t.zombie_count desc, t.id
 limit :limit
