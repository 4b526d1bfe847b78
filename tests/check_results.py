#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that what stands in docs/results and README.md is what docs/results/*.json say: the files are valid, each record's
command exists, each table of a page is as its records make it, and each record is in a table of some page."""

import functools
import pathlib
import re
import shlex
import sys

import check_docs
import json_schema
import tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "results"))
import pages
import picture
import records

# A figure in a table by hand; sizes and counts are none.
FIGURE = re.compile(r"\d ?(?:ns|us|ms|s|%|x(?! \d)|GB/s|TFLOP/s|GFLOP/s)(?![\w/])")
OF_THE_TREE = re.compile(r"(?:docs|examples|kernels|tests)/")
COMMIT = re.compile(r"[0-9a-f]{8,40}$")


def pages_of(root):
    """Pages that have tables of results."""
    found = [root / "README.md", *sorted((root / records.FOLDER).glob("*.md"))]
    return [page for page in found if page.exists() and pages.tables_of(page.read_text(encoding="utf-8"))]


@functools.cache
def options_of_benchmark(root, name):
    """The text that the options of a benchmark stand in: its own, and that of its parts; None where there is no such benchmark."""
    for path in (root / "tests/bench").glob("*"):
        if path.suffix in (".sh", ".cc") and path.stem.replace("_", "-") == name:
            parts = sorted((root / "tests/bench/parts").glob("*.py"))
            return "".join(each.read_text(encoding="utf-8") for each in [path, *parts])
    return None


def command_problem(root, command, commands):
    """What is wrong with the command of a record, or None. Options of `search` and `exhc` are checked where pages show them."""
    if command == records.NO_COMMAND:
        return None
    words = shlex.split(command)
    while words and re.match(r"[A-Z_]+=", words[0]):
        words.pop(0)
    if words[:1] == ["nvcc"]:
        return None if any((root / records.FOLDER / word).exists() for word in words[1:]) else "compiles no file of docs/results"
    gone = next((word for word in words if OF_THE_TREE.match(word) and not (root / word).exists()), None)
    if gone:
        return f"{gone} does not exist"
    if words[:1] == ["python3"]:
        return None
    if words[:1] != ["./exh"]:
        return "is no ./exh command"
    if words[1] not in commands:
        return f"./exh {words[1]}: there is no such command"
    if words[1] != "bench":
        return None
    text = options_of_benchmark(root, words[2].replace("_", "-"))
    if text is None:
        return f"./exh bench {words[2]}: there is no such benchmark"
    return next((f"./exh bench {words[2]} has no option {word}" for word in words[3:]
                 if word.startswith("--") and word not in text), None)


def record_problems(root, kind, content, commands):
    tables = {table["name"] for table in content["tables"]}
    seen = set()
    for record in content["records"]:
        where = f"docs/results/{kind}.json: {record['table']}: {pages.what(record)}"
        problem = command_problem(root, record["command"], commands)
        if problem:
            yield f"{where}: its command {problem}" if problem.startswith(("is ", "compiles ")) else f"{where}: {problem}"
        if records.is_replaced(record):
            continue
        if record["table"] not in tables:
            yield f"{where}: the file has no table '{record['table']}'"
        # The history may have several of the same.
        if kind != records.HISTORY and records.key_of(record) in seen:
            yield f"{where}: two records are of the same"
        seen.add(records.key_of(record))
        if record["commit"] != "unknown" and not COMMIT.match(record["commit"]):
            yield f"{where}: '{record['commit']}' is no commit"
        if not any(record.get(name) for name in ("ours", "figures", "ratios")):
            yield f"{where}: has no figure"
        if "must" in record:
            mark = record["must"]
            if not records.marked(record) and "of" in mark:
                yield f"{where}: has no figure {mark['of']}, which must reach a mark"
            if records.is_met(record) not in (None, mark["met"]):
                yield f"{where}: its mark {mark['text']} is {'not ' if mark['met'] else ''}met"


def file_problems(root, files):
    """What is wrong in the files themselves."""
    schema = records.read(root / records.SCHEMA)
    commands = check_docs.known_commands(root)
    found = []
    for kind, content in files.items():
        invalid = [f"docs/results/{kind}.json: {problem}" for problem in json_schema.problems(content, schema)]
        if not invalid and content["kind"] != kind:
            invalid.append(f"docs/results/{kind}.json: is of the kind '{content['kind']}'")
        found += invalid or record_problems(root, kind, content, commands)
    return found


def tables_by_hand(root):
    """Rows of tables of measurements that no record makes."""
    for page in sorted((root / records.FOLDER).glob("*.md")):
        text = pages.BLOCK.sub(lambda match: "\n" * match[0].count("\n"), page.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("|") and FIGURE.search(line):
                yield f"{page.relative_to(root)}:{number}: a figure in a table by hand: docs/results/*.json are for it"


def first_difference(old, new):
    """(line number, the line as it is made) of the first line that differs."""
    old, new = old.splitlines(), new.splitlines()
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    return at + 1, new[at] if at < len(new) else ""


def check(root):
    if not (root / records.SCHEMA).exists():
        return []
    files = records.read_all(root)
    problems = file_problems(root, files)
    if problems:
        return problems
    shown = set()
    for page in pages_of(root):
        name, text = page.relative_to(root), page.read_text(encoding="utf-8")
        shown.update(pages.tables_of(text))
        try:
            new = pages.made(text, files)
        except pages.PageError as error:
            problems.append(f"{name}: {error}")
            continue
        if new != text:
            number, line = first_difference(text, new)
            problems.append(f"{name}:{number}: is not as the records say: ./exh results would write '{line[:80]}'")
    problems += tables_by_hand(root)
    if "" not in shown:
        problems.append("README.md: has no table of results")
    drawing = root / picture.FILE
    if drawing.exists() and drawing.read_text(encoding="utf-8") != picture.drawn(files):
        problems.append(f"{picture.FILE}: is not as the records say: ./exh results draws it")
    problems += [f"docs/results/{kind}.json: no page shows the table '{table['name']}'" for kind, content in files.items()
                 for table in content["tables"] if f"{kind}/{table['name']}" not in shown]
    return problems


if __name__ == "__main__":
    tree.main(check, __doc__)
