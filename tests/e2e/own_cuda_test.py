#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CUDA kernels of users (`search --space FILE.exh --cuda kernel.cu`) without a GPU: a fake driver and a fake compiler (tests/kernels/cuda) are
found where the real ones would be. Their machine code is text that depends on the defines. With `real` in their place the same kernels run on
the GPU of this machine: what they do is CUDA, and for the fakes stands in remarks.

usage: own_cuda_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
       own_cuda_test.py SEARCH real [unittest arguments]
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import typing
import unittest

IS_REAL = sys.argv[2] == "real"
SEARCH, DRIVER, NVRTC = map(os.path.abspath, (sys.argv[1:2] + 2 * ["/"]) if IS_REAL else sys.argv[1:4])
del sys.argv[1:3 if IS_REAL else 4]
N = 1024
FAR = 1 << 40  # Of elements: nobody's memory.
TIMEOUT = 20 if IS_REAL else 3  # Seconds: a real driver takes some to begin.


class Fault(typing.NamedTuple):
    """What is wrong with a kernel; its verdict, and what the reason must say."""
    fake: str | None  # None: the fakes cannot do it.
    code: str | None  # For element `i`; None: no kernel can do it.
    verdict: str
    why: str

    def can_be(self):
        return (self.code if IS_REAL else self.fake) is not None


