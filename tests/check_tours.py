#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the tour in each folder's README.md: every public header, and every module of the page, is
named in it, and every file that a line of a list, table or code block starts with exists."""

import re

import tree

FOLDERS = tuple(folder for folder in tree.FOLDERS if folder != "tests")
SUFFIX = r"\.(?:h|cc|inc|g4|exh|json|py|sh|md|txt|js|mjs|css|html)"
# `builder.h .cc   the builder`, `| builder.h | …`, `* [builder.h](…)`, "- `builder.h`: …"
LISTED = re.compile(rf"^\s*(?:[*|-]\s*)?\[?`?\[?([\w./-]+{SUFFIX})(?![\w.])")


def tour_of(root, header):
    """The README.md that should list the header: the nearest one above it."""
    folder = header.parent
    while folder.as_posix() not in FOLDERS and not (root / folder / "README.md").is_file():
        folder = folder.parent
    return folder / "README.md"


def check(root):
    problems = []
    tours = {path: (root / path).read_text() for path in tree.files(root, ("README.md",), FOLDERS)}
    for folder in FOLDERS:
        tours_path = next((path for path in tours if path.parent.as_posix() == folder), None)
        if (root / folder).is_dir() and tours_path is None:
            problems.append(f"{folder}: has no README.md")
    for header in tree.files(root, (".h",), FOLDERS) + tree.files(root, (".js", ".mjs"), ("page",)):
        tour = tour_of(root, header)
        if "internal" in header.parts or tour not in tours:
            continue
        name = header.relative_to(tour.parent).as_posix()
        if not re.search(rf"(?<![\w/]){re.escape(name)}(?!\w)", tours[tour]):
            problems.append(f"{tour}: does not list {name}")
    for tour, text in tours.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = LISTED.match(line)
            if match and not any((root / base / match[1]).exists() for base in (tour.parent, ".")):
                problems.append(f"{tour}:{number}: {match[1]} does not exist")
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
