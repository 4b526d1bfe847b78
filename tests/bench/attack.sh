#!/usr/bin/env bash
# Attacks on searches: kills, damaged logs, hostile candidates, sabotaged kernels; a table of attempts and failures.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build bench
exec python3 -B "$root/tests/attack/attack.py" --bin "$root/build/bench/bin" --long "$@"
