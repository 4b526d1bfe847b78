#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computations of users, from text to winner: a file and a line, searched, logged, resumed, replayed, bound, emitted.

usage: kernel_text_test.py SEARCH"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SEARCH = ""

SCALED_ROWS = """/// y = alpha * x, row by row, and no element below zero
kernel scaled_rows
  size m = 12, n = 16
  scalar alpha = 1.5
  input x: f32[m, n]
  output y: f32[m, n]
  y[i, j] = max(0, alpha * x[i, j])
end
"""
BORDERED = """kernel bordered
  size n = 24
  input x: bf16[n] outside zero
  output y: bf16[n]
  y[i] = x[i - 1] + 2 * x[i] + x[i + 1]
end
"""
PRODUCT = ("--compute", "c[i,j] = sum(k) a[i,k] * b[k,j]", "--size", "i=12,j=8,k=16")


class KernelText(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "scaled_rows.kernel"
        self.file.write_text(SCALED_ROWS)
        self.out = self.folder / "run"

    def search(self, *arguments, code=0):
        done = subprocess.run([SEARCH, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def records(self, kind):
        lines = (self.out / "log.jsonl").read_text().splitlines()
        return [record for record in map(json.loads, lines) if record["t"] == kind]

    def search_some(self, *what):
        self.search(*what, "--budget", "evals=4", "--seed", 3, "--out", self.out)
        verdicts = {record["verdict"] for record in self.records("eval")}
        self.assertIn("correct", verdicts)
        self.assertLessEqual(verdicts, {"correct", "slow", "idle", "timeout"})
        self.assertEqual(self.records("violation"), [])

    def go_on(self, *what):
        """All that is done with a run, without the text that it was searched from."""
        self.assertIn("evaluations", self.search("--resume", self.out, "--budget", "evals=6"))
        self.assertIn("correct", self.search("log", "show", self.out))
        best = self.records("best")[-1]["n"]
        self.assertIn("correct", self.search("replay", self.out, "--record", best))
        self.assertIn("exh_run", self.search("emit", self.out, "--record", best))
        self.assertIn("bound", self.search("bound", self.out))

    def test_a_file(self):
        self.search_some("--kernel", self.file)
        self.assertEqual(self.records("run")[0]["kernel"]["text"], SCALED_ROWS)
        self.file.unlink()
        self.go_on()

    def test_a_line(self):
        self.search_some(*PRODUCT)
        text = self.records("run")[0]["kernel"]["text"]
        self.assertIn("c[i,j] = sum(k) a[i,k] * b[k,j]", text)
        self.go_on()

    def test_a_list_of_decisions_has_the_text(self):
        self.search_some(*PRODUCT)
        decisions = self.out / "best.replay"
        self.assertIn("text: ", decisions.read_text())
        self.assertIn("correct", self.search("replay", decisions))

    def test_what_no_library_has_is_said(self):
        text = self.search("--compute", "y[i] = exp(x[i])", "--size", "i=64", "--budget", "evals=1", "--out", self.out)
        self.assertIn("no library is known to compute it", text)
        self.assertNotIn("could not be measured", text)

    def test_kernels_of_the_library_leave_no_text(self):
        self.search("--kernel", "axpy", "--size", "n=64", "--budget", "evals=1", "--out", self.out)
        self.assertNotIn("text", self.records("run")[0]["kernel"])

    def test_a_run_goes_on_with_its_own_text_only(self):
        self.search_some("--kernel", self.file)
        self.file.write_text(SCALED_ROWS.replace("1.5", "2.5"))
        text = self.search("--resume", self.out, "--kernel", self.file, "--budget", "evals=5", code=2)
        self.assertIn("another text of 'scaled_rows'", text)

    def test_what_was_understood(self):
        text = self.search("list", self.file)
        for part in ("m = 12", "input  x: f32 x 192, 768 bytes", "i_j: 192 steps", "load_x", "relu", "384 operations"):
            self.assertIn(part, text)
        self.assertIn("k: 16 steps", self.search("list", *PRODUCT))

    def test_mistakes_have_places(self):
        self.file.write_text(SCALED_ROWS.replace("x[i, j])", "x[i, k])"))
        text = self.search("--kernel", self.file, code=2)
        self.assertIn("scaled_rows.kernel:7:", text)
        self.assertIn("^", text)
        self.assertIn("E1114", text)
        self.assertIn("[E1205]", self.search("--compute", "y[i] = x[i]", "--size", "n=4", code=2))
        self.assertIn("did you mean 'f16'", self.search(*PRODUCT, "--type", "f15", code=2))
        self.assertIn("cannot read", self.search("--kernel", "nowhere.kernel", code=2))
        self.assertIn("Is a directory", self.search("--kernel", "./", code=2))
        self.assertIn("one of them", self.search(*PRODUCT, "--kernel", "axpy", code=2))

    def test_files_are_laid_out(self):
        self.file.write_text(SCALED_ROWS.replace("  y[i, j] = max(0, alpha", "y[i,j]=max(0,alpha"))
        self.assertIn("scaled_rows.kernel", self.search("format", "--check", self.file, code=1))
        self.search("format", self.file)
        self.assertEqual(self.file.read_text(), SCALED_ROWS)
        self.search("format", "--check", self.file)

    def test_halves_and_borders_are_searched(self):
        self.search_some(*PRODUCT, "--type", "f16")
        self.assertIn("input a: f16[i, k]", self.records("run")[0]["kernel"]["text"])
        self.go_on()
        self.file.write_text(BORDERED)
        self.assertIn("x: bf16 x 24", self.search("list", self.file))

    def test_sizes_are_sizes(self):
        text = self.search("list", self.file, "--size", "m=3,n=5")
        self.assertIn("input  x: f32 x 15", text)
        self.assertIn("did you mean", self.search("list", self.file, "--size", "mm=3", code=2))


if __name__ == "__main__":
    SEARCH = sys.argv.pop(1)
    unittest.main()
