#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The runner of attacks counts what fails, and an attack that attacks nothing fails."""
import random
import types
import unittest

import attack


def scene():
    return attack.Scene("/nowhere", "/nowhere", random.Random(1), "cpu", False)


def module(run):
    return types.SimpleNamespace(__name__="planted", run=run)


class Runner(unittest.TestCase):
    def test_counts_attempts_and_failures(self):
        def run(_, count):
            for i in range(count):
                yield f"attempt {i}", "it broke" if i == 2 else None

        tally = attack.carry_out(module(run), scene(), 5)
        self.assertEqual((tally.attempts, tally.failures), (5, ["attempt 2: it broke"]))
        self.assertTrue(tally.failed())

    def test_an_attack_without_attempts_has_failed(self):
        self.assertTrue(attack.carry_out(module(lambda *_: iter(())), scene(), 5).failed())

    def test_an_attack_that_breaks_down_has_failed(self):
        def run(*_):
            yield "first", None
            raise OSError("no such program")

        tally = attack.carry_out(module(run), scene(), 5)
        self.assertEqual(tally.attempts, 2)
        self.assertIn("no such program", tally.failures[0])

    def test_an_attack_that_held_has_not_failed(self):
        self.assertFalse(attack.carry_out(module(lambda *_: iter([("first", None)])), scene(), 1).failed())

    def test_devices_that_are_no_cpu_are_gpus(self):
        self.assertEqual(attack.Scene("", "", random.Random(1), "h200", False).kind, "cuda")
        self.assertEqual(scene().kind, "cpu")


if __name__ == "__main__":
    unittest.main()
