#!/usr/bin/env bash
# Breaks the queue on purpose, one rule at a time, and shows which test notices.
#
#   scripts/sabotage.sh                    all mutations
#   scripts/sabotage.sh reclaim 'claim w'  those whose name contains one of the words
#   scripts/sabotage.sh --list             runs nothing: lists the mutations, each with its files and tests
#   scripts/sabotage.sh --check            runs no tests: says which mutations no longer change their files
#   scripts/sabotage.sh --overlays DIR     runs no tests: writes the broken statements of each SQL mutation into a folder
#                                          of its own in DIR, to be put before the others on a class path
#
# Works on a copy of the tracked files in a temporary folder; the working tree is left alone. First everything is
# compiled, and the tests that are to notice run on the unchanged copy and must be green. Then, for each mutation, only
# its own tests run, and at least one of them must fail. Only the broken file is compiled again.
# A mutation that does not apply, or that does not compile, is not counted as noticed.
# Prints a table row by row; ends with 1 when a mutation survived or could not be tried.
#
# MVN: the Maven command, "mvn -B -ntp -q" unless set.
set -euo pipefail

cd "$(dirname "$0")/.."
mode=run
overlays=""
case "${1:-}" in
  --check | --list)
    mode="${1#--}"
    shift
    ;;
  --overlays)
    mode=overlays
    overlays="$2"
    shift 2
    ;;
esac
only=("${@:-}")
mvn="${MVN:-mvn -B -ntp -q}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

git ls-files -z | tar --null -T - -cf - | tar -C "$work" -xf -
cd "$work"

sql=konduit-queue-core/src/main/resources/io/konduit/queue/store
java=konduit-queue-core/src/main/java/io/konduit/queue
db=konduit-queue-core/src/main/resources/io/konduit/queue/db
reports=konduit-queue-core/target/surefire-reports

names=()
files=()
scripts=()
tests=()

# mutation <name> <files> <sed script> <tests>
mutation() {
  local word
  for word in "${only[@]}"; do
    case "$1" in
      *"$word"*)
        names+=("$1") files+=("$2") scripts+=("$3") tests+=("$4")
        return
        ;;
    esac
  done
}

# ---- the fence: epoch, owner, local dedupe, guard ----
mutation "completion does not ask for the epoch" "$sql/complete.sql" \
  's/ and t\.lease_epoch = (:epochs.*$//' 'FencingTests#lateWriteIsRefusedAndChangesNothing*+leaseOfAnotherEpoch*'
mutation "completion does not ask for the owner" "$sql/complete.sql" \
  's/ and t\.locked_by = :worker//' 'FencingTests#leaseInAnotherWorkersHands*'
mutation "failure does not ask for the epoch" "$sql/fragment-mine.sql" \
  's/ and t\.lease_epoch = o\.lease_epoch//' 'FencingTests#leaseOfAnotherEpoch*'
mutation "checkpoint is not fenced" "$sql/checkpoint.sql" \
  "s/ and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'//" 'CheckpointTests#checkpointOfALostRunIsRefused'
mutation "local dedupe is gone" "$java/worker/ActiveLeases.java" \
  's/older\.end(RunningTask\.End\.SUPERSEDED)/older.isStarted()/' 'LateResultTests#olderRunIsDropped*'
mutation "fence does not check before commit" "$java/worker/LeaseFence.java" \
  '/public void beforeCommit(/a\
        if (transaction != null) { return; }' 'LateResultTests#transactionOfALostRunIsRolledBack*'
mutation "guard takes no lock" "$sql/guard.sql" \
  '/for share/d' 'LeaseRaceTests#reclaimSkipsATaskWhoseTransactionIsGuarded'
mutation "fence carries the deadline of the transaction" "$java/jdbc/QueueDatabase.java" \
  's/new FreshlyPlanned(application, false)/new FreshlyPlanned(application)/' 'LateResultTests#transactionOfARunThatHoldsItsLeaseIsCommittedAlsoWhenItsTimeIsOver'
mutation "fence fails as a commit does" "$java/worker/LeaseFence.java" \
  's/} catch (TransactionException e) {/} catch (IllegalCallerException e) {/' 'LateResultTests#fenceThatFailsWithATransactionException*'
mutation "fence leaves open what Spring leaves open" "$java/worker/NoCommitByAccident.java" \
  's/status != STATUS_COMMITTED/status > STATUS_UNKNOWN/' 'LateResultTests#transactionThatSpringNeitherCommits*'
mutation "fence takes every suspended transaction for one that holds the row" "$java/worker/LeaseFence.java" \
  's/leases\.guardInTransactionUnlessLocked(run\.lease()) || leases\.isHeld(run\.lease())/true/' 'CheckpointTests#newTransactionAfterAnUndoneCheckpointIsRefused*'
mutation "fence takes no lock beside a suspended transaction" "$java/worker/LeaseFence.java" \
  's/leases\.guardInTransactionUnlessLocked(run\.lease()) || //' 'CheckpointTests#newTransactionAfterAnUndoneCheckpointKeeps*'
