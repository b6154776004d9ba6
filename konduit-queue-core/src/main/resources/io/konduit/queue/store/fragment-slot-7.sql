-- A part of history.
konduit_task_history_7
