#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators run by `search fused`: one, and a batch that is ended and goes on."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SEARCH = sys.argv.pop(1)
OPERATORS = pathlib.Path(__file__).parent / "operators"
QUICK = ["--threads", "1", "--leaves", "1"]


def run(*arguments):
    return subprocess.run([SEARCH, "fused", *map(str, arguments)], capture_output=True, text=True)


def operator(name):
    return json.loads((OPERATORS / f"{name}.json").read_text())


class RowsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.batch = pathlib.Path(self.folder.name) / "batch.jsonl"
        self.log = pathlib.Path(self.folder.name) / "log.jsonl"
        custom = {"op": "c", "input_desc": None, "op_desc": [{"name": "Custom", "input_desc": [], "output_desc": []}],
                  "output_desc": []}
        lines = [{"network": "a", "level": "l", "file": "one", "operator": operator("sum_of_squares")},
                 {"network": "b", "operator": operator("layout")},
                 {"network": "b", "operator": custom}]
        self.batch.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def test_one_operator(self):
        out = run(OPERATORS / "sum_of_squares.json", *QUICK)
        self.assertEqual(out.returncode, 0, out.stderr)
        for row in ("isl default", "no vectors", "influenced", "searched", "floor", "gap"):
            self.assertRegex(out.stdout, rf"(?m)^  {row}  +[0-9]")

    def tiny_reshape(self):
        """isl does not end for this one, under one of its settings."""
        def tensor(name, shape):
            return {"tensor_name": name, "data_type": "float32", "shape": shape}
        x, r, u = tensor("x", [2, 3]), tensor("r", [6]), tensor("u", [6])
        file = pathlib.Path(self.folder.name) / "reshape.json"
        file.write_text(json.dumps({
            "op": "k", "input_desc": [[x]],
            "op_desc": [{"name": "Reshape", "attr": [{"name": "shape", "value": [6]}],
                         "input_desc": [[x]], "output_desc": [r]},
                        {"name": "Neg", "attr": None, "input_desc": [[r]], "output_desc": [u]}],
            "output_desc": [r, u]}))
        return file

    def test_a_setting_of_isl_that_does_not_end_is_given_up(self):
        out = run(self.tiny_reshape(), *QUICK, "--isl", "all", "--isl-time", "500ms")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertRegex(out.stdout, r"(?m)^  isl default +[0-9]")
        self.assertRegex(out.stdout, r"(?m)^  isl whole_component +timeout isl did not end within 0.5 s$")
        self.assertRegex(out.stdout, r"(?m)^  searched +[0-9]")
        self.assertIn("--isl-time '5'", run(self.tiny_reshape(), "--isl-time", "5").stderr)

    def test_a_search_ends_where_isl_does_not(self):
        out = run("search", self.tiny_reshape(), "--budget", "12s", "--threads", "1", "--progress", "none",
                  "--out", pathlib.Path(self.folder.name) / "run")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("isl whole_component could not be measured: timeout: isl did not end within", out.stdout)

    def assert_takes_too_much(self, text):
        taken = re.search(r"the reference of k takes ([0-9]+) MiB, more than 1024", text)
        self.assertTrue(taken, text)
        # Two arrays of 2^31 elements, each with an input or result in single and in double precision.
        self.assertGreater(int(taken.group(1)), 2 * 12 * 2**31 // 2**20 - 1024)

    def test_what_is_too_large_is_refused_before_it_is_drawn(self):
        # 2^31 elements less some: drawn, they would take 17 GB.
        shape = [32768, 65535]
        def tensor(name):
            return {"tensor_name": name, "data_type": "float32", "shape": shape}
        file = pathlib.Path(self.folder.name) / "large.json"
        file.write_text(json.dumps({
            "op": "k", "input_desc": [[tensor("x")]],
            "op_desc": [{"name": "Exp", "attr": None, "input_desc": [[tensor("x")]], "output_desc": [tensor("y")]}],
            "output_desc": [tensor("y")]}))
        for command in (["search", file, "--memory", "1GiB", "--out", self.folder.name + "/run"],
                        ["check", file, "--evaluate", "--memory", "1GiB"]):
            out = run(*command)
            self.assertEqual(out.returncode, 2, out.stdout)
            self.assert_takes_too_much(out.stderr)
            self.assertIn("; --memory allows more", out.stderr)
        out = run(file, *QUICK, "--memory", "1GiB", "--most-bytes", "1TiB")
        self.assertEqual(out.returncode, 2)
        self.assert_takes_too_much(out.stderr)

    def test_a_batch_goes_on_behind_its_last_whole_line(self):
        first = run("--batch", self.batch, *QUICK, "--log", self.log, "--most", 1)
        self.assertEqual(first.returncode, 0, first.stderr)
        whole = self.log.read_text()
        self.assertEqual(len(whole.splitlines()), 2)
        self.log.write_text(whole + '{"line":2,"netw')
        second = run("--batch", self.batch, *QUICK, "--log", self.log)
        self.assertEqual(second.returncode, 0, second.stderr)
        text = self.log.read_text()
        self.assertTrue(text.startswith(whole))
        lines = [json.loads(line) for line in text.splitlines()[1:]]
        self.assertEqual([line["line"] for line in lines], [1, 2, 3])
        self.assertNotIn("one", second.stdout.split("isl ")[0])  # It was there.
        for line in lines[:2]:
            self.assertEqual(line["refused"], "")
            for row in line["rows"]:
                self.assertEqual(row["verdict"], "correct", row)
            self.assertEqual([row["name"] for row in line["rows"]],
                             ["isl default", "no vectors", "influenced", "searched"])
        self.assertRegex(second.stdout, r"(?m)^all +3 +2 ")
        self.assertRegex(second.stdout, r"(?m)^refused +1  ")
        self.assertIn("(5) split", second.stdout)

    def test_a_batch_is_summed_up(self):
        run("--batch", self.batch, *QUICK, "--log", self.log)
        header, *lines = self.log.read_text().splitlines()
        # Four times as fast under influence, half as fast; eight times by another leaf, and as fast.
        times = [{"isl default": 800, "no vectors": 400, "influenced": 200, "searched": 100},
                 {"isl default": 300, "no vectors": 600, "influenced": 600, "searched": 300}]
        logged = [json.loads(line) for line in lines]
        for line, of in zip(logged, times):
            for row in line["rows"]:
                row["ns"] = of[row["name"]]
            line.update(bytes=65_000_000, floor_ns=60, transposes=line["line"] == 1)
        self.log.write_text("".join(text + "\n" for text in [header, *map(json.dumps, logged)]))
        out = run("--batch", self.batch, *QUICK, "--log", self.log).stdout
        self.assertIn("worst: 0.5 at ", out)
        self.assertRegex(out, r"(?m)^all .* 1\.41$")  # sqrt(4 * 1/2)
        self.assertIn("\nsearched: 2.83 x\n", out)  # sqrt(8 * 1)
        self.assertIn("with a transpose: 1 operators, 4.00 x; searched: 8.00 x\n", out)
        self.assertIn("above 64 MB: 2 operators; floor over searched: 0.20 at the median, 0.20 and 0.20 at the quarters\n", out)

    def test_a_log_of_another_run_is_refused(self):
        run("--batch", self.batch, *QUICK, "--log", self.log, "--most", 1)
        other = run("--batch", self.batch, *QUICK, "--log", self.log, "--seed", 2)
        self.assertEqual(other.returncode, 2)
        self.assertIn("is of another run", other.stderr)

    def test_too_large_is_counted(self):
        out = run("--batch", self.batch, *QUICK, "--most-bytes", "0.25KiB")
        self.assertRegex(out.stdout, r"(?m)^refused +2  it moves more bytes than are allowed$")

    def test_mistakes_say_what_is_legal(self):
        for arguments, words in (((), "which operators?"), (("--isl", "none", "x.json"), "legal: all, default"),
                                 (("--most-bytes", "7", self.batch), "64MiB"),
                                 (("nowhere.json",), "cannot read 'nowhere.json'")):
            out = run(*arguments)
            self.assertEqual(out.returncode, 2, arguments)
            self.assertIn(words, out.stderr)

    def test_schedules_are_explained(self):
        out = run("explain", OPERATORS / "layout.json")
        self.assertEqual(out.returncode, 0, out.stderr)
        for part in ("statements\n", "scenario 0", "dimension 0:", "reached", "schedule\nrow", "loops\n"):
            self.assertIn(part, out.stdout)
        by_isl = run("explain", OPERATORS / "layout.json", "--isl", "serialize_sccs")
        self.assertIn("isl serialize_sccs\n", by_isl.stdout)
        for language, piece in (("cpp", "exh_run"), ("cuda", "__global__ void exh_kernel")):
            self.assertIn(piece, run("explain", OPERATORS / "layout.json", "--code", language).stdout)
        wrong = run("explain", OPERATORS / "layout.json", "--isl", "fast")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("legal: default, whole_component", wrong.stderr)

    def test_a_search_is_logged_goes_on_and_is_replayed(self):
        out = str(pathlib.Path(self.folder.name) / "run")
        quick = ["--threads", "1", "--progress", "none"]
        first = run("search", OPERATORS / "layout.json", "--out", out, "--budget", "evals=3", *quick)
        self.assertEqual(first.returncode, 0, first.stderr)
        for part in ("3 evaluations", "best: ", "its loops:", " replay ", "isl default"):
            self.assertIn(part, first.stdout)
        second = run("search", "--resume", out, "--budget", "evals=5", "--progress", "none")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("5 evaluations", second.stdout)
        records = [json.loads(line) for line in pathlib.Path(out, "log.jsonl").read_text().splitlines()]
        self.assertEqual(sum(record["t"] == "eval" for record in records), 5)
        code = pathlib.Path(self.folder.name) / "best.cc"
        replayed = run("replay", pathlib.Path(out, "best.replay"), "--emit", code)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assertIn("correct: ", replayed.stdout)
        self.assertIn("isl default", replayed.stdout)
        self.assertIn("exh_run", code.read_text())
        record = run("replay", out, "--record", "1")
        self.assertEqual(record.returncode, 0, record.stderr)
        self.assertRegex(record.stdout, r"(?s)^record 1 of .*correct: ")

        def any_run(*args, code=0):
            done = subprocess.run([SEARCH, *map(str, args)], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

        # What takes a run takes this one.
        self.assertIn("correct: ", any_run("replay", out, "--record", "1", "--no-yardsticks"))
        self.assertIn("the same tree as at the end of the run", any_run("replay-run", out))
        self.assertIn("exh_run", any_run("emit", out, "--record", "1"))
        self.assertIn("text: ", any_run("emit", out, "--record", "1", "--decisions"))
        self.assertIn("rank correlation", any_run("learn", out))
        self.assertIn("loops", any_run("log", "show", out, "--record", "1"))
        self.assertIn("6 evaluations", any_run("--resume", out, "--budget", "evals=6", "--progress", "none"))
        self.assertIn("no implementation takes less than", any_run("bound", out))
        self.assertIn("implementations", any_run("size", out, "--exact"))
        self.assertRegex(any_run("stats", out, "--depth", "2"), r"\bleaf\b")
        self.assertIn("descents met a dead end", any_run("dead-ends", out, "--descents", "5"))
        self.assertIn("--order ", any_run("order", out, "--descents", "2", "--places", "1"))
        self.assertIn("dead end", any_run("explain", out, "--random-dead-end"))
        head = json.loads(any_run("size", out, "--exact", "--format", "json"))
        self.assertEqual((head["kernel"], head["settings"]), ("fused", {"leaves": 12}))
        self.assertIn("--kernel means nothing", any_run("size", out, "--kernel", "axpy", code=2))
        # And what is of kernels says so.
        for words in (("export", out, "--format", "cc"), ("install-kernel", out, "--out", out + "-library")):
            self.assertIn("is no kernel", any_run(*words, code=2))

    def test_scheduling_is_summed_up(self):
        out = run("check", "--schedules", self.batch)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertRegex(out.stdout, r"2 scheduled, [12] of them influenced: median")
        self.assertIn("(2) next sibling", out.stdout)
        one = run("check", "--schedules", OPERATORS / "layout.json")
        self.assertIn("search fused explain", one.stderr)


if __name__ == "__main__":
    unittest.main()
