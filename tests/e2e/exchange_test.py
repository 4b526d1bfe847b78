#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of other tools: docs/exchange.md as it is printed, and what comes of mistakes.

usage: exchange_test.py SEARCH [unittest arguments]
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import docs_test

SEARCH = ""
PAGE = "docs/exchange.md"


class Exchange(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exh-exchange-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in docs_test.files(PAGE).items():
            (self.folder / name).write_text(text)
        shim = self.folder / "exh"
        shim.write_text(f'#!/bin/sh\n[ "$1" = search ] && shift\nexec "{SEARCH}" "$@"\n')
        shim.chmod(0o755)

    def run_in(self, *words, shell=None):
        return subprocess.run(shell or [SEARCH, *words], shell=shell is not None, cwd=self.folder, capture_output=True, text=True,
                              timeout=300, check=False)

    def good(self, *words, shell=None):
        done = self.run_in(*words, shell=shell)
        self.assertEqual(done.returncode, 0, f"{words} {shell}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def bad(self, *words):
        done = self.run_in(*words)
        self.assertEqual(done.returncode, 2, f"{words}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stderr

    def test_the_page_does_what_it_says(self):
        commands = [line for _, language, text in docs_test.blocks(PAGE) if language == "sh" for line in text.splitlines()]
        self.assertGreater(len(commands), 5)
        for command in commands:
            with self.subTest(command=command):
                self.good(shell=command)
        spaces = [text for _, language, text in docs_test.blocks(PAGE) if language == "exh"]
        self.assertEqual((self.folder / "conv.exh").read_text(), spaces[0])
        launches = [text for _, language, text in docs_test.blocks(PAGE) if language == "text"]
        self.assertEqual((self.folder / "blur-launch.json").read_text(), launches[0])
        results = json.loads((self.folder / "again.json").read_text())["results"]
        self.assertEqual([result["invalidity"] for result in results], ["correct", "compile"])
        self.assertEqual(results[0]["configuration"], {"BLOCK_X": 32, "BLOCK_Y": 4, "TILE": 2, "PRECISION": "half"})

        # With data: what went in comes out.
        given = json.loads((self.folder / "lanes_results.json").read_text())["results"]
        back = json.loads((self.folder / "lanes_again.json").read_text())["results"]
        self.assertEqual([result["configuration"] for result in back], [result["configuration"] for result in given])
        self.assertEqual([result["times"]["runtimes"] for result in back], [[2.5], [2.0]])
        self.assertEqual(json.loads((self.folder / "solution.json").read_text())["definition"], "gemm_n64_k96")

    def test_results_of_a_space_with_data(self):
        """What was imported is a run as others: it is simulated, exported and imported again, the same."""
        words = ("--space", "lanes.exh", "--data", "lanes.json")
        self.good("import", "t4", "lanes_results.json", *words, "--size", "most=8", "--out", "first")
        self.good("export", "first", "--format", "t4", "--out", "first.json")
        self.good("import", "t4", "first.json", *words, "--size", "most=8", "--out", "second")
        self.good("export", "second", "--format", "t4", "--out", "second.json")
        first, second = ([(one["configuration"], one["times"]["runtimes"], one["invalidity"]) for one in json.loads((self.folder / name).read_text())["results"]]
                         for name in ("first.json", "second.json"))
        self.assertEqual(first, second)
        self.assertIn("FACTOR(rows)", first[0][0])
        # All of it, as a file that was brute-forced.
        every = [{"configuration": {"FACTOR(rows)": r, "FACTOR(columns)": c}, "invalidity": "correct", "times": {"runtimes": [1 + abs(r - 3) + abs(c - 4)]}}
                 for r in (1, 2, 3, 6) for c in (1, 2, 4, 8)]
        (self.folder / "every.json").write_text(json.dumps({"schema_version": "1.0.0", "results": every}))
        said = self.good("--simulate", "every.json", *words, "--size", "most=8", "--seeds", "2", "--budget", "evals=16")
        self.assertIn("16", said)
        # Without the data, with a size that leaves results outside, and with names that are none.
        self.assertIn("Loops", self.bad("import", "t4", "every.json", "--space", "lanes.exh", "--out", "x"))
        done = self.run_in("import", "t4", "every.json", *words, "--out", "four")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("are left out", done.stderr)
        (self.folder / "wrong.json").write_text(json.dumps({"schema_version": "1.0.0", "results": [{**every[0], "configuration": {"FACTOR(row)": 1, "FACTOR(columns)": 1}}]}))
        self.assertIn("did you mean 'FACTOR(rows)'?", self.bad("import", "t4", "wrong.json", *words, "--out", "x"))
        self.assertIn("asks for no --data", self.bad("import", "t4", "results.json", "--space", "conv.json", "--data", "lanes.json", "--out", "x"))
        self.good("export", "--space", "lanes.exh", "--data", "lanes.json", "--format", "mzn", "--out", "lanes.mzn")

    def test_the_count_is_that_of_python(self):
        """The restrictions of the page, as Python has them."""
        self.good("import", "t1", "conv.json", "--out", "conv.exh")
        count = sum(64 <= x * y <= 1024 and (p == "half" or t % 2 == 0)
                    for x in [16, 32, 64, 128, 192, 256] for y in [1, 2, 4, 8, 16] for t in [1, 2, 3, 4] for p in ["half", "single"])
        said = json.loads(self.good("solve", "--space", "conv.exh", "--count", "--format", "json"))
        self.assertEqual(int(said["solutions"]), count)

    def test_the_kernel_of_a_problem(self):
        words = ("import", "t1", "blur.json", "--out", "b.exh", "--launch", "l.json")
        self.assertIn("note: the kernel's file is not there yet: blur.cu", self.run_in(*words).stderr)
        (self.folder / "blur.cu").write_text("__global__ void blur() {}\n")
        done = self.run_in(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "b.exh\nl.json\nsearch --space b.exh --cuda blur.cu --entry blur --launch l.json\n")
        self.assertIn("--launch needs --out", self.bad(*words[:3], "--launch", "l.json"))
        example = str(docs_test.ROOT / "examples/own/xgemm.json")
        self.assertIn("--entry Xgemm", self.good("import", "t1", example, "--out", "xgemm.exh", "--launch", "xgemm-launch.json"))
        self.assertIn("116928 solutions", self.good("solve", "--space", "xgemm.exh", "--count"))
        for name in ("b.exh", "l.json"):
            (self.folder / name).unlink()
        text = (self.folder / "blur.json").read_text()
        (self.folder / "blur.json").write_text(text.replace('"FillType": "Random"', '"FillType": "Script"', 1))
        self.assertIn("blur.json: KernelSpecification.Arguments[1].FillType: 'Script': no code of the file is run", self.bad(*words))
        self.assertFalse((self.folder / "b.exh").exists(), "nothing is written where something is refused")
        self.assertIn("conv.json: KernelSpecification: it is missing", self.bad("import", "t1", "conv.json", *words[3:]))

    def test_minizinc_finds_as_many(self):
        if shutil.which("minizinc") is None:
            self.skipTest("there is no minizinc")
        self.good("import", "t1", "conv.json", "--out", "conv.exh")
        self.good("export", "--space", "conv.exh", "--format", "mzn", "--out", "conv.mzn")
        done = subprocess.run(["minizinc", "--solver", "gecode", "-a", "conv.mzn"], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode != 0:
            self.skipTest(f"minizinc has no solver: {done.stderr[:200]}")
        said = json.loads(self.good("solve", "--space", "conv.exh", "--count", "--format", "json"))
        self.assertEqual(done.stdout.count("----------"), int(said["solutions"]))

    def brute_forced(self, name, offset):
        """A cache of Kernel Tuner with a time for each configuration of the page, least for one of them."""
        entries = {}
        for x in [16, 32, 64, 128, 192, 256]:
            for y in [1, 2, 4, 8, 16]:
                for t in [1, 2, 3, 4]:
                    for p in ["half", "single"]:
                        if 64 <= x * y <= 1024 and (p == "half" or t % 2 == 0):
                            time = 1 + abs(x - 64) / 64 + abs(y - 4) + abs(t - 3) / 2 + offset * (p == "half")
                            entries[f"{x},{y},{t},{p}"] = {"BLOCK_X": x, "BLOCK_Y": y, "TILE": t, "PRECISION": p, "time": time}
        (self.folder / name).write_text(json.dumps({
            "kernel_name": name, "device_name": "a", "cache": entries, "objective": "time",
            "tune_params": {"BLOCK_X": [16, 32, 64, 128, 192, 256], "BLOCK_Y": [1, 2, 4, 8, 16], "TILE": [1, 2, 3, 4], "PRECISION": ["half", "single"]}}))
        return len(entries)

    def test_brute_forced_files_are_searched(self):
        count = self.brute_forced("a.json", 0.1)
        self.brute_forced("b.json", 2)
        said = self.good("--simulate", "a.json", "--simulate", "b.json", "--space", "conv.json", "--seeds", "2", "--out", "hub.json")
        rows = [line.split() for line in said.splitlines()]
        self.assertEqual([row[1:4] for row in rows[2:4]], [[str(count)] * 3] * 2)
        self.assertIn("geometric means: random", said)
        for file in json.loads((self.folder / "hub.json").read_text())["files"]:
            self.assertEqual((file["recorded"], int(file["space"])), (count, count))
            for who in ["random", "proposer"]:
                self.assertLessEqual(1, file[who][0]["least"])
                self.assertLessEqual(file[who][0]["most"], count)
        # The space may lie beside the file; the restrictions stand in no cache.
        self.assertIn("stands in no 'a.exh' beside it", self.bad("--simulate", "a.json"))
        self.good("import", "t1", "conv.json", "--out", "a.exh")
        self.good("--simulate", "a.json", "--seeds", "1")
        self.assertIn("not both", self.bad("--simulate", "a.json", "--simulate", "run"))
        self.assertIn("--vary means nothing", self.bad("--simulate", "a.json", "--vary", "walks=1"))

    def test_mistakes_are_named(self):
        problem = json.loads((self.folder / "conv.json").read_text())
        problem["ConfigurationSpace"]["Conditions"][0]["Expression"] = "BLOCK_X < open('f')"
        (self.folder / "bad.json").write_text(json.dumps(problem))
        self.assertIn("bad.json: condition 1, 'BLOCK_X < open('f')': column 11: unknown function 'open'", self.bad("import", "t1", "bad.json"))
        self.assertIn("cannot read 'none.json'", self.bad("import", "t1", "none.json"))
        self.good("import", "t1", "conv.json", "--out", "conv.exh")
        self.assertIn("unknown format 't5'", self.bad("export", "runs/x", "--format", "t5"))
        self.assertIn("export what?", self.bad("export", "--format", "t4"))
        self.good("import", "t4", "results.json", "--space", "conv.exh", "--out", "run")
        self.assertIn("already holds a run", self.bad("import", "t4", "results.json", "--space", "conv.exh", "--out", "run"))


if __name__ == "__main__":
    SEARCH = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
