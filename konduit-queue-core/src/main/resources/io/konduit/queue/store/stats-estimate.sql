-- PostgreSQL's estimate of all waiting tasks, for queues too long to count.
select greatest(0, reltuples)::bigint from pg_class where oid = to_regclass(:index)
