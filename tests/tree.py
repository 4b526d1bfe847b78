# SPDX-License-Identifier: MIT
"""What the checks of this folder share: our files, and how a check reports."""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "dsl", "generator", "runtime", "poly", "functional", "load", "kernels",
           "lsp", "models", "examples", "search", "page", "python", "tests")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def files(root, suffixes, folders=FOLDERS):
    """Paths relative to `root` of our files with one of these suffixes, sorted."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.name.endswith(suffixes):
                found.append(path.relative_to(root))
    return sorted(found)


def main(check, description):
    """Runs `check(root)`, prints the problems it returns, one a line, and exits."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the tree to check")
    problems = check(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "no problems")
    sys.exit(1 if problems else 0)
