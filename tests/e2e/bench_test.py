#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmarks that are taken in parts (tests/bench/parts/paper.py): parts of the space as they are, those of a GPU on a fake driver and
compiler, with small sizes and short searches.

usage: bench_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench" / "parts"))
import h200  # noqa: E402  # pylint: disable=wrong-import-position
import library  # noqa: E402  # pylint: disable=wrong-import-position
import paper  # noqa: E402  # pylint: disable=wrong-import-position
import parts  # noqa: E402  # pylint: disable=wrong-import-position

SEARCH, DRIVER, NVRTC = "", "", ""
N = 1024


class PaperTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        more = {kernel: ("axpy", f"n={N}") for kernel in paper.MORE}
        environment = {"LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": str(N), "EXH_FAKE_FAULTS": "us=90;us=40;us=4000",
                       "XDG_CACHE_HOME": str(self.folder / "cache")}
        sizes = {kernel: ("axpy", f"n={N}") for kernel in paper.SIZES}  # The only kernel of the fake GPU.
        proofs = {name: (f"n={N}", gap) for name, (_, gap) in paper.PROOFS.items()}
        cuts = {**paper.CUTS, "axpy": "0.01us"}
        for patch in (mock.patch.dict(os.environ, environment), mock.patch.dict(paper.SIZES, sizes), mock.patch.dict(paper.MORE, more),
                      mock.patch.dict(paper.PROOFS, proofs), mock.patch.dict(paper.CUTS, cuts),
                      mock.patch.multiple(paper, LEAVES=20, SEARCH="evals=10", SPREAD="evals=5", PROOF="evals=10", BEST="evals=5", DEPTH=3, BEYOND=100)):
            patch.start()
            self.addCleanup(patch.stop)

    def bench(self, *arguments):
        """What the benchmark prints."""
        command = ["paper", "--search", SEARCH, "--state", str(self.folder / "state"), "--results", str(self.folder / "paper.json"),
                   "--budget", "1", "--descents", "20", *arguments]
        out = io.StringIO()
        with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(out):
            parts.main(paper.Bench, paper.__doc__, paper.OPTIONS)
        return out.getvalue()

    def result(self, part):
        return json.loads((self.folder / "state" / f"{part}.json").read_text(encoding="utf-8"))["result"]

    def test_parts_of_the_space(self):
        first = self.bench("space-axpy-k4000", "orders-k-tiled-k4000")
        self.assertIn("1.1e11 ± 1.7e10", first)
        axpy = self.result("space-axpy-k4000")
        nodes, kept = axpy["nodes"], axpy["cut_nodes"]
        self.assertEqual((len(nodes), nodes[0], len(kept)), (4, 1, 4))
        self.assertIn(f"| {nodes[-1]} ", first)
        self.assertLess(kept[-1], nodes[-1])
        self.assertIn(f"| {kept[-1]} ({100 * kept[-1] / nodes[-1]:.2f} %)", first)
        orders = self.result("orders-k-tiled-k4000")
        self.assertGreater(orders["paper"]["nodes"][-1], 100)
        self.assertLessEqual(orders["paper"]["nodes"][-2], 100)
        self.assertNotEqual(orders["paper"]["nodes"], orders["paper-reversed"]["nodes"])
        self.assertEqual(len(orders["paper"]["nodes"]), len(orders["paper"]["cut_nodes"]))
        self.assertEqual(self.bench("space-axpy-k4000"), "space-axpy-k4000: finished before\n")
        merged = self.bench("--merge")
        self.assertIn("space-axpy-k4000: dead ends", merged)
        self.assertEqual(set(json.loads((self.folder / "paper.json").read_text(encoding="utf-8"))),
                         {"space-axpy-k4000", "orders-k-tiled-k4000"})
        with self.assertRaisesRegex(SystemExit, "there is no part 'spcae'; --list"):
            self.bench("spcae")

    def test_parts_of_a_gpu(self):
        some = ("search-axpy-paper", "search-axpy-default", "spread-matmul-1024", "bound-axpy", "policy-tag",
                "policy-tag-without-bound", "policy-random", "proof-axpy-226")
        printed = self.bench(*some)
        self.assertIn("x cuBLAS", printed)
        search = self.result("search-axpy-default")
        self.assertEqual((search["evaluations"], search["violations"]), (10, 0))
        self.assertGreater(parts.time_of(search["references"]), 0)
        self.assertGreater(parts.ratio(search["references"], "naive"), 0)
        bound = self.result("bound-axpy")
        self.assertEqual((bound["leaves"], bound["violations"]), (20, []))
        self.assertTrue(all(0 < ratio <= 1 for ratio in bound["ratios"]), bound["ratios"])
        self.assertLessEqual(bound["best"]["fastest"]["bound_ns"], bound["best"]["fastest"]["ns"])
        self.assertIn("device: h200", bound["best"]["replay"])
        self.assertGreater(self.result("policy-tag")["bound_ns"], 0)
        self.assertEqual(self.result("policy-tag-without-bound")["bound_ns"], 0)
        proof = self.result("proof-axpy-226")
        self.assertGreater(proof["root_ns"], 0)
        self.assertIsNone(proof["uncached_ns"])  # All of it fits L2.
        listed = self.bench("--list").splitlines()
        self.assertEqual({line.split()[0] for line in listed if line.endswith(" finished")}, set(some))
        self.assertEqual(self.bench("--merge"), self.bench("--merge"))
        merged = json.loads((self.folder / "paper.json").read_text(encoding="utf-8"))["bound-axpy"]["result"]
        self.assertNotIn("ratios", merged)
        self.assertEqual((merged["quantiles"]["least"], merged["quantiles"]["largest"]), (min(bound["ratios"]), max(bound["ratios"])))

    def test_a_part_that_was_begun_goes_on(self):
        with mock.patch.object(paper, "LEAVES", 8):
            self.bench("bound-axpy")
        self.assertIn("bound-axpy                               begun", self.bench("--list"))
        self.bench("bound-axpy")
        result = self.result("bound-axpy")
        self.assertEqual((result["leaves"], result["runs"]), (20, 2))
        # The best of a search alone may be taken anew, with its log.
        state = self.folder / "state" / "bound-axpy.json"
        begun = json.loads(state.read_text(encoding="utf-8"))
        del begun["result"]["best"]
        state.write_text(json.dumps(begun), encoding="utf-8")
        self.bench("bound-axpy", "--logs", str(self.folder / "logs"))
        again = self.result("bound-axpy")
        self.assertEqual((again["leaves"], again["runs"], again["ratios"]), (20, 2, result["ratios"]))
        self.assertEqual(again["best"]["evaluations"], 5)
        self.assertEqual([log.name for log in (self.folder / "logs").iterdir()], ["bound-axpy.1.jsonl"])


    def test_wrong_results_of_computations_are_counted_and_kept(self):
        """A part for each computation; as many implementations as are asked for; what is wrong fails the benchmark and is kept."""
        def bench(*arguments):
            command = ["h200", "--search", SEARCH, "--state", str(self.folder / "state"), "--results", str(self.folder / "h200.json"), *arguments]
            out = io.StringIO()
            with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(out):
                parts.main(h200.Bench, h200.__doc__, h200.OPTIONS)
            return out.getvalue()

        computations = {"added": ("z[n] = x[n] + y[n]", (), [(f"n={N}", 1)])}
        with mock.patch.dict(os.environ, {"EXH_FAKE_PLAIN": "1", "EXH_FAKE_FAULTS": "us=20"}), \
                mock.patch.dict(h200.COMPUTATIONS, computations, clear=True):
            self.assertEqual(bench("--list", "--only", "check-add").split(), ["check-added"])
            printed = bench("--only", "check-added", "--evals", "12", "--seconds", "100")
            self.assertRegex(printed, r"added: random implementations +\| 12: 12 correct; .*\| 12, 0 wrong")
            self.assertIn("finished before", bench("--only", "check-added", "--evals", "12"))
            os.environ["EXH_FAKE_FAULTS"] = "fault=wrong at=17"
            with self.assertRaisesRegex(SystemExit, "wrong results in check-added: the first of each search is in .*/wrong-"):
                bench("--only", "check-added", "--evals", "15", "--seconds", "100")
        self.assertEqual(self.result("check-added")["verdicts"], {"correct": 12, "wrong": 3})
        kept, = (self.folder / "state").glob("wrong-added-*")
        self.assertEqual({file.name for file in kept.iterdir()}, {"README.txt", "wrong.cu", "wrong.decisions.txt", "wrong.replay"})

    def test_searches_of_the_library(self):
        """Every kernel of the library, several seeds each; one that was begun goes on."""
        def bench(*arguments):
            command = ["h200", "--search", SEARCH, "--state", str(self.folder / "state"), "--results", str(self.folder / "h200.json"),
                       "--budget", "2", *arguments]
            out = io.StringIO()
            with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(out):
                parts.main(h200.Bench, h200.__doc__, h200.OPTIONS)
            return out.getvalue()

        part = f"search-axpy-n={N}"
        with mock.patch.dict(library.SEARCHES, {"h200": {"axpy": [f"n={N}"]}}):
            with mock.patch.object(library, "SEEDS", (1,)):
                bench(part)
            with mock.patch.object(library, "SEEDS", (1, 2)):
                self.assertRegex(bench("--list"), rf"(?m)^{part} +begun$")
                printed = bench(part)
                self.assertRegex(bench("--list"), rf"(?m)^{part} +finished$")
        runs = self.result(part)["runs"]
        self.assertEqual([run["seed"] for run in runs], [1, 2])
        for run in runs:
            self.assertGreater(run["best_ns"], 0)
            self.assertGreater(run["evaluations"], 0)
            self.assertGreater(run["first_s"], 0)
            self.assertLessEqual(run["stopped"], 1)
        self.assertRegex(printed, rf"axpy n={N}, 2 s +\| [0-9.]+ us \([0-9., ]+\): .*x naive; first after")

    def test_the_best_library_is_the_fastest(self):
        found = [{"name": name, "verdict": verdict, "median_ns": ns} for name, verdict, ns in (
            ("winner", "correct", 100), ("record 3", "correct", 50), ("naive", "correct", 10), ("eigen", "correct", 300),
            ("openblas", "correct", 200), ("onednn", "broken", 1))]
        self.assertEqual(library.best_library(found), ("openblas", 2))
        self.assertIsNone(library.best_library(found[:3]))


if __name__ == "__main__":
    SEARCH, DRIVER, NVRTC = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
