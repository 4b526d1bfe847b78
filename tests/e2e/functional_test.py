#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches of a functional program on a GPU, without one: a fake driver and a fake compiler (tests/kernels/cuda) are
found where the real ones would be. The compiler takes every text for z = x + y.

usage: functional_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import re
import sys
import unittest

import cuda_test

PROGRAM = f"""
size n = {cuda_test.N}
param part
input x: [float]n
input y: [float]n
kernel z: [float]n = zip(x, y) |> split(part) |> map@parts(p -> map@elements((a, b) -> a + b, p)) |> join
"""


class Functional(cuda_test.Fixture):
    def setUp(self):
        super().setUp()
        self.environment |= {"EXH_FAKE_PLAIN": "1", "EXH_FAKE_FAULTS": ""}
        (self.folder / "sum.fun").write_text(PROGRAM, encoding="utf-8")

    def search(self, *arguments, **variables):
        return self.run_search("functional", "search", "sum.fun", "--device", "h200", "--seed", "1", "--out", self.out, *arguments, **variables)

    def records(self):
        with open(os.path.join(self.out, "log.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def evaluations(self):
        return [r for r in self.records() if r["t"] == "eval"]

    def test_a_search_is_logged_resumed_and_replayed(self):
        done = self.search("--budget", "evals=12")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({e["verdict"] for e in self.evaluations()}, {"correct"})
        run = self.records()[0]
        self.assertEqual((run["kernel"]["subject"], run["kernel"]["text"]), ("functional", PROGRAM))
        # Neither is right to be refused, nor the same text twice.
        self.assertEqual(len({e["code"] for e in self.evaluations()}), 12)
        more = self.run_search("functional", "search", "--resume", self.out, "--budget", "evals=20")
        self.assertEqual(more.returncode, 0, more.stdout + more.stderr)
        self.assertEqual([e["n"] for e in self.evaluations()], list(range(1, 21)))
        best = min(e["best_ns"] for e in self.evaluations())
        replayed = self.run_search("functional", "replay", os.path.join(self.out, "best.replay"))
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)
        self.assertRegex(replayed.stdout, r"correct: ")
        self.assertAlmostEqual(float(re.search(r"correct: ([\d.]+) us", replayed.stdout).group(1)), best / 1e3, delta=1)

        third = self.run_search("functional", "replay", self.out, "--record", "3")
        self.assertRegex(third.stdout, r"^record 3 of .*: logged with [\d.]+ us\ncorrect: ")
        missing = self.run_search("functional", "replay", self.out, "--record", "300")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("300", missing.stderr)

    def test_rules_are_settings_and_its_space_is_asked_about(self):
        done = self.search("--budget", "evals=4", "--drop", "hierarchy", "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kernel = self.records()[0]["kernel"]
        self.assertEqual((kernel["subject"], kernel["sizes"]), ("functional", {}))
        self.assertEqual(kernel["settings"], {"hierarchy": 0, "strict": 1})
        size = self.run_search("size", self.out, "--exact", "--format", "json")
        dropped = json.loads(size.stdout)
        self.assertEqual(dropped["settings"], kernel["settings"])
        for command, said in ((("bound", self.out), "traffic"), (("dead-ends", self.out, "--descents", "9"), "of 9 descents"),
                              (("stats", self.out, "--depth", "1"), "code"), (("explain", self.out, "--random-dead-end"), "dead end")):
            told = self.run_search(*command)
            self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
            self.assertIn(said, told.stdout)
        # With the rule there are fewer.
        self.out += "-all"
        self.search("--budget", "evals=4", "--strict")
        fewer = json.loads(self.run_search("size", self.out, "--exact", "--format", "json").stdout)
        self.assertLess(int(fewer["exact"]["implementations"]), int(dropped["exact"]["implementations"]))

    def test_what_fails_is_data(self):
        done = self.search("--budget", "evals=20", "--policy", "random",
                           EXH_FAKE_FAULTS=";fault=wrong at=17;fault=hang;nvrtc=error;nvrtc=spills;fault=crash")
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        verdicts = {e["verdict"] for e in self.evaluations()}
        self.assertLessEqual(verdicts, {"correct", "wrong", "slow", "refused", "compile_error", "spills", "crash"})
        self.assertGreater(len(verdicts), 3)
        wrong = next(e for e in self.evaluations() if e["verdict"] == "wrong")
        self.assertIn("z[17] is ", wrong["why"])
        self.assertRegex(done.stdout, r"again   \S+ replay \S+ --record \d+\n")

    def test_below_another_program(self):
        wrapper = self.folder / "wrapper"
        wrapper.write_text('#!/bin/sh\necho "$@" >> "$1"\nshift\nexec "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        done = self.search("--budget", "evals=3", "--under", f"{wrapper} {self.folder}/calls")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for call in (self.folder / "calls").read_text(encoding="utf-8").splitlines():
            self.assertTrue(call.endswith("run-cuda"), call)

    def test_one_mapping(self):
        one = ("functional", "run", "sum.fun", "--device", "h200", "--mapping")
        right = self.run_search(*one, "parts=20,elements=10", "--size", "part=8")
        self.assertEqual((right.returncode, right.stdout[:9]), (0, "correct, "), right.stdout + right.stderr)
        vectors = self.run_search(*one, "parts=30,elements=2", "--size", "part=8")
        self.assertEqual((vectors.returncode, vectors.stdout[:9]), (0, "correct, "), vectors.stdout + vectors.stderr)
        refused = self.run_search(*one, "parts=30,elements=2", "--size", "part=2")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("refused by may_vectorise", refused.stdout)
        self.assertIn("it cannot be vectorised: 2 elements are not a multiple of 4 ('elements')", refused.stderr)
        unknown = self.run_search(*one, "part=30", "--size", "part=8")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("unknown map 'part'", unknown.stderr)

    def test_a_text_needs_no_gpu(self):
        text = ("functional", "emit", "sum.fun", "--size", "part=8", "--mapping", "parts=20,elements=10")
        without = self.run_search(*text, LD_LIBRARY_PATH="")
        self.assertEqual((without.returncode, without.stderr), (0, ""))
        self.assertIn("__global__", without.stdout)
        of_h200 = self.run_search(*text, "--device", "h200", LD_LIBRARY_PATH="")
        self.assertEqual(of_h200.stdout, without.stdout)
        # What runs one needs it.
        run = self.run_search("functional", "run", *text[2:], LD_LIBRARY_PATH="")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("libcuda", run.stderr)
        for device in ((), ("--device", "h200")):
            missing = self.run_search("functional", "run", *text[2:], *device, LD_LIBRARY_PATH="")
            self.assertIn("search functional emit needs none", missing.stderr)
            self.assertNotIn("--device cpu", missing.stderr)

    def test_a_gpu_has_a_name(self):
        done = self.run_search("functional", "search", "sum.fun", "--device", "gpu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown device 'gpu'; did you mean 'cuda'?", done.stderr)

    def test_four_problems_are_written(self):
        # A process that uses the GPU is told of them on its first line.
        wrapper = self.folder / "wrapper"
        wrapper.write_text('#!/bin/sh\nhead -n 1 > "$1"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        self.search("--budget", "evals=1", "--under", f"{wrapper} {self.folder}/setup")
        setup = json.loads((self.folder / "setup").read_text(encoding="utf-8"))
        self.assertEqual([os.path.basename(path) for path in setup["problems"]], ["uniform", "whole", "other", "special"])

    def test_what_one_thread_would_do_for_long_is_not_run(self):
        text = """
size n = 1024
input x: [[float]n]n
input y: [[float]n]n
kernel z = map@rows(row -> map@columns(column ->
    toGlobal(id(reduce(toPrivate(id(0.0)), (s, (a, b)) -> s + a * b, zip(row, column)))), transpose(y)), x)
"""
        (self.folder / "sum.fun").write_text(text, encoding="utf-8")
        done = self.search("--budget", "evals=30", "--policy", "random", EXH_FAKE_N=str(1 << 20))
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        idle = [e["why"] for e in self.evaluations() if e["verdict"] == "idle"]
        self.assertTrue(any(re.fullmatch(r"of 1 warps one has instructions for about [\d.]+ s: it is not run", why) for why in idle), idle)


if __name__ == "__main__":
    cuda_test.SEARCH, cuda_test.DRIVER, cuda_test.NVRTC = (os.path.abspath(path) for path in sys.argv[1:4])
    del sys.argv[1:4]
    unittest.main()
