-- R1: locks a slot that was closed at that turn, unless another leader has it. The lock timeout ends with the transaction:
-- behind a long reader, truncate would make everybody else wait.
select s.slot
  from konduit_history_slot s
 where s.slot = :slot and s.turn = :turn and s.closed_at is not null
   and set_config('lock_timeout', :lockTimeout::text, true) is not null
   for update skip locked
