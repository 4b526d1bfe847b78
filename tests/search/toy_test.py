#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A subject that commands do not know (toy_program.cc): what takes a run takes one of it, or says in a sentence why not.

usage: toy_test.py SEARCH_WITH_TOY SEARCH [unittest arguments]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

WITH_TOY, WITHOUT = sys.argv.pop(1), sys.argv.pop(1)
IMPLEMENTATIONS = 972  # kToyImplementations.


class ToyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_folder = str(pathlib.Path(folder.name) / "run")
        self.said("toy", self.run_folder)

    def said(self, *words, code=0, program=WITH_TOY):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_what_takes_a_run_takes_it(self):
        run = self.run_folder
        for words, part in (
                (("log", "show", run, "--best"), "one loop"), (("replay", run), "correct: "),
                (("replay-run", run), "the same tree as at the end of the run"), (("emit", run), "the decisions are the program"),
                (("learn", run), "rank correlation"), (("size", run), str(IMPLEMENTATIONS)), (("stats", run, "--depth", "2"), "mode"),
                (("dead-ends", run, "--descents", "20"), "of 20 descents"), (("order", run, "--descents", "9"), "--order "),
                (("explain", run, "--random-dead-end"), "dead end"),
                (("--simulate", run, "--policy", "tag", "--policy", "random", "--seeds", "2"), "random"),
                (("--resume", run, "--budget", "evals=25", "--progress", "none"), "25 evaluations")):
            with self.subTest(words=words):
                self.assertIn(part, self.said(*words))

    def test_a_list_of_decisions_is_of_it(self):
        text = self.said("emit", self.run_folder, "--decisions")
        self.assertIn("subject: toy\n", text)
        decisions = pathlib.Path(self.run_folder) / "again.replay"
        decisions.write_text(text)
        self.assertIn("correct: ", self.said("replay", decisions))

    def test_what_it_does_not_have_is_said(self):
        run = self.run_folder
        self.assertIn("of 'toy' no lower bound is known", self.said("bound", run, code=2))
        self.assertIn("of 'toy' no lower bound is known", self.said("size", run, "--cut", "1us", code=2))
        for words in (("export", run, "--format", "cc"), ("install-kernel", run, "--out", run + "-library")):
            self.assertIn("the subject 'toy', which is no kernel", self.said(*words, code=2))

    def test_a_program_without_it_names_it(self):
        for words in (("replay", self.run_folder), ("size", self.run_folder), ("--resume", self.run_folder, "--budget", "1s")):
            self.assertIn("the subject 'toy', which this program does not have; it has kernels, fused, functional",
                          self.said(*words, code=2, program=WITHOUT))
        # What needs no space reads it all the same.
        self.assertIn("20 evaluations", self.said("log", "show", self.run_folder, program=WITHOUT))


if __name__ == "__main__":
    unittest.main()
