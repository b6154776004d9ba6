#!/usr/bin/env bash
# Runs the tests on every PostgreSQL and JDK that is supported.
#
#   scripts/test-versions.sh            all tests on PostgreSQL 14 to 18 with JDK 17, and on 18 with JDK 25
#   scripts/test-versions.sh --short    store, plan and worker tests on 14 with JDK 17 and on 18 with JDK 25 (CI)
#   scripts/test-versions.sh 15 17      all tests on these PostgreSQL versions with JDK 17
#
# The code is compiled by the JDK that runs Maven; the tests run on the JDK under test. A JDK is found by JAVA_HOME_17 and
# JAVA_HOME_25, else under /usr/lib/jvm. Prints a table; ends with 1 when a run failed.
#
# MVN: the Maven command, "mvn -B -ntp -q" unless set.
set -euo pipefail

cd "$(dirname "$0")/.."
mvn="${MVN:-mvn -B -ntp -q}"

# The newest embedded binaries of each version
binaries() {
  case "$1" in
    14) echo 14.22.0 ;;
    15) echo 15.19.0 ;;
    16) echo 16.15.0 ;;
    17) echo 17.11.0 ;;
    18) echo 18.6.0 ;;
    *) echo "PostgreSQL $1 is not supported: expected 14 to 18." >&2; return 1 ;;
  esac
}

jdk() {
  local named="JAVA_HOME_$1" found
  for found in "${!named:-}" /usr/lib/jvm/*-"$1"-*; do
    if [ -n "$found" ] && "$found/bin/java" -version 2>&1 | grep -q "version \"$1[.\"]"; then
      echo "$found"
      return
    fi
  done
  echo "No JDK $1 under /usr/lib/jvm: install one, or set $named." >&2
  return 1
}

results=()
failed=0

# run <PostgreSQL> <JDK> <Maven arguments...>
run() {
  local postgres="$1" java version home status=passed started=$SECONDS
  java="$2"
  shift 2
  version=$(binaries "$postgres")
  home=$(jdk "$java")
  local arguments=("-Dembedded-postgres-binaries.version=$version" "-Dkonduit.test.postgres.version=$postgres" "-Djvm=$home/bin/java")
  if [ "$postgres" = 14 ]; then
    arguments+=(-Pno-arm-binaries)
  fi
  echo "== PostgreSQL $version, JDK $java"
  if ! $mvn verify "${arguments[@]}" "$@"; then
    status=FAILED
    failed=1
  fi
  results+=("PostgreSQL $version | JDK $java | $status | $((SECONDS - started)) s")
}

if [ "${1:-}" = --short ]; then
  # patterns of class files, for the core alone
  short=(-pl konduit-queue-core -am "-Dtest=**/store/*Tests,**/worker/*Tests" -Dsurefire.failIfNoSpecifiedTests=false)
  run 14 17 "${short[@]}"
  run 18 25 "${short[@]}"
elif [ $# -gt 0 ]; then
  for postgres in "$@"; do
    run "$postgres" 17
  done
else
  for postgres in 14 15 16 17 18; do
    run "$postgres" 17
  done
  run 18 25
fi

echo
printf '%s\n' "${results[@]}"
exit "$failed"
