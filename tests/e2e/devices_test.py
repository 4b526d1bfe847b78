#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Devices as a person meets them: `--device cuda` on whatever GPU the fake driver shows, a device that is
nothing but text, and devices of a build folder that was moved.

usage: devices_test.py SEARCH FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import cuda_test

SOURCES = pathlib.Path(__file__).resolve().parents[2]
SEARCH = ""

# What the fake driver shows, and what a search must make of it (tests/kernels/cuda/fake_driver.cc).
GPUS = {
    "sm_75": {"model": "Fake T4, driver 13.0", "shared_bytes": 64 << 10, "units": 40, "unit_warps": 32, "unit_blocks": 16},
    "sm_80": {"model": "Fake A100, driver 13.0", "shared_bytes": 163 << 10, "units": 108, "unit_warps": 64, "unit_blocks": 32},
    "sm_89": {"model": "Fake L4, driver 13.0", "shared_bytes": 99 << 10, "units": 58, "unit_warps": 48, "unit_blocks": 24},
}
MEASURING = "search: measuring how fast "


def limits_of(text):
    """What `search devices` prints, by name."""
    lines = text.splitlines()[1:]
    return {name: json.loads(value) for name, value in (line.split(maxsplit=1) for line in lines)}


class Cuda(cuda_test.Fixture):
    def rates(self):
        """The files of rates in the user's cache."""
        return sorted((self.folder / "cache/exhaust/rates").glob("*"))

    def axpy(self, *more, **variables):
        return self.run_search("--kernel", "axpy", "--size", f"n={cuda_test.N}", "--device", "cuda", "--seed", "1",
                               "--jobs", "1", *(() if "--out" in more else ("--out", self.out)), *more, EXH_FAKE_FAULTS="", **variables)

    def test_limits_are_those_that_the_driver_tells(self):
        for architecture, expected in GPUS.items():
            done = self.run_search("devices", "--device", "cuda", EXH_FAKE_GPU=architecture)
            self.assertEqual(done.returncode, 0, done.stderr)
            limits = limits_of(done.stdout)
            self.assertEqual((limits["architecture"], limits["model"], limits["shared_bytes"]),
                             (architecture, expected["model"], expected["shared_bytes"]))
            self.assertEqual((limits["max_threads"], limits["block_registers"], limits["max_registers"]), (1024, 65536, 255))
            self.assertEqual(limits["vector_sizes"], [2, 4])
            self.assertIn("CACHE_READ_ONLY", limits["cache_flags"])
            self.assertEqual(limits["across_blocks"], ["ATOMIC_CAS", "ATOMIC_RED", "LAST_BLOCK", "SECOND_LAUNCH", "LOOK_BACK"])
        self.assertEqual(self.rates(), [])  # Limits need no rates.

    def test_limits_of_sm_90_are_the_recorded_ones(self):
        detected, recorded = (limits_of(self.run_search("devices", "--device", device).stdout) for device in ("cuda", "h200"))
        self.assertEqual(detected.pop("model"), "Fake GPU, driver 13.0")
        self.assertEqual((detected.pop("multiprocessors"), recorded.pop("multiprocessors")), (4, 132))
        self.assertEqual(detected, recorded)
        self.assertEqual(detected["max_cluster"], 16)
        self.assertIn("CLUSTER", detected["across_blocks"])

    def test_a_gpu_that_is_too_old(self):
        done = self.run_search("devices", "--device", "cuda", EXH_FAKE_GPU="sm_30")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Fake K4000 is of architecture sm_30; sm_50 or later is needed", done.stderr)

    def test_rates_are_measured_once(self):
        for number, (architecture, expected) in enumerate(GPUS.items(), 1):
            out = str(self.folder / architecture)
            done = self.axpy("--budget", "evals=3", "--out", out, EXH_FAKE_GPU=architecture)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count(MEASURING + expected["model"]), 1, done.stderr)
            self.assertRegex(done.stderr, r"search: measured in \d+\.\d s, kept in /.*\.json\n")
            self.assertEqual(len(self.rates()), number)
            file = next(path for path in self.rates() if expected["model"].split(",")[0].replace(" ", "_") in path.name)
            text = file.read_text()
            object_ = json.loads(text)
            self.assertEqual((object_["name"], object_["model"]), ("cuda", expected["model"]))
            for name in ("units", "unit_warps", "unit_blocks"):
                self.assertEqual(object_["values"][name]["value"], expected[name], name)
            again = self.run_search("bound", "--kernel", "axpy", "--device", "cuda", EXH_FAKE_GPU=architecture)
            self.assertEqual((again.returncode, again.stderr), (0, ""))
            self.assertEqual(file.read_text(), text)

    def test_rates_that_are_damaged_are_measured_again(self):
        bound = ("bound", "--kernel", "axpy", "--device", "cuda")
        self.assertIn(MEASURING, self.run_search(*bound).stderr)
        file, = self.rates()
        whole = file.read_text()
        value = re.search(r'"fma": \{\s*"value": ([\d.]+)', whole)[1]
        for damaged in ("", "{", whole[:len(whole) // 2], whole.replace(value, "1" + value, 1), "null",
                        whole.replace('"model": "Fake GPU', '"model": "Other GPU')):
            file.write_text(damaged)
            done = self.run_search(*bound)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(MEASURING, done.stderr, damaged)
            self.assertEqual(json.loads(file.read_text())["values"], json.loads(whole)["values"])
            self.assertEqual(self.rates(), [file])  # Nothing half done beside it.

    def test_without_rates_there_is_no_bound_but_a_search(self):
        (self.folder / "cache").mkdir()
        (self.folder / "cache/exhaust").write_text("no folder")
        done = self.axpy("--budget", "evals=3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: no lower bound: there is no folder to keep the rates of 'Fake GPU, driver 13.0' in", done.stdout)

    def test_a_run_needs_no_gpu_to_be_read(self):
        done = self.axpy("--budget", "evals=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        header = json.loads((pathlib.Path(self.out) / "log.jsonl").read_text().splitlines()[0])
        self.assertEqual((header["device"]["name"], header["device"]["model"]), ("cuda", "Fake GPU, driver 13.0"))
        done = self.axpy("--resume", self.out, "--budget", "evals=6")
        self.assertEqual(done.returncode, 2)  # --out and --resume.
        done = self.run_search("--resume", self.out, "--budget", "evals=6", EXH_FAKE_FAULTS="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_search("replay", self.out, EXH_FAKE_FAULTS="").returncode, 0)
        emitted = self.run_search("emit", self.out).stdout
        for arguments in (("emit", self.out), ("bound", self.out), ("log", "show", self.out), ("replay-run", self.out),
                          ("replay", self.out, "--dry-run"), ("export", self.out, "--format", "cu"),
                          ("install-kernel", self.out, "--out", os.path.join(self.out, "tuned"))):
            done = self.run_search(*arguments, EXH_FAKE_CUDA="no-device")
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            if arguments[0] == "emit":
                self.assertEqual(done.stdout, emitted)
            if arguments[0] == "install-kernel":  # It is for the GPU that it was measured on.
                self.assertRegex(done.stdout, r"(?m)^axpy n=\d+ on Fake GPU \(sm_90\): ")
                with open(os.path.join(self.out, "tuned", "CMakeLists.txt"), encoding="utf-8") as file:
                    self.assertIn("CUDA_ARCHITECTURES 90-real", file.read())
            if arguments[0] == "export":  # All that a replay elsewhere needs.
                for limit in ('architecture="sm_90"', "shared_bytes=232448", "max_threads=1024"):
                    self.assertIn(limit, done.stdout)
        # On another GPU the rates of this one are known, too; without them it is said where they are missing.
        self.assertEqual(self.run_search("bound", self.out, EXH_FAKE_GPU="sm_80").returncode, 0)
        self.rates()[0].unlink()
        done = self.run_search("bound", self.out, EXH_FAKE_GPU="sm_80")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the rates of 'Fake GPU, driver 13.0' were not measured on this machine: here is Fake A100", done.stderr)

    def test_gpus_have_numbers(self):
        done = self.run_search("devices", "--device", "cuda", "--gpu", "1", EXH_FAKE_CUDA="second")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_search("devices", "--device", "cuda", "--gpu", "0", EXH_FAKE_CUDA="second")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "search: --gpu 0: the driver shows no such GPU; there is 1\n"))

    def test_without_a_gpu_one_line_says_what_to_do(self):
        for fault, why in (("no-gpu", "the driver shows no GPU that answers"),
                           ("no-device", "libcuda.so.1 cannot start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)")):
            done = self.axpy(EXH_FAKE_CUDA=fault)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"search: --device cuda: {why}; --device cpu runs without a GPU\n"))
            self.assertFalse(os.path.exists(self.out))


