-- R1: errors of the tasks in a slot that is about to be truncated, a batch at a time in the order of the key. One probe of
-- the slot for each error: there are few errors and many tasks.
with batch as materialized (
  select e.task_id, e.lease_epoch
    from konduit_task_error e
   where (e.task_id, e.lease_epoch) > (:afterTask, :afterEpoch)
   order by e.task_id, e.lease_epoch
   limit :limit),
gone as (
  delete from konduit_task_error e
   using batch b
   where e.task_id = b.task_id and e.lease_epoch = b.lease_epoch
     and exists (select from {{slot-*}} h where h.id = e.task_id))
select b.task_id, b.lease_epoch, count(*) over () as examined
  from batch b
 order by b.task_id desc, b.lease_epoch desc
 limit 1
