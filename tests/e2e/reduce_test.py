#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reductions as their users see them: operators and types by name, what the log says of blocks that divide one,
and what cannot be had.

usage: reduce_test.py SEARCH"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SEARCH = ""


class Reduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "run"

    def run_search(self, *arguments, code=0):
        done = subprocess.run([SEARCH, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                              cwd=self.out.parent)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def records(self, kind):
        lines = (self.out / "log.jsonl").read_text().splitlines()
        return [record for record in map(json.loads, lines) if record["t"] == kind]

    def test_operators_and_types_have_names(self):
        said = self.run_search("--kernel", "reduce", "--size", "b=4,c=64,op=max", "--type", "f16", "--budget", "evals=3",
                               "--out", self.out)
        self.assertIn("reduce a=1,b=4,c=64,d=1,op=max,type=f16 on cpu", said)
        kernel = self.records("run")[0]["kernel"]
        self.assertEqual(kernel["words"], {"op": "max", "type": "f16"})
        self.assertEqual((kernel["sizes"]["op"], kernel["sizes"]["type"]), (3, 2))
        self.assertIn("op=max,type=f16", self.run_search("log", "show", self.out))
        self.assertIn("op=max,type=f16", (self.out / "best.replay").read_text())
        self.assertIn("correct", self.run_search("replay", self.out / "best.replay"))
        self.assertIn("--type f32 contradicts the run, which has type=f16",
                      self.run_search("--resume", self.out, "--type", "f32", code=2))
        self.assertIn("--size op=sum contradicts the run, which has op=max",
                      self.run_search("--resume", self.out, "--size", "op=sum", code=2))
        self.run_search("--resume", self.out, "--size", "op=3", "--type", "f16", "--budget", "evals=4")

    def test_numbers_are_the_names_in_their_order(self):
        by_name = self.run_search("list", "reduce", "--size", "op=argmax,type=i64")
        self.assertEqual(self.run_search("list", "reduce", "--size", "op=6", "--type", "i64"), by_name)
        for part in ("op = argmax", "x: i64 x 1048576", "y: i32 x 1024", "one of sum prod min max any all argmax"):
            self.assertIn(part, by_name)

    def test_each_operator_is_right(self):
        for op, kind in (("prod", "f64"), ("min", "i32"), ("any", "bool"), ("all", "bool"), ("argmax", "bf16"),
                         ("sum", "i64")):
            with self.subTest(op=op, type=kind):
                self.out = self.out.with_name(op)
                self.run_search("--kernel", "reduce", "--size", f"a=3,b=4,c=40,op={op}", "--type", kind, "--budget",
                                "evals=2", "--out", self.out)
                verdicts = {record["verdict"] for record in self.records("eval")}
                self.assertIn("correct", verdicts)
                self.assertLessEqual(verdicts, {"correct", "slow", "idle", "timeout"})

    def test_what_is_wrong_is_said_with_what_is_right(self):
        for arguments, code, *parts in (
                (["--size", "op=maxx"], 2, "bad option op=maxx: it is one of sum, prod, min, max, any, all, argmax",
                 "did you mean 'max'?"),
                (["--size", "op=7"], 2, "bad option op=7: it is one of"),
                (["--type", "f17"], 2, "bad option type=f17: it is one of f32, f64, f16, bf16, i64, i32, bool"),
                (["--type", "f16", "--size", "type=f32"], 2, "'type' stands twice"),
                (["--size", "c=0"], 2, "bad size c=0: a whole number from 1 to 1073741824"),
                (["--size", "c=2147483648"], 2, "bad size c=2147483648: a whole number from 1 to 1073741824"),
                (["--type", "bool"], 1, "any and all are of type=bool, all other operators of numbers; here op=sum, "
                 "type=bool", "[E1213]"),
                (["--size", "op=any"], 1, "here op=any, type=f32"),
                (["--size", "op=argmax,a=65536,c=65536"], 1, "argmax counts up to 2^31 - 1 elements")):
            with self.subTest(arguments=arguments):
                said = self.run_search("list", "reduce", *arguments, code=code)
                for part in parts:
                    self.assertIn(part, said)
        self.assertIn("--type f16: the types of mv stand in its text; --type is for --compute, and for kernels with "
                      "an option 'type': matmul, reduce", self.run_search("--kernel", "mv", "--type", "f16", code=2))
        self.assertIn("there is no reduction 'sub'; did you mean 'sum'?",
                      self.run_search("list", "--compute", "y = sub(i) x[i]", "--size", "i=8", code=2))

    def test_a_way_across_blocks_that_is_none_is_refused(self):
        self.assertIn("'across_blocks' must be a list of some of ATOMIC_CAS, ATOMIC_RED,",
                      self.run_search("size", "--kernel", "reduce", "--set", 'across_blocks=["ATOMIC_REDD"]', code=2))

    def test_a_way_across_blocks_that_is_not_possible_is_said(self):
        common = ("--kernel", "reduce", "--device", "h200", "--set", 'across_blocks=["ATOMIC_RED"]', "--budget", "evals=1",
                  "--progress", "none")
        # Whether there is a GPU or not: what is known of the space comes first.
        said = self.run_search(*common, "--size", "b=4,c=4096,op=max", "--out", self.out, code=None)
        self.assertIn("note: blocks do not divide max (max of f32): ATOMIC_RED: the hardware has no such operation on "
                      "this type", said)
        self.out = self.out.with_name("deterministic")
        said = self.run_search(*common, "--size", "b=4,c=4096", "--deterministic", "--out", self.out, code=None)
        self.assertIn("note: blocks do not divide sum (add of f32): ATOMIC_RED: blocks come in any order, which its bits "
                      "show, and the device is deterministic", said)
        self.out = self.out.with_name("possible")
        said = self.run_search(*common, "--size", "b=4,c=4096", "--out", self.out, code=None)
        self.assertNotIn("blocks do not divide", said)

    def test_atomics_that_were_decided_contradict_what_is_not_possible(self):
        decisions = self.out.with_name("atomic.txt")
        decisions.write_text("kernel: reduce\nsize: b=4,c=4096\ndevice: h200\nacross_blocks(sum)=ATOMIC_RED\n")
        self.run_search("emit", decisions)
        for arguments in (["--deterministic"], ["--type", "f16"]):
            with self.subTest(arguments=arguments):
                said = self.run_search("emit", decisions, *arguments, code=2)
                self.assertIn("atomic.txt:4: across_blocks(sum)=ATOMIC_RED is not in the space", said)

    def test_the_log_says_how_blocks_divide_it(self):
        self.run_search("--kernel", "reduce", "--size", "b=1,c=65536", "--policy", "random", "--order", "across_blocks",
                        "--budget", "evals=12", "--seed", "2", "--out", self.out)
        evals = self.records("eval")
        choice = next(c for c in self.records("choice") if c["name"] == "across_blocks")
        ways = {evaluation["vector"][choice["i"]]: evaluation.get("across", "") for evaluation in evals}
        self.assertEqual(ways, {str(choice["domain"].index(way)): way.replace("NOT_ACROSS", "")
                                for way in ("NOT_ACROSS", "SECOND_LAUNCH")})
        self.assertFalse(any(evaluation.get("bits_vary") for evaluation in evals), "what comes in order")
        number = next(evaluation["n"] for evaluation in evals if evaluation.get("across"))
        self.assertIn("\nblocks divide reductions: SECOND_LAUNCH\n",
                      self.run_search("log", "show", self.out, "--record", number))

    def test_launches_one_by_one_are_those_of_a_gpu(self):
        self.run_search("--kernel", "reduce", "--size", "b=4,c=64", "--budget", "evals=1", "--out", self.out)
        self.assertIn("--repeat looks at the launches of a GPU one by one: the device is 'cpu'",
                      self.run_search("replay", self.out, "--repeat", "20", code=2))
        self.assertIn("bad --repeat 1: 2 to 10000", self.run_search("replay", self.out, "--repeat", "1", code=2))


if __name__ == "__main__":
    SEARCH = sys.argv.pop(1)
    unittest.main()
