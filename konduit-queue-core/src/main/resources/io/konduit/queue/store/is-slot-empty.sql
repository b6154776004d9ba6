-- R1: whether everything in this slot was deleted.
select not exists (select from {{slot-*}})
