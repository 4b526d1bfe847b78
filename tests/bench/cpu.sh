#!/usr/bin/env bash
# Matmul 512x512x512 on the cpu device against Eigen: the replay in the repository, then a random search of the paper's space, 120 s.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
budget=${1:-120s}

# The widest vectors of this machine for which there is a replay.
width=avx2
if "$root/exh" search devices | grep -q 'vector_sizes.*16'; then width=avx512; fi

echo "== replay of kernels/replays/matmul-512-$width.txt"
"$root/exh" search replay "$root/kernels/replays/matmul-512-$width.txt"
echo "== random search, $budget"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$root/exh" search --kernel matmul --space paper --budget "$budget" --seed "${2:-1}" --progress plain --out "$out/run" | tail -n 80
