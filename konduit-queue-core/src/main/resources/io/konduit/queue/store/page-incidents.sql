-- L19: the evidence of a period, newest first, one page of the index on (detected_at, id).
select id, task_id, queue, type, classification, action, actor, note, previous_owner, lease_epoch, lease_started_at,
       lease_ended_at, detected_at, detection_delay_ms as detection_delay, attempts, zombie_count, late_outcome, late_outcome_at, outcome, outcome_at,
       witness_gone_at, last_beat_at
  from konduit_task_incident
 where detected_at >= statement_timestamp() - :periodMs * interval '1 millisecond'
   and (detected_at, id) < (:beforeTime::timestamptz, :beforeId)
 order by detected_at desc, id desc
 limit :limit
