#!/usr/bin/env bash
# A page that is told of 100,000 evaluations: frames, memory, and what the server takes. [--rate 200] [--seconds 20] [--run RUN] [--all]
# SPDX-License-Identifier: MIT
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
"$root/exh" build release
"$root/exh" report-assets
exec python3 "$root/tests/bench/parts/view.py" --search "$root/build/release/bin/search" "$@"
