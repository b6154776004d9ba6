-- How long ago a chore last succeeded anywhere.
select (extract(epoch from clock_timestamp() - last_pass_at) * 1000)::bigint
  from konduit_chore
 where name = :name
