#!/usr/bin/env bash
# Every kernel of the library on this machine against the best library of OpenBLAS, oneDNN and Eigen: a replay, and searches of 60 s with three seeds each; resumable parts.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/cpu.py" --search "$root/build/release/bin/search" "$@"
