#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Evaluations a second of searches, and where their time goes.

usage: candidates.py --search PROGRAM [--device cuda] [--seconds 40] [--seeds 1] [--only NAME] [--keep FOLDER] [--record FILE]

Searches each computation and prints a row: seconds that its space took to build (where the log says so), evaluations, those a second of the search alone that were
compiled and judged, the best time, and the shares of the search's threads and of the one that judges. With several seeds it is the one in the
middle, by evaluations a second.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from parts import conditions, recorder

ROOT = pathlib.Path(__file__).resolve().parents[3]
EVERYDAY = ROOT / "tests" / "bench" / "everyday"
COMPUTATIONS = {
    "matmul 1024": ("matmul", "m=1024,n=1024,k=1024"),
    "matmul 4096": ("matmul", "m=4096,n=4096,k=4096"),
    "rows normalised": (str(EVERYDAY / "rows_normalised.kernel"), ""),
    "softmax 4096x2048": ("softmax", "m=4096,n=2048"),
    "gesummv": ("gesummv", ""),
    "two products 256": ("matmul2", ""),
    "distances of pairs": (str(EVERYDAY / "distances.kernel"), ""),
    "depthwise": (str(EVERYDAY / "depthwise.kernel"), ""),
}
LOOKING = ("descend", "look", "lower", "compile", "full")
NOT_COMPILED = ("idle", "internal", "refused")  # Verdicts of candidates that no compiler saw.
JUDGING = ("check", "time", "learn", "wait")


def records(log):
    """The records of a log by type, without checksums: a tool that reads one's own run need not verify it."""
    found = {}
    for line in log.read_text().splitlines():
        record = json.loads(line)
        found.setdefault(record["t"], []).append(record)
    return found


def shares(seconds, activities):
    """Shares in percent."""
    total = sum(seconds.get(name, 0) for name in activities) or 1
    return [100 * seconds.get(name, 0) / total for name in activities]


def row_of(found):
    """What a run's log says of it."""
    run, end = found["run"][0], found["end"][-1]
    built = run["space"].get("seconds", 0) if isinstance(run["space"], dict) else 0
    verdicts = end["verdicts"]
    tried = sum(count for verdict, count in verdicts.items() if verdict not in NOT_COMPILED)
    last = max([one["dt"] for one in found.get("eval", [])] or [0])
    best = [one for one in found.get("reference", []) if one["name"] == "winner"]
    return {
        "space_s": built, "evaluations": end["evaluations"], "tried": tried,
        "per_second": tried / max(1e-9, last - built), "best_us": best[0]["median_ns"] / 1e3 if best else 0,
        "looking": shares(end.get("seconds", {}), LOOKING), "judging": shares(end.get("seconds", {}), JUDGING),
    }


def record(into, name, row, gpu=True):
    """Hands a row to a Recorder; `gpu`: it is of the GPU of this machine."""
    taken = conditions()
    looking = {activity: recorder.figure(share, "%", 0) for activity, share in zip(LOOKING, row["looking"])}
    into.add("candidates", "candidates", name, taken, device=recorder.machine(taken, gpu, cores=True),
             ours=recorder.time(1e3 * row["best_us"]) if row["best_us"] else None,
             figures={"evaluations/s": recorder.figure(row["per_second"], digits=1)} | looking |
             {f"the judge: {', '.join(JUDGING)}": recorder.figure(row["judging"], "%", 0)})


def search(options, computation, seed, seconds, folder):
    """The log of one run by type; nothing where it failed."""
    kernel, size = computation
    command = [options.search, "--kernel", kernel, "--device", options.device, "--budget", f"{seconds}s", "--seed", str(seed),
               "--winners", "none", "--progress", "none", "--out", str(folder)]
    if size:
        command += ["--size", size]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    log = folder / "log.jsonl"
    if not log.exists():
        print(f"{kernel}: {done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return None
    return records(log)


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    options = parser.parse_args()
    into = recorder.Recorder(options.record, "candidates", sys.argv[1:])
    work = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="exh-candidates-"))
    print(f"{'':<20} {'space s':>7} {'evals':>6} {'tried/s':>7} {'best us':>9}   {' '.join(f'{a:>7}' for a in LOOKING)}   "
          f"{' '.join(f'{a:>6}' for a in JUDGING)}  (%)", flush=True)
    for name in COMPUTATIONS:
        if options.only and options.only not in name:
            continue
        logs = [search(options, COMPUTATIONS[name], seed, options.seconds, work / f"{name.replace(' ', '-')}-{seed}")
                for seed in range(1, options.seeds + 1)]
        rows = sorted([row_of(found) for found in logs if found and "end" in found], key=lambda row: row["per_second"])
        if not rows:
            print(f"{name:<20} failed", flush=True)
            continue
        row = rows[len(rows) // 2]
        built = f"{row['space_s']:7.2f}" if row["space_s"] else "      -"
        print(f"{name:<20} {built} {row['evaluations']:6} {row['per_second']:7.1f} {row['best_us']:9.2f}   "
              f"{' '.join(f'{share:7.1f}' for share in row['looking'])}   {' '.join(f'{share:6.1f}' for share in row['judging'])}", flush=True)
        record(into, name, row, options.device != "cpu")
    into.write()
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
