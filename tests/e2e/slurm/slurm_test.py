#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fleet, and one search of several machines, under a real Slurm (private_slurm.py): two nodes of two GPUs on this machine, whose driver and
compiler are fake. Processes, nodes and the controller are killed meanwhile. What docs/fleet.md prints for Slurm is run as it is printed, with
another budget. EXH_SEED in the environment repeats who is killed.

usage: slurm_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

import private_slurm

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import docs_test  # pylint: disable=wrong-import-position

SEARCH, DRIVER, NVRTC = "", "", ""
PAGE = "docs/fleet.md"
PATIENCE = 400  # Seconds: something hangs.


class Fixture(unittest.TestCase):
    N = 65536  # Of axpy, which is what the fake compiler compiles; as the page has it.
    FAULTS = "us=40;us=90;nvrtc=error"  # Of candidates.

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="exh-slurm-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.seed = int(os.environ.get("EXH_SEED", random.SystemRandom().randrange(1 << 32)))
        self.random = random.Random(self.seed)
        self.begin = time.monotonic()
        for name in ("bin", "lib"):
            (self.folder / name).mkdir()
        (self.folder / "bin/search").symlink_to(SEARCH)
        (self.folder / "lib/libcuda.so.1").symlink_to(DRIVER)
        (self.folder / "lib/libnvrtc.so.13").symlink_to(NVRTC)
        shim = self.folder / "exh"
        shim.write_text('#!/bin/sh\n[ "$1" = search ] && shift\nexec search "$@"\n')
        shim.chmod(0o755)
        self.slurm = private_slurm.PrivateSlurm(self.folder / "slurm", {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(self.folder / "lib"), "EXH_FAKE_N": str(self.N),
            "EXH_FAKE_GPUS": str(private_slurm.GPUS), "EXH_FAKE_FAULTS": self.FAULTS, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.addCleanup(self.slurm.stop)
        self.slurm.start()
        self.say(f"seed {self.seed}")

    def say(self, text):
        print(f"{time.monotonic() - self.begin:6.1f} s  {text}", flush=True)

    def search(self, *words, code=0):
        done = subprocess.run([SEARCH, *words], env=self.slurm.environment, cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr + self.slurm.logs())
        return done.stdout + done.stderr

    def wait_for(self, what):
        begin = time.monotonic()
        while time.monotonic() < begin + PATIENCE:
            found = what()
            if found:
                return found
            time.sleep(0.1)
        return self.give_up()

    def give_up(self):
        said = "".join(f"--- {path.name}\n{path.read_text(errors='replace')[-1500:]}" for path in sorted(self.folder.glob("*/slurm/*.txt"))[-4:])
        self.fail(f"waited in vain (seed {self.seed}); jobs: {self.slurm.jobs()}\n{said}\n{self.slurm.logs()}")

    def no_job_is_left(self):
        self.slurm.hurry()
        return not self.slurm.jobs()

    def records(self, run, kind=None):
        """What the log of a run says; a line that is half written does not count."""
        log = self.folder / run / "log.jsonl"
        lines = log.read_text().splitlines(keepends=True) if log.exists() else []
        return [record for line in lines if line.endswith("\n") and kind in (None, (record := json.loads(line))["t"])]

    def processes(self, is_one):
        """Those of Slurm with such command lines, without their copies that start others for them."""
        words = {process: private_slurm.words_of(process) for process in self.slurm.processes()}
        parents = private_slurm.parents()
        return [process for process, own in words.items() if is_one(own) and own != words.get(parents.get(process))]

    def check_log(self, run, count):
        """It is whole, has one end, and nothing twice; and it gives the tree that the run had."""
        kinds = [record["t"] for record in self.records(run)]
        self.assertEqual((kinds.count("run"), kinds.count("end"), kinds[-1]), (1, 1, "end"), run)
        evals = self.records(run, "eval")
        self.assertEqual([record["n"] for record in evals], list(range(1, count + 1)), run)
        for what in ("code", "vector"):
            self.assertEqual(len({record[what] for record in evals}), count, run)
        self.assertIn("the same tree as at the end of the run", self.search("replay-run", run))

    def states(self):
        told = json.loads(self.search("tune", "--status", self.FLEET, "--format", "json"))
        return {one["shape"]: one["state"] for one in told["shapes"]}


class Fleet(Fixture):
    FLEET = "fleet"
    N = 512
    # Many candidates are worth nothing, so that few have to be measured in turn at the end; not so many that a search which is begun again and
    # again might find none that is correct: with its evaluations used up it could never end.
    FAULTS = ";".join(["us=40", "nvrtc=error", "us=90", "nvrtc=spills", "nvrtc=error"] * 2)
    COUNT = 12  # Evaluations of a shape.
    EVERY = 2  # Seconds between two searches that are killed.
    KILLS = 15  # As long as all else goes wrong. What is killed every two seconds for ever, and needs more, never ends.

    def searches(self):
        return self.processes(lambda words: words[:1] == [SEARCH] and any(word.startswith(("--out=", "--resume=")) for word in words))

    def elements(self):
        return self.processes(lambda words: words[1:3] == ["tune", "--element"])

    def launch(self, *words):
        said = self.search("tune", *words, "--launch", "slurm", "--out", "fleet")
        self.say(said.splitlines()[0])
        return said

    def kill_one_of(self, processes):
        if processes:
            victim = self.random.choice(processes)
            self.say("kill -9: " + " ".join(word for word in private_slurm.words_of(victim)[1:] if "=" in word or word.isalnum())[:110])
            private_slurm.kill([victim])
        return bool(processes)

    def faults(self):
        """(seconds after the one before, what, how) of each."""
        slurm = self.slurm
        node = self.random.choice(private_slurm.NODES)
        yield 3, "an element is killed", lambda: self.kill_one_of(self.elements())
        yield 3, f"{node} is killed", lambda: slurm.kill_node(node)
        yield 2, f"{node} is started", lambda: slurm.start_node(node)
        yield 6, "the controller is killed", slurm.kill_controller
        yield 1, "the controller is started", slurm.start_controller

    def test_whatever_is_killed_each_shape_is_searched_once(self):
        lines = [json.dumps({"kernel": "axpy", "sizes": {"n": self.N, "inner_tile": tile}}) + "\n" for tile in (3, 4, 6, 8, 12, 16, 24, 32)]
        (self.folder / "shapes.jsonl").write_text("".join(lines))
        # Of five minutes two are an element.
        # What the fake compiler refuses depends on when it is asked, not on the text: a cache would hand one shape the errors of all the others,
        # until nothing is left that is correct.
        self.assertIn("elements 0-3 of 2 shapes each", self.launch("shapes.jsonl", "--device", "h200", "--budget", "5m", "--budget",
                                                                     f"evals={self.COUNT}", "--jobs", "1", "--cache", "none"))
        faults = self.faults()
        wait, what, fault = next(faults)
        last_fault = last_kill = self.begin
        kills = 0
        while True:
            time.sleep(0.25)
            now = time.monotonic()
            if now > self.begin + PATIENCE:
                self.give_up()
            if fault and now > last_fault + wait and fault() is not False:
                self.say(what)
                wait, what, fault = next(faults, (0, "", None))
                last_fault = now
            if kills < self.KILLS and now > last_kill + self.EVERY and self.kill_one_of(self.searches()):
                kills += 1
                last_kill = now
            # Without a controller all that asks it waits long.
            if "slurmctld" not in self.slurm.daemons or not self.no_job_is_left() or fault:
                continue
            if set(self.states().values()) == {"done"}:
                break
            self.launch()  # What is left: a shape that was killed again and again before it had found out anything.
        states = self.states()
        self.say(f"{kills} searches were killed, and all is done")
        self.assertEqual(len(states), len(lines))
        for shape in states:
            self.check_log(f"fleet/{shape}", self.COUNT)


class Page(Fixture):
    """What docs/fleet.md prints for Slurm. Its shapes are for a processor."""

    FLEET = "cluster"
    COUNT = 4

    def setUp(self):
        super().setUp()
        for name, text in docs_test.files(PAGE).items():
            (self.folder / name).write_text(self.short(text))

    def short(self, text):
        return re.sub(r"--budget \S+", f"--budget evals={self.COUNT}", text)

    def run_block(self, has):
        """The commands of the blocks that have a text."""
        blocks = [text for _, language, text in docs_test.blocks(PAGE) if language in ("sh", "bash") and has in text and not text.startswith("#!")]
        self.assertEqual(len(blocks), 1)
        return "".join(self.slurm.run("sh", "-c", line, cwd=self.folder) for line in self.short(blocks[0]).splitlines())

    def test_a_fleet_is_submitted_once(self):
        self.slurm.run("scontrol", "update", "PartitionName=short", "State=DOWN")
        said = self.run_block("--launch slurm")
        self.assertRegex(said, r"array\.sh: elements 0 of 10 shapes each\nSubmitted batch job \d+\n")
        self.assertIn("0 done, 0 running, 2 waiting, 0 failed", said)
        # What waits in the queue is not submitted again.
        said = self.run_block("--launch slurm")
        self.assertIn("elements 0 are in Slurm's queue", said)
        self.assertNotIn("Submitted", said)
        self.slurm.run("scontrol", "update", "PartitionName=short", "State=UP")
        self.wait_for(self.no_job_is_left)
        self.assertEqual(self.states(), {"axpy-n65536": "done", "axpy-n131072": "done"}, (self.folder / "cluster/tune/journal/0.jsonl").read_text())
        self.assertIn("2 of 2 shapes done", self.run_block("--launch slurm"))

    def test_a_search_that_is_a_job_loses_its_node(self):
        self.run_block("sbatch axpy.sh")
        self.wait_for(lambda: len(self.records("runs/axpy", "eval")) >= 2)
        node = re.search(r"BatchHost=(\S+)", self.slurm.run("scontrol", "show", "job", "1"))[1]
        self.slurm.kill_node(node)
        self.say(f"{node} is killed")
        self.slurm.start_node(node)
        self.wait_for(self.no_job_is_left)
        said = (self.folder / "axpy.txt").read_text()
        self.assertIn("runs/axpy goes on after", said)
        self.check_log("runs/axpy", self.COUNT)
        self.assertEqual(len(self.records("runs/axpy", "resume")), 1)


class Pilots(Fixture):
    """One search, whose pilots are jobs of srun."""

    COUNT = 20
    WORKERS = ("--worker", "srun -n1 --gres=gpu:1 --exact search worker --jobs 1") * 2

    def pilots(self):
        return self.processes(lambda words: words[1:2] == ["worker"])

    def test_one_that_is_killed_is_started_again(self):
        with open(self.folder / "said", "w+", encoding="utf-8") as said:
            process = subprocess.Popen([SEARCH, "--kernel", "axpy", "--size", f"n={self.N}", "--device", "h200", "--budget", f"evals={self.COUNT}",
                                        "--out", "run", "--progress", "none", *self.WORKERS], env=self.slurm.environment, cwd=self.folder,
                                       stdout=said, stderr=said)
            self.addCleanup(process.kill)
            self.wait_for(lambda: len(self.records("run", "eval")) >= 2 and len(self.pilots()) == 2)
            first = set(self.pilots())
            victim = self.random.choice(sorted(first))
            private_slurm.kill([victim])
            another = self.wait_for(lambda: set(self.pilots()) - first)
            self.say(f"{victim} was killed, and {another} begun")
            process.wait(timeout=PATIENCE)
            said.seek(0)
            self.assertEqual(process.returncode, 0, said.read())
        self.check_log("run", self.COUNT)
        self.assertLessEqual({record["lane"] for record in self.records("run", "eval") if "lane" in record}, {"pilot 1", "pilot 2"})
        self.wait_for(self.no_job_is_left)
        self.assertEqual(self.pilots(), [])


class Left(unittest.TestCase):
    def test_a_test_that_is_killed_leaves_nothing(self):
        with tempfile.TemporaryDirectory(prefix="exh-slurm-") as folder:
            code = ("import private_slurm, time\n"
                    f"slurm = private_slurm.PrivateSlurm('{folder}/slurm')\nslurm.start()\n"
                    "slurm.run('sbatch', '--wrap', 'setsid sleep 1000 & sleep 1000', '--output=/dev/null')\n"
                    "while not any('sleep' in private_slurm.words_of(one) for one in slurm.processes()): time.sleep(0.1)\n"
                    "print('ready', flush=True)\ntime.sleep(1000)\n")
            with subprocess.Popen([sys.executable, "-B", "-c", code], cwd=pathlib.Path(__file__).parent, stdout=subprocess.PIPE, text=True) as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                self.assertGreater(len(self.processes(folder)), 6)
                process.kill()
            for _ in range(200):
                if not self.processes(folder):
                    break
                time.sleep(0.1)
            self.assertEqual(self.processes(folder), {})

    @staticmethod
    def processes(folder):
        """Those whose Slurm lies there."""
        return {process: private_slurm.words_of(process) for process in private_slurm.parents()
                if private_slurm.environment_of(process).get("SLURM_CONF", "").startswith(folder)}


if __name__ == "__main__":
    SEARCH, DRIVER, NVRTC = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    if problem := private_slurm.why_not():
        print(f"skipped: {problem}")
        sys.exit(77)
    unittest.main()
