#!/usr/bin/env bash
# Reductions of a file of shapes against torch, torch.compile, CUB and cuDNN; `correct`: random ones; `paper`: sub-graphs. Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/reductions.py" --search "$root/build/release/bin/search" "$@"
