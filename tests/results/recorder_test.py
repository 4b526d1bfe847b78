# SPDX-License-Identifier: MIT
"""What benchmarks record: of results that the repository has the same records as docs/results, of made-up ones valid records."""
import argparse
import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from decimal import Decimal
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import copied_tree
import recorder
import records
import results

sys.path.insert(0, str(results.ROOT / "tests/bench/parts"))
import candidates
import conv
import cpu
import fused_kernels
import fused_torch
import h200
import own
import quality
import reductions
import rows

PARTS = results.ROOT / records.FOLDER / "parts"
TAKEN = {"gpu": {"name": "NVIDIA H200"}, "cores": 16, "date": "2026-12-24", "commit": "0123abcd", "processor": "a processor"}


def written(kind):
    return {records.key_of(record): record for record in records.read(results.ROOT / records.FOLDER / f"{kind}.json")["records"]}


class Words(unittest.TestCase):
    def test_commands(self):
        words = ["--search", "x", "--cases", "attention", "--budget", "60s", "--budget", "8s", "--only", "n=1 f32", "--limit-s=3", "report", "--merge"]
        self.assertEqual(recorder.command("rows", words), "./exh bench rows --budget 8s --only 'n=1 f32'")

    def test_figures(self):
        self.assertEqual(records.shown(recorder.time(6154)), "6.15 us")
        self.assertEqual(records.shown(recorder.time(513400)), "513.4 us")
        self.assertEqual(records.shown(recorder.time([2.2e6, 1.3e8])), "2.20, 130.00 ms")
        self.assertEqual(recorder.ratios(2.0, {"torch": 3.0, "CUB": None}), {"torch": {"value": Decimal("1.50")}})

    def test_machines(self):
        self.assertEqual(recorder.machine(TAKEN), "NVIDIA H200")
        self.assertEqual(recorder.machine(TAKEN, cores=True), "NVIDIA H200, 16 cores")
        self.assertEqual(recorder.machine({**TAKEN, "gpu": {"name": "none"}, "cores": 1}), "1 core of a processor")

    def test_names_of_sizes(self):
        for kernel, size, names in (("matmul", "m=1024,n=1024,k=1024,a_stride=32", ("matmul", "1024", "columns of A 32 apart")),
                                    ("matmul", "ffma:m=512,n=512,k=512", ("matmul", "512", "FMA alone")),
                                    ("matmul", "m=32,n=32,k=131072", ("matmul", "32x32x131072", "")),
                                    ("matmul2", "m=16384,n=64,k=64,p=64", ("two products", "16384x64x64x64", "")),
                                    ("batched_matmul", "batch=512,m=64,n=64,k=64", ("512 products of", "64", "")),
                                    ("mv", "m=8192,n=8192", ("mv", "8192x8192", "")), ("axpy", "n=67108864", ("axpy", "2^26", "")),
                                    ("axpy", "n=1000000", ("axpy", "1000000", "")), ("softmax", "default", ("softmax", "", ""))):
            with self.subTest(size):
                self.assertEqual(h200.library.record_names(kernel, size), names)


