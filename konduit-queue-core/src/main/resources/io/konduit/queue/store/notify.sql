-- Outside the user's transaction: a notification inside it would serialise commits.
select pg_notify(:channel, q.queue) from unnest(:queues::text[]) as q(queue)
