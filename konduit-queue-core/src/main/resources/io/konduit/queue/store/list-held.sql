-- The review inbox: each held task with the incident that caused the hold. finished_at is null for every held task, so
-- the index of ended tasks gives the order.
select t.id, t.queue, t.type, t.hold_reason, t.attempts, t.zombie_count, t.unique_key, t.created_at, t.last_checkpoint_at,
       i.detected_at as held_at, i.previous_owner, i.lease_epoch, i.lease_started_at, i.lease_ended_at, i.late_outcome, i.late_outcome_at,
       e.type as error_type, e.message as error_message, e.attempt as error_attempt, e.at as error_at
  from (select h.id, h.queue, h.type, h.hold_reason, h.attempts - coalesce(h.uncharged, 0) as attempts, h.zombie_count, h.unique_key, h.created_at, h.last_checkpoint_at
          from konduit_task h
         where h.status = 'HELD' and h.finished_at is null and h.id > :afterId
         order by h.finished_at, h.id
         limit :limit) t
  left join lateral (
    select n.detected_at, n.previous_owner, n.lease_epoch, n.lease_started_at, n.lease_ended_at, n.late_outcome, n.late_outcome_at
      from konduit_task_incident n
     where n.task_id = t.id and n.action = 'HELD'
     order by n.id desc
     limit 1) i on true
  left join lateral (
    select k.type, k.message, k.attempt, k.at
      from konduit_task_error k
     where k.task_id = t.id and k.outcome <> 'REFUSED'
     order by k.lease_epoch desc
     limit 1) e on true
 order by t.id
