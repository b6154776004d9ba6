-- R1: empties a closed slot. Locks this partition only: completions, which write to the open one, do not wait.
truncate table only {{slot-*}}
