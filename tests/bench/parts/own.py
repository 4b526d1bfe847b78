#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a proposal of `search --space FILE.exh --serve` costs beside the program itself.

./exh bench own

The space is that of a matrix product with 13 parameters. The program answers at once with a time that it calculates. So all that passes is ours: finding
what to ask next, learning from it, one question and one answer. `asked` is the part of it between question and answer."""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from parts import conditions, recorder

SPACE = """
choice integer rows(): 16 | 32 | 64 | 128 end
choice integer columns(): 16 | 32 | 64 | 128 end
choice integer depth(): 16 | 32 end
choice integer row_threads(): 8 | 16 | 32 end
choice integer column_threads(): 8 | 16 | 32 end
choice integer row_loads(): 8 | 16 | 32 end
choice integer column_loads(): 8 | 16 | 32 end
choice integer row_vector(): 1 | 2 | 4 | 8 end
choice integer column_vector(): 1 | 2 | 4 | 8 end
choice integer row_stride(): 0 | 1 end
choice integer column_stride(): 0 | 1 end
choice integer copy_rows(): 0 | 1 end
choice integer copy_columns(): 0 | 1 end
require rows() % (row_threads() * row_vector()) == 0
require columns() % (column_threads() * column_vector()) == 0
require rows() % (row_loads() * row_vector()) == 0
require columns() % (column_loads() * column_vector()) == 0
require depth() % (row_threads() * column_threads() div row_loads()) == 0
require depth() % (row_threads() * column_threads() div column_loads()) == 0
"""
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double of(const char* line, const char* name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char* at = strstr(line, key);
  return at == NULL ? 0 : atof(at + strlen(key));
}
static double apart(double a, double b) { return a > b ? a - b : b - a; }
int main(void) {
  char* line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    const double us = 100 + apart(of(line, "rows"), 64) + apart(of(line, "columns"), 128) / 2 + 10 * apart(of(line, "row_vector"), 4) +
                      7 * apart(of(line, "column_vector"), 2) + 20 * (1 - of(line, "copy_rows")) + 15 * (1 - of(line, "copy_columns")) +
                      apart(of(line, "row_threads"), 16) + apart(of(line, "column_threads"), 8) + 3 * of(line, "row_stride");
    printf("{\"id\":%.0f,\"verdict\":\"correct\",\"time_us\":%f}\n", of(line, "id"), us);
    fflush(stdout);
  }
  return 0;
}
"""


def run(search, folder, evaluations, seed):
    """Milliseconds of a proposal, those of question and answer, and after how many the best was within 1 %."""
    out = folder / f"run{seed}"
    begin = time.monotonic()
    subprocess.run([search, "--space", "my.exh", "--serve", "./program", "--budget", f"evals={evaluations}", "--seed", str(seed), "--progress", "none",
                    "--out", str(out)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    records = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    evals = [record for record in records if record["t"] == "eval"]
    end = next(record for record in records if record["t"] == "end")
    best = min(record["best_ns"] for record in evals)
    first = next(number for number, record in enumerate(evals, 1) if record["best_ns"] <= 1.01 * best)
    asked = end.get("seconds", {}).get("time", 0)
    return 1e3 * wall / len(evals), 1e3 * asked / len(evals), first, best


def record(into, space, rows):
    """The middle seed's milliseconds, and after how many evaluations each was near its best."""
    taken = conditions()
    middle = [statistics.median(row[i] for row in rows) for i in range(2)]
    into.add("own", "proposals", "a proposal to a program that `--serve` keeps", taken, sizes=f"({space.removeprefix('my: ')})",
             device=recorder.machine(taken, gpu=False), ours=recorder.figure(middle[0], "ms", 3), must={"text": "1 ms", "met": middle[0] <= 1, "most": 1},
             figures={"between question and answer": recorder.figure(middle[1], "ms", 3),
                      "within 1 % of the best after": {"value": [row[2] for row in rows], "unit": "evaluations"}})
    into.write()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", required=True)
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    options = parser.parse_args()
    compiler = shutil.which("cc") or shutil.which("g++")
    if compiler is None:
        sys.exit("a C compiler is needed: cc")
    with tempfile.TemporaryDirectory(prefix="exh-own-") as name:
        folder = pathlib.Path(name)
        (folder / "my.exh").write_text(SPACE)
        (folder / "program.c").write_text(PROGRAM)
        subprocess.run([compiler, "-O2", "-x", "c", "-o", "program", "program.c"], cwd=folder, check=True)
        count = subprocess.run([options.search, "solve", "--space", "my.exh", "--count"], cwd=folder, check=True, capture_output=True, text=True)
        print(count.stdout.split(",")[0])
        rows = []
        for seed in range(1, options.seeds + 1):
            rows.append(run(options.search, folder, options.evaluations, seed))
            print(f"seed {seed}: {rows[-1][0]:.3f} ms a proposal, {rows[-1][1]:.3f} ms of it asked; within 1 % of its best after {rows[-1][2]} of "
                  f"{options.evaluations}, best {rows[-1][3] / 1e3:.1f} us", flush=True)
        print(f"median: {statistics.median(row[0] for row in rows):.3f} ms a proposal, {statistics.median(row[1] for row in rows):.3f} ms asked, "
              f"within 1 % after {statistics.median(row[2] for row in rows):.0f}")
        record(recorder.Recorder(options.record, "own", sys.argv[1:]), count.stdout.split(",")[0], rows)


if __name__ == "__main__":
    main()