mutation "fence leaves no fresh lease behind" "$sql/extend-own.sql" \
  's/lock_timeout_at = statement_timestamp() + /lock_timeout_at = lock_timeout_at + 0 * /' 'CheckpointTests#transactionWithACheckpointLeavesAFreshLease*'
mutation "fence locks the row in every transaction" "$java/worker/LeaseFence.java" \
  's/database\.snapshotTransactions()\.isCurrent() \&\& //' 'LeaseFenceCostTests#aReadCommittedTransaction*'
mutation "fence takes no transaction for one with a snapshot" "$java/jdbc/SnapshotTransactions.java" \
  's/return level > Connection\.TRANSACTION_READ_COMMITTED;/return false;/' 'LeaseFenceCostTests#aTransactionWithASnapshotLocks*'
mutation "fence does not start over when the row has changed" "$java/jdbc/SnapshotTransactions.java" \
  's/!first || tried == TRIES ||/tried > 0 ||/' 'LeaseFenceCostTests#aTransactionWithASnapshotStartsOver*'
mutation "ended transaction passes for an open one" "$java/jdbc/EndedTransactions.java" \
  '/^    boolean contains(/a\
        if (resource != null) { return false; }' 'AfterCommitTests#wakesAtOnceInACallbackAfterTheCommit'
mutation "lost reply is not looked up" "$sql/already-applied.sql" \
  's/ where t\.zombie_count = o\.zombie_count/ where false/' 'LateResultTests#retryAfterALostReply*'

mutation "claim waits for locked rows" "$sql/claim.sql" \
  's/ skip locked//' 'ClaimTests#neverWaitsForARowThatSomebodyHasLocked'

# ---- snooze ----
mutation "snooze is not fenced" "$sql/snooze.sql" \
  's/where {{mine}}/where t.id = o.id/' 'SnoozeTests#snoozeOfAZombieIsRefused'
mutation "snooze is charged" "$sql/snooze.sql" \
  's/, max_attempts = least.*$/,/' 'SnoozeTests#snoozesAreNotChargedHoweverMany'
mutation "snooze waits for a locked row" "$sql/snooze.sql" \
  's/ skip locked//' 'SnoozeTests#lockedRowKeepsNoOtherSnoozeWaiting'

# ---- doing nothing ----
mutation "idle: claim does not say that a task runs" "$sql/claim.sql" \
  "s/case when :busyChannel::text is not null then/case when false and :busyChannel::text is not null then/" 'ActivityTests#aClaimTellsTheOthers*'
mutation "idle: new witness is not announced" "$sql/witness-take.sql" \
  "s/, pg_notify(:busyChannel, 'busy') as announced/, :busyChannel::text as announced/" 'ActivityTests#aSessionThatBecomesAWitness*'
mutation "idle: follower does not see that a task runs" "$sql/leader-look.sql" \
  "s/ is null then 'IDLE'/ is not distinct from (select min(t.id) from konduit_task t where t.status = 'RUNNING') then 'IDLE'/" 'ActivityTests#aFollowerLooksRarely*'
mutation "idle: follower does not see that the leader is late" "$sql/leader-look.sql" \
  "s/ + :freshMs \* interval/ + 0 * :freshMs * interval/" 'ActivityTests#aFollowerLooksOften*'
mutation "idle: instance that does not listen is quiet" "$java/failover/Activity.java" \
  's/ >= LASTING.toNanos() && hears.getAsBoolean();/ >= LASTING.toNanos();/' 'ActivityTests#isQuiet*'
mutation "idle: worker does not ask when the next task is due" "$java/worker/TaskPoller.java" \
  's/        if (!knowsNext) {/        if (false) {/' 'IdleWorkerTests#aTaskThatWasAlreadyWaiting*'
mutation "idle: worker that knows of the next task forgets the others" "$java/worker/TaskPoller.java" \
  's/        if (planned || mayHaveMissed) {/        if (mayHaveMissed) {/' 'IdleWorkerTests#tasksThatAreDueOneAfterAnother*'
mutation "idle: locked task lets the worker sleep" "$sql/next-due.sql" \
  's/coalesce(bool_or(o.found), false) as overdue/false as overdue/' 'IdleWorkerTests#aDueTaskWhoseRowIsLocked*'
mutation "idle: delayed task is not announced" "$java/enqueue/Notifier.java" \
  's/            if (earlier(later.get(queue), due)) {/            if (false) {/' 'IdleWorkerTests#aDelayedTask*'
mutation "idle: task due sooner than the expected one is not announced" "$java/enqueue/Notifier.java" \
  's/ \&\& known - due <= 0) {/) {/' 'IdleWorkerTests#aTaskThatIsDueEarlier*'
mutation "idle: retry is not announced" "$java/worker/OutcomeWriter.java" \
  '/later.dueIn(run.task().queue(), outcome.failure().backoff());/d' 'IdleWorkerTests#aRetryOfAWorker*'
