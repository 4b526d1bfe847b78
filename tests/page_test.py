#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of the page of reports where ./exh report-assets has installed what they need."""

import pathlib
import shutil
import subprocess
import sys

import tree

WORK = tree.ROOT / "build/page/node_modules"


def lacking():
    """What is not there, or None."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    installed = WORK / "installed-lock.json"
    if not installed.is_file() or installed.read_text() != (tree.ROOT / "page/package-lock.json").read_text():
        return "./exh report-assets has not installed what package-lock.json of page names"
    return None


if __name__ == "__main__":
    if lacking():
        print(f"skipped: {lacking()}")
        sys.exit(tree.SKIPPED)
    exh: pathlib.Path = tree.ROOT / "exh"
    sys.exit(subprocess.run([exh, "report-assets", "--test"], check=False).returncode)
