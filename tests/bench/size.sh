#!/usr/bin/env bash
# Nodes of the search tree of the paper's four kernels, level by level, on the device of the paper.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
depth=${1:-10}

# Paper 001, table 3, nodes at depth 10: 86587, 134060, 161980, 142780.
for kernel in "axpy --size n=67108864,inner_tile=4" "matmul --size m=256,n=256,k=32,inner_tile=4" \
  "matmul --size m=1024,n=1024,k=1024,inner_tile=4" \
  "matmul --size m=1024,n=1024,k=1024,a_stride=32,inner_tile=4"; do
  echo "== $kernel"
  # shellcheck disable=SC2086  # Kernels with their sizes are several words.
  "$root/exh" search size --kernel $kernel --device k4000 --order paper --space paper --depth "$depth"
done
