#!/usr/bin/env bash
# What the generator reaches on one H200: checks, sanitizers, candidates per second, replays, random searches; resumable parts.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/h200.py" --search "$root/build/release/bin/search" "$@"