mutation "idle: resumed queue is announced before the commit" "$java/jdbc/CallerTransaction.java" \
  '/public void afterCommit/,/^    }$/ s/if (!commitsLater())/if (!commitsLater() || action != null)/' 'IdleWorkerTests#aPersonResumes*'
mutation "notify: messages do not slow down" "$java/enqueue/Notifier.java" \
  's/return Math.max(spacing, Math.min(LONGEST_PAUSE_NANOS, PAUSE_PER_SENDING \* tookNanos));/return spacing;/' 'NotifierTests#notificationsTake*'
mutation "idle: looks do not become rarer" "$java/worker/TaskPoller.java" \
  's/Math.min(longestIdleNanos, 2 \* idleNanos)/idleNanos/' 'IdleWorkerTests#looksBecomeRarer*'
# ---- dashboard ----
mutation "dashboard reads a whole hour" "$sql/pace.sql" \
  's/least(h.pages - b.first, :pages) as read/h.pages - b.first + 0 * :pages as read/' 'LastHourTests#readsABoundedNumberOfPages*'
mutation "dashboard reads a slot from its beginning" "$sql/pace.sql" \
  's/greatest(0, max(low) - 1) as first/0 * max(low) as first/' 'LastHourTests#readsOnlyTheHour*'
mutation "dashboard groups all waiting tasks" "$sql/count-groups.sql" \
  's/order by n\.id desc limit :cap/order by n.id desc limit 0 * :cap + 1000000/' 'LastHourTests#readsABoundedNumberOfPages*'
mutation "dashboard counts cancelled tasks as completed" "$sql/pace.sql" \
  "s/coalesce(sum(s.stands_for) filter (where s.status = 'COMPLETED'), 0) as completed/coalesce(sum(s.stands_for), 0) as completed/" 'LastHourTests#countsWhatEnded*'

# ---- leadership ----
mutation "leader lock goes by the instance's clock" "$java/store/LeaderLocks.java" \
  '/\.usingDbTime()/d' 'LeadershipTests#theClocksOfTheInstancesDoNotMatter'

# ---- the reaper ----
mutation "reclaim waits for locked rows" "$sql/reclaim.sql" \
  's/ skip locked//' 'LeaseRaceTests#secondReclaimerSkips*'
mutation "reclaim does not check the row again" "$sql/reclaim.sql" \
  "/and t\.status = 'RUNNING'/d
/and case when :abandonedMs::bigint is null/,/ end\$/d" 'OrphanReclaimerTests#leaseThatWasExtended*+taskThatWasTaken*'
mutation "reclaim takes what does not run" "$sql/reclaim.sql" \
  "/and t\.status = 'RUNNING'/d" 'AbandonedLeaseCleanerTests#taskThatWasTakenAfter*'
mutation "reclaim takes a lease at the instant it ends" "$sql/fragment-expired.sql" \
  's/ < least(/ <= least(/' 'LeaseExpiryTests#leavesTaskAloneAtTheInstant*'
mutation "grace is ignored" "$sql/fragment-expired.sql" \
  's/ - :graceMs \* interval/ - 0 * :graceMs * interval/' 'LeaseExpiryTests#graceIsAdded*'
mutation "task that is not reapable is reaped" "$sql/fragment-hold-reason.sql" \
  's/case when not t\.reapable then/case when false then/' 'OrphanReclaimerTests#holdsTaskThatIsNotReapable*'
mutation "nothing is quarantined" "$sql/fragment-hold-reason.sql" \
  's/- t\.zombie_base >= :quarantineAfter/- t.zombie_base < 0 * :quarantineAfter/' 'OrphanReclaimerTests#quarantines*'
mutation "release does not renew the quarantine budget" "$sql/release.sql" \
  's/, zombie_base = zombie_count//' 'TaskAdministrationTests#releaseRenews*'
mutation "reclaim lowers the attempts" "$sql/reclaim.sql" \
  's/zombie_count = t\.zombie_count + 1,/zombie_count = t.zombie_count + 1, attempts = t.attempts - 1,/' 'OrphanReclaimerTests#reclaimsTaskWhoseLeaseExpired'
mutation "reclaim writes no incident" "$sql/reclaim.sql" \
  's/^  from reclaimed$/  from reclaimed where false/' 'OrphanReclaimerTests#secondPassFindsNothingToDo'
mutation "late result is not kept as evidence" "$sql/record-late-outcome.sql" \
  's/ and late_outcome is null/ and false/' 'LateResultTests#lateCompletionIsRefused*'
mutation "reclaimed tasks come back without a wait" "$sql/reclaim.sql" \
  's/statement_timestamp() + k\.wait_seconds \* interval/statement_timestamp() + 0 * k.wait_seconds * interval/' 'LeaseExpiryTests#laterReturns*'
mutation "checkpoint is no sign of progress" "$sql/fragment-abandoned.sql" \
  's/greatest(t\.locked_at, t\.last_checkpoint_at)/t.locked_at/' 'AbandonedLeaseCleanerTests#checkpointInThisRun*'
