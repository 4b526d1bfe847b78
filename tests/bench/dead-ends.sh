#!/usr/bin/env bash
# Dead ends per kernel: share of uniform random descents among valid children, without backtracking, that fail.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
descents=${1:-2000}

for kernel in axpy mv "matmul --size m=256,n=256,k=32" "matmul --size m=1024,n=1024,k=1024" \
  "matmul --size m=1024,n=1024,k=1024,a_stride=32"; do
  echo "== $kernel"
  # shellcheck disable=SC2086  # A kernel and its sizes are several words.
  "$root/exh" search dead-ends --kernel $kernel --descents "$descents"
done
