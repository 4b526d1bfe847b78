#!/usr/bin/env bash
# What a candidate costs on the GPU of this machine: evaluations a second of everyday computations, and where the time goes: [--seconds 40] [--only NAME] …
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Programs that were carried here need no build.
if [[ -z ${EXH_SEARCH:-} ]]; then
  "$root/exh" build release
  EXH_SEARCH=$root/build/release/bin/search
fi
exec python3 "$root/tests/bench/parts/candidates.py" --search "$EXH_SEARCH" "$@"
