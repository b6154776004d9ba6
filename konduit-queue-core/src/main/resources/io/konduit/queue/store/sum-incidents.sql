-- L19: incidents by kind, and their results. Reads at most the newest :cap rows of the period.
select s.classification, s.action, s.type, count(*) as incidents,
       count(*) filter (where s.outcome = 'COMPLETED') as completed,
       count(*) filter (where s.outcome = 'FAILED') as failed,
       count(*) filter (where s.outcome = 'CANCELLED') as cancelled,
       count(*) filter (where s.outcome is null) as open,
       count(*) filter (where s.late_outcome is not null) as worker_was_alive
  from (select n.classification, n.action, n.type, n.outcome, n.late_outcome
          from konduit_task_incident n
         where n.detected_at >= statement_timestamp() - :periodMs * interval '1 millisecond'
         order by n.detected_at desc, n.id desc
         limit :cap) s
 group by s.classification, s.action, s.type
 order by incidents desc, s.type, s.classification, s.action
 limit 500
