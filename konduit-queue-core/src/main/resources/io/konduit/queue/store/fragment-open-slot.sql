-- T4, T11: where tasks go that end now. Without an open slot it is null, and the row goes to konduit_task_history_rest.
(select s.slot from konduit_history_slot s where s.opened_at is not null and s.closed_at is null limit 1)
