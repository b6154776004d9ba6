#!/usr/bin/env bash
# Checks and tests the alert rules with promtool. On Debian and as root, a missing promtool is installed first
# (package 'prometheus'); anywhere else put promtool on the PATH.
set -euo pipefail
cd "$(dirname "$0")/../docs/operating"

if ! command -v promtool > /dev/null; then
  if command -v apt-get > /dev/null && [ "$(id -u)" -eq 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends prometheus > /dev/null
  else
    echo "promtool is not on the PATH. It comes with Prometheus; on Debian: apt-get install prometheus" >&2
    exit 1
  fi
fi

promtool check rules alerts.yml
promtool test rules alerts-test.yml
