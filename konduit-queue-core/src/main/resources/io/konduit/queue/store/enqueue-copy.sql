-- T1 for thousands: rows fill whole pages, and the server stores the first ones while the last ones are still being
-- sent.
copy konduit_task
     (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
from stdin (format binary)
