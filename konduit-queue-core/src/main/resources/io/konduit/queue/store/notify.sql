-- Outside the user's transaction: a notification inside it would serialise commits. It stores nothing, so its own
-- commit does not wait for the disk; the setting ends with the statement's transaction.
select pg_notify(:channel, p.payload), set_config('synchronous_commit', 'off', true) from unnest(:payloads::text[]) as p(payload)
