#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""search install-kernel from runs to calls: two runs of different sizes become one library, which a
program in C is linked with and NumPy calls; it is right at both sizes and refuses a third.

usage: install_test.py SEARCH CMAKE [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_test
import docs_test

SEARCH, CMAKE = "", ""
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST, SECOND = {"m": 32, "n": 24, "k": 16}, {"m": 16, "n": 48, "k": 20}

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tuned.h"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fallback(int64_t m, int64_t n, int64_t k, int64_t transpose_a, int64_t transpose_b,
                    int64_t relu, int64_t a_stride, int64_t type, const float* a, const float* b, float* c) {
  (void)transpose_a, (void)transpose_b, (void)relu, (void)a_stride, (void)type, (void)a, (void)b, (void)c;
  return 1000 + (int)(m + n + k);
}

/* How many elements are wrong; -1 - status when it refuses. */
static int check(int64_t m, int64_t n, int64_t k) {
  float* a = aligned_alloc(64, 65536);
  float* b = aligned_alloc(64, 65536);
  float* c = aligned_alloc(64, 65536);
  int wrong = 0;
  for (int64_t i = 0; i < m * k; ++i) a[i] = (float)(i % 11 - 5);
  for (int64_t i = 0; i < k * n; ++i) b[i] = (float)(i % 7 - 3);
  memset(c, 0xff, 65536);
  const int status = exh_matmul(m, n, k, 0, 0, 0, 1, 0, a, b, c);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      wrong += c[i * n + j] != sum;
    }
  }
  if (status == EXH_NOT_TUNED) wrong = c[0] == c[0] ? 1000000 : -1 - status;  /* Untouched. */
  free(a), free(b), free(c);
  return wrong;
}

int main(void) {
  float* a = aligned_alloc(64, 65536);
  printf("first %d\n", check(32, 24, 16));
  printf("second %d\n", check(16, 48, 20));
  printf("third %d\n", check(32, 24, 20));
  printf("tuned %d %d\n", exh_matmul_is_tuned(32, 24, 16, 0, 0, 0, 1, 0), exh_matmul_is_tuned(32, 24, 16, 1, 0, 0, 1, 0));
  printf("null %d\n", exh_matmul(32, 24, 16, 0, 0, 0, 1, 0, a, 0, a) == EXH_NULL_POINTER);
  printf("misaligned %d\n", exh_matmul(32, 24, 16, 0, 0, 0, 1, 0, a, a, (float*)((char*)a + 1)) == EXH_MISALIGNED);
  exh_matmul_set_fallback(fallback);
  printf("fallback %d\n", exh_matmul(32, 24, 20, 0, 0, 0, 1, 0, a, a, a));
  exh_matmul_set_fallback(0);
  printf("again %s\n", exh_status_text(exh_matmul(32, 24, 20, 0, 0, 0, 1, 0, a, a, a)));
  const double begin = seconds();
  int sum = 0;
  for (int i = 0; i < 1000000; ++i) sum += exh_matmul_is_tuned(32, 24, 16 + (i & 4), 0, 0, 0, 1, 0);
  printf("dispatch %.1f ns, %d\n", (seconds() - begin) * 1e3, sum);
  return 0;
}
"""

# Beside Eigen: the status, and the largest difference to its product in double precision.
EIGEN = """
#include <Eigen/Dense>
#include <cstdio>
#include "tuned.h"

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void Compare(int m, int n, int k) {
  const Matrix a = Matrix::Random(m, k), b = Matrix::Random(k, n);
  Matrix c = Matrix::Zero(m, n);
  const int status = exh_matmul(m, n, k, 0, 0, 0, 1, 0, a.data(), b.data(), c.data());
  const Eigen::MatrixXd expected = a.cast<double>() * b.cast<double>();
  std::printf("%d %g\\n", status, (c.cast<double>() - expected).cwiseAbs().maxCoeff());
}

