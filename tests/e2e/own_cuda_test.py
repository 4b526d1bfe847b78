#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CUDA kernels of users (`search --space FILE.exh --cuda kernel.cu`) without a GPU: a fake driver and a fake compiler (tests/kernels/cuda) are
found where the real ones would be. Their machine code is text that depends on the defines.

usage: own_cuda_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

SEARCH, DRIVER, NVRTC = map(os.path.abspath, sys.argv[1:4])
del sys.argv[1:4]
N = 1024
FAR = 1 << 40  # Of elements: nobody's memory.

# What is wrong with a kernel; its verdict, and what the reason must say.
FAULTS = [
    ("", "correct", ""),
    ("fault=wrong at=17", "wrong", "z[17] is "),
    ("fault=nan", "wrong", "nan"),
    (f"fault=writes at={N}", "wrong", "z was written outside its bounds, 0 elements behind its end"),
    ("fault=writes of=x at=-1", "wrong", "x was written outside its bounds, 1 elements before its start"),
    ("fault=writes of=x at=3", "wrong", "x was written, and is an input"),
    (f"fault=writes at={FAR}", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ("fault=lost", "crash", "CUDA_ERROR_UNKNOWN"),
    ("fault=crash", "crash", "signal 6"),
    ("fault=hang", "slow", "did not end in"),
    ("fault=stuck", "timeout", "no answer within 3 s"),
    ("fault=chatter", "correct", ""),
    ("nvrtc=error", "compile_error", "error: it is a fault"),
    ("nvrtc=crash", "compile_error", "the compiler died"),
    ("nvrtc=spills", "correct", ""),
    ("us=2 fault=wrong at=5 after=20", "wrong", "z[5] is "),
]
SPACE = f"""
extern constant n
choice integer block_x(): 32 | 64 | 128 end
choice integer fault(): 0 .. {len(FAULTS) - 1} end
"""
KERNEL = """
#include <cstdint>
// A comment with a ; and a { in it.
__global__ void __launch_bounds__(1024) axpy(const float* x, const float* y, float* z, float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
""" + f"// fake kernel axpy axpy n={N} us={{TIME}} dims={{GRID}},1,1,{{block_x}},1,1,0,1,1,1\n" + "".join(
    f"// fake-if fault={number} {fault}\n" for number, (fault, _, _) in enumerate(FAULTS) if fault)
GRID = "(n + block_x() - 1) div block_x()"
LAUNCH = {
    "grid": [GRID], "block": ["block_x()"],
    "arguments": [{"name": "x", "type": "type", "elements": "n", "fill": "random"}, {"name": "y", "type": "f32", "elements": "n", "fill": 0.5},
                  {"name": "z", "type": "f32", "elements": "n", "role": "out"}, {"name": "alpha", "type": "f32", "value": 1.5},
                  {"name": "n", "type": "i32", "value": "n"}],
    "default": {"block_x": 128, "fault": 0}, "defines": {"TIME": "10 + block_x()", "GRID": GRID},
}


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.write(SPACE, KERNEL, LAUNCH)

    def write(self, space, kernel, launch):
        (self.folder / "my.exh").write_text(space)
        (self.folder / "kernel.cu").write_text(kernel)
        (self.folder / "launch.json").write_text(launch if isinstance(launch, str) else json.dumps(launch))

    def run_search(self, *words, code=0, **variables):
        done = subprocess.run([SEARCH, *map(str, words)], capture_output=True, text=True, timeout=200, cwd=self.folder,
                              env={**self.environment, **variables})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def search(self, *words, code=0, out="run", entry="axpy", size=("--size", f"n={N}"), **variables):
        return self.run_search("--space", "my.exh", *size, "--cuda", "kernel.cu", "--entry", entry, "--launch", "launch.json", "--progress",
                               "none", "--out", out, "--budget", "evals=200", *words, code=code, **variables)

    def records(self, kind, out="run"):
        with open(self.folder / out / "log.jsonl", encoding="utf-8") as log:
            return [record for record in map(json.loads, log) if record["t"] == kind]

    def verdicts(self, out="run"):
        counts = {}
        for record in self.records("eval", out):
            counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
        return counts

    def best(self, out="run"):
        return (self.folder / out / "best.env").read_text()

    def one(self, out="run"):
        """The only evaluation of a run."""
        records = self.records("eval", out)
        self.assertEqual(len(records), 1, records)
        return records[0]


class Cuda(Fixture):
    def test_every_kernel_gets_its_verdict(self):
        self.search("--timeout", 3)
        records = self.records("eval")
        self.assertEqual(len(records), 3 * len(FAULTS))
        for record in records:
            number = int(record["vector"][1], 36)
            fault, verdict, why = FAULTS[number]
            self.assertEqual(record["verdict"], verdict if "after=20" not in fault or record["verdict"] != "correct" else "correct",
                             f"{fault}: {record}")
            if record["verdict"] != "correct":
                self.assertIn(why, record.get("why", ""), fault)
        self.assertIn("EXH_BLOCK_X=32\n", self.best())
        self.assertNotIn("EXH_FAULT=15\n", self.best())

    def test_the_log_alone_resumes_and_replays(self):
        self.search("--budget", "evals=4", "--timeout", 3)
        for name in ("my.exh", "kernel.cu", "launch.json"):
            (self.folder / name).unlink()
        self.run_search("--resume", "run", "--budget", "evals=200", "--progress", "none")
        self.assertEqual(len(self.records("eval")), 3 * len(FAULTS))
        self.assertIn("correct", self.run_search("replay", "run", "--best"))
        self.assertIn("# {\"launch\"", self.best())

    def test_three_dimensions_shared_memory_and_clusters(self):
        space = "choice integer tile(): 2 | 4 end\nchoice enum order():\n  value ROWS:\n  value COLUMNS:\nend\nminimize tile()\n"
        kernel = (f'extern "C" __global__ void add(const float* x, float* y) {{}}\n// fake kernel add add n={N} us=9 '
                  "dims={tile},3,4,8,{tile},2,{BYTES},2,1,1\n// fake-if order=COLUMNS us=7\n")
        launch = {"grid": ["tile()", 3, "4"], "block": ["8", "tile()", 2], "shared": "1024 * tile()", "cluster": [2],
                  "arguments": [{"name": "x", "type": "f32", "elements": N}, {"name": "y", "type": "f32", "elements": N, "role": "inout"}],
                  "defines": {"BYTES": "1024 * tile()"}}
        self.write(space, kernel, launch)
        out = self.search(entry="add", size=())
        self.assertEqual(self.verdicts(), {"correct": 4})
        self.assertIn("EXH_ORDER=COLUMNS\n", self.best())
        self.assertIn("results are compared with those of the default configuration", out)

    def test_contents_of_a_file(self):
        launch = json.loads(json.dumps(LAUNCH))
        launch["arguments"][0] = {"name": "x", "type": "f32", "elements": "n", "file": "x.bin"}
        self.write(SPACE, KERNEL, launch)
        (self.folder / "x.bin").write_bytes(struct.pack(f"<{N}f", *range(N)))
        self.search("--budget", "evals=1")
        self.assertEqual(self.verdicts(), {"correct": 1})
        (self.folder / "x.bin").write_bytes(b"1234")
        self.assertIn("'x.bin' has 4 bytes; 1024 elements of f32 have 4096", self.search(out="other", code=1))

    def test_what_no_gpu_launches_is_the_configurations_fault(self):
        for words, why in (({"block": ["block_x()", 16]}, "a block of 2048 threads"), ({"block": ["0 * block_x()"]}, "block.x is 0"),
                           ({"shared": "block_x() * 10000"}, "bytes of shared memory"), ({"cluster": ["block_x() div 64 + 1"]}, "cluster"),
                           ({"grid": ["n", "block_x() * 1000"]}, "grid.y is 128000")):
            space = f"extern constant n\nchoice integer block_x(): 1 | 128 end\n"
            launch = {**LAUNCH, "default": {"block_x": 1}, "defines": {}, "block": ["block_x()"], "grid": ["n + 1 - n % 2"], **words}
            is_zero = "0 *" in str(words)
            self.write(space, KERNEL.replace(" dims={GRID},1,1,{block_x},1,1,0,1,1,1", "").replace("{TIME}", "9"), launch)
            out = self.search(out=f"run{why}".replace(" ", ""), code=1 if is_zero else 0)
            if is_zero:
                self.assertIn(why, out)
                continue
            records = self.records("eval", f"run{why}".replace(" ", ""))
            self.assertEqual(sorted(record["verdict"] for record in records), ["correct", "crash"], out)
            self.assertIn(why, json.dumps(records))
            self.assertIn("not launched", json.dumps(records))

    def test_types_and_gpus_are_options(self):
        self.search("--budget", "evals=1", "--gpu", 1, EXH_FAKE_GPUS="2")
        self.assertEqual(self.verdicts(), {"correct": 1})
        self.assertIn("--gpu 7: there is none with this number", self.search("--gpu", 7, out="other", code=2))
        self.run_search("--resume", "run", "--gpu", 1, "--budget", "evals=2", "--progress", "none", EXH_FAKE_GPUS="2")
        self.assertIn("--type: unknown type 'f31'", self.search("--type", "f31", out="third", code=2))
        # Half as many bytes: the kernel reads beyond them.
        self.search("--type", "f16", "--budget", "evals=1", out="halves")
        self.assertIn('"type":"f16"', self.records("run", "halves")[0]["kernel"]["text"])

    def test_without_a_gpu_it_says_what_to_do(self):
        for variables in ({"LD_LIBRARY_PATH": "/nonexistent"}, {"EXH_FAKE_CUDA": "no-gpu"}):
            self.assertIn("search doctor", self.search(code=1, **variables))

    def test_a_default_that_is_no_reference(self):
        for fault, why, code in ((2, "z[0] is NaN, or was not written", 1), (12, "the default configuration does not compile", 2),
                                 (6, "CUDA_ERROR_ILLEGAL_ADDRESS", 1), (3, "z was written outside its bounds", 1),
                                 (8, "did not begin", 1)):
            self.write(SPACE, KERNEL, {**LAUNCH, "default": {"block_x": 64, "fault": fault}})
            self.assertIn(why, self.search(out=f"run{fault}", code=code))

    def test_mistakes_in_the_launch_file(self):
        def without(key):
            return {name: value for name, value in LAUNCH.items() if name != key}

        def argument(**changes):
            return {**LAUNCH, "arguments": [{"name": "x", "type": "f32", "elements": "n", **changes}, *LAUNCH["arguments"][2:]]}

        for launch, why in (
                ("{", "launch.json: it is no JSON"), ({**LAUNCH, "gird": []}, "did you mean 'grid'?"), (without("grid"), "launch.json: grid: it is missing"),
                (without("arguments"), "arguments: it is missing"), ({**LAUNCH, "grid": []}, "one to three terms"),
                ({**LAUNCH, "grid": ["blok_x()"]}, "launch.json: grid[0]"), ({**LAUNCH, "grid": ["blok_x()"]}, "did you mean 'block_x'"),
                ({**LAUNCH, "grid": ["n +"]}, "launch.json: grid[0]"), ({**LAUNCH, "grid": ["n\nrequire block_x() == 64"]}, "launch.json: grid[0]"),
                ({**LAUNCH, "grid": ["n / block_x()"]}, "use 'div'"), ({**LAUNCH, "grid": [1.5]}, "launch.json: grid[0]"),
                ({**LAUNCH, "grid": ["n div (block_x() - 64)"]}, "may divide by 0"),
                ({**LAUNCH, "tolerance": "small"}, "launch.json: tolerance"), ({**LAUNCH, "tolerance": 2}, "1e-4"),
                (argument(type="f31"), "arguments[0].type"), (argument(elements="block_x()"), "depends on a decision"),
                (argument(elements="n - n"), "an array has 1 to"), (argument(role="ou"), "did you mean 'out'"), (argument(fill="zero"), "arguments[0].fill"),
                (argument(value="n"), "one of both is wanted"), (argument(role="out", fill=1), "the role of what is read and written is"),
                (argument(elemnts=1), "arguments[0].elemnts"), ({**LAUNCH, "arguments": LAUNCH["arguments"][:2]}, "nothing that could be checked"),
                ({**LAUNCH, "default": {"block_y": 1}}, "did you mean 'block_x'?"), ({**LAUNCH, "default": {"block_x": 63}}, "default.block_x"),
                ({**LAUNCH, "defines": {"A B": "1"}}, "defines.A B"), ({**LAUNCH, "options": [1]}, "options[0]")):
            self.write(SPACE, KERNEL, launch)
            self.assertIn(why, self.search(code=2), launch)

    def test_mistakes_of_the_command_line_and_of_the_file(self):
        out = self.run_search("--space", "my.exh", "--size", "n=8", "--cuda", "kernel.cu", code=2)
        self.assertIn("--entry NAME", out)
        self.assertIn("--launch launch.json", self.run_search("--space", "my.exh", "--size", "n=8", "--cuda", "kernel.cu", "--entry", "axpy", code=2))
        self.assertIn("leave one out", self.search("--run", "x", code=2))
        self.assertIn("leave it out", self.search("--trust-times", code=2))
        self.assertIn("--cuda", self.run_search("--space", "my.exh", "--size", "n=8", "--run", "x", "--entry", "axpy", code=2))
        self.assertIn("did you mean 'axpy'?", self.search(entry="axpi", code=2))
        self.write(SPACE, KERNEL.replace("__global__", "template <int N>\n__global__"), LAUNCH)
        self.assertIn("is a template", self.search(code=2))
        self.write(SPACE, "int x;\n", LAUNCH)
        self.assertIn("there is no kernel in it", self.search(code=2))


if __name__ == "__main__":
    unittest.main()
