#!/usr/bin/env bash
# Dead ends per kernel in the paper's space: share of uniform random descents among valid children, without backtracking, that fail.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
descents=${1:-2000}

# The order of the paper decides kinds before it says how values travel; ours the other way round. The third
# figure has the paper's limit of 512 copies of an instruction instead of the device's.
for kernel in axpy mv "matmul --size m=256,n=256,k=32" "matmul --size m=1024,n=1024,k=1024" \
  "matmul --size m=1024,n=1024,k=1024,a_stride=32"; do
  echo "== $kernel"
  for options in "" "--order size,dim_kind" "--order size,dim_kind --set max_unroll=512"; do
    echo "${options:-default order}:"
    # shellcheck disable=SC2086  # Kernels with their sizes, and options, are several words.
    "$root/exh" search dead-ends --space paper --kernel $kernel --descents "$descents" $options
  done
done
