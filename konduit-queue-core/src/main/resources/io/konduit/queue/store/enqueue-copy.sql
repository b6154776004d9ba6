-- T1 for thousands: rows are written to whole pages at once, and the server stores the first ones while the last ones are
-- still on their way.
copy konduit_task
     (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
from stdin (format binary)
