#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the questions of ir::Target, what the snippets of a space ask: in kernels/ir/target.h each stands by a file of
kernels/spaces that asks it, these come in the order in which linalg.exh includes them, and kernels/ir/target has the
answers by the same names."""

import re

import tree

HEADER = "kernels/ir/target.h"
HEADING = re.compile(r"^  // (?:(\w+)\.exh: .*|No space asks these)\.$")
QUESTION = re.compile(r"^  [^\s/}#].*?(\w+)\(")
ANSWER = re.compile(r"^\S.*\bTarget::(\w+)\(", re.M)


def questions_of(text):
    """Of each question its line and its file; None where no space asks it."""
    found, space, is_asked = {}, None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line == " private:":
            break
        if heading := HEADING.match(line):
            space, is_asked = heading[1], True
        elif is_asked and (question := QUESTION.match(line)):
            found[question[1]] = (number, space)
    return found


def check(root):
    problems = []
    spaces = {path.stem: re.sub(r"//.*", "", path.read_text()) for path in (root / "kernels/spaces").glob("*.exh")}
    questions = questions_of((root / HEADER).read_text())
    for name, (number, space) in questions.items():
        asks = re.compile(rf"\$fun\.{name}\b|\bextern (?:predicate|constant) {name}\b")
        asking = sorted(other for other, text in spaces.items() if asks.search(text))
        if (space in asking) if space else not asking:
            continue
        by = ", ".join(f"{other}.exh" for other in asking) or "no space"
        problems.append(f"{HEADER}:{number}: {name} is asked by {by}")
    included = re.findall(r'include "(\w+)\.exh"', spaces["linalg"])
    stand = list(dict.fromkeys(space for _, space in questions.values() if space))
    if stand != [space for space in included if space in stand]:
        problems.append(f"{HEADER}: the files do not come in the order of linalg.exh")
    for path in sorted((root / "kernels/ir/target").glob("*.cc")):
        for name in ANSWER.findall(path.read_text()):
            space = questions.get(name, (0, None))[1]
            if space and space != path.stem:
                problems.append(f"kernels/ir/target/{path.name}: {name} belongs to {space}.cc")
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
