-- The time when a call begins: later changes are not part of it.
select statement_timestamp()::text
