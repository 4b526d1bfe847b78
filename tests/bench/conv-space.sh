#!/usr/bin/env bash
# Points of the published space of direct convolutions, layers 0 and 7 of VGG-16, counted exactly (docs/functional.md).
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

for layer in 0:channels=3,side=224,kernels=64 7:channels=128,side=112,kernels=128; do
  for limits in threads=0,buffer=0,private=0 threads=384 threads=1024; do
    for v in 1 4; do
      echo "== layer ${layer%%:*}, $limits, v=$v"
      status=0
      "$root/exh" search solve --space "$root/examples/conv_space/conv.fun" --size "${layer#*:},$limits,v=$v" --count || status=$?
      # 3: there is no solution, which is said.
      [[ $status == 0 || $status == 3 ]] || exit "$status"
    done
  done
done
