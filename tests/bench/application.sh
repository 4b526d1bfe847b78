#!/usr/bin/env bash
# Tuned kernels in an application (./exh install-kernel): right against PyTorch, time against the log, torch.compile, dispatch.
# SPDX-License-Identifier: MIT
#
# Takes --device cuda (default), h200 or cpu, --budget for each of two searches (60s), --out for a
# folder that keeps its runs, and --python, one with PyTorch. Exits with 1 when a figure is missed:
# all elements right at both sizes and refused at a third; from PyTorch within 2 % of the log (of a
# GPU); dispatch at most 1 us; torch.compile makes one graph.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 "$root/tests/bench/parts/application.py" --search "$root/build/release/bin/search" "$@"
