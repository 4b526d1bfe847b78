#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A search on a GPU, without one: a fake driver and a fake compiler (tests/kernels/cuda) are found where
the real ones would be. Each candidate gets one of FAULTS by the hash of its text; the log must say of
each what happened to it, and the search must go on.

usage: cuda_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
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

SEARCH, DRIVER, NVRTC = "", "", ""
N = 512  # Short enough that no candidate is tried with care first.
FAR = 1 << 40  # Of elements: nobody's memory.

# What is wrong with a candidate; its verdict, and what the reason must say.
FAULTS = [
    ("", "correct", ""),
    ("us=90", "correct", ""),
    ("us=4000", "correct", ""),
    ("nvrtc=chatter", "correct", ""),
    ("fault=chatter", "correct", ""),
    ("fault=wrong at=17", "wrong", "z[17] is "),
    ("fault=nan", "wrong", "nan, expected "),
    (f"fault=writes at={N}", "wrong", "z was written outside its bounds, 0 elements behind its end"),
    ("fault=wrong at=5 after=2", "wrong", " after "),
    (f"fault=writes at={FAR}", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    (f"fault=writes at={FAR} after=3", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ("fault=lost", "crash", "CUDA_ERROR_UNKNOWN"),
    ("fault=crash", "crash", "the process that ran it died: signal 6"),
    ("fault=exit", "crash", "the process that ran it died: it ended with code 3"),
    ("fault=hang", "slow", "did not end in 55 ms, the cap is 5 ms"),
    ("us=20000", "slow", "20000 us, the cap is 5000 us"),
    ("nvrtc=error", "compile_error", "kernel.cu(1): error: it is a fault"),
    ("nvrtc=crash", "compile_error", "the compiler died: signal 6"),
    ("nvrtc=spills", "spills", "24 bytes spilled with 32 registers"),
    ("nvrtc=stack", "spills", "40 bytes of stack with 32 registers"),
]


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = str(self.folder / "run")
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        # The folder's name in the environment marks our processes.
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": str(N),
                            "EXH_FAKE_FAULTS": ";".join(fault for fault, _, _ in FAULTS),
                            "XDG_CACHE_HOME": str(self.folder / "cache")}

    def run_search(self, *arguments, **variables):
        return subprocess.run([SEARCH, *arguments], capture_output=True, text=True, timeout=100,
                              cwd=self.folder, env={**self.environment, **variables})

    def arguments(self, budget, out=None):
        # Without a tree, so that a seed yields the same candidates, none of which is tried with care.
        return ("--kernel", "axpy", "--size", f"n={N}", "--device", "h200", "--budget", budget, "--seed", "1",
                "--policy", "random", "--out", out or self.out)


class Characterize(Fixture):
    def test_what_a_gpu_can_do_is_measured_and_written_down(self):
        out = os.path.join(self.folder, "rates.json")
        done = self.run_search("characterize", "--name", "fake", "--out", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(out, encoding="utf-8") as file:
            rates = json.load(file)
        self.assertEqual((rates["version"], rates["name"]), (1, "fake"))
        self.assertIn("driver", rates["source"])
        values, measured = rates["values"], rates["measured"]
        # The names that a bound asks for, as in the files that are there.
        with open(os.path.join(os.path.dirname(__file__), "../../kernels/devices/rates/h200.json"), encoding="utf-8") as file:
            known = json.load(file)["values"]
        self.assertEqual({name: value["unit"] for name, value in known.items()}, {name: value["unit"] for name, value in values.items()})
        # 1024 threads with 64 rounds of 512 in 4096 clocks, but no multiprocessor has as many lanes.
        fma = measured["fma_per_clk"]
        self.assertEqual((fma["unit"], fma["median"]), ("1/clk", 8192))
        self.assertEqual(values["fma"]["value"], 128)
        # 1024 threads with 256 rounds of 64, and a margin of 2 %.
        self.assertAlmostEqual(values["specials"]["value"], 1.02 * 4096)
        # Of all multiprocessors together.
        of_one = measured["l2_bytes_per_clk"]["fastest"]
        self.assertAlmostEqual(measured["l2_all_bytes_per_clk"]["fastest"], measured["multiprocessors"]["fastest"] * of_one)
        # Launches that do nothing leave gaps of all their time.
        self.assertGreater(measured["launch_gap"]["fastest"], 0)
        self.assertAlmostEqual(values["launch_gap"]["value"], 0.85 * measured["launch_gap"]["fastest"])
        # More bytes are gone through no faster.
        sweeps = values["sweeps"]["value"]
        self.assertEqual([row[0] for row in sweeps], sorted(row[0] for row in sweeps))
        for column in (1, 2, 3):
            rates_of = [row[column] for row in sweeps]
            self.assertEqual(rates_of, sorted(rates_of, reverse=True))
        self.assertGreater(fma["samples"], 1)
        # Of a latency less is faster: 64 links in 4096 clocks.
        self.assertAlmostEqual(measured["l2_latency"]["fastest"], 64)
        self.assertAlmostEqual(values["read_latency"]["value"], 0.9 * 64)
        # 100 us for one array that is read, and for one that is read and one that is written.
        self.assertAlmostEqual(measured["dram_copy"]["median"], 2 * measured["dram_read"]["median"])
        self.assertAlmostEqual(values["memory_third"]["value"], 1.01 * measured["dram_add"]["largest"])
        self.assertEqual(values["unit_warps"]["value"], 64)
        self.assertNotIn("samples", measured["multiprocessors"])

    def test_without_a_driver_it_says_how_to_get_one(self):
        done = self.run_search("characterize", LD_LIBRARY_PATH="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("search doctor", done.stderr)


class OnFakeGpu(Fixture):
    def records(self, out=None):
        with open(os.path.join(out or self.out, "log.jsonl"), encoding="utf-8") as log:
            return [json.loads(line) for line in log if line.endswith("\n")]

    def evaluations(self, out=None):
        return [record for record in self.records(out) if record["t"] == "eval"]

    def processes(self):
        """Ids of those that run with our environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and str(self.folder).encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:  # It has ended meanwhile, or is not ours.
                pass
        return found

    def assert_no_process_is_left(self):
        for _ in range(200):
            if not self.processes():
                return
            time.sleep(0.1)
        self.fail(f"processes {self.processes()} are left")

    def start(self):
        """A search that goes on, once it has evaluated something."""
        process = subprocess.Popen([SEARCH, *self.arguments("100s")], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE, cwd=self.folder, env=self.environment)
        self.addCleanup(process.kill)
        for _ in range(600):
            if os.path.exists(os.path.join(self.out, "log.jsonl")) and len(self.evaluations()) > 20:
                break
            time.sleep(0.1)
        self.assertGreater(len(self.processes()), 2)  # The search, a compiler, a candidate.
        return process

    def check(self, evaluation):
        fault, verdict, why = FAULTS[int(evaluation["code"], 16) % len(FAULTS)]
        said = evaluation.get("why", "")
        if "values live through a loop" in said:  # No compiler was asked.
            self.assertEqual((evaluation["verdict"], evaluation["compile_ms"]), ("spills", 0))
            return None
        self.assertEqual(evaluation["verdict"], verdict, f"{fault}: {said}")
        self.assertIn(why, said, fault)
        if verdict == "correct":
            self.assertEqual(said, "", fault)
            self.assertGreater(evaluation["best_ns"], 0)
        return fault

    def test_whatever_becomes_of_candidates_is_in_the_log(self):
        count = 200
        done = self.run_search(*self.arguments(f"evals={count}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        evaluations = self.evaluations()
        self.assertEqual(len(evaluations), count)
        met = {self.check(evaluation) for evaluation in evaluations}
        missing = {fault for fault, _, _ in FAULTS} - met
        self.assertEqual(missing, set(), "not met: another seed, or more evaluations")
        end = self.records()[-1]
        self.assertEqual((end["t"], end["why"], end["evaluations"]), ("end", "budget:evals", count))
        counts = collections.Counter(evaluation["verdict"] for evaluation in evaluations)
        self.assertEqual(end["verdicts"], dict(counts))
        self.assertIn(f"{count} evaluations in ", done.stdout)
        for verdict, number in counts.items():
            self.assertRegex(done.stdout, rf"\([^)]*\b{verdict} {number}\b")
        best = next(e for e in evaluations if e["n"] == end["best"])
        self.assertEqual(best["verdict"], "correct")
        self.assertIn(f"(record {end['best']})", done.stdout)
        self.assert_no_process_is_left()

        again = self.run_search("replay", self.out)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("correct: ", again.stdout)
        crashed = next(e for e in evaluations if e["verdict"] == "crash")
        again = self.run_search("replay", self.out, "--record", str(crashed["n"]))
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertIn("\ncrash: ", again.stdout)

    def test_workers_share_a_tree_that_the_log_gives_again(self):
        done = self.run_search("--kernel", "axpy", "--size", f"n={N}", "--device", "h200", "--budget", "evals=80",
                               "--jobs", "3", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.evaluations()), 80)
        self.assertIn("proven: no implementation of this space is faster than ", done.stdout)
        again = self.run_search("replay-run", self.out)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIn("the same tree as at the end of the run", again.stdout)

    def test_a_search_that_is_killed_goes_on(self):
        for policy in ("tag", "random"):
            out = str(self.folder / policy)
            arguments = ["--kernel", "axpy", "--size", f"n={N}", "--device", "h200", "--budget", "100s", "--jobs", "3",
                         "--policy", policy, "--out", out]
            done_before = 0
            for more in (13, 29, 41):  # Killed three times, each time somewhere else.
                process = subprocess.Popen([SEARCH, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           cwd=self.folder, env=self.environment)
                self.addCleanup(process.kill)
                for _ in range(1200):
                    if os.path.exists(os.path.join(out, "log.jsonl")) and \
                            len(self.evaluations(out)) >= done_before + more:
                        break
                    time.sleep(0.05)
                refused = self.run_search("--resume", out)
                self.assertEqual(refused.returncode, 2, refused.stdout)
                self.assertIn("another process writes to this run", refused.stderr)
                process.kill()
                process.wait()
                done_before = len(self.evaluations(out))
                arguments = ["--resume", out, "--budget", "100s", "--jobs", "3"]
            count = done_before + 30
            done = self.run_search("--resume", out, "--budget", f"evals={count}")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(" goes on after ", done.stdout)
            evaluations = self.evaluations(out)
            self.assertEqual([e["n"] for e in evaluations], list(range(1, count + 1)))
            for what in ("code", "vector"):
                self.assertEqual(len({e[what] for e in evaluations}), count)
            records = self.records(out)
            self.assertEqual([r["t"] for r in records].count("resume"), 3)
            self.assertEqual(sum(records[-1]["verdicts"].values()), count)
            self.assertIn("finals: ", done.stdout)  # Of candidates of all parts.
            finalists = {r["name"] for r in records if r["t"] == "reference" and r["verdict"] == "correct"}
            self.assertIn("winner", finalists)
            if policy == "tag":
                again = self.run_search("replay-run", out)
                self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
                self.assertIn("the same tree as at the end of the run", again.stdout)

    def test_the_number_of_compilers_changes_nothing(self):
        outcomes = []
        for jobs in ("1", "3"):
            out = str(self.folder / f"jobs{jobs}")
            done = self.run_search(*self.arguments("evals=40", out), "--jobs", jobs)
            self.assertEqual(done.returncode, 0, done.stderr)
            outcomes.append([(e["vector"], e["verdict"], e.get("why"), e["best_ns"]) for e in self.evaluations(out)])
        self.assertEqual(outcomes[0], outcomes[1])

    def test_what_was_compiled_once_is_known(self):
        kept = self.folder / "cache" / "exhaust" / "cubin"
        files = []
        for out in ("first", "second"):
            self.assertEqual(self.run_search(*self.arguments("evals=30", str(self.folder / out))).returncode, 0)
            files.append({file.name: file.stat().st_ino for file in kept.iterdir()})
        self.assertGreater(len(files[0]), 5)
        same = [name for name, inode in files[0].items() if files[1].get(name) == inode]
        self.assertEqual(len(same), len(files[0]))

    def test_a_search_that_is_killed_leaves_no_process(self):
        process = self.start()
        process.kill()
        process.communicate(timeout=60)
        self.assert_no_process_is_left()

    def test_interrupt_ends_with_the_best_so_far(self):
        process = self.start()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("best: ", output)
        self.assertEqual(self.records()[-1]["why"], "signal")
        for evaluation in self.evaluations():
            self.check(evaluation)
        self.assert_no_process_is_left()

    def test_what_hangs_ends_with_the_first_signal(self):
        # A compiler, and a driver that does not come back, which both have a minute and more.
        for fault, name in (("nvrtc=hang", signal.SIGINT), ("fault=stuck", signal.SIGHUP)):
            out = str(self.folder / name.name)
            process = subprocess.Popen([SEARCH, *self.arguments("100s", out)], stdout=subprocess.PIPE, text=True,
                                       stderr=subprocess.PIPE, cwd=self.folder,
                                       env={**self.environment, "EXH_FAKE_FAULTS": fault})
            self.addCleanup(process.kill)
            for _ in range(600):
                if os.path.exists(os.path.join(out, "log.jsonl")):
                    break
                time.sleep(0.1)
            time.sleep(2)
            process.send_signal(name)
            process.communicate(timeout=30)
            self.assertGreaterEqual(process.returncode, 0, "the signal killed it")
            self.assertEqual(self.evaluations(out), [])  # Nobody knows what would have come of them.
            self.assertEqual(self.records(out)[-1]["why"], "signal")
            self.assert_no_process_is_left()

    def test_compilers_that_somebody_kills_are_not_the_fault_of_their_texts(self):
        done = self.run_search(*self.arguments("100s"), EXH_FAKE_FAULTS="nvrtc=killed")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("search: stopped: the compiler died: signal 9", done.stderr)
        self.assertEqual({record["verdict"] for record in self.evaluations()}, {"broken"})

    def test_what_is_wrong_is_kept_for_a_report(self):
        done = self.run_search(*self.arguments("evals=6"), EXH_FAKE_FAULTS="fault=wrong at=17")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("6 results were wrong: none of them is the best", done.stdout)
        self.assertIn(f"please report it, with the folder {self.out}/wrong", done.stdout)
        folder = pathlib.Path(self.out, "wrong")
        about = (folder / "README.txt").read_text(encoding="utf-8")
        first = next(record for record in self.evaluations() if record["verdict"] == "wrong")
        for part in (first["why"].splitlines()[0], f"record     {first['n']} of", "seed 1", "libnvrtc.so.13: version 13.0",
                     "Fake GPU", f"replay {self.out} --record {first['n']}", "seed 2; see"):
            self.assertIn(part, about)
        self.assertIn("exh_kernel", (folder / "wrong.cu").read_text(encoding="utf-8"))
        # What is kept is what was wrong: replayed from its decisions alone, it is wrong again.
        again = self.run_search("replay", str(folder / "wrong.replay"), EXH_FAKE_FAULTS="fault=wrong at=17")
        self.assertIn("z[17] is ", again.stdout + again.stderr)
        decisions = (folder / "wrong.decisions.txt").read_text(encoding="utf-8")
        self.assertEqual(sorted(decisions.split()), sorted(set(decisions.split())))
        # A run that goes on keeps the first of all.
        before = (folder / "README.txt").stat().st_mtime_ns
        more = self.run_search("--resume", self.out, "--budget", "evals=8", EXH_FAKE_FAULTS="fault=wrong at=17")
        self.assertIn("8 results were wrong", more.stdout)
        self.assertEqual((folder / "README.txt").stat().st_mtime_ns, before)

    def test_nothing_is_kept_where_nothing_was_wrong(self):
        done = self.run_search(*self.arguments("evals=4"), EXH_FAKE_FAULTS="us=20")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("wrong:", done.stdout)
        self.assertFalse(pathlib.Path(self.out, "wrong").exists())

    def test_a_compiler_that_is_wrong_is_said_once_it_is_used(self):
        """Known answers: asked once, kept, told at the start of each run and by the doctor."""
        wrong = {"EXH_FAKE_KNOWN": "exh_mma_bf16(c0", "EXH_FAKE_REMEDY": "--Ofast-compile=mid", "EXH_FAKE_FAULTS": "us=20"}
        note = ("note: libnvrtc.so.13: version 13.0 for sm_90: sums of the unit of bf16 that begin with what a condition chooses are compiled wrongly "
                "(256 of 256 results, the first is nan and not 0): texts that have them are compiled with --Ofast-compile=mid besides\n")
        done = self.run_search(*self.arguments("evals=3"), **wrong)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(note, done.stdout)
        # Kept: the compiler is not asked again, though its answer would be another one.
        done = self.run_search(*self.arguments("evals=3", out=str(self.folder / "second")), EXH_FAKE_FAULTS="us=20")
        self.assertIn(note, done.stdout)
        doctor = self.run_search("doctor")
        self.assertRegex(doctor.stdout, r"answers +libnvrtc\.so\.13: version 13\.0 for sm_90: 10 of 11 right\n.*bf16.* are compiled wrongly")
        for kept in (self.folder / "cache" / "exhaust" / "known-answers").glob("*.json"):
            kept.write_text("{}", encoding="utf-8")  # Damaged: it is asked for again.
        doctor = self.run_search("doctor")
        self.assertRegex(doctor.stdout, r"answers +libnvrtc\.so\.13: version 13\.0 for sm_90: 11 of 11 right\n")

    def test_doctor_looks_at_driver_gpu_and_compiler(self):
        done = self.run_search("doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("driver for CUDA 13.0", done.stdout)
        self.assertRegex(done.stdout, r"gpu +Fake GPU: sm_90, 4 multiprocessors, 3\.0 GiB")
        self.assertRegex(done.stdout, r"nvrtc +libnvrtc\.so\.13: version 13\.0, compiles for sm_90, GPU 0 loads it")
        self.assertRegex(done.stdout, r"(?m)^ +cublas +\S")
        # Machine code that the driver does not take.
        done = self.run_search("doctor", EXH_FAKE_N="none")
        self.assertIn("GPU 0 does not load it (cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE", done.stdout)


    def test_below_another_program(self):
        wrapper = self.folder / "wrapper"
        wrapper.write_text('#!/bin/sh\necho "$@" >> "$1"\nshift\nexec "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        done = self.run_search(*self.arguments("evals=3"), "--under", f"{wrapper} {self.folder}/calls")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(self.evaluations()), 3)
        for call in (self.folder / "calls").read_text(encoding="utf-8").splitlines():
            self.assertTrue(call.endswith("run-cuda"), call)

    def test_below_a_program_that_is_not_there(self):
        done = self.run_search(*self.arguments("evals=3"), "--under", "no-such-sanitizer --tool racecheck")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "search: --under: 'no-such-sanitizer' was not found on PATH\n"))
        self.assertFalse(os.path.exists(self.out))

    def test_what_is_no_gpu_runs_below_nothing(self):
        done = self.run_search("--kernel", "axpy", "--budget", "evals=1", "--under", "env", "--out", self.out)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "search: --under: the device is 'cpu', which is no GPU; leave it out\n"))


class WithoutGpu(Fixture):
    """What is missing, and what helps: in the message of a search, and from the doctor."""

    def check_missing(self, *parts, **variables):
        done = self.run_search(*self.arguments("evals=1"), **variables)
        self.assertEqual(done.returncode, 1, done.stdout)
        for part in (*parts, "--device cpu", "search doctor"):
            self.assertIn(part, done.stderr)
        self.assertFalse(os.path.exists(self.out))  # A run that did not begin leaves nothing.
        done = self.run_search("doctor", **variables)
        self.assertEqual(done.returncode, 0, done.stdout)  # A machine without a GPU is well.
        return done.stdout

    def hide(self, *names):
        """Files that are no libraries, where they are looked for first."""
        for name in names:
            path = self.folder / "lib" / name
            path.unlink(missing_ok=True)
            path.touch()

    def test_no_driver(self):
        self.hide("libcuda.so.1", "libcuda.so")
        said = self.check_missing("libcuda.so.1 is not there", "install the driver")
        self.assertRegex(said, r"cuda +libcuda\.so\.1 is not there: install the driver")
        self.assertRegex(said, r"\n +get it: version 570 or later, from https://www\.nvidia\.com/drivers")

    def test_a_driver_that_is_too_old(self):
        problem = "libcuda.so.1 is a driver for CUDA 12.4: install one that supports CUDA 12.8 or later"
        said = self.check_missing(problem, EXH_FAKE_CUDA="old")
        self.assertIn(problem, said)
        self.assertIn("get it: version 570 or later", said)

    def test_a_driver_that_does_not_start(self):
        problem = "libcuda.so.1 cannot start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
        self.assertIn(problem, self.check_missing(problem, EXH_FAKE_CUDA="no-device"))

    def test_no_gpu(self):
        said = self.check_missing("the driver shows no GPU", EXH_FAKE_CUDA="no-gpu")
        self.assertRegex(said, r"gpu +the driver shows none that answers")

    def test_no_such_gpu(self):
        done = self.run_search(*self.arguments("evals=1"), "--gpu", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no GPU 1: the driver shows 1", done.stderr)

    def test_no_compiler(self):
        if os.path.exists("/usr/local/cuda/lib64/libnvrtc.so"):
            self.skipTest("NVRTC is installed where it is always found")
        self.hide("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
        said = self.check_missing("libnvrtc.so is not there: install the CUDA toolkit, version 12 or later")
        self.assertRegex(said, r"nvrtc +libnvrtc\.so is not there")
        self.assertIn("of its packages cuda-nvrtc is enough", said)


if __name__ == "__main__":
    SEARCH, DRIVER, NVRTC = (os.path.abspath(path) for path in sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)
