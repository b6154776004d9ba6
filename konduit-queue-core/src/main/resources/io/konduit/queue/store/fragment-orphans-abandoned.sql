-- S13: those that a clean-up of abandoned leases would take now.
{{abandoned}}
 order by t.id
