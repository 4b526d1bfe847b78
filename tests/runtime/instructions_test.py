#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the instructions of fixed descents and compares them with instructions.json, so that a
change that makes propagation slower is seen without a clock. Skipped without valgrind, and where the
compiler or the processor is another than the recorded one."""

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


def count(program):
    """Kernels that ran, and the instructions of CountedDescents()."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no",
             "--toggle-collect=exh::tests::CountedDescents*",
             f"--callgrind-out-file={folder}/out", program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=True)
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
    kernels, instructions = count(arguments.program)
    now = {"compiler": arguments.compiler, "kernels": kernels, "instructions": instructions}
    if os.environ.get("EXH_UPDATE_GOLDENS"):
        golden.write_text(json.dumps(now, indent=2) + "\n")
        return 0
    recorded = json.loads(golden.read_text())
    if (recorded["compiler"], recorded["kernels"]) != (arguments.compiler, kernels):
        print(f"recorded with {recorded['compiler']} and {recorded['kernels']} rows, this is "
              f"{arguments.compiler} and {kernels}: not compared ({instructions} instructions)")
        return SKIPPED
    change = instructions / recorded["instructions"] - 1
    print(f"{instructions} instructions, {100 * change:+.1f} % against {golden.name}")
    if abs(change) <= MARGIN:
        return 0
    print(f"{golden}: more than {100 * MARGIN:.0f} % away. If that is meant: "
          "EXH_UPDATE_GOLDENS=1 ctest -R instructions")
    return 1


if __name__ == "__main__":
    sys.exit(main())
