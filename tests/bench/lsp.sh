#!/usr/bin/env bash
# How long an editor waits for exhc lsp: for mistakes after a key, and for what could stand at a place, in spaces of 500 lines and of the tree.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/exh" build release
exec python3 -B "$root/tests/e2e/lsp_test.py" "$root/build/release/bin/exhc" Speed "$@"