mutation "reaper spins on a locked orphan" "$java/recovery/OrphanReclaimer.java" \
  's/least(untilOrphan\.negated(), LONGEST_RETRY)/Duration.ZERO/' 'LeaseExpiryTests#doesNotSpin*'
mutation "outage guard never waits" "$java/failover/OutageGuard.java" \
  '/public synchronized Duration remaining()/a\
        if (roundNanos >= 0) { return Duration.ZERO; }' 'OutageGuardTests'

# ---- enqueues that share a statement ----
mutation "group that was refused is not tried one by one" "$java/insert/EnqueueGroups.java" \
  's/ && DatabaseErrors\.isRefusal(e)/ \&\& false/' 'EnqueueGroupsTests#onlyTheTaskThatTheDatabaseRefusesFails'
mutation "group with a lost reply is sent again" "$java/insert/EnqueueGroups.java" \
  's/ && DatabaseErrors\.isRefusal(e)//' 'EnqueueGroupsTests#whenTheReplyIsLost*'
mutation "group takes tasks of transactions" "$java/jdbc/QueueDatabase.java" \
  's/callerTransaction\.holdsNothing()/true/' 'EnqueueGroupsTests#everyCallerGetsItsOwnId*+statementInATransaction*'
mutation "group forms over any data source" "$java/jdbc/QueueDatabase.java" \
  's/&& applicationLooksAtNoThread/\&\& (applicationLooksAtNoThread || true)/' 'EnqueueGroupsTests#statementIsSharedOnlyOver*'
mutation "group waits for a statement that hangs" "$java/insert/EnqueueGroups.java" \
  's/came + patienceNanos/came + 1_000 * patienceNanos/
s/now - sentAt > patienceNanos/now < sentAt/' 'EnqueueGroupsTests#callerBehindAStatement*'
mutation "group hands out its ids the wrong way round" "$java/insert/EnqueueGroups.java" \
  's/stored\.get(i)/stored.get(group.size() - 1 - i)/' 'EnqueueGroupsTests#callersThatArriveMeanwhile*'

# ---- bulks that go by COPY ----
mutation "copy is begun before all requests of a transaction are checked" "$java/insert/TaskInserts.java" \
  's/database\.callerTransaction()\.isActiveAnywhere() ? List\.copyOf(tasks) : tasks/tasks/' 'TaskCopyTests#badRequestAmongManyLeavesTheCallers*'

# ---- the witness ----
mutation "witness: leases end before the grace is over" "$sql/witness-end-leases.sql" \
  's/ - w\.witness_grace_ms \* interval/ - 0 * w.witness_grace_ms * interval/' 'WitnessWatchTests#theGraceIsThatOfTheWorker'
mutation "witness: heartbeat is no sign of life" "$sql/witness-end-leases.sql" \
  '/and w\.last_beat_at < w\.witness_gone_at/d' 'WitnessWatchTests#aBeatOrAClaim*'
mutation "witness: claim is no sign of life" "$sql/witness-end-leases.sql" \
  's/ and t\.locked_at < g\.witness_gone_at//' 'WitnessWatchTests#aBeatOrAClaim*'
mutation "witness: task that must not run twice loses its lease" "$sql/witness-end-leases.sql" \
  's/ and t\.reapable//' 'WitnessWatchTests#aTaskThatMustNotRunTwice*'
mutation "witness: lock is not looked for again" "$sql/witness-end-leases.sql" \
  '/and not exists (select from held h/d' 'WitnessWatchTests#whatALookFoundIsCheckedAgain*'
mutation "witness: lock of another server counts" "$sql/witness-look.sql" \
  's/ and w\.witness_server = pg_postmaster_start_time()//' 'WitnessWatchTests#aWitnessOfAnotherServer*'
mutation "witness: leases end behind a locked task" "$sql/witness-end-leases.sql" \
  's/ skip locked//' 'WitnessWatchTests#aLockedTaskIsLeft*'
mutation "witness: grace begins before the locks are seen" "$sql/witness-look.sql" \
  's/clock_timestamp() as seen_at/statement_timestamp() as seen_at/' 'WitnessWatchTests#theGraceBeginsAfter*'
mutation "witness: late take counts" "$sql/witness-take.sql" \
  's/witness_term <= :term)/witness_term <= :term or true)/' 'WitnessWatchTests#aTakeOrARenouncement*'
mutation "witness: late renouncement counts" "$sql/witness-renounce.sql" \
  's/ and (witness_term is null or witness_term <= :term)//' 'WitnessWatchTests#aTakeOrARenouncement*'

# ---- time, order, extension, limits ----
mutation "lease is counted from the start of the transaction" "$sql/claim.sql" \
  's/lock_timeout_at = statement_timestamp()/lock_timeout_at = now()/' 'LeaseExpiryTests#leaseEndsOneLockTimeout*'
