#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What quality.py and candidates.py make of logs."""
import math
import unittest

import candidates
import quality


class Logs(unittest.TestCase):
    """Of records as a run writes them."""

    def test_seconds_to_a_limit(self):
        steps = [(1.0, 200.0), (2.5, 120.0), (9.0, 101.0)]
        self.assertEqual(quality.seconds_to(steps, 150), 2.5)
        self.assertTrue(math.isinf(quality.seconds_to(steps, 100)))
        self.assertAlmostEqual(quality.spread([100.0, 104.0, 102.0]), 0.04)

    def test_the_finals_say_what_a_run_ended_at(self):
        found = {"best": [{"dt": 1, "ns": 90.0}], "reference": [{"name": "naive", "median_ns": 1.0}, {"name": "winner", "median_ns": 95.0}]}
        self.assertEqual(quality.best_so_far(found), ([(1, 90.0)], 95.0))
        self.assertEqual(quality.best_so_far({"best": found["best"]})[1], 90.0)
        self.assertTrue(math.isinf(quality.best_so_far({})[1]))

    def test_a_row_of_shares(self):
        found = {"run": [{"space": {"seconds": 2.0}}],
                 "eval": [{"dt": 12.0}],
                 "end": [{"evaluations": 30, "verdicts": {"correct": 20, "spills": 6, "idle": 4},
                          "seconds": {"descend": 3.0, "compile": 1.0, "time": 2.0, "wait": 2.0}}]}
        row = candidates.row_of(found)
        self.assertAlmostEqual(row["per_second"], 2.6)
        self.assertEqual(row["looking"], [75, 0, 0, 25, 0])
        self.assertEqual(row["judging"], [0, 50, 0, 50])


if __name__ == "__main__":
    unittest.main()