class TextDevice:
    """A device that prints, and runs nothing: DEVICE, whose sources are files with SUFFIX."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "any.replay").write_text("")

    def search(self, *arguments):
        return subprocess.run([SEARCH, *arguments], capture_output=True, text=True, timeout=100, cwd=self.folder)

    def emit(self, *arguments):
        return self.search("emit", "any.replay", "--device", self.DEVICE, *arguments)

    def printed(self, *kernels):
        """Sources of kernels, each with its options, two of each."""
        for kernel in kernels:
            for seed in ("1", "2"):
                done = self.emit("--seed", seed, *kernel)
                self.assertEqual(done.returncode, 0, done.stderr)
                yield done.stdout

    def test_a_file_of_it_has_its_suffix(self):
        done = self.emit("--kernel", "axpy", "--out", "here")
        self.assertEqual(done.stdout, f"here/axpy.{self.SUFFIX}\n", done.stderr)
        self.assertTrue((self.folder / "here/axpy.decisions.txt").exists())

    def test_a_search_says_what_runs(self):
        done = self.search("--kernel", "axpy", "--device", self.DEVICE, "--out", "run")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"nothing runs on device '{self.DEVICE}'", done.stderr)
        self.assertIn("--device cpu runs here", done.stderr)
        self.assertFalse((self.folder / "run").exists())
        done = self.search("replay", "any.replay", "--kernel", "axpy", "--device", self.DEVICE)
        self.assertIn(f"nothing runs on device '{self.DEVICE}'", done.stderr)

    def test_spaces_are_counted_and_bounded(self):
        for command in ("bound", "size", "devices"):
            kernel = () if command == "devices" else ("--kernel", "axpy", "--size", "n=4096")
            done = self.search(command, *kernel, "--device", self.DEVICE)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.search("explain", "--kernel", "axpy", "--device", self.DEVICE, "--random-dead-end")
        self.assertEqual(done.returncode, 0, done.stderr)


class HipText(TextDevice, unittest.TestCase):
    DEVICE, SUFFIX = "hip-text", "hip"
    # What a compiler of C++ must know to read HIP, without its header.
    HEADER = """#pragma once