mutation "completions are not sorted by id" "$java/store/CompletionWrites.java" \
  's/leases\.stream()\.sorted(Comparator\.comparing(Lease::taskId))\.toList()/List.copyOf(leases)/' 'LeaseRaceTests#completionsInAnyOrder*'
mutation "claim takes rows at the same ctid in another table" "$sql/claim.sql" \
  's/and [ft]\.tableoid = (select a\.tableoid from found a limit 1)//' 'PartitionedClaimTests'
mutation "claim over several tables takes their ctids in the first" "$sql/claim.sql" \
  's/and f\.tableoid = (select a\.tableoid from found a limit 1)//' 'PartitionedClaimTests#claimOverSeveral*'
mutation "claim takes more than fits into memory" "$sql/claim.sql" \
  's/f\.total <= :budget or/f.total > 0 or/' 'ClaimTests#takesNoMoreThanFits*'
mutation "lease that was let go is given back as unknown" "$java/worker/LostClaims.java" \
  's/received\.contains(candidate\.atMicros()) || //' 'LostClaimsTests#leaseThatThisWorkerKnew*'
mutation "statements are not cancelled on the server" "$java/jdbc/QueueDatabase.java" \
  '/controlTemplate\.setQueryTimeout/d' 'StatementTimeoutTests'
mutation "loop ends with an error" "$java/thread/QueueThreads.java" \
  's/} catch (Throwable e) {$/} catch (IllegalStateException e) {/' 'QueueThreadsTests#loopBeginsAgain*'
mutation "lost claim is not found" "$sql/find-held-by-worker.sql" \
  's/ where t\.status/ where false and t.status/' 'LostClaimTests'
mutation "busy row is answered with lost" "$sql/extend.sql" \
  's/m\.id is not null as mine/false as mine/' 'LeaseRaceTests#extensionAfterReclaim*+extensionNeverLooksLost*'
mutation "cancellation is not audited" "$sql/cancel.sql" \
  's/^  from gone$/  from gone where false/' 'LeaseRaceTests#completionAfterCancelIsRefused'
mutation "suspect runs among others" "$java/worker/GatedRuns.java" \
  's/return run\.lease()\.zombieCount() >= isolateAfter/return run.lease().zombieCount() < 0/' 'SuspectTests'
mutation "suspect closes the worker behind a long run" "$java/worker/GatedRuns.java" \
  's/if (hasRunLongerThan(patience)) {/if (isolateAfter < 0) {/' 'SuspectTests'
mutation "suspect does not use its patience" "$java/worker/GatedRuns.java" \
  's/Duration patience = gate\.patience();/Duration patience = Duration.ofSeconds(2);/' 'SuspectTests#suspectRunsInAWorkerThatAlways*'

# ---- slots and outcomes ----
mutation "refused extension of a finished run is a loss" "$java/worker/RunningTask.java" \
  's/if (outcomeUnderWay) {/if (outcomeUnderWay \&\& timeoutNanos < 0) {/' 'OutcomeUnderWayTests'
mutation "interrupted flag outlives its run" "$java/worker/RunningTask.java" \
  '/^        Thread\.interrupted();$/d' 'InterruptTests'
mutation "interrupt of a run reaches the next task" "$java/worker/RunningTask.java" \
  '/^        thread = null;$/d' 'InterruptTests'
mutation "what a claim brings after the stop is kept" "$java/worker/SlotBuffer.java" \
  's/return !stopped \&\& entries\.add/return entries.add/' 'GracefulStopTests#whatAClaimBrings*'
mutation "future of a handler is not cancelled" "$java/handler/AsyncResult.java" \
  '/future\.cancel(true);/d' 'AsyncHandlerTests'
mutation "error of a future is not unwrapped" "$java/handler/AsyncResult.java" \
  's/throw unwrapped(e);/throw e;/' 'AsyncHandlerTests'
mutation "completion waits for a locked row" "$java/store/CompletionWrites.java" \
  's/(leases, LOCK_TIMEOUT)/(leases, null)/' 'LockedRowTests#lockedRowDelays*'
mutation "failure waits for a locked row" "$sql/fail.sql" \
  's/ skip locked//' 'LockedRowTests#lockedRowDelays*'
mutation "slots go on behind outcomes that cannot be written" "$java/worker/SlotGroupLoad.java" \
  's/return unwritten\.get() >= slots/return unwritten.get() >= 1_000_000/' 'LockedRowTests#whatWasClaimedAhead*'
mutation "claim-ahead learns nothing" "$java/worker/TaskPoller.java $java/worker/ClaimAhead.java" \
  's/room\.ahead()\.gaveBack();/log.trace("no lesson");/;s/now - started < HORIZON_NANOS/now - started < Long.MAX_VALUE/' 'ClaimAheadLessonTests'
mutation "attempt that was given back counts" "$sql/give-back.sql" \
  's/ uncharged = coalesce(t\.uncharged, 0) + 1,//' 'RetryTests#givingBack*'
mutation "listeners run on the thread that tells them" "$java/publish/EventThread.java" \
  's/thread\.execute(() -> run(call));/run(call);/' 'ListenerThreadTests'