int main() {
  Compare(32, 24, 16);
  Compare(16, 48, 20);
  Compare(32, 24, 20);
}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES C CXX)
{find}
add_executable(program main.c)
target_link_libraries(program PRIVATE tuned::tuned)
"""


def run(*command, cwd=None, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, check=False,
                          env=dict(os.environ, **environment))


def size_text(sizes):
    return ",".join(f"{name}={value}" for name, value in sizes.items())


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="exh-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.search("first", "matmul", FIRST)
        cls.search("second", "matmul", SECOND)

    @classmethod
    def search(cls, name, kernel, sizes, *options):
        if (cls.home / name).exists():
            return
        done = run(SEARCH, "--kernel", kernel, "--size", size_text(sizes), "--budget", "evals=3", "--seed", "1",
                   "--out", str(cls.home / name), *options)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def setUp(self):
        self.out = self.home / self.id().rsplit(".", maxsplit=1)[-1]

    def install(self, *runs, out=None):
        done = run(SEARCH, "install-kernel", *[str(self.home / run) for run in runs], "--out", str(out or self.out))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def refuse(self, *arguments, says, code=2):
        """Fails with these words, and leaves the folder as it was."""
        before = self.snapshot()
        done = run(SEARCH, "install-kernel", *map(str, arguments), cwd=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)
        self.assertEqual(self.snapshot(), before)
        self.assertEqual([path for path in self.home.iterdir() if path.name.startswith(".")], [])

    def snapshot(self):
        return {str(path.relative_to(self.home)): path.read_bytes() for path in self.home.rglob("*") if path.is_file()}

    def wisdom(self):
        return [json.loads(line) for line in (self.out / "wisdom.jsonl").read_text().splitlines()]

    def write_wisdom(self, entries):
        (self.out / "wisdom.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))

    def build(self, source, *options):
        folder = source / "build"
        for command in ((CMAKE, "-G", "Ninja", "-S", source, "-B", folder, *options), (CMAKE, "--build", folder)):
            done = run(*map(str, command))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("warning", done.stdout + done.stderr)
        return folder

    def project(self, find, *options):
        """Builds the program in C against the library, and runs it."""
        folder = self.out.with_name(self.out.name + "-user")
        folder.mkdir()
        (folder / "main.c").write_text(PROGRAM)
        (folder / "CMakeLists.txt").write_text(PROJECT.format(find=find))
        self.build(folder, "-DCMAKE_C_FLAGS=-std=gnu11 -Wall -Wextra", *options)
        done = run(str(folder / "build/program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def test_two_runs_are_one_library(self):
        said = self.install("first", "second")
        self.assertRegex(said, r"(?m)^matmul m=32,n=24,k=16 on vectors of \d+ floats, \d+ threads?: ")
        self.assertIn("m=16,n=48,k=20", said)
        header = (self.out / "tuned.h").read_text()
        self.assertIn("f32[32, 16], aligned to 16 bytes; or f32[16, 20], aligned", header.replace("f32[16, 20], aligned "
                      "to 16 bytes; or f32[32, 16], aligned", "f32[32, 16], aligned to 16 bytes; or f32[16, 20], aligned"))
        said = self.project(f"add_subdirectory({self.out} tuned)")
        self.assertEqual((said["first"], said["second"]), ("0", "0"))
        self.assertEqual(said["third"], "-2")  # EXH_NOT_TUNED, and nothing is touched.
        self.assertEqual((said["tuned"], said["null"], said["misaligned"]), ("0 1", "1", "1"))
        self.assertEqual(said["fallback"], "1076")
        self.assertEqual(said["again"], "nothing is tuned for these sizes on this device")
        self.assertEqual(said["dispatch"].split(", ")[1], "500000")  # Half of them are not tuned.
        print(f"dispatch: {said['dispatch'].split(',')[0]}")
        # With fewer cores it is another device of the same architecture.
        cores = os.sched_getaffinity(0)
        if len(cores) > 1:
            done = subprocess.run(["taskset", "-c", str(min(cores)), self.out.with_name(self.out.name + "-user") /
                                   "build/program"], capture_output=True, text=True, timeout=300, check=False)
            self.assertTrue(done.stdout.startswith("first 0\nsecond 0\nthird -2\ntuned 0 1\n"), done.stdout + done.stderr)

    def test_it_computes_what_eigen_does(self):
        self.install("first", "second")
        folder = self.out.with_name(self.out.name + "-user")
        folder.mkdir()
        (folder / "main.cc").write_text(EIGEN)
        (folder / "CMakeLists.txt").write_text(
            PROJECT.format(find=f"add_subdirectory({self.out} tuned)\nfind_package(Eigen3 REQUIRED NO_MODULE)")
            .replace("main.c", "main.cc").replace("tuned::tuned", "tuned::tuned Eigen3::Eigen"))
        self.build(folder)
        lines = [line.split() for line in run(str(folder / "build/program")).stdout.splitlines()]
        self.assertEqual([status for status, _ in lines], ["0", "0", "1"])
        self.assertTrue(all(float(error) < 1e-5 for _, error in lines[:2]), lines)
        self.assertGreater(float(lines[2][1]), 0.1)  # Nothing was computed.

    def test_a_library_is_installed_and_found(self):
        self.install("first", "second")
        build = self.build(self.out)
        done = run(CMAKE, "--install", str(build), "--prefix", str(self.home / "prefix"))
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.project("find_package(tuned REQUIRED)", f"-DCMAKE_PREFIX_PATH={self.home}/prefix")
        self.assertEqual((said["first"], said["second"], said["third"]), ("0", "0", "-2"))

    def test_it_grows_and_keeps_the_faster(self):
        self.install("first")
        slow = self.wisdom()[0]
        fast = slow["ns"]
        slow["ns"] = 1e12
        self.write_wisdom([slow])
        (self.out / "build").mkdir()
        (self.out / "build/mine").write_text("kept")
        self.assertIn(" instead of 1000 s", self.install("first"))
        self.assertEqual([entry["ns"] for entry in self.wisdom()], [fast])
        self.assertTrue(set(self.wisdom()[0]["compared"]) >= {"naive"}, self.wisdom()[0]["compared"])
        self.assertIn(" stays, which is not slower than ", self.install("first", "second"))
        self.assertEqual([entry["sizes"][2]["value"] for entry in self.wisdom()], [16, 20])
        self.assertEqual((self.out / "build/mine").read_text(), "kept")
        self.assertEqual(len(list((self.out / "kernels").iterdir())), 2)
        # What is not of the runs at hand is written again from wisdom.jsonl alone.
        kernels = {path.name: path.read_text() for path in (self.out / "kernels").iterdir()}
        shutil.rmtree(self.out / "kernels")
        self.install("second")
        self.assertEqual({path.name: path.read_text() for path in (self.out / "kernels").iterdir()}, kernels)

    def test_another_machine_is_not_tuned(self):
        self.install("first", "second")
        entries = self.wisdom()
        entries[0]["architecture"] = entries[0]["device"] = "vectors of 4096 floats"
        entries[1]["device"] += " of another kind"  # The same architecture will do.
        self.write_wisdom(entries)
        self.install("second")  # Beside it stands what is for this very device.
        said = self.project(f"add_subdirectory({self.out} tuned)")
        self.assertEqual((said["first"], said["second"], said["third"]), ("-2", "0", "-2"))

    def test_a_library_that_was_compiled_for_another_processor_says_so(self):
        if "xop" in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this processor has everything")
        self.install("first")
        entry = self.wisdom()[0]
        entry["flags"].append("-mxop")
        self.write_wisdom([entry])
        self.install("second")
        folder = self.build(self.out)
        (folder / "main.c").write_text('#include <stdio.h>\n#include "tuned.h"\nstatic _Alignas(64) float x[4096];\n'
                                       "int main(void) { puts(exh_status_text(exh_matmul(32, 24, 16, 0, 0, 0, 1, 0, x, x + "
                                       "1024, x + 2048))); }\n")
        done = run("gcc", "-I", str(self.out), str(folder / "main.c"), "-o", str(folder / "main"), f"-L{folder}",
                   "-ltuned", f"-Wl,-rpath,{folder}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("compiled for another device than this one", run(str(folder / "main")).stdout)

    def test_several_at_once_lose_nothing(self):
        self.search("axpy", "axpy", {"n": 512})
        self.search("dot", "dot", {"n": 512})
        runs = ("first", "second", "axpy", "dot")
        for round_ in range(3):
            shutil.rmtree(self.out, ignore_errors=True)
            (self.out / "build/deep").mkdir(parents=True)
            (self.out / "build/deep/mine").write_text("mine")
            (self.out / "wisdom.jsonl").write_text("")
            processes = [subprocess.Popen([SEARCH, "install-kernel", self.home / run, "--out", self.out],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for run in runs]
            said = [process.communicate(timeout=300)[1] for process in processes]
            self.assertEqual([process.returncode for process in processes], [0] * len(runs), said)
            self.assertEqual(sorted((entry["kernel"], len(entry["sizes"])) for entry in self.wisdom()),
                             [("axpy", 1), ("dot", 1), ("matmul", 8), ("matmul", 8)], round_)
            self.assertEqual(len(list((self.out / "kernels").iterdir())), len(runs))
            self.assertEqual((self.out / "build/deep/mine").read_text(), "mine")
            self.assertEqual([path.name for path in self.out.iterdir() if path.name.startswith(".")], [])

    def test_what_a_killed_one_left_is_finished(self):
        self.install("first")
        kernels = sorted(path.name for path in (self.out / "kernels").iterdir())
        wisdom = (self.out / "wisdom.jsonl").read_text()
        whole = self.out / ".exh-unfinished"
        (whole / "files").mkdir(parents=True)
        (whole / "files/wisdom.jsonl").write_text(wisdom)
        (whole / "gone").write_text(f"kernels/{kernels[0]}\n")
        (self.out / "kernels/mine").write_text("mine")
        done = run(CMAKE, "-G", "Ninja", "-S", str(self.out), "-B", str(self.out / "build"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("this folder is written in part", done.stderr)
        self.install("second")
        self.assertFalse(whole.exists())
        self.assertEqual((self.out / "kernels/mine").read_text(), "mine")
        self.build(self.out)

    def test_other_kernels_and_names_stand_beside_each_other(self):
        self.search("axpy", "axpy", {"n": 512})
        self.install("first", "axpy")
        done = run(SEARCH, "install-kernel", str(self.home / "second"), "--name", "my product", "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        header = (self.out / "tuned.h").read_text()
        for name in "matmul", "axpy", "my_product":
            self.assertIn(f"int exh_{name}(", header)
        self.assertIn("float* z, float alpha);", header)
        self.build(self.out)

    def python(self, module="numpy"):
        """A Python that has this module; the test is skipped where there is none."""
        for python in sys.executable, "/usr/bin/python3":
            if run(python, "-c", f"import {module}").returncode == 0:
                return python
        return self.skipTest(f"no Python here has {module}")

    def test_the_page_does_what_it_says(self):
        python = self.python()
        page = "docs/application.md"
        for name, text in docs_test.files(page).items():
            (self.out / "app").mkdir(parents=True, exist_ok=True)
            (self.out / "app" / name).write_text(text)
        printed = ""
        blocks = [(language, text) for _, language, text in docs_test.blocks(page) if language in ("sh", "text")]
        self.assertEqual([language for language, _ in blocks], ["sh", "sh", "text", "sh", "text", "sh"])
        for language, text in blocks:
            if language == "text":
                self.assertTrue(printed.endswith("\n" + text) or printed == text, printed)
                continue
            for shown, here in (("./exh search", SEARCH), ("./exh install-kernel", SEARCH + " install-kernel"),
                                ("--budget 20s", "--budget evals=2"), ("python3", python)):
                text = text.replace(shown, here)
            done = run("sh", "-ec", text, cwd=self.out)
            self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
            printed = done.stdout

    def test_numpy_calls_it(self):
        python = self.python()
        self.search("axpy", "axpy", {"n": 512})
        self.search("reduce", "reduce", {"a": 4, "b": 8, "c": 16, "d": 4, "op": "max", "type": "f16"})
        self.search("moments", "moments", {"m": 16, "n": 32})
        self.install("first", "second", "axpy", "reduce", "moments")
        self.assertIn("//   op: 0 is sum, 1 is prod, 2 is min, 3 is max,", (self.out / "tuned.h").read_text())
        self.build(self.out)
        done = run(python, "-B", "-c", NUMPY, cwd=self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["right", "right", "right", "refused", "fell back", "type", "strides",
                                                    "option", "count", "largest", "no sum", "no word", "named", "two results",
                                                    "field", "list", "None", "fallback", "scalar"])

    def test_names_that_are_words(self):
        python = self.python()
        (self.home / "words.kernel").write_text(WORDS)
        self.search("words", str(self.home / "words.kernel"), {"class": 6, "lambda": 8})
        self.search("axpy", "axpy", {"n": 512})
        self.install("words")
        for name in "any", "json", "status_text", "pass":
            done = run(SEARCH, "install-kernel", str(self.home / "axpy"), "--name", name, "--out", str(self.out))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("//   class_ is the size 'class'\n", (self.out / "tuned.h").read_text())
        self.build(self.out)
        done = run(python, "-B", "-c", CALLS_WORDS, cwd=self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["right"] * 6)

    def test_pytorch_calls_it(self):
        python = self.python("torch")
        self.search("axpy", "axpy", {"n": 512})
        self.search("moments", "moments", {"m": 16, "n": 32})
        self.install("first", "second", "axpy", "moments")
        self.build(self.out)
        done = run(python, "-B", "-c", TORCH, cwd=self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["right", "right", "right", "two results", "fell back", "size", "type",
                                                    "strides", "option", "alignment", "operator"])

    def test_bad_input(self):
        self.install("first")
        out = ("--out", self.out)
        self.refuse(*out, says=["search install-kernel RUN --out FOLDER"])
        self.refuse("first", says=["--out tuned"])
        self.refuse("nowhere", *out, says=["nowhere"])
        self.refuse("first@999", *out, says=["has no record 999"])
        (self.home / "plain").write_text("a file")
        self.refuse("first", "--out", "plain", says=["'plain' is a file", "folder of a library"])
        self.refuse("first", "--out", "second", says=["'second' is not empty, and no tuned library", "--out"])
        self.refuse("first", "--out", "/proc/nowhere/tuned", code=1, says=["/proc/nowhere/tuned", "nothing was changed"])
        # Another kernel of the same name.
        (self.home / "other.kernel").write_text(
            (ROOT / "kernels/library/texts/matmul.kernel").read_text().replace("a[m, k] * b[k, n]", "b[k, n] * a[m, k]"))
        self.search("other", str(self.home / "other.kernel"), FIRST)
        self.refuse("other", *out, says=["two kernels are called 'matmul'", "--name matmul2"])
        # Another kind of device.
        entry = self.wisdom()[0]
        self.write_wisdom([dict(entry, language="cuda", device="NVIDIA H200", architecture="sm_90")])
        self.refuse("second", *out, says=["another kind of device", "NVIDIA H200 (sm_90)", "--out"])
        for damage, words in (({"v": 99}, "it is of version 99, and this program reads version 1"),
                              ({"sizes": 3}, "wisdom.jsonl:2: "), ({"arrays": [{}]}, "'name'"),
                              ({"symbol": "../../main"}, "its symbol is '../../main', which is no identifier"),
                              ({"arrays": [], "symbol": "x"}, "two kernels are called 'matmul'"),
                              ({}, "it is there twice: matmul m=32,n=24,k=16 on ")):
            self.write_wisdom([entry, dict(entry, **damage)])
            self.refuse("second", *out, says=[words, "nothing was changed"])
        (self.out / "wisdom.jsonl").write_text(json.dumps(entry)[:200])
        self.refuse("second", *out, says=["wisdom.jsonl:1: "])

    def test_logs_that_will_not_do(self):
        self.install("first")
        log = (self.home / "first/log.jsonl").read_text().splitlines(keepends=True)
        damaged = self.home / "damaged"
        damaged.mkdir()
        kept = [line for line in log if '"t":"best"' not in line]
        (damaged / "log.jsonl").write_text("".join(kept))
        self.refuse("damaged", "--out", self.out, says=["damaged"])  # It has no winner.
        (damaged / "log.jsonl").write_text("".join(log[1:]))
        self.refuse("damaged", "--out", self.out, says=["damaged"])
        sealed = cli_test.sealed(dict(json.loads(log[0]), v=99))
        (damaged / "log.jsonl").write_text(sealed + "".join(log[1:]))
        self.refuse("damaged", "--out", self.out, says=["the log of 'damaged' is of version 99", "up to 2"])
        (damaged / "log.jsonl").write_text("")
        self.refuse("damaged", "--out", self.out, says=["damaged"])


NUMPY = """
import numpy as np
import tuned
rng = np.random.default_rng(1)
for m, n, k in (32, 24, 16), (16, 48, 20):
    a, b = (np.round(rng.uniform(-4, 4, shape)).astype("float32") for shape in ((m, k), (k, n)))
    print("right" if (tuned.matmul(a, b) == a @ b).all() else "wrong")
