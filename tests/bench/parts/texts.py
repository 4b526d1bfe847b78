#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random implementations of kernels as text, each searched for by itself.

./exh bench texts                              100 of each on the cpu
./exh bench texts --device cuda --evals 100    on a GPU
./exh bench level1 --evals 5 --jobs 2          the computations of KernelBench's first level, at small sizes
./exh bench level1 --device cuda --searched    at those of searches

For each kernel a row: what became of the implementations, how many were faster than their lower bound, the best time. The last line
adds them up, and says how many of the kernels can be said and have an implementation that is right, and none that is wrong. The exit
code is 1 where anything was wrong or a bound was violated. With several searches beside each other times are longer than alone."""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


@dataclasses.dataclass
class Found:
    """What became of the implementations of a kernel; times in nanoseconds."""
    name: str
    verdicts: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    violations: int = 0
    best: float | None = None
    naive: float | None = None
    why: str = ""

    def is_right(self):
        return self.verdicts["correct"] > 0 and self.verdicts["wrong"] == 0

    def row(self):
        counts = ", ".join(f"{verdict} {count}" for verdict, count in self.verdicts.most_common()) or "nothing"
        best = f"  best {self.best / 1000:.2f} us" if self.best else ""
        naive = f"  naive {self.naive / 1000:.2f} us" if self.naive else ""
        return f"{self.name:52} {counts:46} violations {self.violations}{best}{naive}  {self.why[:160]}"


def records(folder):
    log = folder / "log.jsonl"
    if not log.exists():
        return
    for line in log.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def why_nothing(output):
    """The error that a search ended with, or else its last line."""
    lines = output.strip().splitlines() or ["it said nothing"]
    return next((line for line in lines if line.startswith("search: ")), lines[-1])


def search(options, name, text, size, out):
    command = [options.search, "--kernel", text, "--size", size, "--device", options.device, "--policy", options.policy,
               "--bound", "check", "--budget", f"evals={options.evals}", "--budget", options.budget, "--out", out,
               "--progress", "none"]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = Found(name)
    for record in records(out):
        if record["t"] == "violation":
            found.violations += 1
            found.why = found.why or f"{record['ns']:.0f} ns of a bound of {record['bound_ns']:.0f} ns by {record['resource']}"
        if record["t"] == "eval":
            found.verdicts[record["verdict"]] += 1
            found.best = min(found.best or record.get("best_ns", 0), record.get("best_ns") or found.best or 0) or found.best
            found.why = found.why or (record.get("why", "") if record["verdict"] == "wrong" else "")
        if record["t"] == "reference" and record.get("name") == "naive":
            found.naive = record.get("median_ns")
    if not found.verdicts:
        found.why = why_nothing(done.stdout)
    if options.keep and (found.violations or found.verdicts["wrong"]):
        shutil.copytree(out, options.keep / name.replace(" ", "-"), dirs_exist_ok=True)
    return found


def kernels(options):
    """(name, file with its text, sizes)"""
    if options.list is None:
        texts = sorted(pathlib.Path(options.texts).glob("*.kernel"))
        return [(text.stem, text, text.with_suffix(".size").read_text().strip()) for text in texts]
    rows = [[piece.strip() for piece in line.split(";")]
            for line in options.list.read_text().splitlines() if not line.startswith("#")]
    return [(f"{number} {name}", options.list.parent / f"{text}.kernel", searched if options.searched else small)
            for number, name, text, small, searched in rows]


def check(options, kernel):
    with tempfile.TemporaryDirectory() as folder:
        return search(options, *kernel, pathlib.Path(folder) / "run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", required=True)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--texts", help="a folder with NAME.kernel and NAME.size")
    kinds.add_argument("--list", type=pathlib.Path, help="a list such as tests/kernels/level1/computations.txt")
    parser.add_argument("--searched", action="store_true", help="with --list: at its larger sizes")
    parser.add_argument("--jobs", type=int, default=1, help="searches beside each other")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--budget", default="60s", help="most time of each")
    parser.add_argument("--policy", default="random", help="of the searches (random)")
    parser.add_argument("--only", action="append", help="names with this in them; repeatable")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the runs of what is wrong or faster than its bound")
    options = parser.parse_args()
    wanted = [kernel for kernel in kernels(options) if any(part in kernel[0] for part in options.only or [""])]
    all_found, total = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda kernel: check(options, kernel), wanted):
            all_found.append(found)
            total += found.verdicts
            print(found.row(), flush=True)
    violations = sum(found.violations for found in all_found)
    said = sum(bool(found.verdicts) for found in all_found)
    without = [found.name for found in all_found if not found.verdicts["correct"]]
    print(f"all: {sum(total.values())} evaluations, {dict(total)}, {violations} violations, {said} of {len(wanted)} can be said, "
          f"{sum(found.is_right() for found in all_found)} right"
          + (f", none correct of: {', '.join(without)}" if without else ""))
    return 1 if total["wrong"] or violations or without else 0


if __name__ == "__main__":
    sys.exit(main())