mutation "dead run reports that it failed" "$java/worker/TaskRunner.java $java/worker/CallingThreadRunner.java" \
  's/if (call\.hasDied())/if (call == null)/' 'HandlerCallTests#runThatDies*'
mutation "lease of a row that a transaction holds is ended" "$sql/lease-end.sql" \
  's/ skip locked//' 'HandlerCallTests#leaseOfARow*'

# ---- the tables ----
mutation "running task may lose the end of its lease" "$db/V1__tables.sql" \
  "s/check ((status = 'RUNNING') = (lock_timeout_at is not null))/check (true)/" 'TaskRulesTests'
mutation "any status is accepted" "$db/V1__tables.sql" \
  "s/check (value in ('PENDING', 'RUNNING', 'HELD', 'FAILED'))/check (true)/" 'TaskRulesTests'
mutation "completion ends in no slot" "$sql/fragment-open-slot.sql" \
  's/s\.closed_at is null limit/s.closed_at is not null limit/' 'HistoryPrunerTests#completedAndCancelledTasksGoToTheOpenSlot'
mutation "slot is emptied before its time" "$java/retention/HistoryPruner.java" \
  's/slot\.closed()\.compareTo(age) >= 0/slot.closed().compareTo(age) >= -9/' 'HistoryPrunerTests#slotIsEmptiedWhenAllOfItIsOldEnough*'
mutation "jump of the clock counts as age" "$sql/observe-slots.sql" \
  's/closed_at = s\.closed_at + coalesce(m\.jump.*$/closed_at = s.closed_at/' 'HistoryPrunerTests#jumpOfTheClockRemovesNothing*+jumpThatNobodyMeasured*'
mutation "time that nobody measured counts as age" "$sql/observe-slots.sql" \
  's/else :unwatchedMs::bigint end/else 9e15 end/' 'HistoryPrunerTests#jumpThatNobodyMeasured*'
mutation "truncate waits without a limit" "$sql/lock-slot.sql" \
  "s/set_config('lock_timeout', :lockTimeout::text, true) is not null/:lockTimeout::text is not null/" 'HistoryPrunerTests#openReaderDelaysTheSlot*'
mutation "truncate does not ask whose turn it was" "$sql/lock-slot.sql" \
  's/ and s\.turn = :turn/ and :turn::bigint is not null/' 'HistoryPrunerTests#leaderWithOldNewsOfASlot*'
mutation "two leaders rotate twice" "$sql/rotate-slot.sql" \
  's/ and opened_at is not null and closed_at is null$//' 'HistoryPrunerTests#leaderThatComesSecondRotatesNothing'
mutation "deletes read dead rows again" "$sql/prune-slot.sql" \
  "s/h\.ctid > :after::tid/h.ctid > '(0,0)'::tid and :after::text is not null/" 'HistoryPrunerTests#deadRowsAreNotReadAgain'
mutation "deletes forget what they have skipped" "$java/retention/HistoryPruner.java" \
  's/return deleted;/return after;/' 'HistoryPrunerTests#rowThatSomebodyHasLockedIsSkipped*+nextPassStartsWhere*'
mutation "errors outlive their tasks" "$java/retention/HistoryPruner.java" \
  '/slots\.pruneErrors(/d' 'HistoryPrunerTests#errorsGoWithTheirTask*'
mutation "count removes what has just ended" "$java/retention/HistoryPruner.java" \
  's/newer >= keepCount \&\& isOldEnough(slot, RetentionSettings\.LEAST_AGE)/newer >= keepCount/' 'HistoryPrunerTests#whatHasJustEndedIsKept*'
mutation "count keeps everything" "$java/retention/HistoryPruner.java" \
  's/beyond\.add(slot);/newer++;/' 'HistoryPrunerTests#newestTasksAreKeptByCount*'
mutation "dropped slot stays open" "$java/retention/HistoryPruner.java" \
  's/open != null \&\& open\.present() \&\& /open != null \&\& /' 'HistoryPrunerTests#taskEndsAlsoWithoutAPartition*'
mutation "history has no default partition" "$db/V1__tables.sql" \
  '/^create table konduit_task_history_rest/,/);$/s/(constraint konduit_task_history_rest_pkey primary key (id)) default/(constraint konduit_task_history_rest_pkey primary key (id)) for values in (99)/' 'HistoryPrunerTests#taskEndsAlsoWithoutAPartition*'
mutation "view reads both tables whole" "$db/V1__tables.sql" \
  's/ status::text, run_at/ status, run_at/' 'PlanTests'

# ---- the ground: migrations, sessions, the listening connection ----
mutation "listening connection is not verified" "$java/worker/NotificationListener.java" \
  '/^        duty\.verify(subscription);$/d' 'NotificationListenerTests#aConnectionThatDiedSilently*'
mutation "migration waits for a lock without a limit" "$java/schema/MigrationTransaction.java" \
  '/limitWaits(patience\.compareTo/d' 'MigrationLockTests#enqueuesGoOn*'
