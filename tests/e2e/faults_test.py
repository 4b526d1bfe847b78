#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the environment does to a search: streams that are closed or full, a compiler that hangs or is killed, signals,
folders that are not there.

usage: faults_test.py SEARCH EXHC [unittest arguments]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "attack"))
import kills  # pylint: disable=wrong-import-position

SEARCH, EXHC = "", ""
KERNEL = ("--kernel", "axpy", "--size", "n=4096")
LONG = 60  # Seconds that only a program that hangs takes.


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "run")
        self.tmp = os.path.join(self.folder, "tmp")
        os.mkdir(self.tmp)
        self.mark = f"{os.getpid()}-{self.id()}"
        self.environment = {**os.environ, "TMPDIR": self.tmp, kills.MARK: self.mark}

    def run_shell(self, command, *arguments, **variables):
        """A command of the shell with a program and its arguments as "$@"."""
        return subprocess.run(["sh", "-c", command, "sh", *arguments], capture_output=True, text=True, timeout=300,
                              cwd=ROOT, env={**self.environment, **variables})

    def start(self, *arguments, **variables):
        process = subprocess.Popen([SEARCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=ROOT, env={**self.environment, **variables})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def records(self):
        with open(os.path.join(self.out, "log.jsonl"), encoding="utf-8") as log:
            return [json.loads(line) for line in log]

    def compiler(self, script):
        """A PATH where g++ is a script."""
        folder = os.path.join(self.folder, "bin")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "g++"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(os.path.join(folder, "g++"), 0o755)
        return folder + ":" + os.environ["PATH"]

    def wait_for(self, what, condition):
        end = time.monotonic() + LONG
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited for {what}")
            time.sleep(0.02)

    def assert_gone(self):
        self.assertEqual(kills.still_alive(self.mark), [])


class Streams(Fixture):
    def test_a_closed_stream_is_no_file_of_ours(self):
        for number, closed in enumerate((">&-", "<&-", "<&- >&- 2>&-", "2>&-")):
            self.out = os.path.join(self.folder, f"run{number}")
            done = self.run_shell(f'"$@" {closed}', SEARCH, *KERNEL, "--progress", "plain", "--budget", "evals=2",
                                  "--out", self.out)
            self.assertEqual(done.returncode, 0, closed + done.stderr)
            records = self.records()  # Every line is one.
            self.assertEqual([record["t"] for record in records].count("eval"), 2)
            self.assertEqual(records[-1]["t"], "end")
            with open(os.path.join(self.out, "best.cc"), encoding="utf-8") as source:
                self.assertNotIn("evaluations in", source.read())

    def test_a_mistake_without_a_place_to_say_it(self):
        for place in ("2>&-", "2>/dev/full", "2>/dev/full >/dev/full", "2>&- >&- <&-"):
            for arguments in (("--kernel", "nosuch"), ("nosuch",), ("--nosuch",), ("log", "show", "/nonexistent")):
                done = self.run_shell(f'"$@" {place}', SEARCH, *arguments)
                self.assertEqual(done.returncode, 2, f"{arguments} {place}: {done.stderr}")
            done = self.run_shell(f'"$@" {place}', EXHC, "check", "/nonexistent.exh")
            self.assertEqual(done.returncode, 2, place)

    def test_what_cannot_be_printed_is_a_failure(self):
        for arguments in (("list",), ("--help",), ("--version",), ("devices",)):
            done = self.run_shell('"$@" > /dev/full', SEARCH, *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot write to the standard output: No space left on device", done.stderr)
        done = self.run_shell('"$@" > /dev/full', EXHC, "explain", "E0312")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to the standard output", done.stderr)

    def test_a_full_screen_ends_no_run(self):
        done = self.run_shell('"$@" > /dev/full', SEARCH, *KERNEL, "--progress", "plain", "--budget", "evals=2",
                              "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to the standard output", done.stderr)
        self.assertEqual(self.records()[-1]["t"], "end")
        self.assertTrue(os.path.exists(os.path.join(self.out, "best.cc")))


class Folders(Fixture):
    def test_a_bad_tmpdir_is_named(self):
        done = self.run_shell('"$@"', SEARCH, *KERNEL, "--budget", "evals=1", "--out", self.out, TMPDIR="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'/nonexistent', which TMPDIR names: No such file or directory; set TMPDIR", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_a_run_removes_what_killed_runs_left(self):
        process = self.start(*KERNEL, "--budget", "100s", "--out", self.out)
        self.wait_for("a scratch folder", lambda: os.listdir(self.tmp))
        process.kill()
        process.wait()
        self.assert_gone()
        left = os.listdir(self.tmp)
        self.assertEqual(len(left), 1)
        alive = self.start(*KERNEL, "--budget", "100s", "--out", self.out + "-alive")
        self.wait_for("another scratch folder", lambda: os.listdir(self.tmp) not in (left, []))
        done = self.run_shell('"$@"', SEARCH, *KERNEL, "--budget", "evals=1", "--out", self.out + "-next")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: the one implementation was slow.
        now = os.listdir(self.tmp)
        self.assertEqual(len(now), 1)  # That of the run that is alive.
        self.assertNotEqual(now, left)
        self.assertIsNone(alive.poll())


class Compilers(Fixture):
    # As g++ and cc1plus, and as what leaves its group and its session.
    HANGS = 'touch "$MARK"; setsid sleep 1000 & sleep 1000 & wait; sleep 1000'

    def start_hanging(self, *arguments):
        mark = os.path.join(self.folder, "mark")
        if os.path.exists(mark):
            os.remove(mark)
        process = self.start(*KERNEL, "--out", self.out, *arguments, PATH=self.compiler(self.HANGS), MARK=mark)
        self.wait_for("a compiler that hangs", lambda: os.path.exists(mark))
        time.sleep(0.2)  # Its helpers, too.
        return process

    def test_one_that_hangs_ends_with_the_first_signal(self):
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start_hanging("--budget", "100s")
            process.send_signal(name)
            process.communicate(timeout=20)  # A compiler has 60 s.
            self.assertGreaterEqual(process.returncode, 0, f"{name} killed it")
            self.assert_gone()
            records = self.records()
            self.assertEqual([record["t"] for record in records].count("eval"), 0, "what was stopped is recorded")
            self.assertEqual(records[-1]["why"], "signal")
            self.assertEqual(os.listdir(self.tmp), [])
            self.out += "-next"

    def test_one_that_hangs_ends_with_the_budget(self):
        process = self.start_hanging("--budget", "4s")
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assert_gone()
        records = self.records()
        self.assertEqual(records[-1]["why"], "budget:time")
        self.assertEqual([record["t"] for record in records].count("eval"), 0, "what was stopped is recorded")

    def test_one_that_hangs_ends_with_the_second_signal_and_with_a_kill(self):
        for names in ((signal.SIGINT, signal.SIGINT), (signal.SIGHUP, signal.SIGTERM), (signal.SIGKILL,)):
            process = self.start_hanging("--budget", "100s")
            for name in names:
                process.send_signal(name)
            process.communicate(timeout=20)
            self.assert_gone()
            self.out += "-next"

    def test_one_that_is_killed_is_not_the_fault_of_its_text(self):
        for script in ("kill -KILL $$", "exec /usr/bin/env -i PATH=/usr/bin:/bin g++ -wrapper sh,-c,'kill -KILL $$' \"$@\""):
            done = self.run_shell('"$@"', SEARCH, *KERNEL, "--budget", "100s", "--out", self.out, PATH=self.compiler(script))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("search: stopped: ", done.stderr)
            verdicts = {record["verdict"] for record in self.records() if record["t"] == "eval"}
            self.assertEqual(verdicts - {"idle"}, {"broken"})  # What is idle is not compiled.
            self.out += "-next"

    def test_a_run_goes_on_when_the_compiler_works_again(self):
        path = self.compiler("kill -KILL $$")
        done = self.run_shell('"$@"', SEARCH, *KERNEL, "--budget", "evals=3", "--out", self.out, PATH=path)
        self.assertEqual(done.returncode, 1, done.stdout)
        done = self.run_shell('"$@"', SEARCH, "--resume", self.out, "--budget", "evals=6")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([record["verdict"] for record in self.records() if record["t"] == "eval"][:3], ["broken"] * 3)
        again = self.run_shell('"$@"', SEARCH, "replay-run", self.out)
        self.assertIn("the same tree as at the end of the run", again.stdout, again.stderr)


if __name__ == "__main__":
    SEARCH, EXHC = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
