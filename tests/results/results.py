#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of results, made of docs/results/*.json.

./exh results                 writes the tables of docs/results/*.md and README.md anew, and the picture docs/results.svg
./exh results --check         says what would change, and what is wrong in the records
./exh results --add FILE      takes over the records that a benchmark wrote with --record FILE, then writes the tables

A record with the table, subject, sizes, variant and device of an earlier one replaces it: the earlier one goes to
docs/results/history.json, and has a line in docs/results/history.md."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import check_results
import pages
import picture
import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def with_mark(old, new):
    """The newer record with the mark of the earlier one, if it says none itself."""
    if "must" not in old or "must" in new:
        return new
    new = {**new, "must": dict(old["must"])}
    met = records.is_met(new)
    if met is None:
        print(f"{pages.what(new)}: whether its mark is met, {old['must']['text']}, is for you to say; 'met' is false now")
    new["must"]["met"] = bool(met)
    if not records.marked(new):
        new["must"] = {name: value for name, value in new["must"].items() if name not in ("of", "least", "most")}
    return new


def add(root, new):
    """Takes new records, lists of them by kind, into the files; what they replace goes to the history. How many were replaced."""
    files = records.read_all(root)
    replaced = []
    for kind, lines in new.items():
        if kind not in files or kind == records.HISTORY:
            raise pages.PageError(f"there is no docs/results/{kind}.json")
        for record in lines:
            there = files[kind]["records"]
            at = next((i for i, old in enumerate(there) if records.key_of(old) == records.key_of(record)), None)
            if at is None:
                # Beside the others of its table, behind the last one.
                last = max((i for i, old in enumerate(there) if old["table"] == record["table"]), default=len(there) - 1)
                there.insert(last + 1, record)
            else:
                replaced.append({**there[at], "table": f"{kind}/{there[at]['table']}"})
                there[at] = with_mark(there[at], record)
    files[records.HISTORY]["records"] = replaced + files[records.HISTORY]["records"]
    problems = check_results.file_problems(root, files)
    if problems:
        raise pages.PageError("\n".join(problems))
    for kind in {*new, records.HISTORY}:
        (root / records.FOLDER / f"{kind}.json").write_text(records.file_text(files[kind]), encoding="utf-8")
    return len(replaced)


def write(root):
    """Writes each page that is not as its records say; their names."""
    files = records.read_all(root)
    changed = []
    for page in check_results.pages_of(root):
        text = page.read_text(encoding="utf-8")
        new = pages.made(text, files)
        if new != text:
            page.write_text(new, encoding="utf-8")
            changed.append(str(page.relative_to(root)))
    drawing, new = root / picture.FILE, picture.drawn(files)
    if not drawing.exists() or drawing.read_text(encoding="utf-8") != new:
        drawing.write_text(new, encoding="utf-8")
        changed.append(str(picture.FILE))
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the tree")
    parser.add_argument("--check", action="store_true", help="writes nothing; exit code 1 when something is wrong")
    parser.add_argument("--add", action="append", default=[], metavar="FILE", help="records that a benchmark wrote")
    options = parser.parse_args()
    if options.check:
        problems = check_results.check(options.root)
        print("\n".join(problems) or "the pages are as the records say")
        return 1 if problems else 0
    try:
        for file in options.add:
            new = records.read(file)
            count = add(options.root, new)
            print(f"{file}: {sum(map(len, new.values()))} records, {count} of which replace earlier ones")
        changed = write(options.root)
    except (pages.PageError, OSError, ValueError) as error:
        print(f"results: {error}", file=sys.stderr)
        return 1
    print("written: " + ", ".join(changed) if changed else "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
