#!/usr/bin/env bash
# What other constants of the proposer come to, simulated on records of the device of this machine: --records FOLDER [--device cuda] [--vary NAME=V1,V2] …
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Programs that were carried here need no build.
if [[ -z ${EXH_SEARCH:-} ]]; then
  "$root/exh" build release
  EXH_SEARCH=$root/build/release/bin/search
fi
exec python3 "$root/tests/bench/parts/tune.py" --search "$EXH_SEARCH" "$@"
