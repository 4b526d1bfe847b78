#!/usr/bin/env bash
# Dead ends per kernel: the share of uniform random descents that fail, in the default space and the paper's.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
descents=${1:-2000}

# The default order (the paper's in its space) decides kinds of loops before it says how values travel; "communication first" is the other
# way round.
for space in paper default; do
  for kernel in axpy mv "matmul --size m=256,n=256,k=32" "matmul --size m=1024,n=1024,k=1024" \
    "matmul --size m=1024,n=1024,k=1024,a_stride=32"; do
    echo "== $kernel, space $space"
    for options in "" "--order tiles,thread_layout,dim_mapping,size"; do
      echo "${options:-default order}:"
      # shellcheck disable=SC2086  # Kernels with their sizes, and options, are several words.
      "$root/exh" search dead-ends --space "$space" --kernel $kernel --descents "$descents" $options
    done
  done
done
