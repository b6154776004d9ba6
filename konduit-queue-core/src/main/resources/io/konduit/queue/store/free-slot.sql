-- R1: an empty slot can be opened again.
update konduit_history_slot
   set opened_at = null, closed_at = null
 where slot = :slot and turn = :turn and closed_at is not null
