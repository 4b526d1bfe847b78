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
import json
import pathlib
import subprocess
import sys
import tempfile


def records(folder):
    log = folder / "log.jsonl"
    if not log.exists():
        return
    for line in log.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def search(options, text, size, out):
    command = [options.search, "--kernel", text, "--size", size, "--device", options.device, "--policy", "random",
               "--bound", "check", "--budget", f"evals={options.evals}", "--budget", options.budget, "--out", out,
               "--progress", "none"]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    verdicts, violations, why, best = collections.Counter(), 0, "", None
    for record in records(out):
        if record["t"] == "violation":
            violations += 1
        if record["t"] == "eval":
            verdicts[record["verdict"]] += 1
            best = min(best or record.get("best_ns", 0), record.get("best_ns") or best or 0) or best
            why = why or (record.get("why", "") if record["verdict"] == "wrong" else "")
    if not verdicts:
        why = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "it said nothing"
    return verdicts, violations, why, best


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
    name, text, size = kernel
    with tempfile.TemporaryDirectory() as folder:
        return name, *search(options, text, size, pathlib.Path(folder) / "run")


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
    parser.add_argument("--only", default="", help="names with this in them")
    options = parser.parse_args()
    all_verdicts, all_violations, without, said, right = collections.Counter(), 0, [], 0, 0
    wanted = [kernel for kernel in kernels(options) if options.only in kernel[0]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, verdicts, violations, why, best in pool.map(lambda kernel: check(options, kernel), wanted):
            all_verdicts += verdicts
            all_violations += violations
            said += bool(verdicts)
            right += verdicts["correct"] > 0 and verdicts["wrong"] == 0
            if not verdicts["correct"]:
                without.append(name)
            counts = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common())
            print(f"{name:52} {counts or 'nothing':46} violations {violations}"
                  f"{f'  best {best / 1000:.2f} us' if best else ''}  {why[:160]}", flush=True)
    print(f"all: {sum(all_verdicts.values())} evaluations, {dict(all_verdicts)}, {all_violations} violations, "
          f"{said} of {len(wanted)} can be said, {right} right"
          + (f", none correct of: {', '.join(without)}" if without else ""))
    return 1 if all_verdicts["wrong"] or all_violations or without else 0


if __name__ == "__main__":
    sys.exit(main())
