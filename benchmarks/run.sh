#!/usr/bin/env bash
# Queues side by side on one private PostgreSQL. Needs a JDK and Maven; runs as root or not. Linux.
#
#   benchmarks/run.sh                        every workload; rewrites the results in docs/benchmarks.md
#   benchmarks/run.sh --full                 the same with 10 million waiting tasks
#   benchmarks/run.sh --quick                tiny sizes: does everything still run? Its figures mean nothing
#   benchmarks/run.sh drain_noop latency     only these; figures go to benchmarks/results only
#   benchmarks/run.sh --report FILE...       no run: rewrites the page from figures of earlier runs
#
# More: --systems a,b  --rounds N (medians over all)  --minutes N (what is left by then is skipped)  --publish  --no-wait
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

[ -n "${SKIP_BUILD:-}" ] || mvn -q -B -f "$here/../pom.xml" -Pbenchmarks -pl benchmarks -am package -DskipTests
quick=false
for argument in "$@"; do [ "$argument" = --quick ] && quick=true; done
exec "$java" -Xmx256m -Dquick=$quick -Dhome="$here" -Dcommit="$(git -C "$here" describe --always --dirty 2>/dev/null || true)" \
  -cp "$here/target/classes:$here/target/lib/*" bench.Suite "$@"
