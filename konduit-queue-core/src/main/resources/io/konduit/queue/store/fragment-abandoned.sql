-- C3: no sign of progress in this run for this long.
greatest(t.locked_at, t.last_checkpoint_at) < statement_timestamp() - :abandonedMs::bigint * interval '1 millisecond'
