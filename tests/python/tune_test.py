#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exhaust.tune with the real program on the processor: results, events, Ctrl-C, errors, kernels, bounds, fleets.

usage: tune_test.py SEARCH [unittest arguments]
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
import xml.etree.ElementTree

import support

import exhaust

PRODUCT = "c[i,j] = sum(k) a[i,k] * b[k,j]"
SIZES = {"i": 64, "j": 48, "k": 32}


def python(text, *arguments, **options):
    """Another Python that has the package."""
    return subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(text), *arguments], text=True,
                            env=dict(os.environ, PYTHONPATH=str(support.PACKAGE)), **options)


class Tune(support.InFolder):
    def test_a_search_and_what_it_found(self):
        begin = time.monotonic()
        first = None
        r = exhaust.tune(PRODUCT, **SIZES, budget="evals=6", seed=3, jobs=2, winners="none", wait=False)
        kinds, bests = set(), []
        for event in r.events():
            kinds.add(event.t)
            self.assertNotIn("crc", event)
            if event.t == "best":
                first = first or time.monotonic() - begin
                bests.append(event.n)
        print(f"the first best after {first:.2f} s")
        self.assertLessEqual({"run", "choice", "eval", "best", "reference", "end"}, kinds)
        self.assertTrue(r.done)
        self.assertFalse(r.interrupted)
        self.assertEqual(r.evaluations, 6)
        self.assertEqual(sum(r.verdicts.values()), 6)
        self.assertEqual(r.why, "budget:evals")
        self.assertEqual((r.kernel, r.device, r.sizes["i"]), ("compute", "cpu", 64))
        self.assertEqual(r.log.run.seed, 3)
        self.assertEqual(r.best.n, bests[-1])
        # What the program itself prints of it.
        shown = subprocess.run([r.search, "log", "show", r.run], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"{r.best.n}", shown)
        self.assertGreater(r.best_us, 0)
        self.assertGreater(r.best_us, r.bound_us)
        self.assertAlmostEqual(r.gap, 1 - r.bound_us / r.best_us)
        self.assertAlmostEqual(r.gflops, 2 * 64 * 48 * 32 / r.best_us / 1e3)
        self.assertLessEqual(r.interval_us.low_us, r.best_us)
        self.assertGreaterEqual(r.interval_us.high_us, r.best_us)
        eigen = {each.name: each for each in r.yardsticks}["eigen"]
        self.assertAlmostEqual(eigen.ratio, eigen.us / r.best_us)
        # Only these kinds, of a run that is over.
        self.assertEqual([event.n for event in exhaust.load(r.run).events("best")], bests)

        rows = r.log.rows()
        self.assertEqual(len(rows), 6)
        self.assertEqual([row["n"] for row in rows if row["is_best"]], [r.best.n])
        best = next(row for row in rows if row["is_best"])
        self.assertEqual({name: best[name] for name in r.decisions}, r.decisions)
        self.assertLessEqual(r.taken.items(), r.decisions.items())
        self.assertIn("size", {name.split("(")[0] for name in r.taken})
        only = r.log.rows(["vec"])
        self.assertEqual({name.split("(")[0] for name in only[0]} - set(list(rows[0])[:14]), {"vec"})
        self.assertLess(len(r.log.rows("taken")[0]), len(rows[0]))

        html = r._repr_html_()
        xml.etree.ElementTree.fromstring(html)
        self.assertIn("<path", html)
        self.assertIn("bound", html)
        self.assertIn("compute i=64", repr(r))
        self.assertIn("exec mad", r.output)
        self.assertIn("omp", r.source() + "omp")
        self.assertIn("compute_run", r.export("cc"))
        self.assertTrue(os.path.exists(r.export("header", "c.h")))

        again = exhaust.load(r.run)
        self.assertEqual((again.best_us, again.decisions), (r.best_us, r.decisions))
        longer = exhaust.tune(resume=r.run, budget="evals=8")
        self.assertEqual((longer.run, longer.evaluations), (r.run, 8))

    def test_the_decisions_are_those_of_the_program(self):
        r = exhaust.tune("axpy", n=4096, budget="evals=2", winners="none", out="run")
        self.assertEqual(r.run, "run")
        shown = subprocess.run([r.search, "log", "show", "run", "--best", "--full"], capture_output=True, text=True,
                               check=True).stdout
        said = {line for line in shown.splitlines() if "=" in line and "(" in line}
        ours = {f"{name if '(' in name else name + '()'}={value}" for name, value in r.decisions.items()}
        self.assertEqual(ours - said, set())
        self.assertGreater(len(ours), 100)
        self.assertEqual(len(r.log.choices), len({choice.name for choice in r.log.choices}))

    def test_without_a_folder_each_run_has_one(self):
        runs = [exhaust.tune("axpy", n=4096, budget="evals=1", prior="none").run for _ in range(2)]
        self.assertEqual(len(set(runs)), 2)
        self.assertTrue(all(run.startswith("runs/axpy-") for run in runs))

    def test_several_statements_files_and_types(self):
        r = exhaust.tune("s[i] = sum(j) x[i,j]; y[i,j] = x[i,j] / s[i]", i=64, j=64, budget="evals=1")
        self.assertIsNotNone(r.best)
        (self.folder / "twice.kernel").write_text(
            "kernel twice\n  size n = 64\n  option type = f32 in (f32, f64)\n  input x: type[n]\n  output y: type[n]\n"
            "  y[i] = 2 * x[i]\nend\n")
        r = exhaust.tune(kernel="twice.kernel", n=128, type="f64", budget="evals=1")
        self.assertEqual((r.kernel, r.sizes), ("twice", {"n": 128, "type": "f64"}))

    def test_mistakes_are_those_of_the_program(self):
        for call, words in (
                (lambda: exhaust.tune("nope"), "unknown kernel 'nope'"),
                (lambda: exhaust.tune("c[i] = ", i=3), "expected"),
                (lambda: exhaust.tune("matmul", sede=3), "unknown size of matmul 'sede'"),
                (lambda: exhaust.tune("matmul", budget="often"), "bad budget 'often'"),
                (lambda: exhaust.tune("matmul", policy="best"), "best"),
                (lambda: exhaust.tune(PRODUCT, kernel="matmul"), "say one of them"),
                (lambda: exhaust.tune(resume="nowhere"), "nowhere"),
                (lambda: exhaust.bound("nope"), "unknown kernel 'nope'"),
                (lambda: exhaust.tune_file("nowhere.jsonl"), "nowhere.jsonl"),
                (lambda: exhaust.tune("matmul", search="/bin/true"), "not the program search")):
            with self.assertRaises(exhaust.UsageError) as raised:
                call()
            self.assertIn(words, str(raised.exception))
            self.assertFalse(str(raised.exception).startswith("search:"))
        with self.assertRaises(exhaust.Error):
            exhaust.load("nowhere")
        # Nothing of it left a folder.
        self.assertEqual([path for path in self.folder.rglob("*") if path.is_dir() and path.name != "runs"], [])

    def test_nothing_correct_is_an_exception(self):
        with self.assertRaises(exhaust.NothingFound) as raised:
            exhaust.tune("matmul", m=2048, n=2048, k=2048, budget="0.01s")
        self.assertEqual(raised.exception.code, 1)
        self.assertIsNone(raised.exception.result.best)

    def test_a_search_that_is_killed(self):
        r = exhaust.tune(PRODUCT, **SIZES, budget=60, wait=False)
        next(r.events("best"))
        self.assertIsNotNone(r.best_us)
        self.assertIn("running", repr(r))
        os.kill(r._process.pid, signal.SIGKILL)
        with self.assertRaises(exhaust.Error) as raised:
            r.wait()
        self.assertEqual(raised.exception.code, -signal.SIGKILL)
        self.assertIn("signal 9", str(raised.exception))
        self.assertIsNotNone(raised.exception.result.best)
        goes_on = exhaust.tune(resume=r.run, budget="evals=1")
        self.assertGreaterEqual(goes_on.evaluations, 1)

    def test_stop_keeps_the_best(self):
        r = exhaust.tune(PRODUCT, **SIZES, budget="60s", wait=False)
        self.assertIs(r.wait(timeout=0), r)
        next(r.events("best"))
        r.stop()
        self.assertTrue(r.done and r.interrupted)
        self.assertEqual(r.why, "signal")
        self.assertIsNotNone(r.best_us)

    def test_ctrl_c_in_another_python(self):
        # Of a terminal Ctrl-C goes to all processes; the search must get it once, from Python.
        child = python(f"""
            import exhaust
            r = exhaust.tune({PRODUCT!r}, i=64, j=48, k=32, budget="100s", out="run", verbose=True)
            print("RETURNED", r.interrupted, r.why, r.best_us > 0)
            """, stdout=subprocess.PIPE, start_new_session=True)
        for line in child.stdout:
            if "best" in line and "eval 0" not in line:
                break
        os.killpg(child.pid, signal.SIGINT)
        rest = child.communicate(timeout=60)[0]
        self.assertEqual(rest.splitlines()[-1], "RETURNED True signal True")
        self.assertEqual(child.returncode, 0)

    def test_a_python_that_is_killed_ends_its_search(self):
        child = python(f"""
            import exhaust
            r = exhaust.tune({PRODUCT!r}, i=64, j=48, k=32, budget="100s", out="run", wait=False)
            next(r.events("best"))
            print(r._process.pid, flush=True)
            r.wait()
            """, stdout=subprocess.PIPE, start_new_session=True)
        pid = int(child.stdout.readline())
        child.kill()
        child.communicate()
        for _ in range(600):
            state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
            if not state.strip() or state.startswith("Z"):
                break
            time.sleep(0.1)
        else:
            os.kill(pid, signal.SIGKILL)
            self.fail("the search goes on without anybody")
        self.assertEqual(exhaust.load("run").why, "signal")


