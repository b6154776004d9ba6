-- The ledger stays: a schedule that is made again must not repeat a nominal time.
delete from konduit_schedule where name = :name
