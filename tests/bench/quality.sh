#!/usr/bin/env bash
# Where searches end on the GPU of this machine: spread of seeds, seconds to within 5 % of the best, short searches against long ones: [--part seeds|lengths] …
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Programs that were carried here need no build.
if [[ -z ${EXH_SEARCH:-} ]]; then
  "$root/exh" build release
  EXH_SEARCH=$root/build/release/bin/search
fi
exec python3 "$root/tests/bench/parts/quality.py" --search "$EXH_SEARCH" "$@"
