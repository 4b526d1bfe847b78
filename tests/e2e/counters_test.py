#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`search replay --counters`: counters beside what was foretold, in the terminal and in the report, and what forbids them. Of a GPU by a stand-in for
Nsight Compute, on a fake driver (tests/kernels/cuda); of a processor by whatever this machine counts.

usage: counters_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

NVRTC, DRIVER, SEARCH = sys.argv.pop(3), sys.argv.pop(2), sys.argv.pop(1)
HERE = pathlib.Path(__file__).resolve().parent
N = 512
TEMPLATE = "<!--exhaust report 3--><title><!--title--></title><script><!--data--></script>"


class Fixture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "page.html").write_text(TEMPLATE)

    @classmethod
    def run_search(cls, *words, code=0, **variables):
        done = subprocess.run([SEARCH, *map(str, words)], capture_output=True, text=True, timeout=100, cwd=cls.folder,
                              env={**cls.environment(), **variables})
        if done.returncode != code:
            raise AssertionError(f"{words} gave {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    @classmethod
    def environment(cls):
        return dict(os.environ)

    def in_report(self):
        self.run_search("report", "run", "--page", "page.html", "-o", "out.html")
        html = (self.folder / "out.html").read_text()
        return html, json.loads(re.search(r"<script>(.*)</script>", html, re.DOTALL)[1])["runs"][0]["counters"]


class OfAGpu(Fixture):
    @classmethod
    def environment(cls):
        return {**os.environ, "LD_LIBRARY_PATH": str(cls.folder / "lib"), "EXH_FAKE_N": str(N), "EXH_FAKE_FAULTS": "us=90",
                "XDG_CACHE_HOME": str(cls.folder / "cache"), "FAKE_NCU_CALLS": str(cls.folder / "calls"),
                "PATH": f"{cls.folder / 'bin'}:{os.environ['PATH']}"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for folder, name, target in (("lib", "libcuda.so.1", DRIVER), ("lib", "libnvrtc.so.13", NVRTC), ("bin", "ncu", HERE / "fake_ncu.py")):
            (cls.folder / folder).mkdir(exist_ok=True)
            (cls.folder / folder / name).symlink_to(target)
        cls.run_search("--kernel", "axpy", "--size", f"n={N}", "--device", "h200", "--budget", "evals=2", "--policy", "random", "--out", "run")

    def setUp(self):
        for name in ("calls", "run/counters.json"):
            (self.folder / name).unlink(missing_ok=True)

    def replay(self, fault="", code=0, *words):
        return self.run_search("replay", "run", "--counters", "--no-yardsticks", *words, code=code, FAKE_NCU=fault)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    def test_are_a_table_and_stand_in_the_report(self):
        self.assertIsNone(self.in_report()[1])
        out = self.replay()
        self.assertIn("one run, counted by Nsight Compute, beside what was foretold:", out)
        self.assertRegex(out, r"main memory +1\.5e\+04 .* bytes; dram__bytes\.sum\n")
        # What the model says of it stands beside it.
        self.assertRegex(out, r"\n  time +22\.0 us +\d+\S* \S+ +\S+ \S+ +\d+\.\d\dx  ns; gpu__time_duration\.sum\n")
        self.assertRegex(out, r"\n  … of one unit +\S+ +\S+ +\d\S* +\S+x  of warps of the busiest unit; sm__inst_executed\.max\n")
        self.assertIn("run/counters.json", out)
        stored = json.loads((self.folder / "run/counters.json").read_text())
        _, shown = self.in_report()
        self.assertEqual((shown["record"], shown["tool"], len(shown["rows"])), (stored["record"], "Nsight Compute", len(stored["rows"])))
        self.assertEqual(shown["rows"][0][:4], ["time", "ns", "gpu__time_duration.sum", 22000])
        # One run is counted, after one that was checked and one that warms up.
        (call,) = self.calls()
        self.assertEqual((call["--launch-skip"], call["--launch-count"], call["--cache-control"], call["--kernel-name"]),
                         ("2", "1", "none", "regex:^(exh_kernel)$"))

    def test_what_a_gpu_does_not_know_is_left_out(self):
        out = self.replay("unknown")
        self.assertIn("main memory", out)
        self.assertRegex(out, r"not counted: this GPU, or this version of Nsight Compute, has no lts__t_bytes\.sum\n")
        self.assertEqual(len(self.calls()), 2)

    def test_what_forbids_them_is_named(self):
        for fault, words in (("forbidden", ("ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0", "--cap-add SYS_ADMIN")),
                             ("nothing", ("No kernels were profiled",))):
            out = self.replay(fault, 1)
            self.assertIn("no counters: ", out)
            self.assertIn("correct: ", out)
            for word in words:
                self.assertIn(word, out)
            self.assertFalse((self.folder / "run/counters.json").exists())
        if not pathlib.Path("/usr/local/cuda/bin/ncu").exists():
            path = ":".join(folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "ncu").exists())
            out = self.run_search("replay", "run", "--counters", "--no-yardsticks", code=1, PATH=path)
            self.assertIn("no counters: Nsight Compute is not here: no `ncu` on PATH", out)

    def test_a_damaged_file_fails_no_report(self):
        evil = "</script><script>"
        for text, rows in (("{", None), ("[]", None), ('{"record":"x"}', None), ('{"record":1e300}', None),
                           (json.dumps({"record": 1, "rows": [{"what": evil, "counted": "x", "least": []}, 3]}),
                            [[evil, "", "", 0, None, None], ["", "", "", 0, None, None]])):
            (self.folder / "run/counters.json").write_text(text)
            html, shown = self.in_report()
            self.assertNotIn(evil, html)
            self.assertEqual(shown and shown["rows"], rows)

    def test_options_that_contradict_it(self):
        for words, what in ((("--repeat", "2"), "--counters and --repeat"), (("--dry-run",), "--counters and --dry-run"),
                            (("--under", "env"), "--counters and --under")):
            self.assertIn(what, self.replay("", 2, *words))

    def test_a_replay_runs_below_another_program(self):
        (self.folder / "bin" / "below").write_text('#!/bin/sh\necho "$@" >> below.txt\nexec "$@"\n')
        (self.folder / "bin" / "below").chmod(0o755)
        out = self.run_search("replay", "run", "--no-yardsticks", "--under", f"below A=1", code=1)
        self.assertIn("A=1", (self.folder / "below.txt").read_text())
        self.assertNotIn("correct: ", out)
        out = self.run_search("replay", "run", "--no-yardsticks", "--under", "below env A=1")
        self.assertIn("correct: ", out)
        self.assertIn("nowhere", self.run_search("replay", "run", "--under", "nowhere", code=2))


class OfAProcessor(Fixture):
    def test_are_counted_as_far_as_the_system_does(self):
        self.run_search("--kernel", "axpy", "--size", "n=4096", "--budget", "evals=2", "--seed", "1", "--out", "run")
        done = subprocess.run([SEARCH, "replay", "run", "--counters", "--no-yardsticks"], capture_output=True, text=True, timeout=100, cwd=self.folder)
        if done.returncode == 1:
            # A system that lets nobody count says so, with what would help.
            self.assertRegex(done.stdout, r"no counters: .*(perf_event_paranoid is|perf_event_open|no such counter)")
            return
        self.assertIn("one run, counted by perf_event_open, beside what was foretold:", done.stdout)
        self.assertRegex(done.stdout, r"\n  time .* as it was timed\n")
        rows = {row["source"]: row for row in json.loads((self.folder / "run/counters.json").read_text())["rows"]}
        counted = rows.get("instructions")
        if counted:
            # 4096 elements, 16 at once at most: four instructions each. The model says as much, and not a hundred times that.
            self.assertGreater(counted["counted"], 4 * 4096 / 16)
            self.assertLess(counted["counted"] / counted["guessed"], 100)
        else:
            self.assertRegex(done.stdout, r"not counted: .*instructions.*: the machine has no such counter")
        self.assertTrue(rows)

    def test_a_list_of_decisions_has_counters_too(self):
        self.run_search("--kernel", "axpy", "--size", "n=1024", "--budget", "evals=1", "--out", "other")
        done = subprocess.run([SEARCH, "replay", "other/best.replay", "--counters", "--no-yardsticks"], capture_output=True, text=True, timeout=100,
                              cwd=self.folder)
        self.assertNotIn("counters.json", done.stdout)
        self.assertIn("correct: ", done.stdout)
        self.assertIn("--under", self.run_search("replay", "other", "--under", "env", code=2))


if __name__ == "__main__":
    unittest.main()
