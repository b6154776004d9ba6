-- How long ago each chore last succeeded anywhere.
select name, (extract(epoch from clock_timestamp() - last_pass_at) * 1000)::bigint as since_ms
  from konduit_chore
