#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a public type has a name of its own: no struct, class or enum that a header defines at namespace scope
stands in two rooms, which are folders, for two things. What a class nests, internal headers and examples do not count."""

import re

import tree

# Rooms in which one word is one thing in several forms: the language of spaces as text, as checked, as planned and as
# the engine's tables; and what the parsers of our languages hand over.
FORMS = ({"dsl/syntax", "dsl", "generator/plan", "runtime"},
         {"dsl/syntax", "functional/syntax", "kernels/notation/syntax"})
# Names that still mean several things, each with its rooms. To be shortened, never to grow.
KNOWN = {
    "Condition": ("dsl", "dsl/syntax", "kernels/ir/index", "runtime"),
    "Index": ("kernels/ir/index", "kernels/notation"),
    "Kernel": ("kernels/library", "kernels/notation/syntax"),
    "Problem": ("kernels/cpu", "search/subject"),
    "Program": ("functional/lift", "functional/meaning"),
    "Statement": ("functional/syntax", "kernels/fused", "kernels/ir", "kernels/notation/syntax"),
}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                   r"|^[ \t]*#(?:\\\n|[^\n])*|[{};]", re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r'\bnamespace(?:\s+[\w:]+)?\s*$|\bextern\s*$')
# `struct [[…]] alignas(8) Name final : Base`, `enum class Name : std::uint8_t`; not `Name<int>`.
TYPE = re.compile(r"(?:^|[\s>])(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[.*?\]\]\s*|alignas\([^)]*\)\s*)*"
                  r"(\w+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)


def types_of(text):
    """(line, name) of each type that is defined at namespace scope."""
    scopes = []  # Whether each open bracket is a namespace's.
    before = ""  # What stands before the next bracket, since the last one or semicolon.
    end = 0
    for match in TOKEN.finditer(text):
        before += text[end:match.start()]
        end = match.end()
        if match[0] == "{":
            found = TYPE.search(before) if all(scopes) else None
            if found:
                yield text.count("\n", 0, match.start()) + 1, found[1]
            scopes.append(bool(NAMESPACE.search(before)))
        elif match[0] == "}" and scopes:
            scopes.pop()
        if match[0] in "{};":
            before = ""


def rooms_of_names(root):
    """name -> room -> places of its definitions."""
    found = {}
    for path in tree.files(root, (".h",)):
        if path.parts[0] in ("tests", "examples") or "internal" in path.parts:
            continue
        for line, name in types_of((root / path).read_text()):
            found.setdefault(name, {}).setdefault(path.parent.as_posix(), []).append(f"{path}:{line}")
    return found


def check(root, known=KNOWN):
    problems = []
    found = {name: rooms for name, rooms in rooms_of_names(root).items()
             if len(rooms) > 1 and not any(rooms.keys() <= forms for forms in FORMS)}
    for name, rooms in sorted(found.items()):
        for room in sorted(rooms.keys() - set(known.get(name, ()))):
            others = ", ".join(sorted(rooms.keys() - {room}))
            problems.append(f"{rooms[room][0]}: {name} is also a type of {others}")
    for name, rooms in known.items():
        gone = [room for room in rooms if room not in found.get(name, ())]
        if gone:
            problems.append(f"tests/check_names.py: {name} is not shared by {', '.join(gone)} any more: take that out of KNOWN")
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
