#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What fused_kernels.py makes of logs, with a program in the place of `search`."""
import io
import json
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

import fused_kernels

SEARCH = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
out = words[words.index("--out") + 1]
line = int(words[words.index("--kernel") + 1].rpartition(":")[2])
if line == 3:
    sys.exit("search: it has no implementation")
os.makedirs(out)
with open(os.path.join(out, "log.jsonl"), "w") as log:
    records = [{"t": "eval", "verdict": "correct", "median_ns": 900.0},
               {"t": "reference", "name": "winner", "median_ns": 500.0 * line},
               {"t": "end", "verdicts": {"correct": 2, "spills": line}}]
    log.writelines(json.dumps(record) + "\\n" for record in records)
"""


def row(line, isl, searched, **more):
    rows = [{"name": "isl default", "ns": isl, "verdict": "correct"}, {"name": "searched", "ns": searched, "verdict": "correct"}]
    return {"line": line, "op": f"op{line}", "rows": rows, **more}


class Kernels(unittest.TestCase):
    def run_on(self, rows, *options):
        with tempfile.TemporaryDirectory() as folder:
            program, log = os.path.join(folder, "search"), os.path.join(folder, "rows.jsonl")
            with open(program, "w", encoding="utf-8") as out:
                out.write(SEARCH)
            os.chmod(program, 0o755)
            with open(log, "w", encoding="utf-8") as out:
                out.writelines(json.dumps(one) + "\n" for one in rows)
            said = io.StringIO()
            with redirect_stdout(said):
                for _ in range(2):  # The second time all of it is there.
                    fused_kernels.main([program, "ops.jsonl", log, "--budget", "1s", "--out", os.path.join(folder, "out.jsonl"),
                                        *options])
            with open(os.path.join(folder, "out.jsonl"), encoding="utf-8") as lines:
                return said.getvalue(), [json.loads(line) for line in lines]

    def test_the_better_one_counts(self):
        rows = [{"fused": 1}, row(1, 2000.0, 1000.0, transposes=True), row(2, 1000.0, 500.0), row(3, 4000.0, 1000.0),
                {"line": 4, "op": "refused", "rows": [], "refused": "why"}]
        said, lines = self.run_on(rows)
        self.assertEqual([(one["line"], one["kernel"]) for one in lines], [(1, 500.0), (2, 1000.0), (3, None)])
        self.assertIn("isl over searched               2.52        2.00\n", said)
        # 2000 / 500, 1000 / 500, 4000 / 1000.
        self.assertIn("isl over the better one         3.17        4.00\n", said)
        self.assertIn("1 of 2 are faster as kernels\nevaluations: correct 4, spills 3\n", said)
        self.assertIn("line 3: no kernel: search: it has no implementation\n", said)

    def test_a_run_without_finals_has_its_best(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(fused_kernels.result_of(folder), (None, {}))
            with open(os.path.join(folder, "log.jsonl"), "w", encoding="utf-8") as out:
                out.write('{"t": "eval", "verdict": "wrong", "best_ns": 1}\n{"t": "eval", "verdict": "correct", "best_ns": 7}\n')
            self.assertEqual(fused_kernels.result_of(folder), (7, {}))


if __name__ == "__main__":
    sys.exit(unittest.main())
