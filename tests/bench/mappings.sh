#!/usr/bin/env bash
# Layers of VGG-16 as a functional program on a GPU: mappings by hand, at random and searched, and the program as a kernel beside conv2d; resumable parts.
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/mappings.py" --search "$root/build/release/bin/search" "$@"