x, y = (np.arange(512, dtype="float32") * i for i in (1, 2))
print("right" if (tuned.axpy(x, y, alpha=3) == 3 * x + y).all() else "wrong")
a, b = np.ones((32, 20), "float32"), np.ones((20, 24), "float32")
try:
    tuned.matmul(a, b)
except tuned.NotTuned as error:
    print("refused" if "a: f32[32, 20] with strides (20, 1)" in str(error) and "f32[32, 16]" in str(error) else error)
print("fell back" if (tuned.matmul(a, b, fallback=np.matmul) == 20).all() else "did not")
for word, wrong in ("type", a.astype("float64")), ("strides", np.ones((16, 32), "float32").T):
    try:
        tuned.matmul(wrong, np.ones((wrong.shape[1], 24), "float32"))
    except tuned.NotTuned as error:
        print(word)
try:
    tuned.matmul(a, b, reluu=1)
except TypeError as error:
    print("option" if "has no 'reluu'; it has: m, n, k" in str(error) else error)
try:
    tuned.matmul(a)
except TypeError as error:
    print("count" if "takes 2 arrays (a, b), not 1" in str(error) else error)
x = rng.uniform(-1, 1, (4, 8, 16, 4)).astype("float16")
y = tuned.reduce(x, op="max")
print("largest" if y.dtype == x.dtype and (y == x.max((0, 2))).all() else y)
for what, option in ("no sum", "sum"), ("no word", "mux"):
    try:
        tuned.reduce(x, op=option)
    except ValueError as error:
        is_mux = str(error).startswith("op is one of sum, prod, min, max, any, all, argmax, not 'mux'")
        print(what if is_mux == (option == "mux") else error)
