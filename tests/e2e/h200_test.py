#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""On an H200: `--device cuda` finds the limits that kernels/devices/h200.json records, and what it measures
in a moment is no slower than anything that was ever measured of one. Elsewhere it is skipped.

usage: h200_test.py SEARCH
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

RATES = pathlib.Path(__file__).resolve().parents[2] / "kernels/devices/rates/h200.json"
SKIPPED = 77
# What bounds divide by, and what was measured of it.
FASTER = {"clock": ("clock", 1e-3), "fma": ("fma_per_clk", 1), "unit_bytes": ("l2_one_bytes_per_clk", 1),
          "accesses": ("shared_64_bytes_per_clk", 1 / 128), "memory": ("dram_write", 1), "memory_third": ("dram_add", 1)}
SHORTER = {"read_latency": "l1_latency", "shared_latency": "shared_latency"}


def search(program, *arguments, **variables):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **variables})


def limits_of(text):
    return dict(line.split(maxsplit=1) for line in text.splitlines()[1:])


def main(program):
    detected = search(program, "devices", "--device", "cuda")
    if detected.returncode != 0:
        print(f"skipped: {detected.stderr.strip()}")
        return SKIPPED
    limits = limits_of(detected.stdout)
    if "H200" not in limits["model"]:
        print(f"skipped: this is no H200, but {limits['model']}")
        return SKIPPED
    print(detected.stdout)
    failures = []
    del limits["model"]
    recorded = limits_of(search(program, "devices", "--device", "h200").stdout)
    for name in sorted({*limits, *recorded}):
        if limits.get(name) != recorded.get(name):
            failures.append(f"{name} is {limits.get(name)}, recorded is {recorded.get(name)}")
    with tempfile.TemporaryDirectory() as cache:
        bound = search(program, "bound", "--kernel", "axpy", "--device", "cuda", XDG_CACHE_HOME=cache)
        print(bound.stderr)
        if bound.returncode != 0:
            failures.append("there is no bound")
        else:
            file, = pathlib.Path(cache, "exhaust/rates").iterdir()
            values = {name: one["value"] for name, one in json.loads(file.read_text())["values"].items()}
            measured = {name: one["fastest"] for name, one in json.loads(RATES.read_text())["measured"].items()}
            for name, (of, scale) in FASTER.items():
                print(f"{name:<15} {values[name]:.6g}, measured at most {measured[of] * scale:.6g}")
                if values[name] < measured[of] * scale:
                    failures.append(f"{name} is {values[name]}, and {measured[of] * scale} was measured")
            for name, of in SHORTER.items():
                print(f"{name:<15} {values[name]:.6g}, measured at least {measured[of]:.6g}")
                if values[name] > measured[of]:
                    failures.append(f"{name} is {values[name]}, and {measured[of]} was measured")
    for failure in failures:
        print(f"FAIL: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
