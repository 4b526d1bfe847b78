#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""search solve and search size --exact as a person meets them: answers, messages and exit codes.

usage: solve_test.py SEARCH [unittest arguments]
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
SEARCH = ""


def run(*arguments):
    return subprocess.run([SEARCH, *arguments], capture_output=True, text=True, timeout=300, cwd=ROOT)


def solve(*arguments):
    return run("solve", *arguments)


class Solutions(unittest.TestCase):
    def test_the_first_one(self):
        done = solve("--space", "queens", "--size", "n=6")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "  column  r0=1  r1=3  r2=5  r3=0  r4=2  r5=4\n")

    def test_all_of_them(self):
        done = solve("--space", "queens", "--size", "n=4", "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "1\n  column  r0=1  r1=3  r2=0  r3=2\n"
                                      "2\n  column  r0=2  r1=0  r2=3  r3=1\n"
                                      "2 solutions, all there are\n")

    def test_a_space_in_a_file(self):
        done = solve("--space", "tests/load/plain.exh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], "  layout  ROWS")
        done = solve("--space", "tests/load/plain.exh", "--size", "n=3")
        self.assertEqual((done.returncode, done.stderr), (2, "search: the space has no size 'n': it has none; 'extern constant n' would be one\n"))
        done = solve("--space", "examples/queens.exh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("examples/queens.exh:7:5: error: set 'Rows' needs a backbone in C++", done.stderr)
        done = solve("--space", "nowhere.exh")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "search: nowhere.exh: error: cannot read 'nowhere.exh': No such file or directory [E0104]\n"))

    def test_a_space_with_data(self):
        done = solve("--space", "examples/spaces/queens.exh", "--size", "n=4")
        self.assertEqual((done.returncode, done.stdout), (0, "  column  1=2  2=4  3=1  4=3\n"), done.stderr)
        done = solve("--space", "examples/spaces/queens.exh", "--count")
        self.assertRegex(done.stdout, r"^queens: 92 solutions, counted: ")
        done = solve("--space", "examples/spaces/colouring.exh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("examples/spaces/colouring.exh:3:12: error: the objects of set 'Vertices' are not given", done.stderr)
        done = solve("--space", "examples/spaces/colouring.exh", "--data", "examples/spaces/knapsack.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("examples/spaces/knapsack.json: unknown key 'Items'", done.stderr)

    def test_the_best_one(self):
        shop = ["--space", "examples/spaces/job_shop.exh", "--data", "examples/spaces/job_shop.json"]
        done = solve(*shop)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("optimum: 11 (proven)\n"), done.stdout)
        self.assertRegex(done.stdout, r"(?m)^makespan\(\) = 11\n  start     1a=")
        lines = [json.loads(line) for line in solve(*shop, "--format", "json").stdout.splitlines()]
        self.assertGreater(lines[-1].pop("steps"), 5)
        self.assertEqual(lines[-1], {"optimum": 11, "proven": True})
        self.assertEqual(lines[-2]["objective"], lines[-2]["solution"]["makespan"])
        self.assertEqual(sorted((line["objective"] for line in lines[:-1]), reverse=True),
                         [line["objective"] for line in lines[:-1]])
        done = solve("--space", "examples/spaces/knapsack.exh", "--data", "examples/spaces/knapsack.json", "--count")
        self.assertIn("the space says 'maximize worth()'", done.stderr)
        self.assertRegex(done.stdout, r"^knapsack: \d+ solutions, counted: ")
        done = solve(*shop, "--size", "horizon=10")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue(done.stdout.startswith("no solution"), done.stdout)

    def test_a_large_knapsack(self):
        # What each item is worth goes with its weight, and the capacity holds half of them: intervals alone prove nothing here.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.json")
            with open(path, "w", encoding="utf-8") as file:
                names = [f"i{number}" for number in range(60)]
                json.dump({"Items": names, "weight_of": {name: 1000 + 37 * n % 211 for n, name in enumerate(names)},
                           "worth_of": {name: 1000 + 53 * n % 199 for n, name in enumerate(names)}}, file)
            done = solve("--space", "examples/spaces/knapsack.exh", "--size", "capacity=30000", "--data", path, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertTrue(last["proven"])
        self.assertLess(last["steps"], 20000)
        # By what each capacity can carry.
        most = [0] * 30001
        for n in range(60):
            weight, worth = 1000 + 37 * n % 211, 1000 + 53 * n % 199
            for left in range(30000, weight - 1, -1):
                most[left] = max(most[left], most[left - weight] + worth)
        self.assertEqual(last["optimum"], most[-1])

    def test_a_published_job_shop(self):
        done = solve("--space", "examples/spaces/job_shop.exh", "--data", "examples/spaces/job_shop_6x6.json", "--format", "json")
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((last["optimum"], last["proven"]), (55, True))
        self.assertLess(last["steps"], 20000)

    def test_the_best_one_so_far(self):
        # Nobody proves this in a second: each term is about two decisions, and the interval is far from what there is.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.exh")
            with open(path, "w", encoding="utf-8") as file:
                file.write("""
set Nodes = 1 .. 60
choice enum side($node in Nodes): value LEFT: value RIGHT: end
choice counter across():
  forall $a in Nodes: forall $b in Nodes: sum ($a * $b * 13 + $a + $b) % 7 when: side($a) is LEFT && side($b) is RIGHT
end
choice counter on_the_left(): forall $node in Nodes: sum 1 when: side($node) is LEFT end
require on_the_left() == 30
minimize across()
""")
            done = solve("--space", path, "--budget", "1s")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = re.search(r"\nended before it was through: best so far (\d+), nothing is less than (\d+)\n$", done.stdout)
        self.assertIsNotNone(found, done.stdout[-300:])
        self.assertGreater(int(found[1]), int(found[2]))

    def test_keys_are_names(self):
        done = solve("--space", "tests/load/plain.exh", "--format", "json")
        self.assertEqual(list(json.loads(done.stdout)), ["layout", "other", "tile", "width", "length"])
        done = solve("--space", "queens", "--size", "n=4", "--format", "json")
        self.assertEqual(json.loads(done.stdout), {"column(r0)": 1, "column(r1)": 3, "column(r2)": 0, "column(r3)": 2})

    def test_one_solution_is_one(self):
        for text in (solve("--space", "queens", "--size", "n=1", "--all").stdout,
                     solve("--space", "queens", "--size", "n=1", "--count").stdout):
            self.assertRegex(text, r"\b1 solution\b")
            self.assertNotIn("1 solutions", text)
        text = run("size", "--exact", "--kernel", "axpy", "--size", "n=1", "--space", "paper").stdout
        self.assertRegex(text, r"^axpy: \d+ implementations, counted: ")

    def test_a_functional_program(self):
        program = "examples/conv_space/conv.fun"
        done = solve("--space", program, "--size", "side=12,channels=4,kernels=4", "--sample", "3", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(points), 3)
        for point in points:
            self.assertEqual((14 + point["rho"] - point["theta"]) % (point["theta"] - 2), 0)
            self.assertEqual(36 % point["omega"], 0)
        text = run("functional", "constraints", program, "--size", "side=12,channels=4,kernels=4")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("require split_kappa: 4 % kappa() == 0\n", text.stdout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "conv.exh")
            with open(path, "w") as file:
                file.write(text.stdout)
            counts = {solve("--space", path, "--count").stdout,
                      solve("--space", program, "--size", "side=12,channels=4,kernels=4", "--count").stdout}
            self.assertEqual(len(counts), 1)
        done = solve("--space", program, "--size", "sidee=3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'side'?", done.stderr)

    def test_mappings_of_a_functional_program(self):
        program = "examples/lift/programs/listing_1.fun"
        known = solve("--space", "lift", "--data", "examples/lift/trees/listing_1.json", "--count")
        self.assertEqual(known.returncode, 0, known.stderr)
        self.assertEqual(solve("--space", "lift", "--data", program, "--count").stdout, known.stdout)
        tree = run("functional", "maps", program)
        self.assertEqual([each["name"] for each in json.loads(tree.stdout)["maps"]], list("ABCDE"))
        done = run("functional", "maps", "examples/conv_space/conv.fun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a mapping is of one kernel, and the program has 4", done.stderr)

    def test_so_many(self):
        done = solve("--space", "queens", "--limit", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("\n3 solutions\n"), done.stdout)
        self.assertEqual(done.stdout.count("column"), 3)

    def test_as_json_an_object_a_line(self):
        done = solve("--space", "colouring", "--all", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 19)
        self.assertEqual(lines[-1], {"solutions": "18", "complete": True})
        for colours in lines[:-1]:
            self.assertNotEqual(colours["colour(WA)"], colours["colour(SA)"])
            self.assertIn(colours["colour(T)"], (1, 2, 3))
        done = solve("--space", "knapsack", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["place(axe)"], "AT_HOME")

    def test_how_many(self):
        done = solve("--space", "queens", "--count")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^queens: 92 solutions, counted: \d+ nodes, ")
        done = solve("--space", "queens", "--count", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["solutions"], "92")
        # With hardly any memory it takes longer, and is the same.
        done = solve("--space", "queens", "--count", "--cache", "1KiB")
        self.assertRegex(done.stdout, r"^queens: 92 solutions, .* forgotten\n$")

    def test_some_at_random(self):
        done = solve("--space", "queens", "--sample", "20", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "note: each of the 92 solutions has the same probability\n")
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 20)
        self.assertGreater(len(set(lines)), 10)
        self.assertEqual(done.stdout, solve("--space", "queens", "--sample", "20", "--format", "json").stdout)
        other = solve("--space", "queens", "--sample", "20", "--format", "json", "--seed", "2")
        self.assertNotEqual(done.stdout, other.stdout)

    def test_what_is_not_uniform_is_not_called_so(self):
        done = solve("--space", "queens", "--size", "n=40", "--sample", "2", "--budget", "4s")
        self.assertIn("different probabilities", done.stderr)
        self.assertNotIn("same probability", done.stderr)

    def test_data_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shop.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"jobs": [[{"machine": "m", "time": 2}], [{"machine": "m", "time": 3}]]}, file)
            done = solve("--space", "job_shop", "--size", "horizon=5", "--data", path, "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "1\n  start  1m1=0  2m1=2\n2\n  start  1m1=3  2m1=0\n"
                                      "2 solutions, all there are\n")