try:
    tuned.reduce(x.astype("float32"), op="max")
except tuned.NotTuned as error:
    print("named" if "op=max, type=f16" in str(error) else error)
x = rng.uniform(-1, 1, (16, 32)).astype("float32")
mean, variance = tuned.moments(x)
print("two results" if np.allclose(mean, x.mean(1), atol=1e-5) and np.allclose(variance, x.var(1), atol=1e-5) else mean)
table = np.zeros(512, [("one", "i1"), ("x", "<f4")])  # Five bytes from one x to the next.
ones = np.ones(512, "float32")
for word, call, said in (("field", lambda: tuned.axpy(table["x"], ones), "strides of (5,) bytes, which are no multiples of"),
                         ("list", lambda: tuned.axpy([1.0] * 512, ones), "x is an array of NumPy or a tensor of PyTorch, not list"),
                         ("None", lambda: tuned.axpy(ones, None), "y is an array of NumPy or a tensor of PyTorch, not NoneType"),
                         ("fallback", lambda: tuned.axpy(ones, ones, fallback=1), "fallback is a function"),
                         ("scalar", lambda: tuned.axpy(ones, ones, alpha="x"), "alpha is a number, not 'x'")):
    try:
        call()
    except (tuned.NotTuned, TypeError) as error:
        print(word if said in str(error) else error)
