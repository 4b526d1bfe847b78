#!/usr/bin/env bash
# Fused operators of a file by isl's schedules and under influence, by network: times, scheduling, backtracks. Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if (($# == 0)) || [[ ! -r $1 ]]; then
  echo "exh bench fused: which operators? ./exh bench fused OPERATORS.jsonl[.gz] [options of search fused]" >&2
  exit 2
fi
operators=$1
shift
if [[ $operators == *.gz ]]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  gzip -dc "$operators" >"$scratch/operators.jsonl"
  operators=$scratch/operators.jsonl
fi
# What scheduling alone takes is measured on all of them; what is too large to run is counted.
"$root/build/release/bin/search" fused check --batch --schedules "$operators" | tail -n 2
"$root/build/release/bin/search" fused --batch "$operators" "$@"