class OfTheRepository(unittest.TestCase):
    """The parts of docs/results/parts, recorded anew, are what the records say."""

    def same(self, into, kind, least):
        there = written(kind)
        shared = [(record, there[records.key_of(record)]) for record in into.kinds[kind] if records.key_of(record) in there]
        self.assertGreaterEqual(len(shared), least)
        for new, old in shared:
            with self.subTest(new["subject"]):
                self.assertEqual((new["date"], new["device"]), (old["date"], old["device"]))
                for name, figure in old.get("ratios", {}).items():
                    value = Decimal(figure["value"])
                    self.assertEqual(new["ratios"][name]["value"].quantize(value), value)

    def test_convolutions(self):
        for layout, least in (("nhwc", 22), ("nchw", 6)):
            with self.subTest(layout), tempfile.TemporaryDirectory() as folder:
                options = argparse.Namespace(device="h200", layout=layout, state=folder, results="", budget=25, logs="")
                bench = conv.Bench(options)
                self.addCleanup(shutil.rmtree, bench.work)
                into = recorder.Recorder("", "conv", [])
                bench.record(json.loads((PARTS / f"conv-h200-{layout}.json").read_text()), into)
                self.same(into, "convolutions", least)

    def test_h200(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = h200.Bench(argparse.Namespace(state=folder, evals=5000, only="", logs=""))
            self.addCleanup(shutil.rmtree, bench.work)
            into = recorder.Recorder("", "h200", [])
            bench.record(json.loads((PARTS / "h200.json").read_text()), into)
            self.same(into, "checks", 6)
            self.same(into, "candidates", 1)


class MadeUp(unittest.TestCase):
    """Each benchmark's records are valid, go into the pages, and replace what was measured of the same before."""

    def setUp(self):
        self.root = copied_tree.copied_tree(self)
        self.file = self.root / "new.json"
        for module in (candidates, quality, own, fused_kernels, fused_torch, reductions):
            patch = mock.patch.object(module, "conditions", lambda: TAKEN)
            patch.start()
            self.addCleanup(patch.stop)

    def added(self, replaced):
        """Takes the file over, and how many records it replaced."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(results.add(self.root, records.read(self.file)), replaced)
            results.write(self.root)
        self.assertEqual(results.check_results.check(self.root), [])

    def written(self, record, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            record(*arguments)

    def test_rows_and_attention(self):
        for cases, found, count in (("rows", rows.row_cases(), 27), ("attention", rows.attention_cases(), 6)):
            bench = rows.Bench(argparse.Namespace(out=self.root / "none", limit_s=0, record=self.file, cases=cases))
            bench.lines = {case.key(): TAKEN | {"key": case.key(), "us": 10.0, "peers": {"torch": 12.0, "torch.compile": 11.0}} for case in found}
            self.file.unlink(missing_ok=True)
            with self.subTest(cases), mock.patch.object(sys, "argv", ["rows.py", "--budget", "8s"]):
                self.written(bench.record, found)
                before = written("rows" if cases == "rows" else "attention")
                mine = records.read(self.file)
                same = sum(records.key_of(record) in before for lines in mine.values() for record in lines)
                self.assertGreaterEqual(sum(map(len, mine.values())), len(found) - 1)
                # Scans are in another file than the other rows.
                scans = sum(records.key_of(record) in written("attention") for record in mine.get("attention", [])) if cases == "rows" else 0
                self.added(same + scans)
                self.assertGreaterEqual(same + scans, count - 2)

    def test_a_mark_goes_on(self):
        case = next(case for case in rows.row_cases() if case.kernel == "layer_norm" and case.sizes == {"m": 64, "n": 131072} and case.type == "f32")
        bench = rows.Bench(argparse.Namespace(out=self.root / "none", limit_s=0, record=self.file, cases="rows"))
        bench.lines = {case.key(): TAKEN | {"us": 10.0, "peers": {"torch.compile": 11.0}}}
        self.written(bench.record, [case])
        self.added(1)
        record = next(each for each in records.read(self.root / records.FOLDER / "rows.json")["records"] if each["date"] == TAKEN["date"])
        self.assertEqual(record["must"], {"text": "0.95 of torch.compile", "met": True, "of": "ratios.torch.compile", "least": Decimal("0.95")})

    def test_the_library(self):
        reference = [{"name": name, "verdict": "correct", "median_ns": ns} for name, ns in (("winner", 1000), ("cublas", 1200), ("openblas", 900))]
        runs = [{"seed": seed, "best_ns": 1000 + seed, "references": reference} for seed in (11, 12, 13)]
        for module, size, kind in ((h200, "m=2048,n=2048,k=2048", "products"), (cpu, "default", "cpu")):
            self.file.unlink(missing_ok=True)
            bench = module.Bench(argparse.Namespace(state=str(self.root), evals=5000, only="", logs=""))
            self.addCleanup(shutil.rmtree, bench.work)
            into = recorder.Recorder(self.file, module.Bench.name, ["--budget", "60"])
            bench.record({f"search-matmul-{size}": TAKEN | {"result": {"runs": runs, "budget": 60}}}, into)
            self.written(into.write)
            self.added(1 if kind == "products" else 0)

    def test_candidates_and_seeds(self):
        row = {"best_us": 40.0, "per_second": 30.0, "looking": [1] * len(candidates.LOOKING), "judging": [1] * len(candidates.JUDGING)}
        into = recorder.Recorder(self.file, "candidates", [])
        candidates.record(into, "matmul 1024", row)
        self.written(into.write)
        with mock.patch.object(quality, "search", lambda *_: {"best": [{"dt": 3.0, "ns": 38000}]}):
            into = recorder.Recorder(self.file, "quality", ["--part", "seeds"])
            self.written(quality.by_seeds, argparse.Namespace(only="matmul 1024", seeds=4, seconds=60, device="cuda"), self.root, into)
            self.written(into.write)
        self.added(2)

    def test_programs_of_users(self):
        self.written(own.record, recorder.Recorder(self.file, "own", []), "10 configurations", [(0.9, 0.1, 40, 1.0), (0.8, 0.2, 50, 1.0)])
        self.added(len([key for key in written("own") if key[0] == "proposals" and key[-1] == "16 cores of a processor"]))

    def test_fused_operators(self):
        lines = [{"isl": 12.0, "searched": 10.0, "kernel": 8.0, "transposes": True}, {"isl": 12.0, "searched": 10.0, "kernel": None, "transposes": False}]
        self.written(fused_kernels.record, recorder.Recorder(self.file, "fused", []), lines)
        lines = [{"torch_ns": 11.0, "transposes": True, "ours": {"searched": 10.0, "influenced": 12.0, "isl default": 13.0}}]
        self.written(fused_torch.record, recorder.Recorder(self.file, "fused", []), lines)
        self.added(6)

    def test_reductions(self):
        lines = [{"key": "150x1280x7x7 over its last two axes", "form": "x", "class": "1 to 64 MB", "bytes": 1 << 22, "ours": {"warm": {"us": 10.0}},
                  "peers": {"warm": {"torch": {"us": 12.0, "ok": True}}}}] * 2
        self.written(reductions.record_report, recorder.Recorder(self.file, "reductions", []), lines)
        self.added(4)


if __name__ == "__main__":
    unittest.main()
