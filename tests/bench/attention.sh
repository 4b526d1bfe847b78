#!/usr/bin/env bash
# Attention of several lengths and types against torch, which takes cuDNN or FlashAttention: [--budget 60s] [--only NAME] … Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build release
exec python3 "$root/tests/bench/parts/rows.py" --search "$root/build/release/bin/search" --cases attention --budget 60s "$@"