"""

# Every name is one that Python, C or what is written has.
WORDS = """
kernel import
  size class = 6, lambda = 8
  option fallback = 0 in 0..1
  scalar double = 2
  input static_cast: f32[class, lambda]
  input stream: f32[class, lambda]
  output return: f32[class, lambda]
  return[for, if] = double * static_cast[for, if] + (fallback ? stream[for, if] : 0)
end
"""

CALLS_WORDS = """
import numpy as np
import tuned
a, b = np.ones((6, 8), "float32"), np.full((6, 8), 3, "float32")
print("right" if (tuned.import_(a, b) == 2).all() and (tuned.import_(a, b, double_=4, fallback_=0) == 4).all() else "wrong")
try:
    tuned.import_(a, b, fallback_=1)
except tuned.NotTuned:
    print("right" if (tuned.import_(a, b, fallback_=1, fallback=lambda *arrays, **options: a) == 1).all() else "wrong")
x = np.ones(512, "float32")
for name in "any", "json_", "status_text_", "pass_":
    print("right" if (getattr(tuned, name)(x, x, alpha=2) == 3).all() else "wrong")
"""


TORCH = """
import torch
import tuned
torch.manual_seed(1)
for m, n, k in (32, 24, 16), (16, 48, 20):
    a, b = (torch.randint(-4, 5, shape).float() for shape in ((m, k), (k, n)))
    print("right" if torch.equal(tuned.matmul(a, b), a @ b) else "wrong")