class NoSolution(unittest.TestCase):
    """Is an answer, with an exit code of its own."""

    def test_found_by_search(self):
        for options in ([], ["--all"], ["--count"], ["--sample", "3"]):
            done = solve("--space", "colouring", "--size", "colours=2", *options)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertTrue(done.stdout.startswith("no solution"), done.stdout)
        done = solve("--space", "queens", "--size", "n=3", "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (3, {"solutions": "0", "complete": True}))

    def test_seen_at_once_names_the_requirement(self):
        done = solve("--space", "knapsack", "--size", "worth=100")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, r"^no solution \((requirement worth_it|counter worth) \(.*knapsack.exh:\d+\)\)\n$")


class Ends(unittest.TestCase):
    """Early, with what there is, and says so."""

    def test_at_a_budget(self):
        done = solve("--space", "queens", "--size", "n=30", "--count", "--budget", "1s")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"^queens: (at least \d+ solutions; the count was ended|the count was ended before)")
        done = solve("--space", "queens", "--size", "n=30", "--all", "--budget", "1s")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\nended before it was through: \d+ solutions? so far, there may be others\n$")

    def test_at_ctrl_c(self):
        for options in (["--count"], ["--all"]):
            process = subprocess.Popen([SEARCH, "solve", "--space", "queens", "--size", "n=30", *options],
                                       cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, out[-500:])
            self.assertIn("ended", out[-200:])


