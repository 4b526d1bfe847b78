#!/usr/bin/env bash
# Programs of users: what a proposal costs beside the program itself. [--evaluations 2000] [--seeds 3]
# SPDX-License-Identifier: MIT
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
"$root/exh" build release
exec python3 "$root/tests/bench/parts/own.py" --search "$root/build/release/bin/search" "$@"
