#!/usr/bin/env bash
# The tables of the paper beside ours: size of the space, dead ends, cut, order of decisions; speed on one H200. Resumable parts.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/paper.py" --search "$root/build/release/bin/search" "$@"
