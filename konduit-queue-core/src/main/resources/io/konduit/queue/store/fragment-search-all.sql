-- The newest of both tables by primary key, merged.
select u.*
  from (({{search-live}})
        union all
        ({{search-history}})) u
 order by u.id desc
 limit :examine
