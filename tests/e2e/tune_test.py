#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""search tune on the cpu device: many shapes, what goes wrong with them, and a job array with an sbatch that is none. The commands of
docs/fleet.md are run as they are printed.

usage: tune_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import docs_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEARCH, DRIVER, NVRTC = "", "", ""
FEW = ("--budget", "evals=3")
# Runs the elements of the array one after the other, as a cluster would with one machine.
SBATCH = """#!/bin/sh
for script; do :; done
echo "$@" > "$(dirname "$script")/asked.txt"
first=$(sed -n 's/^#SBATCH --array=\\([0-9]*\\).*/\\1/p' "$script")
last=$(sed -n 's/^#SBATCH --array=.*[-,]\\([0-9]*\\)$/\\1/p' "$script")
for element in $(seq "$first" "${last:-$first}"); do
  SLURM_ARRAY_TASK_ID=$element sh "$script" > "$(dirname "$script")/1_$element.txt" 2>&1
done
echo "Submitted batch job 1"
"""


def axpy(*sizes):
    return "".join(json.dumps({"kernel": "axpy", "sizes": {"n": n}}) + "\n" for n in sizes)


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fleet = self.folder / "fleet"
        self.path = os.environ["PATH"]
        self.more = {}

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def environment(self):
        return {**os.environ, "PATH": self.path, **self.more}

    def run_search(self, *arguments, **more):
        return subprocess.run([SEARCH, *arguments], capture_output=True, text=True, timeout=600, cwd=self.folder, check=False,
                              env=self.environment(), **more)

    def tune(self, *arguments, **more):
        return self.run_search("tune", *arguments, "--out", "fleet", **more)

    def start(self, *arguments):
        process = subprocess.Popen([SEARCH, "tune", *arguments, "--out", "fleet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, cwd=self.folder, env=self.environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def records(self, shape, kind=None):
        log = self.fleet / shape / "log.jsonl"
        if not log.exists():
            return []
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return [record for record in found if kind in (None, record["t"])]

    def status(self):
        done = self.run_search("tune", "--status", "fleet", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def states(self):
        return {one["shape"]: one["state"] for one in self.status()["shapes"]}

    def wait_for(self, what):
        for _ in range(1200):
            found = what()
            if found:
                return found
            time.sleep(0.05)
        return self.fail("waited in vain")

    def child(self, shape):
        """The process that searches a shape, not one of the copies of it that start others."""
        wanted = f"--out=fleet/{shape}".encode()
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                parent = int((path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
                folder = os.readlink(path / "cwd")
            except OSError:
                continue
            # Other tests search the same shape, at the same time.
            is_own = os.path.realpath(folder) == os.path.realpath(self.folder)
            if is_own and wanted in words and b"run-candidate" not in words:
                found[int(path.name)] = parent
        return next((process for process, parent in found.items() if parent not in found), None)

    def add_slurm(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name, text in (("sbatch", SBATCH), ("squeue", "#!/bin/sh\n")):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.path = f"{programs}:{self.path}"


class Tune(Fixture):
    def test_shapes_are_searched_once_and_hand_on_what_won(self):
        shapes = self.write("shapes.jsonl", axpy(2048, 4096, 8192))
        done = self.tune(shapes, *FEW, "--jobs", "2", "--seed", "5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[3/3] axpy-n8192: ", done.stdout)
        self.assertIn("3 of 3 shapes done", done.stdout)
        self.assertEqual(set(self.states().values()), {"done"})
        for shape in ("axpy-n2048", "axpy-n4096", "axpy-n8192"):
            self.assertEqual(self.records(shape, "run")[0]["seed"], 5)
            self.assertEqual(len(self.records(shape, "end")), 1)
            self.assertTrue((self.fleet / "tune/output" / f"{shape}.txt").read_text())
        # The second begins with what won the first, the third with both.
        given = [sum(word.startswith("--first=") for word in self.records(shape, "run")[0]["argv"])
                 for shape in ("axpy-n2048", "axpy-n4096", "axpy-n8192")]
        self.assertEqual(given, [0, 1, 2])
        board = [json.loads(line) for line in (self.fleet / "board/local.jsonl").read_text().splitlines()]
        self.assertEqual([line.get("run") for line in board], [None, "axpy-n2048", "axpy-n4096", "axpy-n8192"])
        # What is handed to a search is what it looks at first.
        first = self.run_search("--kernel", "axpy", "--size", "n=2048", "--first", "fleet/axpy-n2048/best.replay", "--budget", "evals=1",
                                "--out", "fleet-again")
        self.assertEqual(first.returncode, 0, first.stderr)
        best = self.records("axpy-n2048", "best")[-1]["n"]  # Of several finalists, the one that won the race.
        self.assertEqual(self.records("../fleet-again", "eval")[0]["vector"], self.records("axpy-n2048", "eval")[best - 1]["vector"])
        # Again: nothing is left to do; more shapes are added behind.
        before = self.records("axpy-n2048")
        again = self.tune(self.write("more.jsonl", axpy(4096, 1024)), *FEW)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("4 of 4 shapes done, 3 of them before", again.stdout)
        self.assertEqual(self.records("axpy-n2048"), before)
        self.assertEqual(self.records("axpy-n1024", "run")[0]["seed"], 5)  # Options stay.
        self.assertIn("4 of them before", self.tune().stdout)
        # What lies beside the shapes is no run.
        home = subprocess.run(f"'{SEARCH}' install-kernel fleet/* --out tuned", shell=True, capture_output=True, text=True, timeout=600,
                              cwd=self.folder, check=False)
        self.assertEqual(home.returncode, 0, home.stdout + home.stderr)
        self.assertEqual(home.stdout.count("axpy n="), 4, home.stdout)
        self.assertTrue((self.folder / "tuned/tuned.h").is_file())

    def test_mistakes_are_named_and_nothing_runs(self):
        shapes = self.write("shapes.csv", "GemmTunableOp_float_TN,tn_16_16\nGemmTunableOp_Half8_NN,nn_8_8_8\nGemmTunableOp_float_NN,nn_16_8_8\n")
        done = self.tune(shapes, *FEW)
        self.assertEqual(done.returncode, 2, done.stdout)
        for part in ("shapes.csv:1: ", "shapes.csv:2: ", "Half8", "2 of its lines", "--skip-mistakes"):
            self.assertIn(part, done.stderr)
        self.assertFalse(self.fleet.exists())
        done = self.tune(shapes, *FEW, "--skip-mistakes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left out: shapes.csv:1: ", done.stderr)
        self.assertEqual(self.states(), {"matmul-m8-n16-k8": "done"})

    def test_what_makes_no_sense_is_refused(self):
        shapes = self.write("shapes.jsonl", axpy(64))
        for arguments, part in (((), "tune what?"), ((shapes, "--launch", "slrum"), "did you mean 'slurm'?"),
                                ((shapes, "--budget", "60"), "it has no unit"), ((shapes, "--jobs", "0"), "bad --jobs"),
                                ((shapes, "--gpus", "all"), "--gpus all"), ((shapes, "--device", "cpuu"), "cpuu"),
                                (("--element", "0"), "is no fleet"), ((shapes, "--element", "0"), "--element"),
                                ((shapes, "--sbatch=-p gpu"), "--sbatch goes with --launch slurm"),
                                (("none.jsonl",), "none.jsonl")):
            with self.subTest(arguments=arguments):
                done = self.tune(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(part, done.stderr)
                self.assertFalse(self.fleet.exists())
        self.write("first.txt", "order\n")
        for arguments, part in ((("--first", "none.txt"), "none.txt"), (("--first", "first.txt"), "first.txt:1: 'order' is no decision"),
                                (("--first", "first.txt", "--policy", "random"), "begins with nothing")):
            done = self.run_search("--kernel", "axpy", *arguments, "--out", "fleet")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(part, done.stderr)
            self.assertFalse(self.fleet.exists())
        done = self.run_search("tune", "--status", ".")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is no fleet", done.stderr)

    def test_a_job_array(self):
        shapes = self.write("shapes.jsonl", axpy(1024, 2048, 4096))
        path, self.path = self.path, str(self.folder)
        done = self.tune(shapes, "--launch", "slurm", *FEW)
        self.path = path
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no Slurm here; --launch local does without", done.stderr)
        self.add_slurm()
        # Five minutes each: two shapes are an element. They stop as soon as nothing new comes.
        done = self.tune(shapes, "--launch", "slurm", "--budget", "5m", "--stop", "stale=2", "--sbatch", "--partition=short --qos=low")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("elements 0-1 of 2 shapes each", done.stdout)
        self.assertIn("Submitted batch job 1", done.stdout)
        self.assertIn("--partition=short --qos=low", (self.fleet / "slurm/asked.txt").read_text())
        script = (self.fleet / "slurm/array.sh").read_text()
        self.assertIn("#SBATCH --array=0-1\n", script)
        self.assertNotIn("--gres", script)
        self.assertEqual(set(self.states().values()), {"done"}, (self.fleet / "slurm/1_0.txt").read_text())
        self.assertEqual(sorted(file.name for file in (self.fleet / "board").iterdir()), ["0.jsonl", "1.jsonl"])
        self.assertIn("3 of 3 shapes done", self.tune("--launch", "slurm").stdout)
        # An element that comes again has nothing to do.
        again = self.run_search("tune", "--element", "1", "--out", "fleet")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("1 of 1 shape done, 1 of them before", again.stdout)
        self.assertIn("elements 0 to 1", self.run_search("tune", "--element", "2", "--out", "fleet").stderr)

    def test_ended_shapes_say_what_later_ones_begin_with(self):
        sizes = (1024, 2048, 4096, 8192, 16384)
        shapes = self.write("shapes.jsonl", axpy(*sizes))
        done = self.tune(shapes, "--budget", "evals=4", "--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        prior, = (self.fleet / "tune/priors").iterdir()
        self.assertRegex(prior.name, r"^axpy-cpu.*\.4\.json$")
        self.assertIn("made_of", json.loads(prior.read_text()))
        runs = [self.records(f"axpy-n{n}", "run")[0] for n in sizes]
        given = [[word for word in run["argv"] if word.startswith("--prior=")] for run in runs]
        self.assertEqual(given, [[]] * 4 + [[f"--prior=fleet/tune/priors/{prior.name}"]])
        self.assertTrue(runs[4]["policy"]["prior"])
        # What it was made of, unless what the program has for such devices is better.
        learned = [f"fleet/axpy-n{n}" for n in sizes[:4]]
        done = self.run_search("learn", *learned, "--out", "prior.json", "--no-check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("rank correlation", done.stdout)
        self.assertEqual(len(json.loads((self.folder / "prior.json").read_text())["made_of"]), 4)
        done = self.run_search("learn", *learned, "--out", "either.json", "--no-check", "--or-usual")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "either.json").read_text(), prior.read_text())
        for more, part in ((("--no-check",), "--no-check goes with --out"), (("--or-usual",), "--or-usual goes with --out")):
            self.assertIn(part, self.run_search("learn", *learned, *more).stderr)
        # One that was interrupted goes on with what it began with.
        log = self.fleet / "axpy-n16384/log.jsonl"
        log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if '"t":"end"' not in line))
        again = self.tune("--budget", "evals=5")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(len(self.records("axpy-n16384", "resume")), 1)
        self.assertNotIn("the cost model began with", (self.fleet / "tune/output/axpy-n16384.txt").read_text())

    def fake_gpu(self, faults=""):
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        self.more = {"LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": "512", "XDG_CACHE_HOME": str(self.folder / "cache"),
                     "EXH_FAKE_FAULTS": faults}

    def evals(self, run):
        text = (self.folder / run / "log.jsonl").read_text(encoding="utf-8")
        return [record for record in map(json.loads, text.splitlines()) if record["t"] == "eval"]

    def test_what_is_wrong_is_found_once(self):
        self.fake_gpu("fault=wrong at=17;us=20")
        # Without a tree, so that a seed yields the same candidates.
        words = ("--kernel", "axpy", "--size", "n=512", "--device", "h200", "--budget", "evals=12", "--policy", "random")

        def search(out, *more):
            done = self.run_search(*words, *more, "--out", out)
            self.assertIn("please report it, with the folder ", done.stdout, done.stderr)
            return done.stdout, self.evals(out)
        _, without = search("without")
        self.assertEqual([record for record in without if "known" in record], [])
        self.assertNotIn("known", (self.folder / "without/log.jsonl").read_text())
        said, first = search("first", "--cache", "shared")
        self.assertNotIn("an earlier search found it", said)
        self.assertEqual([record["verdict"] for record in first], [record["verdict"] for record in without])
        self.assertEqual([record for record in first if "known" in record], [])
        wrong = [record["code"] for record in first if record["verdict"] == "wrong"]
        self.assertTrue(wrong)
        self.assertLess(len(wrong), 12)
        self.assertEqual(len(list((self.folder / "shared/verdicts").iterdir())), len(wrong))
        self.assertTrue(list((self.folder / "shared/cubin").glob("*.cubin")))
        # Another search finds none of them out again. Here nothing would be wrong any more: it is the folder that says so.
        self.more["EXH_FAKE_FAULTS"] = "us=20"
        said, again = search("again", "--cache", "shared")
        self.assertIn("so an earlier search found it; it was not run here", said)
        self.assertEqual([record["code"] for record in again if record.get("known")], wrong)
        for record, before in zip(again, first):
            self.assertEqual(record["verdict"], before["verdict"])
            if record.get("known"):
                self.assertEqual((record["compile_ms"], record["runtimes_ns"], record["why"]), (0, [], before["why"]))
        self.assertIn("an earlier search of the same program", (self.folder / "again/wrong/README.txt").read_text())
        self.assertEqual(self.run_search("log", "show", "again").returncode, 0)
        # What is damaged is looked at again.
        for file in (self.folder / "shared/verdicts").iterdir():
            file.write_bytes(file.read_bytes()[:-20])
        shutil.rmtree(self.folder / "shared/cubin")  # Here the compiler makes what is wrong.
        done = self.run_search(*words, "--cache", "shared", "--out", "anew")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({(record["verdict"], record.get("known")) for record in self.evals("anew")}, {("correct", None)})
        # Workers measure where they are, with caches of their own.
        self.write("a file", "")
        for more, part in ((("--worker", f"{SEARCH} worker"), "--cache and --worker"), ((), "is no folder")):
            done = self.run_search(*words, "--cache", "a file" if not more else "shared", *more, "--out", "refused")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(part, done.stderr)

    def test_a_fleet_has_a_cache(self):
        self.fake_gpu("fault=wrong at=17;us=20")
        shapes = self.write("shapes.jsonl", axpy(512))
        done = self.tune(shapes, "--device", "cuda", "--budget", "evals=12", "--policy", "random")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        verdicts = list((self.fleet / "tune/cache/verdicts").iterdir())
        self.assertTrue(verdicts)
        # The shape is begun again.
        (self.fleet / "axpy-n512").rename(self.folder / "before")
        done = self.tune()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len([record for record in self.records("axpy-n512", "eval") if record.get("known")]), len(verdicts))
        self.assertEqual(len(list((self.fleet / "tune/cache/verdicts").iterdir())), len(verdicts))

    def test_gpus_are_lanes(self):
        self.fake_gpu()
        lines = [json.dumps({"kernel": "axpy", "sizes": {"n": 512, "inner_tile": tile}}) + "\n" for tile in (8, 32)]
        shapes = self.write("shapes.jsonl", "".join(lines))
        cuda = (shapes, "--device", "cuda", *FEW)
        for gpus, part in (("0-1", "--gpus 0-1: the driver shows no GPU 1"), ("1-0", "bad --gpus"),
                           ("none", "legal: all, 0-3")):
            done = self.tune(*cuda, "--gpus", gpus)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(part, done.stderr)
        self.assertIn("--gpu and --gpus", self.tune(*cuda, "--gpus", "0", "--gpu", "0").stderr)
        self.assertFalse(self.fleet.exists())
        done = self.tune(*cuda, "--gpus", "all")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(self.states().values()), {"done"})
        words = self.records("axpy-n512-inner_tile8", "run")[0]["argv"]
        self.assertIn("--gpu=0", words)
        self.assertIn("--device=cuda", words)
        # The machine that submits may have no GPU; its elements have one.
        self.add_slurm()
        self.write("more.jsonl", axpy(512))
        self.assertEqual(self.tune("more.jsonl", "--launch", "slurm").returncode, 0)
        self.assertIn("#SBATCH --gres=gpu:1\n", (self.fleet / "slurm/array.sh").read_text())
        self.assertEqual(set(self.states().values()), {"done"}, (self.fleet / "slurm/1_0.txt").read_text())

    def test_the_page_does_what_it_says(self):
        page = "docs/fleet.md"
        for name, text in docs_test.files(page).items():
            self.write(name, text)
        shim = self.folder / "exh"
        shim.write_text(f'#!/bin/sh\n[ "$1" = search ] && shift\nexec "{SEARCH}" "$@"\n')
        shim.chmod(0o755)
        self.add_slurm()
        commands = [line for _, language, text in docs_test.blocks(page) if language == "sh" for line in text.splitlines()]
        self.assertGreater(len(commands), 5)
        for command in commands:
            short = re.sub(r"--budget \S+", "--budget evals=2", command)
            with self.subTest(command=short):
                done = subprocess.run(short, shell=True, capture_output=True, text=True, timeout=600, cwd=self.folder, check=False,
                                      env=self.environment())
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


class WhatGoesWrong(Fixture):
    def test_a_killed_fleet_goes_on(self):
        shapes = self.write("shapes.jsonl", axpy(4096, 8192))
        process = self.start(shapes, "--budget", "300s")
        self.wait_for(lambda: len(self.records("axpy-n4096", "eval")) >= 2)
        self.assertEqual(self.states(), {"axpy-n4096": "running", "axpy-n8192": "waiting"})
        second = self.tune(shapes)
        self.assertEqual(second.returncode, 2)
        self.assertIn(f"process {process.pid} on ", second.stderr)
        self.assertIn("search tune shapes.jsonl", second.stderr)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.wait_for(lambda: self.child("axpy-n4096") is None)  # Nothing outlives it.
        self.assertEqual(self.states(), {"axpy-n4096": "waiting", "axpy-n8192": "waiting"})
        known = len(self.records("axpy-n4096", "eval"))
        done = self.tune(shapes, "--budget", f"evals={known + 1}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(self.records("axpy-n4096", "resume")), 1)
        evals = self.records("axpy-n4096", "eval")
        self.assertEqual([record["n"] for record in evals], list(range(1, known + 2)))
        self.assertEqual(set(self.states().values()), {"done"})

    def test_an_interrupted_fleet_says_so(self):
        process = self.start(self.write("shapes.jsonl", axpy(4096, 8192)), "--budget", "300s")
        self.wait_for(lambda: self.records("axpy-n4096", "eval"))
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("0 of 2 shapes done; interrupted", said)
        self.assertEqual(set(self.states().values()), {"waiting"})

    def test_a_killed_child_goes_on(self):
        process = self.start(self.write("shapes.jsonl", axpy(4096)), "--budget", "evals=16")
        self.wait_for(lambda: len(self.records("axpy-n4096", "eval")) >= 2)
        os.kill(self.child("axpy-n4096"), signal.SIGKILL)
        said, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("[0/1] axpy-n4096: it was ended by signal 9 (SIGKILL: Killed); it goes on\n", said)
        self.assertEqual([record["n"] for record in self.records("axpy-n4096", "eval")], list(range(1, 17)))
        self.assertEqual(len(self.records("axpy-n4096", "resume")), 1)

    def test_a_child_that_is_killed_again_and_again_costs_its_shape_alone(self):
        process = self.start(self.write("shapes.jsonl", axpy(4096, 8192)), "--budget", "evals=100000", "--stop", "stale=6")
        killed = [None]
        for _ in range(3):
            killed.append(self.wait_for(lambda: (child := self.child("axpy-n4096")) not in killed and child))
            os.kill(killed[-1], signal.SIGKILL)
        said, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("axpy-n4096: failed: it was ended by signal 9 (SIGKILL: Killed), 3 times in a row with nothing new in between", said)
        self.assertIn("1 of 2 shapes done; 1 failed: axpy-n4096: ", said)
        self.assertEqual(self.states(), {"axpy-n4096": "failed", "axpy-n8192": "done"})
        table = self.run_search("tune", "--status", "fleet").stdout
        self.assertRegex(table, r"axpy-n4096 +failed .*signal 9")
        self.assertIn("1 done, 0 running, 0 waiting, 1 failed", table)
        again = self.tune()
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(set(self.states().values()), {"done"})

    def test_a_disk_that_is_full_is_the_reason(self):
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        done = self.tune(self.write("shapes.jsonl", axpy(4096, 8192)), *FEW, preexec_fn=full)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("0 of 2 shapes done; 2 failed: axpy-n4096: ", done.stdout)
        self.assertIn("File too large", done.stdout)
        again = self.tune()
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)

    def test_a_board_of_another_version_is_left_out_by_name(self):
        shapes = self.write("shapes.jsonl", axpy(4096))
        self.assertEqual(self.tune(shapes, *FEW).returncode, 0)
        (self.fleet / "board/7.jsonl").write_text('{"t":"board","format":99,"tool":"search 9.9"}\n{"kernel":"axpy"}\n')
        done = self.tune(self.write("more.jsonl", axpy(8192, 2048)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("board/7.jsonl"), 1, done.stderr)
        self.assertIn("format 99 (search 9.9)", done.stderr)
        self.assertEqual(set(self.states().values()), {"done"})


if __name__ == "__main__":
    SEARCH, DRIVER, NVRTC = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    unittest.main()
