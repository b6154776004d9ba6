-- Each promotion of a standby begins a new timeline of the server's log. Commits that the standby had not received are gone
-- then, and with them all memory of the ids and fencing tokens that they gave out. So both carry the timeline in their
-- upper bits: what is given out after a promotion is greater than everything before it.
--
-- plpgsql keeps its plan: 2 microseconds for a call, against 6 in SQL. Stable: one value serves a whole statement.
-- A server that does not let its users read the position of its log stays on timeline 1 for ever.
do $migration$
begin
  create function konduit_timeline() returns bigint language plpgsql stable parallel safe as $body$
  begin
    return ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint;
  end $body$;
  perform konduit_timeline();
exception when others then
  -- what the block has created is undone
  create function konduit_timeline() returns bigint language plpgsql stable parallel safe as $body$
  begin
    return 1;
  end $body$;
end $migration$;

-- How often the worker has beaten. One that finds less than it knows of sees that the database has lost commits.
alter table konduit_worker add column beats bigint;
