#!/usr/bin/env bash
# Random implementations of the computations of KernelBench's first level, and how many of them a text can say: [--device D] [--evals N] [--searched] …
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Programs that were carried here need no build.
if [[ -z ${EXH_SEARCH:-} ]]; then
  "$root/exh" build release
  EXH_SEARCH=$root/build/release/bin/search
fi
exec python3 "$root/tests/bench/parts/texts.py" --search "$EXH_SEARCH" --list "$root/tests/kernels/level1/computations.txt" "$@"
