-- Limits the wait for locked rows, for the rest of the transaction.
select set_config('lock_timeout', '1s', true)
