#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs as a person meets them: search, exhc, their messages and exit codes.

usage: cli_test.py SEARCH EXHC [unittest arguments]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEARCH, EXHC = "", ""
with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as project:
    VERSION = re.search(r"^project\(exhaust VERSION ([0-9.]+) ", project.read(), re.M)[1]


def run(program, *arguments, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300,
                          cwd=options.pop("cwd", ROOT), **options)


def records(folder):
    with open(os.path.join(folder, "log.jsonl"), encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.endswith("\n")]


def sealed(record):
    """The first line of a log with this record, as docs/log.md says."""
    body = json.dumps({**record, "crc": ""}, separators=(",", ":"), ensure_ascii=False)[:-len(',"crc":""}')]
    checksum = 0xFFFFFFFF
    for byte in body.encode():
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0x82F63B78 if checksum & 1 else 0)
    return f'{body},"crc":"{checksum ^ 0xFFFFFFFF:08x}"}}\n'


class Doctor(unittest.TestCase):
    def test_says_what_a_gpu_would_need_and_fails_for_none_of_it(self):
        done = run(SEARCH, "doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        for what in ("compiler", "candidates", "cuda", "nvrtc"):
            self.assertRegex(done.stdout, rf"(?m)^(ok|  )  +{what} +\S")


class List(unittest.TestCase):
    def test_kernels_and_sizes_stand_in_columns(self):
        done = run(SEARCH, "list")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = re.findall(r"(?m)^(\S+ +)\S.*$", done.stdout)
        self.assertEqual([kernel.strip() for kernel in kernels],
                         ["axpy", "mv", "matmul", "gesummv", "batched_matmul", "matmul2",
                          "reduce", "softmax", "layer_norm", "rms_norm", "logsumexp", "cross_entropy", "attention", "scan",
                          "dot", "moments", "conv2d"])
        self.assertEqual(len({len(kernel) for kernel in kernels}), 1, done.stdout)
        sizes = re.findall(r"(?m)^  (\S+ +)\S.*\(default \w+, (?:\d+ to [\d^]+|one of [a-z0-9 ]+)\)$", done.stdout)
        self.assertEqual(len(sizes) + len(kernels), done.stdout.count("\n"))
        self.assertEqual(len({len(size) for size in sizes}), 1, done.stdout)


class BadInput(unittest.TestCase):
    """One line that names the mistake and the nearest legal name; exit code 2."""

    def check(self, arguments, *parts, code=2):
        done = run(SEARCH, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.strip().split("\n")
        self.assertEqual(len(lines), 1, done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_unknown_kernel(self):
        self.check(["--kernel", "matmull"], "'matmull'", "'matmul'")

    def test_unknown_size(self):
        self.check(["--kernel", "axpy", "--size", "m=3"], "'m'", "'n'")

    def test_bad_sizes(self):
        # One limit, in one wording, of sizes, of those of statements, and of extents.
        with tempfile.TemporaryDirectory() as folder:
            kernel = os.path.join(folder, "a.kernel")
            with open(kernel, "w", encoding="utf-8") as file:
                file.write("kernel a\n  size n\n  input x: f32[n]\n  output y: f32[n]\n  y[i] = 2 * x[i]\nend\n")
            self.check(["--kernel", kernel, "--size", "n=2147483649"],
                       "bad size n=2147483649: a whole number from 1 to 2^31")
        self.check(["--compute", "y[i] = x[i]", "--size", "i=2147483649"],
                   "bad size i=2147483649: a whole number from 1 to 2^31")
        for size in ("n=0", "n=-4", "n=x", "n=", "n"):
            with self.subTest(size=size):
                self.check(["--kernel", "axpy", "--size", size], "n")

    def test_unknown_device(self):
        self.check(["--kernel", "axpy", "--device", "cpuu"], "'cpuu'", "'cpu'")
        self.check(["--kernel", "axpy", "--device", "gpu"], "'gpu'", "did you mean 'cuda'?")
        self.check(["--kernel", "axpy", "--device", "processor"], "did you mean 'cpu'?")

    def test_unknown_option(self):
        self.check(["--kernel", "axpy", "--bugdet", "3s"], "'--bugdet'", "'--budget'")

    def test_bad_policy_and_stop(self):
        self.check(["--kernel", "axpy", "--policy", "tga"], "did you mean 'tag'")
        self.check(["--kernel", "axpy", "--stop", "gap=x"], "gap=10%")
        self.check(["--kernel", "axpy", "--epsilon", "1"], "--epsilon")

    def test_bad_budget(self):
        self.check(["--kernel", "axpy", "--budget", "soon"], "soon")
        self.check(["--kernel", "axpy", "--budget", "5"], "'5': it has no unit, as 5s and 5m have", "evals=500")

    def test_numbers_of_every_command_say_what_they_must_be(self):
        whole, natural = "it must be a whole number", "it must be a whole number, 0 or more"
        for arguments, parts in (
                (["--kernel", "axpy", "--seed", "abc"], ("bad --seed 'abc'", natural)),
                (["--kernel", "axpy", "--seed", "-1"], ("bad --seed '-1'", natural)),
                (["--kernel", "axpy", "--seed", "99999999999999999999"], ("--seed", natural)),
                (["--kernel", "axpy", "--jobs", "two"], ("bad --jobs 'two'", whole)),
                (["--kernel", "axpy", "--jobs", "1e3"], ("bad --jobs '1e3'", whole)),
                (["--kernel", "axpy", "--jobs", "99999999999"], ("bad --jobs '99999999999'",)),
                (["--kernel", "axpy", "--delta", "x"], ("bad --delta 'x'", "it must be a number")),
                (["--kernel", "axpy", "--delta", "nan"], ("bad --delta 'nan'", "it must be a number")),
                (["log", "show", "x", "--record", "-1"], ("bad --record '-1'", natural)),
                (["replay", "x", "--record", "0x10"], ("bad --record '0x10'", natural)),
                (["emit", "x", "--record", "1.5"], ("bad --record '1.5'", natural)),
                (["export", "x", "--record", ""], ("bad --record ''", natural)),
                (["size", "--kernel", "axpy", "--samples", "many"], ("bad --samples 'many'", whole)),
                (["stats", "--kernel", "axpy", "--beyond", "-3"], ("bad --beyond '-3'", natural)),
                (["deadends", "--kernel", "axpy", "--descents", "-5"], ("bad --descents '-5'", natural)),
                (["explain", "--random-dead-end", "--kernel", "axpy", "--seed", "one"], ("--seed", natural)),
                (["devices", "--threads", "-2"], ("bad --threads '-2'", natural)),
                (["characterize", "--gpu", "first"], ("bad --gpu 'first'", whole))):
            with self.subTest(arguments=arguments):
                self.check(arguments, *parts)

    def test_what_makes_no_sense_is_refused(self):
        axpy = ["--kernel", "axpy", "--budget", "evals=1"]
        self.check([*axpy, "--jobs", "100000"], "bad --jobs 100000", "1 to 1024")
        self.check(["size", "--kernel", "axpy", "--jobs", "100000"], "bad --jobs 100000", "1 to 1024")
        self.check([*axpy, "--memory", "lots"], "bad --memory 'lots'", "512MiB")
        self.check([*axpy, "--memory", "1MiB"], "MiB while it is built, and 1 MiB are allowed", "--memory allows more",
                   code=2)
        self.check([*axpy, "--gpu", "7"], "--gpu 7", "'cpu', which is no GPU")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine.txt"), "w", encoding="utf-8"):
                pass
            self.check([*axpy, "--out", folder], folder, "is not empty", "another --out")
            self.assertEqual(os.listdir(folder), ["mine.txt"])

    def test_a_start_that_fails_leaves_nothing(self):
        axpy = ["--kernel", "axpy", "--size", "n=64", "--budget", "evals=1"]
        with tempfile.TemporaryDirectory() as home:
            folder = os.path.join(home, "run")
            self.check([*axpy, "--prior", "nonexist.json", "--out", folder], "nonexist.json", "cannot be read")
            self.check([*axpy, "--winners", "nonexist", "--out", folder], "--winners nonexist", "no such folder")
            self.assertEqual(os.listdir(home), [])
            os.mkdir(folder)  # What was there stays, and is empty.
            self.check([*axpy, "--prior", "nonexist.json", "--out", folder], "nonexist.json")
            self.assertEqual(os.listdir(folder), [])
            # A start that was killed: no line is whole, so it is no run, and the folder can begin.
            with open(os.path.join(folder, "log.jsonl"), "w", encoding="utf-8") as log:
                log.write('{"t":"run","v":')
            done = run(SEARCH, *axpy, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check([*axpy, "--out", folder], "already holds a run")

    def test_numbers_below_zero(self):
        for command in (["fused", "x.json", "--leaves"], ["fused", "search", "x.json", "--leaves"],
                        ["--kernel", "axpy", "--screen"], ["size", "--kernel", "axpy", "--depth"]):
            self.check([*command, "-1"], f"bad {command[-1]} '-1'", "0 or more")

    def test_a_path_that_is_none_is_said_in_our_words(self):
        for arguments in (["--resume", "x" * 5000], ["log", "show", "x" * 5000], ["replay", "x" * 5000],
                          ["--kernel", "axpy", "--out", "x" * 5000]):
            done = run(SEARCH, *arguments)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn("File name too long", done.stderr)
            self.assertNotIn("filesystem error", done.stderr)

    def test_versions(self):
        for program, name in ((SEARCH, "search"), (EXHC, "exhc")):
            done = run(program, "--version")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0], f"{name} {VERSION}")
            said = dict(line.split(None, 1) for line in lines[1:])
            self.assertRegex(said["commit"], r"^([0-9a-f]{10}(, changed)?|unknown)$")
            self.assertRegex(said["compiled"], r"^by (g|clang)\+\+ \d+")
            if name == "search":
                self.assertEqual(said["devices"], "c++, cuda, hip, opencl")
                self.assertRegex(said["formats"], r"^log \d+, fleet \d+, prior \d+, wisdom \d+, tuned\.h \d+$")
                self.assertRegex(said["plugins"], rf"^exh_plugin_v\d+, stamp {re.escape(VERSION)} [0-9a-f]{{16}}$")
            else:
                self.assertRegex(said["formats"], r"^exhaust-ir \d+$")

    def test_unknown_sub_command(self):
        self.check(["reply", "x"], "'reply'", "'replay'")

    def test_sizes_that_do_not_fit(self):
        self.check(["--kernel", "matmul", "--size", "m=65536,n=65536,k=65536"], "MiB", code=1)

    def test_unwritable_folder(self):
        self.check(["--kernel", "axpy", "--budget", "1s", "--out", "/proc/nope"], "/proc/nope", code=1)

    def test_missing_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(SEARCH, "--kernel", "axpy", "--size", "n=64", "--budget", "evals=1", "--out",
                       os.path.join(folder, "run"), env={**os.environ, "PATH": folder})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("g++", done.stderr)

    def test_replay_names_line_and_nearest_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wish.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kernel: axpy\n# a comment\ndim_kind(mad.n0)=BLOK\n")
            done = run(SEARCH, "replay", path)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("wish.txt:3", done.stderr)
        self.assertIn("BLOCK", done.stderr)


    def test_nothing_runs_on_a_device_for_counting(self):
        self.check(["--kernel", "axpy", "--device", "k4000"], "k4000", "--device cpu")

    def test_studies(self):
        self.check(["size", "--kernel", "axpy", "--space", "papr"], "'papr'", "'paper'")
        self.check(["size", "--kernel", "axpy", "--depth", "-1"], "--depth")
        self.check(["size", "--kernel", "axpy", "--estimate", "knut"], "'knut'", "'knuth'")
        self.check(["size", "--kernel", "axpy", "--samples", "1"], "--samples")
        self.check(["size", "--kernel", "axpy", "--budget", "evals=3"], "--samples")
        self.check(["stats", "--kernel", "axpy", "--order", "papper"], "'papper'")
        self.check(["export", "--kernel", "axpy", "--format", "minizink"], "'minizinc'")
        self.check(["explain"], "--random-dead-end")
        self.check(["bound"], "search bound FILE")

    def test_export(self):
        self.check(["export", "--format", "cu"], "search export RUN")
        self.check(["export", "--format", "cu", "no/such/run"], "no/such/run")
        self.check(["export", "--format", "cc", "no/such/run"], "no/such/run")
        self.check(["export", "--format", "header"], "search export RUN", "--format header")
        self.check(["export", "runs/x"], "--format cu")
        self.check(["export", "runs/x", "--format", "cu", "--kernel", "axpy"], "not a kernel")


class Studies(unittest.TestCase):
    """size, export and explain: nothing is compiled or timed."""

    def search(self, *arguments):
        done = run(SEARCH, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_size(self):
        kernel = ("size", "--kernel", "axpy", "--size", "n=64", "--device", "k4000", "--depth", "4")
        levels = json.loads(self.search(*kernel, "--space", "paper", "--order", "paper",
                                        "--format", "json"))["levels"]
        self.assertEqual(len(levels), 5)
        self.assertEqual(levels[0], {"nodes": 1, "dead_ends": 0, "implementations": 0})
        table = self.search(*kernel, "--space", "paper", "--order", "paper", "--jobs", "1").split()
        self.assertEqual([int(n) for n in table[6::4]], [level["nodes"] for level in levels])

    def test_size_is_counted_or_estimated(self):
        kernel = ("size", "--kernel", "axpy", "--device", "k4000", "--space", "paper", "--samples", "3", "--format",
                  "json", "--size")
        small = json.loads(self.search(*kernel, "n=1"))
        # One loop: two directives for each of three accesses, and either read is the first.
        self.assertEqual(small["exact"]["implementations"], 16)
        self.assertEqual(small["estimates"], [])
        for name in "knuth", "chen":
            large = json.loads(self.search(*kernel, "n=64", "--estimate", name))
            self.assertIsNone(large["exact"])
            self.assertEqual([each["estimator"] for each in large["estimates"]], [name])
            self.assertEqual(large["estimates"][0]["samples"], 3)
            self.assertEqual(large, json.loads(self.search(*kernel, "n=64", "--estimate", name, "--jobs", "1")))

    def test_stats(self):
        kernel = ("stats", "--kernel", "axpy", "--size", "n=64", "--device", "k4000", "--space", "paper", "--order",
                  "paper", "--order", "paper-reversed", "--depth", "3")
        direct, reverse = json.loads(self.search(*kernel, "--format", "json"))["orders"]
        self.assertEqual(direct["order"][:7], reverse["order"][6::-1])
        table = self.search(*kernel)
        for order in direct, reverse:
            self.assertEqual(len(order["levels"]), 4)
            self.assertIn(str(order["levels"][3]["nodes"]), table)

    def test_dead_ends(self):
        text = self.search("deadends", "--kernel", "axpy", "--size", "n=64", "--descents", "20")
        self.assertIn("of 20 descents", text)
        self.assertIn("of the leaves of the tree", text)

    def test_size_below_decisions(self):
        kernel = ("size", "--kernel", "axpy", "--size", "n=64", "--device", "k4000", "--space", "paper", "--order",
                  "paper", "--depth", "2", "--format", "json")
        whole = json.loads(self.search(*kernel))["levels"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wish.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("size(load_x.n0)=2|4\n")
            part = json.loads(self.search(*kernel, "--below", path))["levels"]
        self.assertEqual(part[1]["nodes"], 2)
        self.assertGreater(whole[1]["nodes"], 2)

    def test_export(self):
        kernel = ("export", "--kernel", "axpy", "--size", "n=4", "--device", "k4000")
        model = self.search(*kernel)
        self.assertIn("constraint", model)
        self.assertIn("% size(mad.n0)", model)
        self.assertRegex(model, r"solve :: int_search\(\[.*\], input_order, indomain_min, complete\)")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "axpy.mzn")
            self.assertEqual(self.search(*kernel, "--out", path), path + "\n")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), model)

    def test_bound(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wish.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kernel: axpy\nsize: n=67108864\ndevice: h200\nsize(mad.n1)=2|4\n")
            text = self.search("bound", path)
            self.assertRegex(text, r"no implementation takes less than 1\d\d\S* us: memory")
            self.assertIn("mad.n1: ", text)
            self.assertIn("2 to 4 iterations", text)
            bound = json.loads(self.search("bound", path, "--json"))
        self.assertEqual(bound["bottleneck"], "memory")
        self.assertEqual(bound["bound_ns"], max(term["ns"] for term in bound["terms"]))

    def test_bound_of_statements(self):
        text = self.search("bound", "--compute", "y[i] = x[i] + 1", "--size", "i=67108864", "--device", "h200")
        self.assertRegex(text, r"no implementation takes less than 1\d\d\.\d us: memory")

    def test_bound_of_a_chain(self):
        """Each step of a chain must not take several times as long as the one before."""
        value = "x[i]"
        for step in range(24):
            value = f"({value} * x[i] + {step}.5)"
        text = self.search("bound", "--compute", f"y[i] = {value}", "--size", "i=4096", "--device", "h200")
        self.assertIn("no implementation takes less than", text)

    def test_sources_of_arrays_that_no_memory_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel, wish = os.path.join(folder, "large.kernel"), os.path.join(folder, "wish.txt")
            with open(kernel, "w", encoding="utf-8") as file:
                file.write("kernel large\n  size n = 2147483648\n  input x: f64[8, n]\n  output y: f64[8, n]\n"
                           "  y[i, j] = 2 * x[i, j]\nend\n")
            with open(wish, "w", encoding="utf-8") as file:
                file.write("# Nothing is decided.\n")
            self.assertIn("__global__", self.search("emit", wish, "--kernel", kernel, "--device", "h200"))
            self.assertIn("void", self.search("emit", wish, "--kernel", kernel, "--device", "cpu"))

    def test_explain(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wish.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kernel: matmul\nsize: m=64,n=64,k=64\ndevice: k4000\n"
                           "dim_kind(load_b.k0)=LOOP\n"
                           "dim_kind(init.m0)=UNROLL\ndim_kind(mad.m0)=LOOP\n")
            text = self.search("explain", path)
        self.assertIn("2 of 3 decisions", text)
        self.assertNotIn("load_b.k0", text)
        self.assertRegex(text, r"by requirement \w+ \(kernels/spaces/\w+\.exh:\d+\)")
        text = self.search("explain", "--random-dead-end", "--seed", "3", "--kernel", "matmul",
                           "--size", "m=64,n=64,k=64", "--device", "k4000", "--order", "paper")
        self.assertIn("-> {}", text)


class SpaceMistakes(unittest.TestCase):
    def test_several_mistakes_with_carets(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.exh")
            with open(path, "w", encoding="utf-8") as file:
                file.write('define enum f($x in Thngs):\n  value A:\nend\n'
                           "require forall $x in Things: g($x) is A\n")
            done = run(EXHC, "check", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"a\.exh:1:\d+: error: .*Thngs")
        self.assertRegex(done.stderr, r"a\.exh:4:\d+: error: ")
        self.assertIn("^", done.stderr)

    def test_the_space_is_clean(self):
        done = run(EXHC, "check", "kernels/spaces/linalg.exh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_unknown_sub_command(self):
        done = run(EXHC, "chekc", "x.exh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("check", done.stderr)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "run")

    def search(self, *arguments):
        return run(SEARCH, "--kernel", "matmul", "--size", "m=24,n=24,k=24", "--out", self.out, *arguments)

    def test_search_then_show_diff_replay_and_emit(self):
        # Most are rollouts of the tree, so that it has nodes.
        done = self.search("--budget", "evals=6", "--seed", "3", "--local", "20%")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = records(self.out)
        kinds = [record["t"] for record in log]
        self.assertEqual(kinds[0], "run")
        self.assertEqual(kinds[-1], "end")
        evaluations = [record for record in log if record["t"] == "eval"]
        # Fast times may prove the rest of so small a space to be no better.
        self.assertTrue(len(evaluations) == 6 or log[-1]["why"] == "exhausted", log[-1])
        # On a busy machine a slow one may run out of its time.
        self.assertTrue(all(e["verdict"] in ("correct", "slow", "idle", "timeout") for e in evaluations), evaluations)
        for statement in ("load_a", "load_b", "init", "mad", "store_c"):  # The winner's loops.
            self.assertRegex(done.stdout, rf"(?m)^ +exec {statement}$")
        self.assertIn("naive", done.stdout)
        self.assertIn("Eigen", done.stdout)
        said = done.stdout

        # The commands that the end of a run prints work as they are.
        commands = re.findall(r"^  (?:show|replay|emit) +(\S.*)$", done.stdout, re.MULTILINE)
        self.assertEqual(len(commands), 3, done.stdout)
        for command in commands:
            again = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, cwd=ROOT)
            self.assertEqual(again.returncode, 0, command + again.stdout + again.stderr)
            self.assertTrue(again.stdout)
            if " replay " in command:
                self.assertIn("Eigen", again.stdout)
                self.assertNotIn("naive", again.stdout)
        # Only runs on a GPU are CUDA programs.
        done = run(SEARCH, "export", self.out, "--format", "cu")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--format cc", done.stderr)
        done = run(SEARCH, "export", self.out, "--format", "header")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("int matmul_run(const float* a, const float* b, float* c, int threads);", done.stdout)
        tree = run(SEARCH, "replay-run", self.out)
        self.assertEqual(tree.returncode, 0, tree.stderr)
        self.assertIn("the same tree", tree.stdout)
        first, second = evaluations[0]["n"], evaluations[1]["n"]
        nodes = run(SEARCH, "replay-run", self.out, "--text").stdout
        self.assertRegex(nodes, r"(?m)^node \d+ below edge \d+: decision \w+\([\w.,:]+\)$")
        self.assertNotRegex(nodes, r"(?m)^node .*: decision \d+$")
        diff = run(SEARCH, "log", "diff", f"{self.out}@{first}", f"{self.out}@{second}")
        self.assertEqual(diff.returncode, 0, diff.stderr)
        self.assertRegex(diff.stdout, r"(size|dim_kind|order)\(")
        self.assertRegex(diff.stdout, r"\Atime: \S.* -> ")
        taken = {tuple(step) for e in evaluations[:2] for step in e["path"]}
        names = {choice["i"]: f"{choice['name']}({','.join(choice['args'])})" for choice in log if choice["t"] == "choice"}
        shown = re.findall(r"(?m)^(\w+\(.*\)): ", diff.stdout)
        self.assertLessEqual(set(shown), {names[decision] for decision, _ in taken}, "what follows from it is not shown")
        full = run(SEARCH, "log", "diff", "--full", f"{self.out}@{first}", f"{self.out}@{second}").stdout
        self.assertEqual(len(re.findall(r"(?m)^\w+\(.*\): ", full)),
                         len(shown) + int((re.search(r"(?m)^(\d+) more differ", diff.stdout) or [0, 0])[1]))
        # A record has its loops, without those of one iteration.
        record = run(SEARCH, "log", "show", self.out, "--best").stdout
        loops = record[record.index("its loops:\n"):]
        self.assertRegex(loops, r"(?m)^ +exec mad$")
        self.assertNotRegex(loops, r":1$")
        self.assertIn(loops.split("\n", 1)[1], said)
        # The machine is known, and one number said: that of the finals.
        machine = log[0]["machine"]
        self.assertIn("g++", machine["compiler"])
        self.assertRegex(machine["eigen"], r"^\d+\.\d+\.\d+$")
        best = re.search(r"(?m)^best: (.*) \(record (\d+)\)", said)
        winner = next(r for r in log if r["t"] == "reference" and r["name"] == "winner")
        self.assertGreater(winner["median_ns"], 0)
        self.assertIn(f"best: record {best[2]}, {best[1]}\n", run(SEARCH, "log", "show", self.out).stdout)
        # explain is of decisions that do not hold together.
        done = run(SEARCH, "explain", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"'{self.out}' is a run: explain takes a file", done.stderr)
        self.assertIn(f"search log show {self.out}", done.stderr)
        # A replay compares with libraries, or with nothing.
        done = run(SEARCH, "replay", self.out, "--no-yardsticks")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("the speed of", done.stdout)
        self.assertEqual(run(SEARCH, "replay", self.out, "--no-yardsticks", "--all-yardsticks").returncode, 2)
        # The decisions that were taken stand in the source, all others in a file beside it.
        with open(os.path.join(self.out, "best.cc"), encoding="utf-8") as source:
            comment = re.match(r"(?://.*\n)*", source.read()).group(0)
        with open(os.path.join(self.out, "best.decisions.txt"), encoding="utf-8") as file:
            everything = file.read().splitlines()
        with open(os.path.join(self.out, "best.replay"), encoding="utf-8") as file:
            taken = [line for line in file.read().splitlines() if "=" in line and not line.startswith(("#", "size: "))]
        self.assertEqual([line[5:] for line in comment.splitlines() if line.startswith("//   ")], taken)
        self.assertLess(len(taken), 100)
        self.assertGreater(len(everything), 5 * len(taken))
        self.assertLessEqual(set(taken), set(everything))
        done = run(SEARCH, "replay", self.out, "--emit", os.path.join(self.folder.name, "e"), "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder.name, "e"))), ["replay.cc", "replay.decisions.txt"])
        for option in (("--size", "m=8,n=8,k=8"), ("--kernel", "axpy"), ("--seed", "3"), ("--strict",)):
            done = run(SEARCH, "replay", self.out, *option)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(f"{option[0]} means nothing for '{self.out}'", done.stderr)
        other = os.path.join(self.folder.name, "other")
        with open(os.path.join(self.out, "log.jsonl"), encoding="utf-8") as file:
            header, rest = file.read().split("\n", 1)
        os.mkdir(other)
        header = json.loads(header)
        header["kernel"]["name"] = "axpy"
        with open(os.path.join(other, "log.jsonl"), "w", encoding="utf-8") as file:
            file.write(sealed(header) + rest)
        diff = run(SEARCH, "log", "diff", self.out, other)
        self.assertEqual(diff.returncode, 2, diff.stdout)
        self.assertIn("different kernels: matmul and axpy", diff.stderr)
        same = run(SEARCH, "log", "diff", f"{self.out}@{first}", f"{self.out}@{first}")
        self.assertNotRegex(same.stdout, r"(size|dim_kind|order)\(")

    def test_same_seed_draws_the_same_implementations(self):
        paths = []
        for name in ("a", "b"):
            self.out = os.path.join(self.folder.name, name)
            # Times decide nothing yet: nothing is cut, and there is no cost model.
            done = self.search("--budget", "evals=4", "--seed", "9", "--jobs", "1", "--screen", "1", "--bound", "check")
            self.assertEqual(done.returncode, 0, done.stderr)
            paths.append([r["vector"] for r in records(self.out) if r["t"] == "eval"])
        self.assertEqual(paths[0], paths[1])

    def test_interrupt_ends_with_the_best_so_far(self):
        process = subprocess.Popen([SEARCH, "--kernel", "matmul", "--size", "m=24,n=24,k=24", "--out", self.out,
                                    "--budget", "120s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=ROOT, start_new_session=True)
        log = os.path.join(self.out, "log.jsonl")
        for _ in range(600):
            if os.path.exists(log) and any(record["t"] == "best" for record in records(self.out)):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("best:", output)
        self.assertEqual(records(self.out)[-1]["why"], "signal")

    def test_a_budget_that_ends_while_the_space_is_built_says_what_is_enough(self):
        # A hundred and fifty statements in a row: their space takes far longer than that.
        text = "".join(f"t{n + 1}[i] = t{n}[i] * t{n}[i] + {n}.5\n" for n in range(1, 150))
        done = run(SEARCH, "--compute", f"t1[i] = x[i] * x[i]\n{text}y[i] = t150[i] + 1", "--size", "i=4096",
                   "--budget", "1s", "--out", self.out)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertFalse(os.path.exists(self.out))
        self.assertRegex(done.stderr, r"the budget was over while the space was built, before anything was tried: "
                                      r"\d+ % of it was done in \d+\.\d s, and all of it takes about \d+ s; "
                                      r"--budget \d+s leaves time for a search")

    def test_a_run_begins_with_what_is_known_to_be_decent(self):
        done = self.search("--budget", "evals=4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        first = next(record for record in records(self.out) if record["t"] == "select")
        self.assertEqual(first["policy"], "first")
        tree = run(SEARCH, "replay-run", self.out)
        self.assertEqual(tree.returncode, 0, tree.stderr)

    def test_a_run_says_near_which_winners_its_islands_begin(self):
        done = self.search("--budget", "evals=2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        near = re.search(r"^matmul .* seed \d+, islands begin near (\S+) and (\S+)$", done.stdout.splitlines()[0])
        self.assertTrue(near, done.stdout)
        winners = records(self.out)[0]["policy"]["winners"]
        self.assertEqual([name.split()[0] for name in winners], list(near.groups()))
        self.assertTrue(all(name.startswith("matmul-512-avx") for name in near.groups()), near.groups())
        more = run(SEARCH, "--resume", self.out, "--budget", "evals=3")
        self.assertNotIn("islands", more.stdout)
        for option in (("--winners", "none"), ("--prior", "none")):
            out = self.out + option[0]
            done = run(SEARCH, "--kernel", "matmul", "--size", "m=24,n=24,k=24", "--budget", "evals=1", *option, "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("islands", done.stdout)
            self.assertNotIn("winners", records(out)[0]["policy"])

    def hanging_compiler(self):
        """An environment whose compiler never ends."""
        folder = os.path.join(self.folder.name, "bin")
        os.mkdir(folder)
        path = os.path.join(folder, "g++")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(path, 0o755)
        return {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}

    def test_a_budget_bounds_a_run_whose_compiler_hangs(self):
        start = time.monotonic()
        done = run(SEARCH, "--kernel", "matmul", "--size", "m=24,n=24,k=24", "--out", self.out, "--budget", "2s",
                   env=self.hanging_compiler())
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no implementation was found to be correct", done.stdout)
        self.assertNotIn("proven", done.stdout)
        self.assertLess(time.monotonic() - start, 60)  # Generous: 3.5 s where nothing else runs.

    def test_an_interrupt_before_anything_was_found_is_a_failure(self):
        process = subprocess.Popen([SEARCH, "--kernel", "matmul", "--size", "m=24,n=24,k=24", "--out", self.out,
                                    "--budget", "600s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=ROOT, start_new_session=True, env=self.hanging_compiler())
        self.assertIn("matmul", process.stdout.readline())  # Before anything that takes long.
        log = os.path.join(self.out, "log.jsonl")
        for _ in range(600):
            if os.path.exists(log):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("no implementation was found to be correct", output)

    def test_cut_log_is_still_readable(self):
        self.assertEqual(self.search("--budget", "evals=3").returncode, 0)
        path = os.path.join(self.out, "log.jsonl")
        size = os.path.getsize(path)
        for keep in (size - 1, size - 40, size * 3 // 4):
            os.truncate(path, keep)
            shown = run(SEARCH, "log", "show", self.out)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn("matmul", shown.stdout)
            tree = run(SEARCH, "replay-run", self.out)
            self.assertEqual(tree.returncode, 0, tree.stderr)
            self.assertRegex(tree.stdout, r"nodes, tree [0-9a-f]{16}")

    def test_a_run_without_a_tree_has_none(self):
        self.assertEqual(self.search("--budget", "evals=1", "--policy", "random").returncode, 0)
        tree = run(SEARCH, "replay-run", self.out)
        self.assertEqual(tree.returncode, 2, tree.stdout)
        self.assertIn("without a tree", tree.stderr)

    def test_prime_sizes_are_said_not_to_be_tiled(self):
        done = run(SEARCH, "--kernel", "axpy", "--size", "n=23", "--budget", "evals=2", "--durable", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("axis n = 23 has no divisor in its tile range", done.stdout + done.stderr)

    def test_covered_sizes_are_said_and_found_right(self):
        done = run(SEARCH, "--kernel", "axpy", "--size", "n=97", "--budget", "evals=4", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("axis n = 97, covered by 100", done.stdout + done.stderr)
        self.assertNotIn("wrong 1", done.stdout)
        listed = run(SEARCH, "list", "axpy", "--size", "n=97")
        self.assertIn("note: axis n = 97, covered by 100", listed.stdout)


class Replays(unittest.TestCase):
    def test_the_replays_of_the_repository_run_right(self):
        widths = json.loads(re.search(r"vector_sizes +(\[.*\])", run(SEARCH, "devices").stdout).group(1))
        for width, name in ((8, "avx2"), (16, "avx512")):
            if width not in widths:
                print(f"skipped: matmul-512-{name}.txt needs vectors of {width} floats; this machine has {widths}")
                continue
            done = run(SEARCH, "replay", f"kernels/replays/matmul-512-{name}.txt")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("correct", done.stdout)


if __name__ == "__main__":
    SEARCH, EXHC = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
