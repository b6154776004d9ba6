-- R1: closes the open slot and opens an empty one, at most once however many leaders do it. Without an open slot (open is
-- null) it only opens one: konduit_history_slot_open refuses a second one.
with closed as (
  update konduit_history_slot
     set closed_at = statement_timestamp()
   where slot = :open::smallint and opened_at is not null and closed_at is null
  returning slot)
update konduit_history_slot n
   set opened_at = statement_timestamp(), turn = (select max(t.turn) + 1 from konduit_history_slot t)
 where n.slot = :next::smallint and n.opened_at is null
   and (:open::smallint is null or exists (select from closed))
