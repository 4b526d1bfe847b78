#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other constants of the proposer come to.

usage: tune.py --search PROGRAM --records FOLDER [--device cuda] [--only NAME] [--record 5000] [--evaluations 2000] [--seeds 8] [--jobs N]
               [--vary NAME=V1,V2] … [--only-records]

First a record is made of each computation that has none in the folder: a search of four fifths of the evaluations, and random descents of one
fifth, which show what searches avoid. That takes the device, and is what takes longest. Then `search --simulate --whole` compares the settings on
each record, which takes the processor alone. Last stands what each setting comes to over all computations: how many times as slow as the default,
as geometric mean, with its standard error. A record is good for the space, the device and the texts of code that it was made with.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

from candidates import COMPUTATIONS, EVERYDAY

RECORDS_OF = COMPUTATIONS | {
    "matmul 512": ("matmul", "m=512,n=512,k=512"), "mv 8192": ("mv", "m=8192,n=8192"),
    "layer norm": ("layer_norm", ""), "max pool 2d": (str(EVERYDAY / "max_pool_2d.kernel"), "")}
USUAL = ("walks=1,4", "worthwhile=1,4", "most_exploration=0.5,1,4", "local_share=0.7,0.95", "on_islands=0,0.25,0.75", "islands=2,8",
         "island_patience=20,80", "elites=8,32", "from_anywhere=0,0.3", "across=0,0.5", "last_share=0.05,0.2", "last_fastest=1,6")


def run(command):
    """The standard output of a program; nothing where it failed, which is said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return None
    return done.stdout


def parts_of(evaluations):
    """The runs of a record: a name, options, and how many evaluations."""
    return (("search", (), evaluations - evaluations // 5), ("random", ("--policy", "random"), evaluations // 5))


def make_record(options, computation, folder):
    """The folders of a record's runs; those that are missing are made. Nothing where one fails."""
    kernel, size = computation
    runs = []
    for name, words, evaluations in parts_of(options.record):
        runs.append(str(folder / name))
        if (folder / name / "log.jsonl").exists():
            continue
        command = [options.search, "--kernel", kernel, "--device", options.device, *words, "--budget", f"evals={evaluations}",
                   "--progress", "none", "--out", runs[-1]]
        if run(command + (["--size", size] if size else [])) is None:
            return None
    return runs


def simulate(options, runs, file):
    """What the program says of a record, printed, and as JSON."""
    command = [options.search, "--simulate", *runs, "--whole", "--budget", f"evals={options.evaluations}", "--seeds", str(options.seeds),
               "--out", str(file)]
    for vary in options.vary or USUAL:
        command += ["--vary", vary]
    if options.jobs:
        command += ["--jobs", str(options.jobs)]
    text = run(command)
    if text is None:
        return None
    print(text, flush=True)
    return json.loads(file.read_text())


def combine(found):
    """Of what was found of each computation: for each setting the factor against the default and its standard error."""
    together = {}
    for one in found:
        for setting in one["settings"]:
            if setting["against_default"] is not None:
                together.setdefault(setting["setting"], []).append((math.log(setting["against_default"]), setting["error"]))
    rows = []
    for name, pairs in together.items():
        mean = sum(log for log, _ in pairs) / len(pairs)
        error = math.sqrt(sum(error ** 2 for _, error in pairs)) / len(pairs)
        rows.append((name, math.exp(mean), error, len(pairs)))
    return sorted(rows, key=lambda row: row[1])


def main():
    """Prints a table for each computation, and one of all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", required=True)
    parser.add_argument("--records", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only")
    parser.add_argument("--record", type=int, default=5000)
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--vary", action="append")
    parser.add_argument("--only-records", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(options.records)
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, computation in RECORDS_OF.items():
        if options.only and options.only not in name:
            continue
        place = folder / name.replace(" ", "-")
        print(f"== {name}", flush=True)
        runs = make_record(options, computation, place)
        result = simulate(options, runs, place / "settings.json") if runs and not options.only_records else None
        if result:
            found.append(result)
    rows = combine(found)
    if not rows:
        return
    width = max(len(row[0]) for row in rows)
    print(f"against the default, geometric mean over {len(found)} computations (below 1 is better), with its standard error:")
    for name, factor, error, count in rows:
        print(f"{name:<{width}}  {factor:.3f} +-{error:.3f}{'' if count == len(found) else f'  ({count} of them)'}")


if __name__ == "__main__":
    main()
