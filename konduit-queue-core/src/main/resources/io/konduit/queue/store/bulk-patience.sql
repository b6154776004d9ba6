-- For the rest of the transaction: what somebody else has locked is not waited for long.
select set_config('lock_timeout', '1s', true)
