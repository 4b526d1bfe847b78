#!/usr/bin/env bash
# Random implementations of each computation as text on a device: how many are right, wrong or faster than their bound allows.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build release
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/exh" bench computations --write "$folder" --times 8
python3 "$root/tests/bench/parts/texts.py" --search "$root/build/release/bin/search" --texts "$folder" "$@"
