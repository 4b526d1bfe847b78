#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where searches end, and when.

usage: quality.py --search PROGRAM [--part seeds|lengths] [--device cuda] [--only NAME] [--seeds 4] [--seconds 60] [--short 20] [--long 120] [--keep FOLDER] [--record FILE]

seeds    searches of so many seeds: what each ends at, their spread, and the seconds after which it was within 5 % of the best of all
lengths  a short search and a long one of each computation, with the same seed: how much longer the short one's best takes
"""
import argparse
import math
import pathlib
import shutil
import statistics
import sys
import tempfile

from candidates import COMPUTATIONS, EVERYDAY, search
from parts import conditions, recorder

SEEDS_OF = {name: COMPUTATIONS[name] for name in ("matmul 1024", "two products 256")} | {
    "matmul 512": ("matmul", "m=512,n=512,k=512"), "mv 8192": ("mv", "m=8192,n=8192")}
LENGTHS_OF = COMPUTATIONS | {
    "mv 8192": ("mv", "m=8192,n=8192"), "matmul 512": ("matmul", "m=512,n=512,k=512"),
    "layer norm": ("layer_norm", ""), "max pool 2d": (str(EVERYDAY / "max_pool_2d.kernel"), "")}
NEAR = 1.05


def best_so_far(found):
    """(seconds, nanoseconds) of each best of a run, and what the finals say of the winner."""
    steps = [(one["dt"], one["ns"]) for one in found.get("best", [])]
    finals = [one["median_ns"] for one in found.get("reference", []) if one["name"] == "winner" and one.get("median_ns", 0) > 0]
    return steps, finals[-1] if finals else (steps[-1][1] if steps else math.inf)


def seconds_to(steps, limit):
    """When a run was first that fast; infinite where it never was."""
    return min([seconds for seconds, ns in steps if ns <= limit] or [math.inf])


def spread(times):
    """How far the slowest is from the fastest."""
    return max(times) / min(times) - 1


def by_seeds(options, work, into):
    """Prints a row for each computation."""
    print(f"{'':<20} {'best us':>9} {'spread':>7}  ends at (us); seconds to within 5 % of the best", flush=True)
    for name, computation in SEEDS_OF.items():
        if options.only and options.only not in name:
            continue
        runs = []
        for seed in range(1, options.seeds + 1):
            found = search(options, computation, seed, options.seconds, work / f"{name.replace(' ', '-')}-{seed}")
            if found:
                runs.append(best_so_far(found))
        if not runs:
            continue
        ends = [end for _, end in runs]
        limit = NEAR * min(ends)
        reached = [seconds_to(steps, limit) for steps, _ in runs]
        print(f"{name:<20} {min(ends) / 1e3:9.2f} {100 * spread(ends):6.1f}%  {' '.join(f'{end / 1e3:.2f}' for end in ends)}; "
              f"{' '.join('never' if math.isinf(one) else f'{one:.1f}' for one in reached)}", flush=True)
        taken = conditions()
        into.add("candidates", "seeds", f"{name}, {len(ends)} seeds", taken, variant=f"{options.seconds:g} s each",
                 device=recorder.machine(taken, options.device != "cpu", cores=True), ours=recorder.time(ends),
                 figures={"apart": recorder.figure(100 * spread(ends), "%", 1),
                          "within 5 % after": {"text": ", ".join("never" if math.isinf(one) else f"{one:.1f} s" for one in reached)}})


def by_lengths(options, work):
    """Prints a row for each computation, and the geometric mean."""
    print(f"{'':<20} {options.short:>6} s {options.long:>6} s  ratio", flush=True)
    ratios = []
    for name, computation in LENGTHS_OF.items():
        if options.only and options.only not in name:
            continue
        ends = []
        for seconds in (options.short, options.long):
            found = search(options, computation, 1, seconds, work / f"{name.replace(' ', '-')}-{seconds}s")
            ends.append(best_so_far(found)[1] if found else math.inf)
        if any(math.isinf(end) for end in ends):
            continue
        ratios.append(ends[0] / ends[1])
        print(f"{name:<20} {ends[0] / 1e3:8.2f} {ends[1] / 1e3:8.2f}  {ratios[-1]:.3f}", flush=True)
    if ratios:
        print(f"geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.3f}")


def main():
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--part", choices=("seeds", "lengths"))
    parser.add_argument("--only")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--short", type=float, default=20)
    parser.add_argument("--long", type=float, default=120)
    parser.add_argument("--keep")
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    options = parser.parse_args()
    work = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="exh-quality-"))
    if options.part != "lengths":
        into = recorder.Recorder(options.record, "quality", sys.argv[1:])
        by_seeds(options, work, into)
        into.write()
    if options.part != "seeds":
        by_lengths(options, work)
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