x, y = torch.randn(512), torch.randn(512)
print("right" if torch.allclose(tuned.axpy(x, y, alpha=3), 3 * x + y, atol=1e-5) else "wrong")
x = torch.randn(16, 32)
mean, variance = tuned.moments(x)
print("two results" if torch.allclose(mean, x.mean(1), atol=1e-5)
      and torch.allclose(variance, x.var(1, unbiased=False), atol=1e-5) else mean)
a, b = torch.ones(32, 20), torch.ones(20, 24)
print("fell back" if torch.equal(tuned.matmul(a, b, fallback=torch.matmul), a @ b) else "did not")
good, right = torch.ones(32, 16), torch.ones(16, 24)
for word, call in (("size", lambda: tuned.matmul(a, b)), ("type", lambda: tuned.matmul(good.double(), right)),
                   ("strides", lambda: tuned.matmul(torch.ones(16, 32).t(), right)),
                   ("option", lambda: tuned.matmul(good, right, relu=1))):
    try:
        call()
    except tuned.NotTuned as error:
        print(word)
try:
    tuned.matmul(torch.ones(32 * 16 + 1)[1:].view(32, 16), right)
except ValueError as error:
    print("alignment" if "a is not aligned to 16 bytes" in str(error) else error)
if hasattr(torch.library, "custom_op"):
    operator = tuned.operator("matmul")
    torch.library.opcheck(operator, (good, right), test_utils=("test_schema", "test_faketensor"))
    compiled = torch.compile(lambda x, y: torch.ops.tuned.matmul(x, y) + 1, fullgraph=True, backend="aot_eager")
    print("operator" if torch.equal(compiled(good, right), good @ right + 1) else "wrong")
else:
    try:
        tuned.operator("matmul")
    except ImportError as error:
        print("operator" if "2.4 or later" in str(error) else error)
"""


if __name__ == "__main__":
    SEARCH, CMAKE = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