#include <cmath>
#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(threads, blocks)
#define __restrict__
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float __int_as_float(int) { return 0; }
struct Index { int x; };
extern Index threadIdx, blockIdx;
void __syncthreads();
template <typename T> T __shfl_xor(T value, int) { return value; }
constexpr int __HIP_MEMORY_SCOPE_AGENT = 0;
template <typename T> T __hip_atomic_load(const T* from, int, int) { return *from; }
template <typename T> T atomicAdd(T*, T value) { return value; }
template <typename T> T atomicMin(T*, T value) { return value; }
template <typename T> T atomicMax(T*, T value) { return value; }
template <typename T> T atomicExch(T*, T value) { return value; }
template <typename T> T atomicCAS(T*, T, T value) { return value; }
unsigned __float_as_uint(float);
float __uint_as_float(unsigned);
void __threadfence();
int __syncthreads_or(int);
"""

    def setUp(self):
        super().setUp()
        (self.folder / "hip").mkdir()
        (self.folder / "hip/hip_runtime.h").write_text(self.HEADER)

    def test_what_it_prints_is_hip(self):
        for text in self.printed(("--kernel", "axpy"), ("--kernel", "mv"), ("--kernel", "matmul", "--space", "paper")):
            self.assertIn("#include <hip/hip_runtime.h>\n", text)
            self.assertIsNone(re.search(r"asm|__ld|__st|_sync\(|#define|cuda", text))
            file = self.folder / "kernel.cc"
            file.write_text(text)
            compiled = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-I", self.folder, "-Wno-unknown-pragmas", file],
                                      capture_output=True, text=True)
            self.assertEqual(compiled.returncode, 0, compiled.stderr)
            self.assertLessEqual(int(re.search(r"__launch_bounds__\((\d+)", text)[1]), 1024)


class OpenClText(TextDevice, unittest.TestCase):
    DEVICE, SUFFIX = "opencl-text", "cl"

    KERNELS = [("--kernel", kernel) for kernel in ("axpy", "mv", "matmul", "reduce", "softmax", "conv2d")] + [
        ("--compute", "c[i,j] = max(0, sum(k) a[i,k] * b[k,j])", "--size", "i=64,j=64,k=64", "--type", type_)
        for type_ in ("f64", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "u32", "i8")] + [
        ("--compute", "y[i] = a[i] and not b[i] or a[i] xor c[i]", "--size", "i=1024", "--type", "bool")]

    def test_what_it_prints_is_opencl_c(self):
        barriers = set()
        for text in self.printed(*self.KERNELS):
            barriers |= set(re.findall(r"\bbarrier\(.*\);", text))
            self.assertRegex(text, r"__kernel __attribute__\(\(reqd_work_group_size\(\d+, 1, 1\)\)\) void\nexh_kernel\(__global const ")
            code = re.sub(r"//.*", "", text)
            self.assertIsNone(re.search(r"<|::|\bauto\b|__global__|__device__|__sync|_cast|threadIdx|long long|sub_group", re.sub(r" (<|<<|<=) ", "", code)))
        # Threads hand each other what is in either memory, as behind CUDA's __syncthreads().
        self.assertEqual(barriers, {"barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"})

    def test_a_compiler_reads_it(self):
        if shutil.which("clang") is None:
            self.skipTest("clang, which reads OpenCL C, is not installed")
        for options in ((), ("--set", "architecture=cl_khr_subgroup_shuffle")):
            for text in self.printed(*(kernel + options for kernel in self.KERNELS)):
                file = self.folder / "kernel.cl"
                file.write_text(text)
                shuffles = "#ifndef cl_khr_subgroup_shuffle\n" in text
                self.assertEqual(shuffles, "sub_group_shuffle_xor" in text)
                command = ["clang", "-x", "cl", "-cl-std=CL3.0" if shuffles else "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
                           "-target", "spir64", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", file]
                compiled = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(compiled.returncode, 0, compiled.stderr + text)

    def test_what_it_has_no_word_for_is_refused(self):
        for way, word in (("ATOMIC_CAS", "atomic operations on outputs"), ("LAST_BLOCK", "the fence before the ticket of a last block")):
            done = self.emit("--kernel", "reduce", "--set", f'across_blocks=["{way}"]', "--seed", "1")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"OpenCL C has no word for {word}\n", done.stderr)


class Moved(unittest.TestCase):
    def test_a_build_folder_that_was_moved_finds_its_devices(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            shutil.copytree(pathlib.Path(SEARCH).parents[1] / "devices", folder / "devices")
            # Its sources are gone: where the program has them there is nothing. (Linkers let one text end
            # another: what the path ends with stays.)
            sources = str(SOURCES / "kernels/devices").encode() + b"\0"
            gone = b"/nowhere".ljust(len(sources) - len(b"/devices\0"), b"/") + b"/devices\0"
            program = pathlib.Path(SEARCH).read_bytes()
            self.assertIn(sources, program)
            moved = folder / "bin/search"
            moved.write_bytes(program.replace(sources, gone))
            moved.chmod(0o755)
            done = subprocess.run([moved, "devices", "--device", "h200"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(limits_of(done.stdout)["shared_bytes"], 232448, done.stderr)
            done = subprocess.run([moved, "bound", "--kernel", "axpy", "--device", "h200"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # And it was that folder which it looked into.
            (folder / "devices").rename(folder / "elsewhere")
            done = subprocess.run([moved, "devices", "--device", "h200"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("cannot list devices in /nowhere", done.stderr)


if __name__ == "__main__":
    SEARCH, cuda_test.DRIVER, cuda_test.NVRTC = (os.path.abspath(path) for path in sys.argv[1:4])
    cuda_test.SEARCH = SEARCH
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)
