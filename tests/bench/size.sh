#!/usr/bin/env bash
# Size of the paper's four kernels on the device of the paper: nodes level by level, and implementations, estimated.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
depth=${1:-10}
budget=${2:-60s}

# Table 3 of the paper, nodes at depth 10: 86587, 134060, 161980, 142780; space sizes 1.1e11, 1.83e21, 3.5e21, 6.0e20.
for kernel in "axpy --size n=67108864,inner_tile=4" "matmul --size m=256,n=256,k=32,inner_tile=4" \
  "matmul --size m=1024,n=1024,k=1024,inner_tile=4" \
  "matmul --size m=1024,n=1024,k=1024,a_stride=32,inner_tile=4"; do
  echo "== $kernel"
  # shellcheck disable=SC2086  # Kernels with their sizes are several words.
  "$root/exh" search size --kernel $kernel --device k4000 --order paper --space paper --depth "$depth"
  "$root/exh" search size --kernel $kernel --device k4000 --order paper --space paper --budget "$budget"
done
