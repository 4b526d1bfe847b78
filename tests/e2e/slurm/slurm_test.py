#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fleet, and one search of several machines, under a real Slurm (private_slurm.py): two nodes of two GPUs on this machine, whose driver and
compiler are fake. Processes, nodes and the controller are killed meanwhile. Command lines are those that docs/fleet.md prints.

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
# Most candidates are worth nothing, so that few have to be measured in turn at the end.
FEW = "us=40;us=90;" + ";".join(["nvrtc=error", "nvrtc=spills"] * 4)
MANY = "us=40;us=90;nvrtc=error"
PATIENCE = 400  # Seconds: something hangs.


class Fixture(unittest.TestCase):
    FAULTS = FEW
    N = 65536  # Of axpy, which is what the fake compiler compiles; as the page has it.

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="exh-slurm-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.seed = int(os.environ.get("EXH_SEED", random.SystemRandom().randrange(1 << 32)))
        self.random = random.Random(self.seed)
        for name in ("bin", "lib"):
            (self.folder / name).mkdir()
        (self.folder / "bin/search").symlink_to(SEARCH)
        (self.folder / "lib/libcuda.so.1").symlink_to(DRIVER)
        (self.folder / "lib/libnvrtc.so.13").symlink_to(NVRTC)
        shim = self.folder / "exh"
        shim.write_text('#!/bin/sh\n[ "$1" = search ] && shift\nexec search "$@"\n')
        shim.chmod(0o755)
        self.slurm = private_slurm.PrivateSlurm(self.folder / "slurm", {
            "EXH_FAKE_GPUS": str(private_slurm.GPUS), "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(self.folder / "lib"), "EXH_FAKE_N": str(self.N),
            "EXH_FAKE_FAULTS": self.FAULTS, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.addCleanup(self.slurm.stop)
        self.slurm.start()

    def search(self, *words, code=0):
        done = subprocess.run([SEARCH, *words], env=self.slurm.environment, cwd=self.folder, text=True, capture_output=True, timeout=100)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr + self.slurm.logs())
        return done.stdout + done.stderr

    def records(self, run):
        """What the log of a run says; a line that is half written does not count."""
        log = self.folder / run / "log.jsonl"
        lines = log.read_text().splitlines(keepends=True) if log.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def tops(self, is_one):
        """Processes of ours with such command lines, without their copies that start others for them."""
        words = {process: private_slurm.words_of(process) for process in self.slurm.processes()}
        parents = private_slurm.parents()
        return [process for process, own in words.items() if is_one(own) and own != words.get(parents.get(process))]

    def check_log(self, run, count):
        """It is whole, has one end, and nothing twice; and it gives the tree that the run had."""
        records = self.records(run)
        self.assertEqual([record["t"] for record in records].count("end"), 1, run)
        self.assertEqual(records[-1]["t"], "end")
        evals = [record for record in records if record["t"] == "eval"]
        self.assertEqual([record["n"] for record in evals], list(range(1, count + 1)), run)
        for what in ("code", "vector"):
            self.assertEqual(len({record[what] for record in evals}), count, run)
        self.assertIn("the same tree as at the end of the run", self.search("replay-run", run))

    def say(self, text):
        print(f"{time.monotonic() - self.begin:6.1f} s  {text}", flush=True)


class Fleet(Fixture):
    N = 512
    COUNT = 12  # Evaluations of a shape.
    EVERY = 2  # Seconds between two that are killed.
    KILLS = 15  # As long as all else goes wrong. Whoever is killed every two seconds and needs more than that never ends.

    def setUp(self):
        super().setUp()
        self.begin = time.monotonic()

    def searches(self):
        return self.tops(lambda words: words[:1] == [SEARCH] and any(word.startswith(("--out=", "--resume=")) for word in words))

    def elements(self):
        return self.tops(lambda words: words[1:3] == ["tune", "--element"])

    def launch(self, *words):
        said = self.search("tune", *words, "--launch", "slurm", "--out", "fleet")
        self.say(said.splitlines()[0])
        return said

    def kill_one_of(self, what, find):
        found = find()
        if found:
            victim = self.random.choice(found)
            self.say(f"kill -9 {what} {' '.join(private_slurm.words_of(victim))[-60:]}")
            private_slurm.kill([victim])
        return bool(found)

    def faults(self):
        """One after the other, each some seconds after the one before; True: it is over."""
        slurm = self.slurm
        node = self.random.choice(private_slurm.NODES)
        yield 3, "an element", lambda: self.kill_one_of("an element", self.elements)
        yield 3, f"kill {node}", lambda: slurm.kill_node(node)
        yield 3, "kill the controller", slurm.kill_controller
        yield 1, "start the controller", slurm.start_controller
        yield 8, f"start {node}", lambda: slurm.start_node(node)

    def states(self):
        told = json.loads(self.search("tune", "--status", "fleet", "--format", "json"))
        return {one["shape"]: one["state"] for one in told["shapes"]}

    def test_whatever_is_killed_each_shape_is_searched_once(self):
        lines = [json.dumps({"kernel": "axpy", "sizes": {"n": self.N, "inner_tile": tile}}) + "\n" for tile in (3, 4, 6, 8, 12, 16, 24, 32)]
        (self.folder / "shapes.jsonl").write_text("".join(lines))
        # Of five minutes two are an element.
        self.assertIn("elements 0-3 of 2 shapes each", self.launch("shapes.jsonl", "--device", "h200", "--budget", "5m", "--budget",
                                                                     f"evals={self.COUNT}", "--jobs", "1"))
        faults = self.faults()
        wait, what, fault = next(faults)
        last_fault = last_kill = self.begin
        kills = 0
        while time.monotonic() < self.begin + PATIENCE:
            time.sleep(0.25)
            now = time.monotonic()
            if fault and now > last_fault + wait and fault() is not False:
                self.say(what)
                wait, what, fault = next(faults, (0, "", None))
                last_fault = now
            if kills < self.KILLS and now > last_kill + self.EVERY and self.kill_one_of("the search", self.searches):
                kills += 1
                last_kill = now
            if "slurmctld" not in self.slurm.daemons:
                continue  # Whoever asks it waits long.
            self.slurm.hurry()
            x = str(self.slurm.jobs()) + str(self.slurm.states()) + str(len(self.searches()))
            if x != getattr(self, "x", ""): self.x = x; self.say("DEBUG " + x)
            if fault or self.slurm.jobs():
                continue
            if set(self.states().values()) == {"done"}:
                break
            self.launch()  # What is left.
        os.system(f"grep -iE 'requeue|missing|respond|down|kill' {self.folder}/slurm/log/slurmctld.log | cut -c1-150; date")
        states = self.states()
        self.say(f"{kills} searches were killed; {states}")
        self.assertEqual((len(states), set(states.values())), (len(lines), {"done"}))
        for shape in states:
            self.check_log(f"fleet/{shape}", self.COUNT)
        self.say("over")


class Pilots(Fixture):
    """One search, whose pilots are steps of Slurm."""

    FAULTS = MANY
    SRUN = ("--worker", "exec srun -N1 -n1 --gres=gpu:1 --exact search worker --jobs 1") * 2

    def pilots(self):
        return self.tops(lambda words: words[1:2] == ["worker"])

    def wait_for(self, what):
        begin = time.monotonic()
        while time.monotonic() < begin + PATIENCE:
            found = what()
            if found:
                return found
            time.sleep(0.1)
        return self.fail(f"waited in vain (seed {self.seed}){self.slurm.logs()}")

    def evals(self, run):
        return [record for record in self.records(run) if record["t"] == "eval"]

    def test_a_pilot_that_is_killed_is_started_again(self):
        process = subprocess.Popen(["search", "--kernel", "axpy", "--size", f"n={self.N}", "--device", "h200", "--budget", "evals=12", "--out", "run",
                                    "--progress", "none", *self.SRUN], env=self.slurm.environment, cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.wait_for(lambda: len(self.evals("run")) >= 4 and len(self.pilots()) == 2)
        private_slurm.kill(self.pilots()[:1])
        said, _ = process.communicate(timeout=PATIENCE)
        print(said[:3000])
        self.assertEqual(process.returncode, 0, said)
        self.check_log("run", 12)
        self.assertEqual({record["lane"] for record in self.evals("run") if "lane" in record}, {"pilot 1", "pilot 2"})

    def test_the_search_is_a_job_that_loses_its_node(self):
        for name, text in docs_test.files(PAGE).items():
            (self.folder / name).write_text(re.sub(r"--budget \S+", "--budget evals=12", text))
        for command in [line for _, language, text in docs_test.blocks(PAGE) if language == "bash" and not text.startswith("#!")
                        for line in text.splitlines()]:
            print(self.slurm.run("sh", "-c", command, cwd=self.folder))
        self.wait_for(lambda: len(self.evals("runs/axpy")) >= 4)
        node = re.search(r"BatchHost=(\S+)", self.slurm.run("scontrol", "show", "job", "1"))[1]
        self.slurm.kill_node(node)
        print("killed", node, time.time())
        self.slurm.start_node(node)
        def over():
            self.slurm.hurry()
            x = str(self.slurm.jobs()) + str(self.slurm.states())
            if x != getattr(self, "x", ""): self.x = x; print(x)
            return not self.slurm.jobs()
        self.wait_for(over)
        print((self.folder / "axpy.txt").read_text())
        self.check_log("runs/axpy", 12)
        self.assertEqual([record["t"] for record in self.records("runs/axpy")].count("resume"), 1)


if __name__ == "__main__":
    SEARCH, DRIVER, NVRTC = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    if absent := private_slurm.missing():
        print(f"skipped: {', '.join(absent)} not found; the Debian packages slurmctld, slurmd, slurm-client and munge have them")
        sys.exit(77)
    unittest.main()