class Asking(support.InFolder):
    def test_kernels(self):
        kernels = {kernel.name: kernel for kernel in exhaust.kernels()}
        self.assertEqual(kernels["matmul"].sizes["m"].default, 512)
        self.assertEqual(kernels["reduce"].sizes["type"].default, "f32")
        self.assertIn("sum", kernels["reduce"].sizes["op"].values)
        self.assertTrue(kernels["axpy"].summary)

    def test_bound_and_describe(self):
        bound = exhaust.bound(PRODUCT, i=512, j=512, k=512)
        self.assertGreater(bound.bound_us, 0)
        self.assertIn(bound.bottleneck, [term["resource"] for term in bound.terms])
        self.assertLess(exhaust.bound(PRODUCT, i=64, j=64, k=64).bound_us, bound.bound_us)
        self.assertIn("a: f16 x 12", exhaust.describe("c[i] = sum(j) a[i,j]", i=3, j=4, type="f16"))
        self.assertIn("m = 32", exhaust.describe("matmul", m=32))

    def test_a_fleet(self):
        (self.folder / "shapes.jsonl").write_text('{"kernel": "axpy", "sizes": {"n": 4096}}\n')
        fleet = exhaust.tune_file("shapes.jsonl", budget="evals=2", out="fleet")
        self.assertEqual([(name, shape.state) for name, shape in fleet.shapes.items()], [("axpy-n4096", "done")])
        self.assertEqual(fleet.results["axpy-n4096"].evaluations, 2)
        self.assertIn("1 done", repr(fleet))
        exhaust.tune_file([{"kernel": "axpy", "sizes": {"n": 8192}}], budget="evals=2", out="fleet")
        again = exhaust.load_fleet("fleet")
        self.assertEqual(again.status["counts"]["done"], 2)
        self.assertIn("tuned.h", again.install("tuned"))
        with self.assertRaises(exhaust.UsageError):
            exhaust.tune_file([{"kernel": "nope"}], out="other")

    def test_the_doctor(self):
        done = python("import runpy, sys; sys.argv = ['exhaust', 'doctor']; runpy.run_module('exhaust', run_name='__main__')",
                      stdout=subprocess.PIPE)
        text = done.communicate(timeout=120)[0]
        self.assertEqual(done.returncode, 0, text)
        for words in (exhaust.__version__, exhaust.find_search(), "EXHAUST_SEARCH", "device cpu", "search: compiler",
                      "numpy", "torch", "g++"):
            self.assertIn(words, text)
        os.environ["EXHAUST_SEARCH"], before = "/nowhere", os.environ["EXHAUST_SEARCH"]
        try:
            found = {each.what: each for each in exhaust.doctor()}
            self.assertEqual(found["search"].kind, "FAIL")
            self.assertIn("./exh build release", found["search"].text)
            with self.assertRaises(exhaust.ProgramMissing):
                exhaust.tune("matmul")
        finally:
            os.environ["EXHAUST_SEARCH"] = before

    def test_the_version_is_that_of_the_program(self):
        said = subprocess.run([exhaust.find_search(), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.splitlines()[0], f"search {exhaust.__version__}")
        project = (support.ROOT / "CMakeLists.txt").read_text()
        self.assertIn(f"project(exhaust VERSION {exhaust.__version__} ", project)


class Lines(support.InFolder):
    """The log as a file, without a search."""

    def write(self, *lines, mode="w"):
        with open("log.jsonl", mode) as file:
            file.write("".join(lines))

    def test_half_lines_and_damage(self):
        tree = (support.ROOT / "tests/search/golden/one-lane.jsonl").read_text()
        begin = tree.index('{"t":"run"')
        whole = [line for line in tree[begin:].splitlines(keepends=True) if line.strip()]
        self.write(whole[0], *whole[1:30], whole[30][:40])
        log = exhaust.Log("log.jsonl")
        seen = len(log)
        self.assertEqual(log.damaged, 0)
        self.write(whole[30][40:], "no json\n", *whole[31:60], mode="a")
        self.assertGreater(len(log), seen)
        self.assertEqual(log.damaged, 1)
        record = log.evals[0]
        self.assertEqual(log.decisions(record)["order(a,b)"], "AFTER")
        self.assertIn(log.decisions(record)["size(a)"], (1, 2, 4))
        self.assertEqual(record.policy, "tag")
        # Another file in its place.
        self.write(whole[0])
        self.assertEqual((len(log), log.damaged, log.best), (0, 0, None))

    def test_values_of_a_vector(self):
        self.write(json.dumps({"t": "run", "space": {"name": "s"}}) + "\n",
                   *[json.dumps(dict(t="choice", i=at, name=name, args=args, **domain)) + "\n"
                     for at, (name, args, domain) in enumerate((
                         ("n", [], {"domain": ["-1", "8"]}), ("start", ["cut"], {"domain": [], "ranges": [[0, 99], [2000, 2999]]}),
                         ("mode", [], {"domain": ["ON", "OFF"]})))],
                   json.dumps({"t": "eval", "n": 1, "verdict": "correct", "best_ns": 5.0, "vector": "1~.2A", "path": [[1, 138]]}) + "\n",
                   json.dumps({"t": "best", "n": 1, "ns": 5.0, "dt": 1.0}) + "\n")
        result = exhaust.load("log.jsonl")
        self.assertEqual(result.decisions, {"n": 8, "start(cut)": 2038})
        self.assertEqual(result.taken, {"start(cut)": 2038})
        row = result.log.rows()[0]
        self.assertEqual((row["n"], row["n()"], row["start(cut)"]), (1, 8, 2038))
        self.assertEqual((result.best_us, result.bound_us, result.gap, result.kernel), (0.005, None, None, "s"))
        try:
            import pandas
            self.assertIsInstance(result.log.to_pandas(), pandas.DataFrame)
        except ImportError:
            with self.assertRaisesRegex(ImportError, "rows"):
                result.log.to_pandas()


if __name__ == "__main__":
    support.main()
