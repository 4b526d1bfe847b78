#!/usr/bin/env bash
# Makes the prior of a device's class of searches of several kernels and sizes, 7 to 10 minutes in all: [DEVICE] [FILE]; cpu-avx2: of a cpu with vectors of 8 floats
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
device=${1:-cpu}
file=${2:-$root/build/bench/prior-$device.json}
search=$root/build/release/bin/search
runs=$root/build/bench/prior-$device
mkdir -p "$runs"
# On a processor with longer vectors: what has 16 registers leaves 13 of them to sums.
more=()
if [[ $device == cpu-avx2 ]]; then
  device=cpu
  more=(--set "vector_sizes=[2,4,8]" --set max_registers=104 --set block_registers=104)
fi

# Nothing else should run on the machine. Sizes that are not here (384, 500, 640 and 768) show what a prior is worth.
cpu="matmul m=512,n=512,k=512 60s 11;matmul m=256,n=256,k=256 40s 12;matmul m=576,n=576,k=576 45s 13
matmul m=896,n=896,k=896 50s 14;matmul m=320,n=320,k=320 40s 16;matmul m=300,n=700,k=200 40s 17
batched_matmul batch=64,m=64,n=64,k=64 30s 18;matmul m=448,n=448,k=448 45s 20;matmul m=509,n=509,k=509 45s 23
matmul m=512,n=512,k=512 60s 15;gesummv m=1024,n=1024 25s 24;mv m=2048,n=2048 25s 19"
gpu="matmul m=1024,n=1024,k=1024 40s 11;matmul m=1024,n=1024,k=1024,a_stride=32 45s 12;matmul m=512,n=512,k=512 30s 13
matmul m=2048,n=2048,k=2048 40s 14;matmul m=32,n=32,k=131072 40s 15;matmul m=256,n=256,k=32 20s 16
batched_matmul batch=512,m=64,n=64,k=64 30s 17;matmul2 m=16384,n=64,k=64,p=64 45s 18;gesummv m=4096,n=4096 20s 19
mv m=8192,n=8192 20s 20;matmul m=1000,n=1000,k=1000 40s 21;matmul m=2048,n=2048,k=2048,type=bf16 40s 22"
case $device in cpu) list=$cpu ;; *) list=$gpu ;; esac

done_runs=()
while read -r kernel size budget seed; do
  run=$runs/$kernel-$size-$seed
  # What a call that was cut off has done counts.
  if ! grep -qs '"t":"end"' "$run/log.jsonl"; then
    rm -rf "$run"
    echo "== $kernel $size, $budget"
    "$search" --kernel "$kernel" --size "$size" --device "$device" --prior none --seed "$seed" --budget "$budget" --out "$run" --progress none "${more[@]}" |
      grep -E "^best|speed of" || true
  fi
  done_runs+=("$run")
done < <(tr ';' '\n' <<<"$list")
exec "$search" learn "${done_runs[@]}" --out "$file"