class Mistakes(unittest.TestCase):
    """One line that names the mistake and what would be right; exit code 2."""

    def check(self, arguments, *parts):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        lines = done.stderr.strip().split("\n")
        self.assertEqual(len(lines), 1, done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_of_the_space(self):
        self.check(["solve"], "--space is one of queens, colouring, job_shop, knapsack, lift")
        self.check(["solve", "--space", "queen"], "unknown space 'queen'; did you mean 'queens'?")

    def test_of_sizes(self):
        self.check(["solve", "--space", "queens", "--size", "m=3"], "size of queens 'm'", "'n'")
        self.check(["solve", "--space", "queens", "--size", "n=0"], "n=0: a whole number from 1 to 256")
        self.check(["solve", "--space", "queens", "--size", "n=4,n=5"], "'n' stands twice")

    def test_of_data(self):
        self.check(["solve", "--space", "queens", "--data", "x.json"], "queens takes no --data")
        self.check(["solve", "--space", "colouring", "--data", "no/such.json"], "cannot read 'no/such.json'")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"vertices": ["north", "south"], "edges": [["north", "sout"]]}, file)
            self.check(["solve", "--space", "colouring", "--data", path],
                       f"--data '{path}': 'edges[0][1]'", "did you mean 'south'?")

    def check_short(self, arguments, *parts, code=2):
        """One message that has an end."""
        done = run(*arguments)
        self.assertEqual(done.returncode, code, done.stderr[:2000])
        self.assertLess(len(done.stdout) + len(done.stderr), 4000)
        self.assertNotIn("json.exception", done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_of_a_space_that_is_too_large(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "huge.exh")
            with open(path, "w", encoding="utf-8") as file:
                for name in "abc":
                    file.write(f"choice integer {name}(): 4294967295 end\n")
                file.write("require r: a() * b() * c() % 2 == 1\n")
            for how in ((), ("--all",), ("--count",), ("--sample", "2")):
                self.check_short(["solve", "--space", path, *how], "'a() * b() * c() % 2 == 1' in requirement r",
                                 "a product in it may be 1.84e+19", "list smaller numbers")
        self.check_short(["solve", "--space", "queens", "--size", "n=257"], "n=257")

    def test_of_hostile_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.json")
            for text, said in (("[" * 100_000 + "]" * 100_000, "column 201: lists and objects nest deeper than 200"),
                               ('{"vertices": ' + '{"a":' * 100_000, "nest deeper than 200"),
                               ('{"vertices": 1e999}', "number overflow parsing '1e999'"),
                               ('{"vertices": ["' + "x" * 28_000 + '"], "edges": [[', "unexpected end of input"),
                               ('{"' + "k" * 28_000 + '": 1}', "bytes more)"),
                               ("1" * 28_000, "bytes more)")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for space in "colouring", "lift":
                    self.check_short(["solve", "--space", space, "--data", path], f"--data '{path}'")
                self.check_short(["solve", "--space", "examples/spaces/colouring.exh", "--data", path], path)
                self.check_short(["solve", "--space", "colouring", "--data", path], said)
                self.check_short(["--kernel", "axpy", "--prior", path, "--budget", "evals=1",
                                  "--out", os.path.join(folder, "run")], "is no prior")
                self.assertFalse(os.path.exists(os.path.join(folder, "run")))
                done = run("fused", "check", path)
                self.assertEqual(done.returncode, 2)
                self.assertLess(len(done.stderr), 4000)
            self.check_short(["solve", "--space", "queens", "--size", "n=" + "9" * 28_000], "bytes more)")

    def test_of_files_that_have_no_end(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for target in "/dev/zero", pipe, folder:
                for suffix, arguments in (
                        ("json", ["solve", "--space", "colouring", "--data"]),
                        ("json", ["--kernel", "axpy", "--budget", "evals=1", "--out", "runs/none", "--prior"]),
                        ("exh", ["solve", "--space"]), ("fun", ["solve", "--space"]),
                        ("fun", ["functional", "constraints"]),
                        ("kernel", ["list"]), ("kernel", ["--budget", "evals=1", "--kernel"]), ("kernel", ["format"]),
                        ("txt", ["size", "--kernel", "axpy", "--below"]), ("txt", ["bound"]),
                        ("json", ["fused", "check"]), ("json", ["fused"]), ("json", ["fused", "search"]),
                        ("jsonl", ["log", "show"])):
                    if target == folder and arguments in (["log", "show"], ["bound"]):
                        continue  # It is taken for the folder of a run.
                    path = os.path.join(folder, "it." + suffix)
                    os.symlink(target, path)
                    with self.subTest(target=target, arguments=arguments):
                        self.check_short([*arguments, path],
                                         "Is a directory" if target == folder else "not a regular file")
                    os.unlink(path)

    def test_of_deep_nesting(self):
        many = 100_000
        deep = "(" * many + "1" + ")" * many
        texts = {
            "exh": ["choice integer a(): 1 | 2 end\nrequire r: " + text + "\n" for text in (
                deep + " < a()", "-" * many + "a() < 1", "not " * many + "a() is 1", "(" * many + "a() is 1" + ")" * many,
                "a() is 1 => " * many + "a() is 1", "a() + " * many + "1 < 2", "min(" * many + "a()")],
            "kernel": ["kernel k\n  size n = 4\n  input x: f32[n]\n  output y: f32[n]\n  y[n] = " + text + "\nend\n" for text in (
                deep, "-" * many + "x[n]", "max(" * many, "x[" * many, "x[n] ? " * many, "x[n] + " * many + "1")],
            "fun": ["input x: [float]4\nkernel y = " + text + "\n" for text in (
                deep, "map(" * many, "x -> " * many + "x", "1 + " * many + "1")] +
                   ["param n in 1 .. " + deep + "\n", "input x: " + "[" * many + "float\n", "def a = " + "-" * many + "1\n"],
        }
        with tempfile.TemporaryDirectory() as folder:
            for suffix, all_of_them in texts.items():
                path = os.path.join(folder, "deep." + suffix)
                for number, text in enumerate(all_of_them):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(text)
                    with self.subTest(suffix=suffix, number=number):
                        command = ("list",) if suffix == "kernel" else ("solve", "--space")
                        done = run(*command, path)
                        self.assertIn(done.returncode, (0, 2), done.stderr[:500])
                        self.assertLess(len(done.stderr), 8000)
            with self.subTest("--compute"):
                done = run("--compute", "y[i] = " + "(" * 30_000 + "x[i]" + ")" * 30_000, "--size", "i=4", "--budget",
                           "evals=1", "--out", os.path.join(folder, "run"))
                self.assertEqual(done.returncode, 2, done.stderr[:500])
                self.assertLess(len(done.stderr), 8000)

    def test_of_a_stack_that_is_too_small(self):
        def limited(kib, *arguments):
            return subprocess.run(["bash", "-c", f'ulimit -s {kib}; exec "$@"', "-", SEARCH, *arguments],
                                  capture_output=True, text=True, timeout=300, cwd=ROOT)
        done = limited(100, "list")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "search: the stack may have 100 KiB (ulimit -s): at least 1024 are needed, and "
                                      "8192 are usual\n")
        self.assertEqual(limited(1024, "solve", "--space", "queens", "--count").returncode, 0)

    def test_of_options(self):
        self.check(["solve", "--space", "queens", "--all", "--count"], "one of --all, --count, --limit and --sample")
        self.check(["solve", "--space", "queens", "--limit", "0"], "--limit must be 1 or more")
        self.check(["solve", "--space", "queens", "--format", "xml"], "unknown format 'xml'")
        self.check(["solve", "--space", "queens", "--order", "colum"], "did you mean 'column'?")
        self.check(["solve", "--space", "queens", "--budget", "evals=3"], "is a time")
        self.check(["solve", "--space", "queens", "--cache", "much"], "bad --cache 'much'")
        self.check(["size", "--kernel", "axpy", "--exact", "--depth", "3"], "without --depth")
        self.check(["size", "--kernel", "axpy", "--cache", "1GiB"], "--cache is of --exact")


class SizeExact(unittest.TestCase):
    def test_is_what_the_tree_says(self):
        for kernel, size in (("axpy", "n=4"), ("mv", "m=1,n=4")):
            tree, exact = (run("size", "--kernel", kernel, "--size", size, "--space", "paper", *how)
                           for how in ((), ("--exact",)))
            self.assertEqual((tree.returncode, exact.returncode), (0, 0), tree.stderr + exact.stderr)
            counted = re.match(rf"{kernel}: (\d+) implementations, counted: ", tree.stdout)
            self.assertIsNotNone(counted, tree.stdout)
            self.assertGreater(int(counted[1]), 5000)
            self.assertIn(f"{kernel}: {counted[1]} implementations, counted: ", exact.stdout)

    def test_ends_with_a_lower_bound(self):
        done = run("size", "--exact", "--kernel", "matmul", "--size", "m=256,n=256,k=32", "--budget", "1s")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"^matmul: (at least \d+ implementations; the count was ended|the count was ended before)")


class List(unittest.TestCase):
    def test_spaces_sizes_and_data(self):
        done = run("list", "--spaces")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^queens +a queen in each row")
        self.assertRegex(done.stdout, r"(?m)^  horizon +.*\(default 11, 1 to 4096\)$")
        self.assertRegex(done.stdout, r'(?m)^  --data: a graph, ')


if __name__ == "__main__":
    SEARCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
