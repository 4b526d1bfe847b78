#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tune.py makes of simulations, and what a record consists of."""
import math
import unittest

import tune


def setting(name, factor, error):
    """As the program writes it."""
    return {"setting": name, "against_default": factor, "error": error}


class Settings(unittest.TestCase):
    """Of several computations."""

    def test_the_better_stands_first(self):
        found = [{"settings": [setting("default", 1, 0), setting("walks=4", 0.9, 0.03), setting("walks=1", 1.2, 0.04)]},
                 {"settings": [setting("default", 1, 0), setting("walks=4", 1.0, 0.04), setting("walks=1", None, 0)]}]
        rows = tune.combine(found)
        self.assertEqual([row[0] for row in rows], ["walks=4", "default", "walks=1"])
        self.assertAlmostEqual(rows[0][1], math.sqrt(0.9))
        self.assertAlmostEqual(rows[0][2], 0.025)
        self.assertEqual([row[3] for row in rows], [2, 2, 1])
        self.assertEqual(tune.combine([]), [])

    def test_a_record_has_a_part_at_random(self):
        (_, search, many), (_, chance, few) = tune.parts_of(5000)
        self.assertEqual((many, few), (4000, 1000))
        self.assertNotIn("random", search)
        self.assertIn("random", chance)
        self.assertEqual(sum(part[2] for part in tune.parts_of(7)), 7)


if __name__ == "__main__":
    unittest.main()
