-- When a call begins: what comes later is no part of it.
select statement_timestamp()::text
