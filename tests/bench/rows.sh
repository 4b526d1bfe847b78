#!/usr/bin/env bash
# Softmax, norms, log-sum-exp, cross entropy and scans of rows against torch, torch.compile and CUB: [--budget 20s] [--only NAME] … Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build release
exec python3 "$root/tests/bench/parts/rows.py" --search "$root/build/release/bin/search" "$@"