FAULTS = [
    Fault("", "", "correct", ""),
    Fault("fault=wrong at=17", "if (i == 17) z[i] += 1;", "wrong", "z[17] is "),
    Fault("fault=nan", "return;", "wrong", "nan"),
    Fault(f"fault=writes at={N}", "if (i == 0) z[n] = 7;", "wrong", "z was written outside its bounds, 0 elements behind its end"),
    Fault("fault=writes of=x at=-1", "if (i == 0) const_cast<float*>(x)[-1] = 7;", "wrong",
          "x was written outside its bounds, 1 elements before its start"),
    Fault("fault=writes of=x at=3", "if (i == 0) const_cast<float*>(x)[3] = 7;", "wrong", "x was written, and is an input"),
    Fault(f"fault=writes at={FAR}", f"if (i == 0) z[{FAR}ll] = 7;", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    Fault("fault=lost", None, "crash", "CUDA_ERROR_UNKNOWN"),
    Fault("fault=crash", None, "crash", "signal 6"),
    Fault("fault=hang", "for (;;) __nanosleep(1000);", "slow", "did not end in"),
    Fault("fault=stuck", None, "timeout", "no answer within 3 s"),
    Fault("fault=chatter", r'if (i == 0) printf("{\"verdict\":\"wrong\"}\n");', "correct", ""),
    Fault("nvrtc=error", "\n#error it is a fault\n", "compile_error", "it is a fault"),
    Fault("nvrtc=crash", None, "compile_error", "the compiler died"),
    Fault("nvrtc=spills", "volatile float many[512]; for (int k = 0; k < 512; ++k) many[k * i % 512] = k;", "correct", ""),
    Fault("us=2 fault=wrong at=5 after=20", "if (i == 5 && atomicAdd(&launches, 1) >= 20) z[i] += 1;", "wrong", "z[5] is "),
    Fault(None, 'asm volatile("trap;");', "crash", "CUDA_ERROR_"),
    Fault(None, "if (i == 0) *reinterpret_cast<float*>(reinterpret_cast<char*>(z) + 1) = 7;", "crash", "CUDA_ERROR_MISALIGNED_ADDRESS"),
    Fault(None, "__shared__ float own[32]; if (i == 0) own[1 << 20] = x[n - 1]; __syncthreads(); z[i] += own[0] * 0;", "crash", "CUDA_ERROR_"),
]
NUMBERS = [number for number, fault in enumerate(FAULTS) if fault.can_be()]
BLOCKS = [64, 128] if IS_REAL else [32, 64, 128]
SPACE = f"""
extern constant n
choice integer block_x(): {" | ".join(map(str, BLOCKS))} end
choice integer fault(): {" | ".join(map(str, NUMBERS))} end
"""
FAULTY = "".join(f"#if fault == {number}\n  {fault.code}\n#endif\n" for number, fault in enumerate(FAULTS) if fault.code)
KERNEL = """
__device__ int launches;
// A comment with a ; and a { in it.
__global__ void __launch_bounds__(1024) axpy(const float* x, const float* y, float* z, float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if fault != 2
  z[i] = alpha * x[i] + y[i];
#endif
""" + FAULTY + "}\n" + f"// fake kernel axpy axpy n={N} us={{TIME}} dims={{GRID}},1,1,{{block_x}},1,1,0,1,1,1\n" + "".join(
    f"// fake-if fault={number} {fault.fake}\n" for number, fault in enumerate(FAULTS) if fault.fake)
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
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        if not IS_REAL:
            libraries = self.folder / "lib"
            libraries.mkdir()
            (libraries / "libcuda.so.1").symlink_to(DRIVER)
            (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
            self.environment["LD_LIBRARY_PATH"] = str(libraries)
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
        self.search("--timeout", TIMEOUT)
        records = self.records("eval")
        self.assertEqual(len(records), len(BLOCKS) * len(NUMBERS))
        seen = [(FAULTS[NUMBERS[int(record["vector"][1], 36)]], record) for record in records]
        for fault, record in seen:
            if IS_REAL:
                print(f"{record['verdict']:14} {(fault.code or 'nothing').strip()[:60]:60} {record.get('why', '')}")
        for fault, record in seen:
            is_late = fault.fake is not None and "after=20" in fault.fake and record["verdict"] == "correct"
            self.assertEqual(record["verdict"], "correct" if is_late else fault.verdict, f"{fault}: {record}")
            if record["verdict"] != "correct":
                self.assertIn(fault.why, record.get("why", ""), fault)
        if not IS_REAL:
            self.assertIn("EXH_BLOCK_X=32\n", self.best())
        self.assertNotIn("EXH_FAULT=15\n", self.best())

    def test_the_log_alone_resumes_and_replays(self):
        self.search("--budget", "evals=4", "--timeout", TIMEOUT)
        for name in ("my.exh", "kernel.cu", "launch.json"):
            (self.folder / name).unlink()
        self.run_search("--resume", "run", "--budget", "evals=200", "--progress", "none")
        self.assertEqual(len(self.records("eval")), len(BLOCKS) * len(NUMBERS))
        self.assertIn("correct", self.run_search("replay", "run", "--best"))
        self.assertIn("# {\"launch\"", self.best())

    def test_three_dimensions_shared_memory_and_clusters(self):
        space = "choice integer tile(): 2 | 4 end\nchoice enum order():\n  value ROWS:\n  value COLUMNS:\nend\nminimize tile()\n"
        kernel = ('extern "C" __global__ void add(const float* x, float* y) {\n'
                  "  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
                  "  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
                  f"  for (int i = block * 16 * tile + thread; i < {N}; i += 12 * tile * 16 * tile) y[i] += x[i];\n}}\n"
                  f"// fake kernel add add n={N} us=9 "
                  "dims={tile},3,4,8,{tile},2,{BYTES},2,1,1\n// fake-if order=COLUMNS us=7\n")
        launch = {"grid": ["tile()", 3, "4"], "block": ["8", "tile()", 2], "shared": "1024 * tile()", "cluster": [2],
                  "arguments": [{"name": "x", "type": "f32", "elements": N}, {"name": "y", "type": "f32", "elements": N, "role": "inout"}],
                  "defines": {"BYTES": "1024 * tile()"}}
        self.write(space, kernel, launch)
        out = self.search(entry="add", size=())
        self.assertEqual(self.verdicts(), {"correct": 4})
        if not IS_REAL:
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

    def test_variables_of_the_file(self):
        # The fake driver adds what the variable holds to alpha: 0 alone changes nothing. A configuration may be without it.
        held = 0.25 if IS_REAL else 0
        kernel = (f"__constant__ float filter[4];\n" + KERNEL.replace("alpha * x[i] + y[i];", "alpha * x[i] + y[i] + ADDED;")
                  + "// fake-if uses=1 variable=filter:16\n")
        kernel = f"#if uses == 1\n#define ADDED filter[i % 4]\n#else\n#define ADDED {held}f\n#endif\n" + kernel
        space = SPACE[:SPACE.index("choice integer fault")] + "choice integer uses(): 0 .. 1 end\n"
        constant = {"name": "filter", "type": "f32", "elements": 4, "fill": held}
        launch = {**LAUNCH, "constants": [constant], "default": {"uses": 1}}
        self.write(space, kernel, launch)
        self.search()
        self.assertEqual(self.verdicts(), {"correct": 2 * len(BLOCKS)})
        for changes, why, code in (({"elements": 5}, "the variable 'filter' has 16 bytes, and should hold 20", 1),
                                   ({"name": "filtre"}, "no variable 'filtre'", 1), ({"role": "in"}, "constants[0].role", 2),
                                   ({"name": "a b"}, "constants[0].name", 2), ({"elements": "uses()"}, "depends on a decision", 2)):
            self.write(space, kernel, {**launch, "constants": [{**constant, **changes}]})
            self.assertIn(why, self.search(out=f"run{why[-4:]}", code=code), changes)
        # The fake compiler leaves out what is not used; a real one keeps variables that others could see.
        self.write(space, kernel, {**launch, "default": {"uses": 0}})
        out = self.search(out="unused", code=0 if IS_REAL else 1)
        if not IS_REAL:
            self.assertIn("no variable 'filter'", out)

    def test_a_tuning_problem_runs_with_nothing_written_by_hand(self):
        problem = {
            "ConfigurationSpace": {"TuningParameters": [
                {"Name": "BLOCK_X", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
                {"Name": "TILE", "Type": "int", "Values": "[1, 2, 4]", "Default": 1}],
                "Conditions": [{"Expression": "BLOCK_X * TILE <= 256"}]},
            "KernelSpecification": {
                "Language": "CUDA", "KernelName": "axpy", "KernelFile": "axpy.cu", "LocalSize": {"X": "BLOCK_X"},
                "ProblemSize": [N], "GridDivX": ["BLOCK_X", "TILE"], "SharedMemory": 0,
                "Arguments": [
                    *({"Name": name, "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "ProblemSize[0]"}
                      for name in "xy"),
                    {"Name": "z", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant", "Size": N, "Output": 1},
                    {"Name": "alpha", "Type": "float", "MemoryType": "Scalar", "FillValue": 1.5},
                    {"Name": "held", "Type": "float", "MemoryType": "Symbol", "FillType": "Constant", "Size": 4}]}}
        problems = self.folder / "problems"
        problems.mkdir()
        (problems / "axpy.json").write_text(json.dumps(problem))
        (problems / "axpy.cu").write_text(
            "__constant__ float held[4];\n__global__ void axpy(const float* x, const float* y, float* z, float alpha) {\n"
            "  for (int i = blockIdx.x * BLOCK_X * TILE + threadIdx.x; i < (blockIdx.x + 1) * BLOCK_X * TILE; i += BLOCK_X)\n"
            f"    z[i] = (alpha + held[i % 4]) * x[i] + y[i];\n}}\n// fake kernel axpy axpy n={N} us={{BLOCK_X}} variable=held:16\n")
        out = self.run_search("import", "t1", "problems/axpy.json", "--out", "axpy.exh", "--launch", "axpy-launch.json")
        command = out.splitlines()[-1].split()
        self.assertEqual(command[0], "search")
        self.run_search(*command[1:], "--budget", "evals=50", "--progress", "none", "--out", "run")
        self.assertEqual(self.verdicts(), {"correct": 8})
        launch = json.loads((self.folder / "axpy-launch.json").read_text())
        self.assertEqual(launch["default"], {"BLOCK_X": 64, "TILE": 1})

    def test_integers_of_all_widths(self):
        count = 64
        for word, width, held, other in (("u8", 1, 200, 201), ("i16", 2, -2, -1), ("u16", 2, 40000, 40001), ("u64", 8, 1 << 40, (1 << 40) + 1),
                                         ("i8", 1, -56, -55)):
            sort = {"u8": "unsigned char", "i8": "signed char", "i16": "short", "u16": "unsigned short", "u64": "unsigned long long"}[word]
            kernel = (f"__global__ void copy(const {sort}* x, {sort}* y) {{\n  const int i = threadIdx.x;\n  y[i] = x[i] + (i == 1 && wrong == 1);\n"
                      f"  if (wrong == 2 && i == 0) y[{count}] = 0;\n}}\n// fake kernel copy copy n={count * width} us=5\n"
                      f"// fake-if wrong=1 fault=wrong at={width}\n// fake-if wrong=2 fault=writes of=y at={count * width}\n")
            self.write("choice integer wrong(): 0 .. 2 end\n", kernel,
                       {"grid": 1, "block": [count], "arguments": [{"name": "x", "type": word, "elements": count, "fill": held},
                                                                   {"name": "y", "type": word, "elements": count, "role": "out"}],
                        "default": {"wrong": 0}})
            self.search(out=word, entry="copy", size=())
            whys = sorted(record.get("why", "") for record in self.records("eval", word))
            self.assertEqual(len(whys), 3)
            self.assertEqual(whys[0], "")
            self.assertIn(f"y[1] is {other}, expected {held}", whys[2])
            self.assertIn("y was written outside its bounds, 0 elements behind its end", whys[1])

    def test_types_and_gpus_are_options(self):
        if not IS_REAL:
            self.search("--budget", "evals=1", "--gpu", 1, EXH_FAKE_GPUS="2")
            self.assertEqual(self.verdicts(), {"correct": 1})
            self.run_search("--resume", "run", "--gpu", 1, "--budget", "evals=2", "--progress", "none", EXH_FAKE_GPUS="2")
        self.assertIn("--gpu 77: there is none with this number", self.search("--gpu", 77, out="other", code=2))
        self.assertIn("--type: unknown type 'f31'", self.search("--type", "f31", out="third", code=2))
        # Half as many bytes: the kernel reads beyond them.
        self.search("--type", "f16", "--budget", "evals=1", out="halves")
        self.assertIn('"type":"f16"', self.records("run", "halves")[0]["kernel"]["text"])

    @unittest.skipIf(IS_REAL, "there is a GPU")
    def test_without_a_gpu_it_says_what_to_do(self):
        for variables in ({"LD_LIBRARY_PATH": "/nonexistent"}, {"EXH_FAKE_CUDA": "no-gpu"}):
            self.assertIn("search doctor", self.search(code=1, **variables))

    @unittest.skipIf(IS_REAL, "its machine code is the fake driver's")
    def test_the_process_that_measures_answers_what_it_is_asked(self):
        self.search("--budget", "evals=1")
        programs = next(path for path in (self.folder / "cache").rglob("*.cubin") if b"exh_guard" in path.read_bytes())

        def cubin(words):
            path = self.folder / f"{words.replace(' ', '-')}.cubin"
            path.write_text(f"fake cubin\nkernel axpy axpy n={N} us=5 {words}\n")
            return str(path)

        def array(name, role):
            return {"name": name, "type": "f32", "role": role, "elements": N, "file": ""}

        launch = {"grid": [8, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1], "shared": 0, "scalars": [1.5]}
        setup = {"drivers": ["libcuda.so.1"], "programs": str(programs), "gpu": 0, "entry": "axpy", "tolerance": 1e-4, "cubin": cubin(""), "launch": launch,
                 "arguments": [array("x", 1), array("y", 1), array("z", 2), {**array("alpha", 0), "elements": 0}], "constants": []}

        def answers(setup, *questions):
            (self.folder / "setup.json").write_text(setup if isinstance(setup, str) else json.dumps(setup))
            asked = "".join((question if isinstance(question, str) else json.dumps(question)) + "\n" for question in questions)
            done = subprocess.run([SEARCH, "serve-cuda", "setup.json"], input=asked, capture_output=True, text=True, timeout=60, cwd=self.folder,
                                  env=self.environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [json.loads(line) for line in done.stdout.splitlines()]

        def question(number, words, **more):
            return {"id": number, "cubin": cubin(words), "launch": launch, **more}

        got = answers(setup, {"id": 0, "begin": True}, "garbage", '["a list"]', {"id": 1}, question(2, "fault=wrong at=7"), question(3, "", effort="final"),
                      question(4, "", launch={**launch, "block": [2048, 1, 1]}), question(5, "fault=hang", cap_ns=1e6), question(6, ""))
        self.assertEqual(got[0], {"id": 0, "ready": "Fake GPU, driver 13.0"})
        for answer in got[1:4]:
            self.assertIn("the question is not understood", answer["problem"])
        self.assertIn("z[7] is ", got[4]["why"])
        self.assertEqual((got[5]["id"], got[5]["verdict"]), (3, "correct"))
        self.assertGreaterEqual(len(got[5]["runtimes_ns"]), 5)
        self.assertIn("not launched", got[6]["why"])
        self.assertEqual((got[7]["verdict"], got[7]["ends"]), ("slow", True))
        self.assertEqual(len(got), 8, "what does not end is its last answer")
        got = answers(setup, question(1, "", cubin="none.cubin"), question(2, ""))
        self.assertEqual([(answer["verdict"], answer["why"]) for answer in got], [("crash", "cannot read none.cubin")])
        for wrong in ("{", "{}", {**setup, "cubin": cubin("fault=nan")}, {**setup, "drivers": ["libnone.so"]}, {**setup, "arguments": [{"name": 1}]}):
            got = answers(wrong, {"id": 9, "begin": True}, {"id": 10, "begin": True})
            self.assertEqual((len(got), got[0]["id"]), (1, 9))
            self.assertTrue(got[0]["problem"])

    def test_a_default_that_is_no_reference(self):
        for fault, why, code in ((2, "z[0] is NaN, or was not written", 1), (12, "the default configuration does not compile", 2),
                                 (6, "CUDA_ERROR_ILLEGAL_ADDRESS", 1), (3, "z was written outside its bounds", 1),
                                 (8, "did not begin", 1)):
            if fault not in NUMBERS:
                continue
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
