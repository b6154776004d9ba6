-- L13, L17: why a reclaimed task is held for review; null when it runs again.
case when not t.reapable then 'NOT_REAPABLE'
     when t.zombie_count + 1 - t.zombie_base >= :quarantineAfter then 'QUARANTINED' end
