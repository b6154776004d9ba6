-- A bulk operation of an operator, recorded in the transaction that performs it.
insert into konduit_audit (at, actor, action, filter, changed, note)
values (statement_timestamp(), :actor, :action, :filter::jsonb, :changed, :note)
