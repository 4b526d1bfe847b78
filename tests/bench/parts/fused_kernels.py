# SPDX-License-Identifier: MIT
"""Searches the fused operators that `search fused --batch` ran as kernels, beside their schedules.

    fused_kernels.py SEARCH OPERATORS.jsonl ROWS.jsonl --budget 11s [--device NAME] [--out FILE.jsonl] [-- options of search]

Each operator of the log ROWS that has a time "searched" is searched with --kernel for as long as the budget says, one after the other. --out
gets a line of JSON for each, and what is there already is not searched again. The summary has geometric means of isl's time over ours.
"""
import argparse
import collections
import json
import math
import os
import subprocess
import sys
import tempfile

from parts import conditions, recorder


def cases_of(rows):
    """Operators that were searched among schedules: lines of the log."""
    found = []
    with open(rows, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            times = {row["name"]: row["ns"] for row in line.get("rows", []) if row.get("verdict") == "correct"}
            isl = [times[name] for name in times if name.startswith("isl ")]
            if "searched" in times and isl:
                found.append({"line": line["line"], "op": line["op"], "transposes": line.get("transposes", False),
                              "isl": min(isl), "searched": times["searched"]})
    return found


def result_of(folder):
    """What a run found: the winner's time beside the yardsticks, else the best of the run; and its verdicts."""
    winner, best, verdicts = None, None, collections.Counter()
    try:
        with open(os.path.join(folder, "log.jsonl"), encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record.get("t") == "reference" and record.get("name") == "winner":
                    winner = record.get("median_ns")
                if record.get("t") == "end":
                    verdicts.update(record.get("verdicts", {}))
                if record.get("t") == "eval" and record.get("verdict") == "correct":
                    time = record.get("median_ns") or record.get("best_ns")
                    best = time if best is None or time < best else best
    except (OSError, json.JSONDecodeError):
        pass
    return winner or best, dict(verdicts)


def search(options, case, folder):
    out = os.path.join(folder, str(case["line"]))
    command = [options.search, "--kernel", f"{options.operators}:{case['line']}", "--device", options.device, "--budget",
               options.budget, "--progress", "none", "--out", out, *options.rest]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found, verdicts = result_of(out)
    said = [line for line in done.stderr.splitlines() if line.startswith("search: ")]
    return {**case, "kernel": found, "verdicts": verdicts, "said": "" if found or not said else said[-1]}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def summary(lines):
    """Text of what came out of all of them."""
    text = f"{'':28}{'all':>8}{'Transpose':>12}\n"
    both = [line for line in lines if line["kernel"]]
    rows = [("operators", lambda part: len(part)),
            ("isl over searched", lambda part: mean([one["isl"] / one["searched"] for one in part])),
            ("isl over the better one", lambda part: mean([one["isl"] / min(one["searched"], one["kernel"] or math.inf)
                                                           for one in part])),
            ("searched over kernel", lambda part: mean([one["searched"] / one["kernel"] for one in part if one["kernel"]]))]
    for name, of in rows:
        values = [of(lines), of([one for one in lines if one["transposes"]])]
        text += f"{name:28}" + "".join(f"{value:>{width}}" if isinstance(value, int) else f"{value:>{width}.2f}"
                                       for value, width in zip(values, (8, 12))) + "\n"
    ahead = sum(one["kernel"] < one["searched"] for one in both)
    text += f"{ahead} of {len(both)} are faster as kernels\n"
    verdicts = collections.Counter()
    for one in lines:
        verdicts.update(one["verdicts"])
    text += "evaluations: " + (", ".join(f"{name} {count}" for name, count in sorted(verdicts.items())) or "none") + "\n"
    for one in lines:
        if not one["kernel"]:
            text += f"line {one['line']}: no kernel: {one['said'] or 'nothing correct in time'}\n"
    return text


def record(into, lines):
    """Geometric means beside isl, of all and of those with a Transpose, and the worst case."""
    def ratios(of):
        return [[one["isl"] / of(one) for one in part] for part in (lines, [one for one in lines if one["transposes"]])]
    for name, of in (("searched among schedules", lambda one: one["searched"]),
                     ("the better one of schedules and kernel", lambda one: min(one["searched"], one["kernel"] or math.inf))):
        every, with_transpose = ratios(of)
        into.add("fused", "kernels", name, conditions(), ratios={"isl": recorder.figure(mean(every))},
                 figures={"operators": recorder.figure(len(every), digits=0)} |
                 ({"with a Transpose": recorder.figure(mean(with_transpose))} if with_transpose else {}))
    into.add("fused", "kernels", "worst case of the better one", conditions(), ratios={"isl": recorder.figure(min(every), digits=3)})
    into.write()


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("search")
    parser.add_argument("operators")
    parser.add_argument("rows", help="what search fused --batch wrote with --log")
    parser.add_argument("--budget", required=True, help="of each search, such as 11s")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", help="a line of JSON for each operator")
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    at = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:at])
    options.rest = words[at + 1:]
    done = {}
    if options.out and os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as lines:
            done = {line["line"]: line for line in map(json.loads, lines)}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of(options.rows):
            is_new = case["line"] not in done
            one = search(options, case, folder) if is_new else done[case["line"]]
            found.append(one)
            kernel = f"{one['kernel'] / 1e3:10.2f}" if one["kernel"] else f"{'-':>10}"
            print(f"{one['isl'] / 1e3:10.2f}{one['searched'] / 1e3:10.2f}{kernel} us  {one['op'][:80]}", flush=True)
            if options.out and is_new:
                with open(options.out, "a", encoding="utf-8") as out:
                    out.write(json.dumps(one) + "\n")
    print(summary(found), end="")
    if found:
        record(recorder.Recorder(options.record, "fused", ["FILE", "--log", "rows.jsonl", "--kernels", options.budget, "--device", options.device]), found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
