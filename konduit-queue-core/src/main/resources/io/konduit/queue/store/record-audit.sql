-- What a person did to many tasks at once, in the transaction that did it.
insert into konduit_audit (at, actor, action, filter, changed, note)
values (statement_timestamp(), :actor, :action, :filter::jsonb, :changed, :note)
