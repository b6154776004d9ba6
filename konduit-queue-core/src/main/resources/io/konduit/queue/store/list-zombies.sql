-- L15: live tasks that have lost more workers than that.
select id
  from konduit_task
 where zombie_count > :above and zombie_count > 0
 order by zombie_count desc, id
 limit :most
