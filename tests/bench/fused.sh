#!/usr/bin/env bash
# Fused operators of a file by isl's schedules and under influence, by network: times, scheduling, backtracks. Resumable.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if (($# == 0)) || [[ ! -r $1 ]]; then
  echo "exh bench fused: which operators? ./exh bench fused OPERATORS.jsonl[.gz] [--kernels 11s] [--torch] [--record FILE] [options of search fused]" >&2
  echo "--kernels TIME: what --log FILE then has is searched as kernels, too, each for so long" >&2
  echo "--torch: what --log FILE then has of a GPU is compared with torch.compile, where python3 has torch" >&2
  exit 2
fi
operators=$1
shift
torch=0 kernels="" log="" record="" gpu=0 device=cpu previous="" arguments=()
for word in "$@"; do
  case $previous in
    --log) log=$word ;;
    --gpu) gpu=$word ;;
    --device) device=$word ;;
    --kernels) kernels=$word ;;
    --record) record=$word ;;
  esac
  if [[ $word == --torch ]]; then
    torch=1
  elif [[ $word != --kernels && $previous != --kernels && $word != --record && $previous != --record ]]; then
    arguments+=("$word")
  fi
  previous=$word
done
if { ((torch)) || [[ -n $kernels ]]; } && [[ -z $log ]]; then
  echo "exh bench fused: --torch and --kernels need --log FILE" >&2
  exit 2
fi
if [[ $operators == *.gz ]]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  gzip -dc "$operators" >"$scratch/operators.jsonl"
  operators=$scratch/operators.jsonl
fi
# What scheduling alone takes is measured on all of them; what is too large to run is counted.
"$root/build/release/bin/search" fused check --batch --schedules "$operators" | tail -n 2
"$root/build/release/bin/search" fused --batch "$operators" "${arguments[@]}"
if [[ -n $kernels ]]; then
  python3 "$root/tests/bench/parts/fused_kernels.py" "$root/build/release/bin/search" "$operators" "$log" --budget "$kernels" \
    --device "$device" --out "${log%.jsonl}.kernels.jsonl" --record "$record"
fi
if ((torch)); then
  if python3 -c "import torch" 2>/dev/null; then
    python3 "$root/tests/bench/parts/fused_torch.py" "$operators" "$log" --gpu "$gpu" --out "${log%.jsonl}.torch.jsonl" --record "$record"
  else
    echo "exh bench fused: python3 has no torch: nothing is compared with it" >&2
  fi
fi
