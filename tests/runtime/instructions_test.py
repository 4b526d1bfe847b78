#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the instructions of fixed descents and of a freeze, and compares them with
instructions.json, so that a change that makes propagation or freezing slower is seen without a clock.
Skipped without valgrind, and where the compiler or the processor is another than the recorded one; that
the work of a freeze grows with its clauses, as the cube of the objects, is looked at anyway."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
MARGIN = 0.05
OBJECTS = 24  # Of the smaller freeze; the larger one has twice as many.
GROWTH = 2 ** 3.2


def count(program, function, *arguments):
    """Kernels that ran, and the instructions of the function."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no",
             f"--toggle-collect=exh::tests::{function}*",
             f"--callgrind-out-file={folder}/out", program, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, check=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    return run.stdout.split()[0], int(collected.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    golden = pathlib.Path(__file__).with_name("instructions.json")
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: not counted")
        return SKIPPED
    kernels, instructions = count(arguments.program, "CountedDescents")
    _, small = count(arguments.program, "CountedFreeze", str(OBJECTS))
    _, freeze = count(arguments.program, "CountedFreeze", str(2 * OBJECTS))
    now = {"compiler": arguments.compiler, "kernels": kernels, "instructions": instructions,
           "freeze": freeze}
    growth = freeze / small
    print(f"a freeze of twice the objects: {growth:.1f} times the instructions ({small}, {freeze})")
    if growth > GROWTH:
        print(f"more than {GROWTH:.1f}: that is not as the cube of the objects")
        return 1
    if os.environ.get("EXH_UPDATE_GOLDENS"):
        golden.write_text(json.dumps(now, indent=2) + "\n")
        return 0
    recorded = json.loads(golden.read_text())
    if (recorded["compiler"], recorded["kernels"]) != (arguments.compiler, kernels):
        print(f"recorded with {recorded['compiler']} and {recorded['kernels']} rows, this is "
              f"{arguments.compiler} and {kernels}: not compared ({instructions} instructions)")
        return SKIPPED
    failed = False
    for what in sorted(recorded.keys() & {"instructions", "freeze"}):
        change = now[what] / recorded[what] - 1
        print(f"{what}: {now[what]}, {100 * change:+.1f} % against {golden.name}")
        failed |= abs(change) > MARGIN
    if failed:
        print(f"{golden}: more than {100 * MARGIN:.0f} % away. If that is meant: "
              "EXH_UPDATE_GOLDENS=1 ctest -R instructions")
    return failed


if __name__ == "__main__":
    sys.exit(main())
