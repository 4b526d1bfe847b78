#!/usr/bin/env bash
# What the lower bound cuts of the first levels of the paper's four spaces, with the paper's times and device: [DEPTH]
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
depth=${1:-10}

# Table 3 of the paper, nodes left at depth 10: 0.14 %, 15 %, 4.2 %, 6.6 %. Its cuts are the average times of table 2, of which
# 34.2 us, the second, has 21.4 us of the kernel by itself.
for kernel in "axpy --size n=67108864,inner_tile=4 --cut 7.05ms" \
  "matmul --size m=256,n=256,k=32,inner_tile=4 --cut 21.4us" \
  "matmul --size m=1024,n=1024,k=1024,inner_tile=4 --cut 4.81ms" \
  "matmul --size m=1024,n=1024,k=1024,a_stride=32,inner_tile=4 --cut 10.1ms"; do
  echo "== $kernel"
  # shellcheck disable=SC2086  # Kernels with their sizes are several words.
  "$root/exh" search stats --kernel $kernel --space paper --device k4000 --order paper --depth "$depth" --cut-depth "$depth"
done
