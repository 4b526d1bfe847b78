#!/usr/bin/env bash
# Half-precision products out of 1,000 sizes, each searched on a GPU of this machine, beside cuBLASLt: [--count 40] [--out FOLDER] [options of search tune]
# SPDX-License-Identifier: MIT
#
# Without --budget each has a minute. Called again with the same folder it goes on where it was.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
count=40 out=half-products rest=()
while (($#)); do
  case $1 in
    --count) count=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) rest+=("$1"); shift ;;
  esac
done
# A search that was carried here needs no build.
search=${EXH_SEARCH:-$root/build/release/bin/search}
[[ -n ${EXH_SEARCH:-} ]] || "$root/exh" build release
if [[ ! -d $out ]]; then
  shapes=$(mktemp --suffix .jsonl)
  trap 'rm -f "$shapes"' EXIT
  python3 "$root/tests/bench/parts/half_products.py" "$count" > "$shapes"
  "$search" tune "$shapes" --device cuda --gpus all --out "$out" "${rest[@]}" || true
else
  "$search" tune --gpus all --out "$out" "${rest[@]}" || true
fi
"$search" tune --status "$out"
