select id, task_id, queue, type, classification, action, actor, note, previous_owner, lease_epoch, lease_started_at,
       lease_ended_at, detected_at, detection_delay_ms as detection_delay, attempts, zombie_count, late_outcome, late_outcome_at, outcome, outcome_at,
       witness_gone_at, last_beat_at
  from konduit_task_incident
 where task_id = :taskId
 order by id desc
 limit :limit