mutation "migration leaves its search path behind" "$java/schema/MigrationTransaction.java" \
  '/before\.restore(connection)/d' 'MigrationLockTests#noSettingIsLeftBehind*'
mutation "control pool sets its level in a shared session" "$java/jdbc/ControlPool.java" \
  '/config\.setReadOnly(false)/a\
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");' 'ControlPoolTests'

# ---- schedules ----
mutation "firing does not ask for the version" "$sql/schedule-fire.sql" \
  's/ and r\.version = p\.version//' 'ScheduleTests#ofTwoLeadersOneFires+frozenLeaderDoesNotFire*'
mutation "ledger lets a nominal time repeat" "$sql/schedule-fire.sql" \
  's/  on conflict do nothing/  on conflict (schedule, nominal_at) do update set dropped = 0/' 'ScheduleTests#clockThatGoesBackRepeatsNoTime'
mutation "firing does not move the next time" "$sql/schedule-fire.sql" \
  's/set next_at = m\.next_at, /set /' 'ScheduleTests#firingMakesTheTask*'
mutation "paused schedule fires" "$sql/schedule-find-due.sql" \
  's/s\.pause_reason is null and //' 'ScheduleTests#pauseSurvives*+undeclaredScheduleIsPaused*'
mutation "held task lets its schedule fire" "$sql/schedule-find-due.sql" \
  "s/t\.status <> 'FAILED'/t.status in ('PENDING', 'RUNNING')/" 'ScheduleTests#skipsWhileThePreviousTask*'
mutation "run by hand overlaps" "$sql/schedule-run-now.sql" \
  "s/ and t\.status <> 'FAILED'/ and false/" 'ScheduleTests#runNowMakesATask*'
mutation "declaration skips what was missed" "$sql/schedule-put.sql" \
  's/then s\.next_at else/then excluded.next_at else/' 'ScheduleTests#declarationOfTheLastStart*+putAgainKeeps*'
mutation "deployment ends an operator's pause" "$sql/schedule-put.sql" \
  "s/case when s\.pause_reason = 'OPERATOR' then s\.[a-z_]* end/null/" 'ScheduleTests#pauseSurvives*'
mutation "declared schedule can be overwritten" "$sql/schedule-put.sql" \
  '/^ where excluded\.declared/d' 'ScheduleTests#declaredNameCannotBePut'
mutation "undeclared schedule is paused at once" "$sql/schedule-pause-undeclared.sql" \
  "s/ - :afterMs \* interval '1 millisecond'//" 'ScheduleTests#undeclaredScheduleIsPaused*'
mutation "worker that comes back declares nothing" "$sql/schedule-mark-undeclared.sql" \
  's/case when f\.alive then null else statement_timestamp() end/coalesce(s.undeclared_since, statement_timestamp())/' \
  'ScheduleTests#workerThatComesBackInTime*'
mutation "history forgets the schedule" "$sql/fragment-kept-values.sql" \
  's/^t\.scheduled_for$/null::timestamptz as scheduled_for/' 'ScheduleTests#handlerSeesTheNominalTime*'
mutation "time in the gap fires half an hour late" "$java/schedule/CronRecurrence.java" \
  's/transition\.isGap() ? transition\.getInstant()/transition.isGap() ? transition.getInstant().plusSeconds(1800)/' \
  'DaylightSavingTests#timeInTheGap*'
mutation "repeated time fires at its second occurrence" "$java/schedule/CronRecurrence.java" \
  's/local\.toInstant(transition\.getOffsetBefore())/local.toInstant(transition.getOffsetAfter())/' \
  'DaylightSavingTests#fixedTimeOfTheRepeatedHour*'
mutation "wildcard hour counts as fixed" "$java/schedule/CronRecurrence.java" \
  's/\[HOUR\]\.contains("\*")/[HOUR].contains("none")/' 'DaylightSavingTests#everyHour'
mutation "catch-up has no limit" "$java/schedule/FiringPlanner.java" \
  's/CatchUp\.ALL ? maxCatchUp : 1/CatchUp.ALL ? Integer.MAX_VALUE : 1/' 'ScheduleTests#catchesUpNoMore*'
mutation "what is late fires although nothing is caught up" "$java/schedule/FiringPlanner.java" \
  's/due\.catchUp() == CatchUp\.NONE/due.catchUp() == null/' 'ScheduleTests#noneWaitsForTheNextTime*'
mutation "message is lost while the next time is read" "$java/schedule/ScheduleClock.java" \
  's/messages == heard ? read : SHORTEST_SLEEP/read/' 'ScheduleClockTests#messageThatArrives*'
mutation "follower never fires" "$java/schedule/ScheduleClock.java" \
  's/next\.get()\.plus(PATIENCE)\.compareTo(Duration\.ZERO) <= 0/next.get().isZero()/' 'ScheduleClockTests#followerFires*'
