#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom: docs/design.md, "Layers". All our includes are written from the root."""

import re

import tree

# "spaces" is generated code: the headers that a .exh file names are included there.
MAY_INCLUDE = {
    "dsl": set(),
    "generator": {"dsl"},
    "runtime": set(),
    "kernels/ir": set(),
    "spaces": {"runtime", "kernels/ir"},
    "kernels": {"kernels/ir", "runtime", "spaces"},
    "models": {"kernels/ir", "runtime", "spaces"},
    "search": {"models", "kernels", "kernels/ir", "runtime"},
}
# Nothing includes tests, and tests may include everything.
LAYERS = sorted([*MAY_INCLUDE, "tests"], key=len, reverse=True)
ANTLR = re.compile(r"antlr4|ExhLexer|ExhParser|ExhBase|ExhListener|ExhVisitor")
ANTLR_FILES = ("dsl/parse.cc", "dsl/parse_tree.h", "dsl/parse_tree.cc")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
HOST_HEADER = re.compile(r'^\s*header\s*=\s*(")([^"]+)"')


def layer_of(path):
    """The longest layer that the path lies in; None outside of all."""
    return next((layer for layer in LAYERS if path.startswith(layer + "/")), None)


def problem_of(includer, layer, quote, included, root):
    """What is wrong with one include, or None."""
    if ANTLR.search(included):
        if includer not in ANTLR_FILES:
            return f"only {ANTLR_FILES[0]} and the parse tree may include ANTLR ({included})"
        return None
    if quote == "<" or layer == "tests":
        return None
    other = layer_of(included)
    if other is None or (other != "spaces" and not (root / included).is_file()):
        return f"{included} is not a file of ours, written from the root"
    folder, internal, _ = included.partition("/internal/")
    if internal and not includer.startswith(folder + "/"):
        return f"{included} is internal to {folder}"
    if other != layer and other not in MAY_INCLUDE[layer]:
        return f"{layer} may not include {included}"
    return None


def check(root):
    problems = []
    for path in tree.files(root, (".h", ".cc", ".inc", ".exh")):
        name = path.as_posix()
        is_space = name.endswith(".exh") and name.startswith("kernels/")
        if name.endswith(".exh") and not is_space:
            continue
        layer = "spaces" if is_space else layer_of(name)
        pattern = HOST_HEADER if is_space else INCLUDE
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = pattern.match(line)
            problem = match and problem_of(name, layer, *match.groups(), root)
            if problem:
                problems.append(f"{name}:{number}: {problem}")
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
