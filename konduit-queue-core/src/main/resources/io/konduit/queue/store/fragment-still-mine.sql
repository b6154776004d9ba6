-- Whether a row that was not written is still ours: then another transaction has locked it.
left join lateral (
    select t.id
      from konduit_task t
     where w.id is null
       and {{mine}}
     limit 1) m on true
