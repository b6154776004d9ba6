-- R1: how many rows a slot has, counted up to a limit.
select count(*) from (select 1 from {{slot-*}} limit :limit) counted
