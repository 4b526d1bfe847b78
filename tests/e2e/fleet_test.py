#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One search at several places: pilots (`search worker`) on the cpu device, which are killed, and outlive nobody; and GPUs of one machine, with
a fake driver that shows four.

usage: fleet_test.py SEARCH SEARCH_WITH_TOY FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SEARCH, TOY, DRIVER, NVRTC = (sys.argv.pop(1) for _ in range(4))
KERNEL = ("--kernel", "axpy", "--size", "n=4096", "--progress", "none")
FUNCTIONAL = """
size n = {n}
param part
input x: [float]n
input y: [float]n
kernel z: [float]n = zip(x, y) |> split(part) |> map@parts(p -> map@elements((a, b) -> a + b, p)) |> join
"""


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = str(self.folder / "run")
        # The folder's name in the environment marks our processes.
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def search(self, *words, code=0, program=SEARCH):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=200, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def records(self, kind, out=None):
        path = os.path.join(out or self.out, "log.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as log:
            return [record for record in map(json.loads, (line for line in log if line.endswith("\n"))) if record["t"] == kind]

    def pilots(self):
        """The processes `search worker` of this test, without those that start others for them, which are copies."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                words = pathlib.Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
                environment = pathlib.Path("/proc", entry, "environ").read_bytes()
                stat = pathlib.Path("/proc", entry, "stat").read_text(encoding="utf-8")
            except OSError:  # It has ended meanwhile.
                continue
            is_pilot = len(words) > 1 and words[1] == b"worker"
            if is_pilot and str(self.folder).encode() in environment:
                found[int(entry)] = int(stat.rpartition(")")[2].split()[1])
        return [pilot for pilot, parent in found.items() if parent not in found]


class Pilots(Fixture):
    WORKERS = ("--worker", f"exec {SEARCH} worker", "--worker", f"exec {SEARCH} worker --jobs 1")

    def test_they_measure_what_one_process_would(self):
        said = self.search(*KERNEL, *self.WORKERS, "--budget", "evals=12", "--out", self.out)
        evals = self.records("eval")
        self.assertEqual([e["n"] for e in evals], list(range(1, 13)))
        lanes = collections.Counter(e["lane"] for e in evals if "lane" in e)
        self.assertLessEqual(set(lanes), {"pilot 1", "pilot 2"}, lanes)
        self.assertGreater(sum(lanes.values()), 2)  # Others were not worth a compiler.
        self.assertEqual(len({e["code"] for e in evals}), 12)
        # Finals and yardsticks at one of them, and the log says at which.
        references = self.records("reference")
        self.assertEqual(len({r["lane"] for r in references}), 1, references)
        self.assertIn("naive", {r["name"] for r in references})
        self.assertIn("best: ", said)
        self.assertIn("the same tree", self.search("replay-run", self.out))
        # One process goes on with it, and pilots again.
        self.search("--resume", self.out, "--budget", "evals=14", "--progress", "none")
        self.assertNotIn("lane", self.records("eval")[-1])
        self.search("--resume", self.out, *self.WORKERS, "--budget", "evals=16", "--progress", "none")
        self.assertEqual(len(self.records("eval")), 16)
        self.assertEqual(self.pilots(), [])

    def test_what_was_killed_is_started_again_and_nothing_is_lost(self):
        with open(self.folder / "said", "w+", encoding="utf-8") as said:
            process = subprocess.Popen([SEARCH, *KERNEL, *self.WORKERS, "--budget", "evals=15", "--out", self.out],
                                       stdout=said, stderr=said, env=self.environment)
        self.addCleanup(process.kill)
        killed = 0
        while process.poll() is None:
            time.sleep(1)
            pilots = self.pilots()
            if killed < 4 and pilots and self.records("eval"):  # One that never was ready is not started again.
                os.kill(pilots[killed % len(pilots)], signal.SIGKILL)
                killed += 1
        self.assertEqual(process.returncode, 0, (self.folder / "said").read_text())
        self.assertGreater(killed, 0)
        evals = self.records("eval")
        self.assertEqual(len(evals), 15)
        self.assertEqual(len({e["code"] for e in evals}), 15)
        self.assertNotIn("broken", {e["verdict"] for e in evals})

    def test_they_end_when_nobody_is_left_to_work_for(self):
        process = subprocess.Popen([SEARCH, *KERNEL, *self.WORKERS, "--budget", "100s", "--out", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.kill)
        for _ in range(600):
            if self.records("eval"):
                break
            time.sleep(0.1)
        self.assertGreaterEqual(len(self.pilots()), 1)
        process.kill()
        process.wait()
        for _ in range(50):
            if not self.pilots():
                break
            time.sleep(0.1)
        self.assertEqual(self.pilots(), [])
        # A worker whose input ends by itself, as over ssh.
        done = subprocess.run([SEARCH, "worker"], input=b"", capture_output=True, timeout=10)
        self.assertEqual(done.returncode, 0)

    def test_they_end_when_the_search_falls_silent(self):
        # As behind an srun that outlives the search: its input stays open.
        def worker():
            return subprocess.Popen([SEARCH, "worker", "--silence", "1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        with worker() as heard, worker() as fresh:
            heard.stdin.write(b'{"beat":1}\n')
            heard.stdin.flush()
            self.assertEqual(heard.wait(timeout=60), 0)
            # One that has heard nothing yet waits: its search may be about to begin.
            self.assertIsNone(fresh.poll())
            fresh.kill()
        self.assertIn("--silence: seconds", self.search("worker", "--silence", "0", code=2))

    def test_fused_operators_are_measured_by_them_too(self):
        def tensor(name):
            return {"tensor_name": name, "data_type": "float32", "shape": [64, 32]}
        (self.folder / "exp.json").write_text(json.dumps({
            "op": "exp", "input_desc": [[tensor("x")]], "output_desc": [tensor("y")],
            "op_desc": [{"name": "Exp", "attr": None, "input_desc": [[tensor("x")]], "output_desc": [tensor("y")]}]}))
        said = self.search("fused", "search", self.folder / "exp.json", *self.WORKERS, "--budget", "evals=4", "--progress", "none",
                           "--out", self.out)
        self.assertIn("best: ", said)
        evals = self.records("eval")
        self.assertTrue([e for e in evals if e["verdict"] == "correct"])
        self.assertFalse([e for e in evals if e["verdict"] in ("broken", "crash", "wrong")])
        self.assertTrue(any("lane" in e for e in evals))

    def test_the_same_command_line_begins_and_goes_on(self):
        command = (*KERNEL, *self.WORKERS, "--resume-or-start", self.out)
        self.search(*command, "--budget", "evals=3")
        said = self.search(*command, "--budget", "evals=5")
        self.assertIn("goes on", said)
        self.assertEqual(len(self.records("eval")), 5)
        self.assertEqual(len(self.records("run")), 1)
        self.assertIn("--out", self.search(*command, "--out", self.out, code=2))

    def test_a_subject_of_a_program_of_its_own(self):
        worker = f"EXH_TOY_MS=1 exec {TOY} worker"
        self.search("toy", self.out, worker, worker, worker, program=TOY)
        evals = self.records("eval")
        self.assertEqual(len(evals), 200)
        self.assertEqual({e["lane"] for e in evals}, {"pilot 1", "pilot 2", "pilot 3"})
        self.assertIn("the same tree", self.search("replay-run", self.out, program=TOY))
        # `search` has no such subject, which it says.
        said = self.search("toy", self.out + "2", f"exec {SEARCH} worker", program=TOY, code=1)
        self.assertIn("the subject 'toy', which this program does not have", said)

    def test_mistakes_are_said(self):
        self.assertIn("give it to their commands", self.search(*KERNEL, *self.WORKERS, "--gpus", "all", code=2))
        said = self.search(*KERNEL, "--worker", "no-such-program worker", "--out", self.out, code=1)
        self.assertIn("no pilot can measure", said)
        self.assertIn("no-such-program", said)


class Gpus(Fixture):
    N = 512

    def setUp(self):
        super().setUp()
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        self.environment |= {"LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": str(self.N), "EXH_FAKE_GPUS": "4",
                             "EXH_FAKE_FAULTS": "us=90;us=40;us=70;fault=crash;fault=wrong at=17"}

    def arguments(self, *more):
        return ("--kernel", "axpy", "--size", f"n={self.N}", "--device", "h200", "--progress", "none", "--out", self.out, *more)

    def test_several_measure_at_once(self):
        self.search(*self.arguments("--gpus", "1-3", "--budget", "evals=40"))
        evals = self.records("eval")
        self.assertEqual(len(evals), 40)
        lanes = {e["lane"] for e in evals if e["verdict"] in ("correct", "crash", "wrong")}
        self.assertEqual(lanes, {"gpu 1", "gpu 2", "gpu 3"})
        self.assertEqual(len({r["lane"] for r in self.records("reference")}), 1)

    def test_one_is_what_it_was(self):
        # Of five programs two fail: some more, so that something is correct.
        self.search(*self.arguments("--gpus", "2", "--budget", "evals=15"))
        self.assertFalse([e for e in self.records("eval") + self.records("reference") if "lane" in e])

    def test_functional_programs_are_measured_by_several_too(self):
        (self.folder / "sum.fun").write_text(FUNCTIONAL.format(n=self.N), encoding="utf-8")
        self.environment |= {"EXH_FAKE_PLAIN": "1", "EXH_FAKE_FAULTS": ""}
        for lanes in (("--gpus", "1-2"), Pilots.WORKERS):
            out = str(self.folder / lanes[0].strip("-"))
            self.search("functional", "search", self.folder / "sum.fun", "--device", "h200", *lanes, "--budget", "evals=12",
                        "--progress", "none", "--out", out)
            evals = self.records("eval", out)
            self.assertTrue(evals)
            self.assertEqual(len({e.get("lane") for e in evals if e["verdict"] == "correct"}), 2, evals)

    def test_mistakes_are_said(self):
        self.assertIn("no GPU 7; there is 0, 1, 2, 3", self.search(*self.arguments("--gpus", "0,7"), code=2))
        self.assertIn("leave one out", self.search(*self.arguments("--gpus", "all", "--gpu", "1"), code=2))
        self.assertIn("legal: all, 0-3, or 0,2,5", self.search(*self.arguments("--gpus", "some"), code=2))
        self.assertIn("which is no GPU", self.search(*KERNEL, "--gpus", "0-1", "--out", self.out, code=2))


if __name__ == "__main__":
    unittest.main()