mutation "old heartbeat postpones the alarm" "$java/schedule/ScheduleClock.java" \
  's/alarmNanos == null || at - alarmNanos < 0/alarmNanos == null || at != alarmNanos/' 'ScheduleClockTests#heartbeatBringsTheAlarm*'

# maven <arguments...>
maven() {
  $mvn -pl konduit-queue-test-support,konduit-queue-core -Dspotless.check.skip=true \
    -Dsurefire.failIfNoSpecifiedTests=false "$@" >"$work/maven.log" 2>&1
}

run_tests() {
  rm -rf "$reports"
  # copies resources and leaves all classes as they are
  maven compile surefire:test "-Dtest=$1" -Dmaven.main.skip=true
}

# compile <files>: those of them that are Java
compile() {
  local sources=() file
  for file in $1; do
    case "$file" in *.java) sources+=("$file") ;; esac
  done
  [ ${#sources[@]} -eq 0 ] ||
    javac --release 17 -g -parameters -proc:none -nowarn -cp "$classpath" -d konduit-queue-core/target/classes \
      "${sources[@]}" >"$work/javac.log" 2>&1
}

# The names of the test methods that failed, from the reports.
red_tests() {
  cat "$reports"/TEST-*.xml 2>/dev/null | awk '
    /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); sub(/[({\[].*/, "", name) }
    /^[ \t]*<(failure|error)[ >]/ { print name }' | sort -u
}

if [ ${#names[@]} -eq 0 ]; then
  echo "No mutation has '${only[*]}' in its name." >&2
  exit 2
fi

# break_files <index>: fails when one of the files is as it was
break_files() {
  local applied=true file
  for file in ${files[$1]}; do
    cp "$file" "$file.whole"
    sed "${scripts[$1]}" "$file.whole" >"$file"
    ! cmp -s "$file" "$file.whole" || applied=false
  done
  $applied
}

mend_files() {
  local file
  for file in ${files[$1]}; do
    mv "$file.whole" "$file"
    touch "$file"
  done
}

if [ "$mode" = list ]; then
  for i in "${!names[@]}"; do
    printf '%s | %s | %s\n' "${names[$i]}" "${files[$i]}" "${tests[$i]}"
  done
  exit
fi

if [ "$mode" = check ]; then
  stale=0
  for i in "${!names[@]}"; do
    if ! break_files "$i"; then
      echo "DOES NOT APPLY: ${names[$i]} (${files[$i]})"
      stale=$((stale + 1))
    fi
    mend_files "$i"
  done
  echo "${#names[@]} mutations, $stale do not apply"
  [ "$stale" -eq 0 ]
  exit
fi

if [ "$mode" = overlays ]; then
  for i in "${!names[@]}"; do
    case "${files[$i]}" in *.java*) continue ;; esac
    folder="$overlays/$(printf '%03d' "$i")"
    mkdir -p "$folder/io/konduit/queue/store"
    if ! break_files "$i"; then
      echo "DOES NOT APPLY: ${names[$i]} (${files[$i]})" >&2
      exit 1
    fi
    printf '%s\n' "${names[$i]}" >"$folder/name"
    for file in ${files[$i]}; do
      cp "$file" "$folder/io/konduit/queue/store/"
    done
    mend_files "$i"
  done
  exit
fi

all="$(printf '%s\n' "${tests[@]}" | sed 's/#.*//' | sort -u | paste -sd, -)"
echo "Without sabotage: $all" >&2
if ! maven test "-Dtest=$all"; then
  red_tests >&2
  tail -n 30 "$work/maven.log" >&2
  echo "The tests must be green before anything is broken." >&2
  exit 2
fi

classpath="$(sed -n '/surefire.test.class.path/{s/.*value="\([^"]*\)".*/\1/p;q}' "$reports"/TEST-*.xml)"

survivors=0
printf '| %s | %s | %s | %s |\n' "mutation" "in" "red" "verdict"
printf '|---|---|---|---|\n'
for i in "${!names[@]}"; do
  verdict="noticed"
  break_files "$i" || verdict="DOES NOT APPLY"
  red=""
  if [ "$verdict" = noticed ]; then
    if ! compile "${files[$i]}"; then
      verdict="DOES NOT COMPILE"
    elif run_tests "${tests[$i]}"; then
      verdict="SURVIVED"
    else
      red="$(red_tests | paste -sd' ' - | sed 's/ /, /g')"
      [ -n "$red" ] || verdict="NO TEST RAN"
    fi
  fi
  [ "$verdict" = noticed ] || survivors=$((survivors + 1))
  mend_files "$i"
  compile "${files[$i]}"
  where=""
  for file in ${files[$i]}; do
    where="$where${where:+, }$(basename "$file")"
  done
  class="$(printf '%s' "${tests[$i]}" | sed 's/#.*//')"
  printf '| %s | `%s` | %s | %s |\n' "${names[$i]}" "$where" "${red:+\`$class\`: $red}" "$verdict"
done
echo "${#names[@]} mutations, $survivors not noticed" >&2
[ "$survivors" -eq 0 ]
