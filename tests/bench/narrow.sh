#!/usr/bin/env bash
# Products of bytes, of floats of 8 bits, and of bf16 with what comes behind them, against torch and cublasLt: [--budget 60s] [--only NAME] … Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build release
exec python3 "$root/tests/bench/parts/rows.py" --search "$root/build/release/bin/search" --cases narrow --budget 60s "$@"
