#!/usr/bin/env bash
# The layers of VGG-16 as direct convolutions: naive, im2col and Eigen, on a GPU torch, torch.compile and all of cuDNN; times, ratios, bytes beside the arrays.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/conv.py" --search "$root/build/release/bin/search" "$@"
