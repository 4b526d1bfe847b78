#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random implementations of kernels as text, each searched for by itself.

./exh bench texts                              100 of each on the cpu
./exh bench texts --device cuda --evals 100    on a GPU

For each kernel a row: what became of the implementations, how many were faster than their lower bound, the best time beside the
naive loop nest's. The last line adds them up; the exit code is 1 where anything was wrong or a bound was violated."""

import argparse
import collections
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", required=True)
    parser.add_argument("--texts", required=True, help="a folder with NAME.kernel and NAME.size")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--budget", default="60s", help="most time of each")
    parser.add_argument("--only", default="", help="names with this in them")
    options = parser.parse_args()
    all_verdicts, all_violations, without = collections.Counter(), 0, []
    for text in sorted(pathlib.Path(options.texts).glob("*.kernel")):
        if options.only not in text.stem:
            continue
        with tempfile.TemporaryDirectory() as folder:
            verdicts, violations, why, best = search(options, text, text.with_suffix(".size").read_text().strip(),
                                                     pathlib.Path(folder) / "run")
        all_verdicts += verdicts
        all_violations += violations
        if not verdicts["correct"]:
            without.append(text.stem)
        counts = ", ".join(f"{name} {count}" for name, count in verdicts.most_common())
        print(f"{text.stem:22} {counts or 'nothing':46} violations {violations}"
              f"{f'  best {best / 1000:.2f} us' if best else ''}  {why[:160]}", flush=True)
    print(f"all: {sum(all_verdicts.values())} evaluations, {dict(all_verdicts)}, {all_violations} violations"
          + (f", none correct of: {', '.join(without)}" if without else ""))
    return 1 if all_verdicts["wrong"] or all_violations or without else 0


if __name__ == "__main__":
    sys.exit(main())
