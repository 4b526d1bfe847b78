#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two searches become one library, and a program in C++ and PyTorch call it: what application.sh says.
Each figure is a line that ends with "ok" or "MISSED"."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SIZES = ((1024, 1024, 1024), (256, 256, 512))
THIRD = (1024, 1024, 512)

# Host time of one call: to find a unit, and to find and launch it. A call with an array that is null
# does all but the launch.
DISPATCH = r"""
#include <chrono>
#include <cstdio>
#include "tuned.h"

template <typename Call>
double Nanoseconds(const Call& call) {
  constexpr int kCalls = 200000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kCalls;
}

int main() {
  DEVICE_BEGIN
  for (int round = 0; round < 5; ++round) {
    const double found = Nanoseconds([] { exh_matmul_is_tuned(1024, 1024, 1024, 0, 0, 0, 1, 0); });
    const double refused = Nanoseconds([] { exh_matmul(STREAM 1024, 1024, 1024, 0, 0, 0, 1, 0, nullptr, nullptr, nullptr WORKSPACE); });
    std::printf("%.1f %.1f\n", found, refused);
  }
}
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Figures:
    def __init__(self):
        self.missed = 0

    def tell(self, what, text, good):
        self.missed += not good
        print(f"{what:28}{text:44}{'ok' if good else 'MISSED'}", flush=True)


def sizes_text(sizes):
    return ",".join(f"{name}={value}" for name, value in zip("mnk", sizes))


def build(arguments, folder):
    runs = []
    for sizes in SIZES:
        runs.append(folder / f"matmul-{arguments.device}-{'x'.join(map(str, sizes))}")
        if not (runs[-1] / "log.jsonl").exists():
            run(arguments.search, "--kernel", "matmul", "--size", sizes_text(sizes), "--device", arguments.device,
                "--budget", arguments.budget, "--seed", "1", "--out", runs[-1])
    print(run(arguments.search, "install-kernel", *runs, "--out", folder / "tuned"), end="")
    options = ["-G", "Ninja"] if shutil.which("ninja") else []
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if arguments.device != "cpu":
        options.append(f"-DCMAKE_CUDA_COMPILER={nvcc}")
    run("cmake", "-S", folder / "tuned", "-B", folder / "tuned/build", *options)
    run("cmake", "--build", folder / "tuned/build")
    return folder / "tuned/build/libtuned.so"


def dispatch(arguments, folder, figures):
    is_gpu = arguments.device != "cpu"
    (folder / "dispatch.cc").write_text(DISPATCH)
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    extra = ["-I", cuda / "include", "-L", cuda / "lib64", "-lcudart", f"-Wl,-rpath,{cuda}/lib64"] if is_gpu else []
    # A program that has arrays on a GPU has a context there.
    run("g++", "-O2", "-std=c++17", f"-DSTREAM={'nullptr,' if is_gpu else ''}", f"-DDEVICE_BEGIN={'cudaFree(nullptr);' if is_gpu else ''}",
        f"-DWORKSPACE={',nullptr,0' if is_gpu else ''}", "-I", folder / "tuned", folder / "dispatch.cc", "-o",
        folder / "dispatch", "-L", folder / "tuned/build", "-ltuned", f"-Wl,-rpath,{folder}/tuned/build", *extra)
    rounds = [[float(number) for number in line.split()] for line in run(folder / "dispatch").splitlines()]
    found, refused = (sorted(column)[2] for column in zip(*rounds))
    figures.tell("dispatch", f"{found:.1f} ns to find, {refused:.1f} ns to find and check", max(found, refused) <= 1000)


def right(torch, tuned, device, figures):
    for m, n, k in SIZES:
        # Whole numbers: every sum is exact.
        a, b = (torch.randint(-4, 5, shape, device=device).float() for shape in ((m, k), (k, n)))
        expected = (a.double() @ b.double()).float()
        figures.tell(f"{m} x {n} x {k}", "all elements as PyTorch", torch.equal(tuned.matmul(a, b), expected))
        side = torch.cuda.Stream() if device == "cuda" else None
        if side:
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                again = tuned.matmul(a, b)
            torch.cuda.current_stream().wait_stream(side)
            figures.tell(f"{m} x {n} x {k}", "the same on another stream", torch.equal(again, expected))
    m, n, k = THIRD
    a, b = torch.ones(m, k, device=device), torch.ones(k, n, device=device)
    refused = []
    for what, call in (("size", lambda: tuned.matmul(a, b)), ("type", lambda: tuned.matmul(a.double(), b)),
                       ("strides", lambda: tuned.matmul(torch.ones(k, m, device=device).t(), b))):
        try:
            call()
        except tuned.NotTuned:
            refused.append(what)
    figures.tell("what is not tuned", "refused: " + ", ".join(refused), len(refused) == 3)
    figures.tell("fallback", "torch.matmul", torch.equal(tuned.matmul(a, b, fallback=torch.matmul), a @ b))


def traced(torch, tuned, device, figures):
    operator = tuned.operator("matmul")
    m, n, k = SIZES[1]
    a, b = torch.randn(m, k, device=device), torch.randn(k, n, device=device)
    torch.library.opcheck(operator, (a, b), test_utils=("test_schema", "test_faketensor"))
    figures.tell("torch.library.opcheck", "schema and fake tensors", True)

    def both(x, y):
        return torch.ops.tuned.matmul(x, y).relu() + 1

    compiled = torch.compile(both, fullgraph=True)
    figures.tell("torch.compile", "one graph, the same result", torch.allclose(compiled(a, b), both(a, b)))


def times(torch, tuned, wisdom, figures):
    for (m, n, k), unit in zip(SIZES, wisdom):
        a, b = torch.randn(m, k, device="cuda"), torch.randn(k, n, device="cuda")
        tuned.matmul(a, b)
        calls = max(1, int(2e6 / unit["ns"]))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                tuned.matmul(a, b)
        rounds = []
        for _ in range(40):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            rounds.append(begin.elapsed_time(end) * 1e6 / calls)
        ns = sorted(rounds[10:])[15]
        ratio = ns / unit["ns"]
        figures.tell(f"{m} x {n} x {k}", f"{ns / 1e3:.2f} us, {ratio:.3f} of {unit['ns'] / 1e3:.2f} us in the log",
                     abs(ratio - 1) <= 0.02)


def call(folder, device):
    """What needs PyTorch."""
    import torch  # pylint: disable=import-outside-toplevel,import-error
    sys.path.insert(0, str(folder / "tuned"))
    import tuned  # pylint: disable=import-outside-toplevel,import-error
    figures = Figures()
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name() if device == 'cuda' else 'the processor'}")
    entries = [json.loads(line) for line in (folder / "tuned/wisdom.jsonl").read_text().splitlines()]
    by_sizes = {tuple(size["value"] for size in entry["sizes"][:3]): entry for entry in entries}
    right(torch, tuned, device, figures)
    traced(torch, tuned, device, figures)
    if device == "cuda":
        times(torch, tuned, [by_sizes[sizes] for sizes in SIZES], figures)
    return figures.missed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--call", action="store_true", help="what needs PyTorch, in a library that is there")
    arguments = parser.parse_args()
    device = "cpu" if arguments.device == "cpu" else "cuda"
    if arguments.call:
        sys.exit(call(arguments.out, device) > 0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.out or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        library = build(arguments, folder)
        figures = Figures()
        dispatch(arguments, folder, figures)
        if subprocess.run([arguments.python, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
            sys.exit(f"{arguments.python} has no PyTorch: name one that has, --python; all else was not tried")
        done = subprocess.run([arguments.python, __file__, "--call", "--search", arguments.search, "--device",
                               arguments.device, "--out", str(folder)], check=False,
                              env=dict(os.environ, TUNED_LIBRARY=str(library)))
        sys.exit(done.returncode or figures.missed > 0)


if __name__ == "__main__":
    main()
