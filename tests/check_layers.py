#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom: docs/design.md, "Layers". All our includes are written from the root. And
nobody asks which device it is: what differs is a virtual function of kernels/devices/backend.h."""

import fnmatch
import re

import tree

# "spaces" is generated code: the headers that a .exh file names are included there.
MAY_INCLUDE = {
    "base": set(),
    "dsl": {"base"},
    "generator": {"base", "dsl"},
    "runtime": {"base"},
    "poly": {"base", "kernels/ir/index", "kernels/loops"},
    "kernels/ir/index": {"base"},
    "kernels/loops": {"base", "kernels/ir/index"},
    "kernels/ir": {"base", "kernels/ir/index"},
    "kernels/spaces": set(),  # Backbones that are headers alone.
    "spaces": {"base", "runtime", "kernels/ir", "kernels/spaces"},
    "kernels/notation": {"base", "dsl", "kernels/ir"},
    "kernels": {"base", "dsl", "kernels/ir", "kernels/ir/index", "kernels/loops", "kernels/notation", "kernels/spaces", "poly", "runtime", "spaces"},
    "kernels/devices": {"base", "kernels", "kernels/ir", "runtime"},
    "models": {"base", "kernels/ir", "runtime", "spaces"},
    "functional": {"base", "dsl", "kernels/ir/index", "kernels/loops"},
    "functional/expression": {"base", "functional", "kernels", "kernels/ir", "kernels/ir/index"},
    "functional/lift": {"base", "dsl", "functional", "runtime", "spaces"},
    "load": {"base", "dsl", "runtime"},
    "lsp": {"base", "dsl", "functional", "kernels/ir", "kernels/notation"},
    "examples": {"base", "functional/lift", "runtime", "spaces"},
    "search": {"base", "dsl", "examples", "functional", "functional/expression", "functional/lift", "load", "models", "kernels", "kernels/devices", "kernels/ir", "kernels/loops", "kernels/notation", "poly", "runtime"},
}
# The rooms of a layer, lowest first: what each of them may include of the others. What lies beside
# them, in the folder itself, may include all of them, and none of them that, but for the GROUND
# and a room that names ".".
ROOMS = {
    "dsl": {
        "known": set(),
        "diagnostics": set(),
        "syntax": {"diagnostics"},
        "meaning": {"diagnostics", "known", "syntax"},
        "editing": {"diagnostics", "syntax"},
    },
    "generator": {
        "plan": set(),
        "emit": {"plan"},
    },
    "poly": {
        "isl": set(),
    },
    "functional": {
        "syntax": set(),
        "terms": set(),
        "meaning": {"syntax", "terms"},
        "infer": {"meaning", "terms"},
        "code": {"infer", "meaning", "terms"},
    },
    "models": {
        "inventory": set(),
        "terms": {"inventory"},
    },
    "runtime": {
        "internal/network": set(),
        "internal/rows": {"internal/network"},
        "internal/ground": {"internal/network", "internal/rows"},
        "objective": {"internal/network"},
        "internal/freeze": {"internal/network", "internal/rows", "internal/ground", "objective"},
        "internal/explain": {"internal/network"},
        "internal/minizinc": {"internal/network", "objective"},
        "products": {"internal/network"},
    },
    "kernels": {
        "derived/calls": {"derived", "derived/sources"},
        "derived/reference": {"derived"},
        "derived/sources": {"derived"},
        "derived": set(),
        "library": {"derived", "derived/calls", "derived/reference", "derived/sources"},
        "library/texts": set(),  # Data.
        "codegen/loops": set(),
        "codegen/memory": {"codegen/loops"},
        "codegen/plan": {"codegen/loops", "codegen/memory"},
        "codegen/print": {"codegen/loops", "codegen/memory", "codegen/plan"},
        "codegen/print/gpu": {"codegen/loops", "codegen/memory", "codegen/plan", "codegen/print"},
        "codegen": {"codegen/loops", "codegen/memory", "codegen/plan"},
        "text": {"derived"},
        "fused/graph": {"derived"},
        "fused": {"derived", "derived/reference", "fused/graph"},
        "fused/text": {"fused", "fused/graph", "text"},
        "fused/schedule": {"fused", "fused/graph"},
        "fused/code": {"derived", "derived/sources", "fused", "fused/graph", "fused/schedule"},
        "fused/run": {"cpu", "derived/reference", "fused", "fused/code", "fused/graph", "fused/schedule"},
        "fused/space": {"fused", "fused/code", "fused/graph", "fused/schedule", "recipes"},
        "cpu/contain": set(),
        "cpu": {"cpu/contain"},
        "recipes": set(),
        "recipes/general": {"recipes"},
        "recipes/processor": {"recipes"},
        "replays": set(),  # Data.
    },
    "kernels/notation": {
        "syntax": set(),
        "axes": {".", "syntax"},
        "options": {".", "syntax"},
        "lower": {".", "axes", "syntax"},
    },
    "kernels/devices": {
        "priors": set(),  # Data.
        "rates": set(),  # Data, and where more of it is kept.
        "cuda/driver": set(),
        "cuda/vendor": {"cuda/driver"},
        "cuda/probes": {"cuda/driver"},
        "cuda/process": {"cuda/driver", "cuda/vendor", "cuda/probes"},
        "cuda/pools": {"cuda/driver", "cuda/process"},
        "standalone": set(),
        "package": {"standalone"},
        "own": set(),
        "cuda/own": {".", "own", "cuda/driver", "cuda/process", "cuda/pools"},
        "cuda/standalone": {"standalone", "package"},
        "cuda": {".", "cuda/driver", "cuda/probes", "cuda/process", "cuda/pools", "cuda/own", "cuda/standalone", "own", "standalone", "package", "rates"},
        "cpu": {".", "standalone", "package", "rates"},
        "gpu_text": {"."},
    },
    "lsp": {
        "wire": set(),
        "text": {"wire"},
        "languages": {"text"},
        "answers": {".", "languages", "text", "wire"},
    },
    "search": {
        "log": set(),
        "descend": {"log"},
        "tree": {"log", "descend"},
        "near": {"log", "descend"},
        "why": {"log", "descend", "near", "measure"},
        "learn": {"log", "descend"},
        "subject": {"log", "descend"},
        "measure": {"log", "subject"},
        "report": {"log", "subject", "measure"},
        "install": {"log", "subject", "measure", "report"},
        "tune/shapes": {"log", "subject", "own"},
        "tune": {"log", "subject", "learn", "own", "run", "tune/shapes"},
        "tune/status": {"log", "subject", "tune", "tune/shapes"},
        "kernel": {"log", "descend", "subject", "measure", "report"},
        "fused": {"log", "descend", "subject", "measure", "report"},
        "functional": {"log", "descend", "subject", "measure", "report", "solve"},
        "own": {"log", "descend", "subject", "measure", "report", "solve", "exchange", "exchange/python"},
        "page": {"log", "descend", "tree", "subject", "kernel"},
        "view/http": set(),
        "view": {"log", "page", "tune", "tune/status", "view/http"},
        "propose": {"log", "descend", "tree", "near", "learn", "measure"},
        "run": {"log", "descend", "tree", "propose", "measure", "report"},
        "fleet": {"log", "descend", "subject", "measure"},
        "count": {"descend", "run"},
        "exact": {"descend"},
        "solve": {"log", "descend"},
        "exchange/python": {"log"},
        "exchange": {"exchange/python"},
        "exchange/torch": {"log", "exchange/python"},
        "exchange/flashinfer": {"log", "subject", "measure", "report", "install", "exchange/python", "exchange/torch"},
        "exchange/results": {"log", "descend", "own", "exchange", "exchange/python"},
        "exchange/launch": {"log", "exchange", "exchange/python"},
        "simulate": {"log", "descend", "tree", "propose"},
        "simulate/whole": {"log", "descend", "learn", "propose", "measure", "report", "run", "simulate"},
        "commands": {"log", "descend", "tree", "learn", "propose", "subject", "measure", "report", "page", "install", "kernel", "fused",
                     "functional", "fleet", "run", "count", "exact", "solve", "exchange", "exchange/flashinfer", "exchange/launch", "exchange/results", "simulate", "simulate/whole", "tune", "tune/shapes", "tune/status", "own", "view", "view/http", "why"},
    },
}
MOST_FILES_IN_A_ROOM = 20
MORE_FILES = {"runtime": 35}  # Generated code and plugins include its headers by these names.
# Headers beside the rooms that rooms stand on: of rooms they include nothing.
GROUND = ("dsl/name_uses.h", "dsl/source_range.h", "dsl/spec.h", "generator/code_writer.h", "generator/emission.h",
          "generator/generator.h", "kernels/build_stamp.h", "kernels/evaluation.h",
          "kernels/kernel_space.h",
          "kernels/launch.h", "kernels/named_map.h", "kernels/problem_data.h",
          "kernels/vendor_call.h", "models/bound.h", "models/device_rates.h", "poly/matrix.h", "poly/schedule.h",
          "poly/scop.h", "runtime/*.h")
# Nothing includes tests, and tests may include everything.
LAYERS = sorted([*MAY_INCLUDE, "tests"], key=len, reverse=True)
ANTLR = re.compile(r"antlr|(Exh|Fun|Kernel)(Lexer|Parser|Base|Listener|Visitor)")
ANTLR_FILES = ("dsl/syntax/parse.cc", "dsl/editing/expected.cc", "dsl/syntax/parse_tree.h", "dsl/syntax/parse_tree.cc",
               "dsl/syntax/antlr_support.h", "dsl/syntax/antlr_support.cc",
               "functional/syntax/expected.cc", "functional/syntax/parse.cc",
               "kernels/notation/syntax/expected.cc", "kernels/notation/syntax/lines.h",
               "kernels/notation/syntax/lines.cc", "kernels/notation/syntax/parse.cc")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
ASKS_WHICH_DEVICE = re.compile(r'\blanguage\s*[!=]=|[!=]=\s*"(cpu|cuda|hip|opencl|h200)"|"(cpu|cuda|hip|opencl|h200)"\s*[!=]='
                               r'|\bis_(cpu|cuda|hip|opencl)\b', re.I)
# Outside of the backends nobody asks this, either, and nobody names one of them: the command that measures a GPU
# for a file of rates is the exception.
ASKS_FOR_GPU = re.compile(r'(\.|->)is_gpu\(\)')
NAMES_BACKEND = re.compile(r'#include "kernels/devices/(cpu|cuda|gpu_text)/')
NAMES_ONE = ("kernels/devices/", "search/commands/machine/characterize.cc")
HOST_HEADER = re.compile(r'^\s*header\s*=\s*(")([^"]+)"')


def layer_of(path):
    """The longest layer that the path lies in; None outside of all."""
    return next((layer for layer in LAYERS if path.startswith(layer + "/")), None)


def room_of(path, layer):
    """The room of a layer that the path lies in; None beside all of them."""
    rooms = (room for room in ROOMS.get(layer, ()) if path.startswith(f"{layer}/{room}/"))
    return max(rooms, key=len, default=None)


def is_ground(path):
    return any(fnmatch.fnmatch(path, pattern) for pattern in GROUND)


def problem_of_rooms(includer, layer, included):
    """What is wrong with an include from one room of a layer into another, or None."""
    room, other = room_of(includer, layer), room_of(included, layer)
    if room is None and is_ground(includer) and not (other is None and is_ground(included)):
        return f"{includer} may not include {included}: rooms stand on it"
    if room is None or room == other or (other is None and is_ground(included)):
        return None
    if other is None and "." not in ROOMS[layer][room]:
        return f"{layer}/{room} may not include {included}, which stands above the rooms"
    if (other or ".") not in ROOMS[layer][room]:
        return f"{layer}/{room} may not include {included}"
    return None


def full_rooms(root):
    """Rooms with more files than a person looks through, and folders that are no rooms."""
    problems = []
    for layer in ROOMS:
        if not (root / layer).is_dir():
            continue
        for folder in sorted({path.parent for path in tree.files(root, (".h", ".cc"), (layer,))}):
            files = [path for path in (root / folder).iterdir() if path.is_file()]
            most = MORE_FILES.get(folder.as_posix(), MOST_FILES_IN_A_ROOM)
            if len(files) > most:
                problems.append(f"{folder}: {len(files)} files, the limit is {most}")
        for folder in sorted(path.name for path in (root / layer).iterdir() if path.is_dir()):
            if layer_of(f"{layer}/{folder}/") != layer or (layer, folder) == ("kernels", "spaces"):
                continue
            if not any(room.split("/")[0] == folder for room in ROOMS[layer]):
                problems.append(f"{layer}/{folder}: the room is not in ROOMS of check_layers.py")
    return problems


def problem_of(includer, layer, quote, included, root):
    """What is wrong with one include, or None."""
    if ANTLR.search(included):
        if includer not in ANTLR_FILES:
            return f"only {ANTLR_FILES[0]} and the parse tree may include ANTLR ({included})"
        return None
    if quote == "<" and included.startswith("isl/") and not includer.startswith("poly/isl/") and layer != "tests":
        return f"only poly/isl may include isl ({included})"
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
    return problem_of_rooms(includer, layer, included) if other == layer and layer in ROOMS else None


def check(root):
    problems = full_rooms(root)
    for path in tree.files(root, (".h", ".cc", ".inc", ".exh")):
        name = path.as_posix()
        is_space = name.endswith(".exh") and name.startswith("kernels/")
        if name.endswith(".exh") and not is_space:
            continue
        layer = "spaces" if is_space else layer_of(name)
        pattern = HOST_HEADER if is_space else INCLUDE
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            asks = ASKS_WHICH_DEVICE.search(line)
            if not name.startswith(NAMES_ONE):
                asks = asks or ASKS_FOR_GPU.search(line) or NAMES_BACKEND.search(line)
            if layer != "tests" and asks:
                problems.append(f"{name}:{number}: asks which device it is: what differs is the business of a "
                                "backend (kernels/devices/backend.h)")
            match = pattern.match(line)
            problem = match and problem_of(name, layer, *match.groups(), root)
            if problem:
                problems.append(f"{name}:{number}: {problem}")
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
