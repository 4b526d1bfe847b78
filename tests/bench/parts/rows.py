#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reductions of rows, attention, and products of narrow elements, each searched on a GPU of this machine beside torch; scans beside
CUB, too.

./exh bench rows                     softmax, norms, log-sum-exp, cross entropy, scans
./exh bench rows report              the table of what was measured
./exh bench attention                heads of attention, in f32 and bf16
./exh bench narrow                   products of bytes, of floats of 8 bits, of bf16 with what comes behind them

Each result is a line of --out. What stands there is not measured again, so that a call goes on where
the last one ended. A ratio above 1 means that ours is faster. Times are the fastest mean of a batch
of launches, replayed from a CUDA graph, with inputs in L2 as far as they fit."""

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from parts import conditions, read_log, recorder

HERE = pathlib.Path(__file__).resolve().parent
LENGTHS = ((1024, 4096), (4096, 1024), (32768, 256), (131072, 64))
PEER_SECONDS = 120
BYTES = {"f32": 4, "bf16": 2}
NARROW = {"matmul": "matmul", "bias_gelu": "matmul, bias, gelu", "residual": "matmul, residual"}
PEER_NAMES = {"flash": "FlashAttention-2", "cudnn": "cuDNN", "fused": "cublasLt with its own epilogue"}  # Of others it is their own.


class Case:
    """A kernel of the library at one size, or a computation as a text, which `kernel` names; `bytes`: what must be read and written."""

    def __init__(self, kernel, sizes, type_name, bytes_moved=0, flops=0, options=None, text=""):
        self.kernel, self.sizes, self.type = kernel, sizes, type_name
        self.bytes, self.flops, self.options, self.text = bytes_moved, flops, options or {}, text

    def key(self):
        words = [f"{name}={value}" for name, value in {**self.sizes, **self.options}.items()]
        return f"{self.kernel} {','.join(words)} {self.type}"

    def place(self):
        """(kind, table, subject) of its record."""
        if self.kernel in NARROW:
            return "products", "narrow", f"{NARROW[self.kernel]}, {self.type},"
        if self.kernel == "attention":
            if self.sizes["m"] == 1:
                return "attention", "decoding", f"decoding, {self.sizes['h']} heads, {self.type},"
            return "attention", "f32" if self.type == "f32" else "halves", f"attention, {self.sizes['h']} heads, {self.type},"
        if self.kernel == "scan":
            return ("attention", "one-row", "scan of one row") if self.sizes["m"] == 1 else ("attention", "scans", "scan")
        return "rows", "rows", self.kernel

    def shown_sizes(self):
        m, n = self.sizes["m"], self.sizes["n"]
        if self.kernel in NARROW:
            return "x".join(str(self.sizes[axis]) for axis in "mnk")
        if self.kernel == "attention":
            return f"{m} x {n}, {self.sizes['d']}{', causal' if self.options.get('causal') else ''}"
        return f"2^{n.bit_length() - 1}" if self.place()[1] == "one-row" else f"{m} x {n}, {self.type}"

    def words(self):
        sizes = ",".join(f"{name}={value}" for name, value in {**self.sizes, **self.options}.items())
        subject = ["--compute", self.text] if self.text else ["--kernel", self.kernel]
        return [*subject, "--size", sizes, "--type", self.type]


def row_cases():
    found = []
    for type_name in ("f32", "bf16"):
        for n, m in LENGTHS:
            once = BYTES[type_name] * m * n
            for kernel in ("softmax", "rms_norm", "layer_norm"):
                found.append(Case(kernel, {"m": m, "n": n}, type_name, 2 * once))
            for kernel in ("logsumexp", "cross_entropy"):
                found.append(Case(kernel, {"m": m, "n": n}, type_name, once))
    for m, n in ((4096, 4096), (64, 1 << 18), (1, 1 << 20), (1, 1 << 24), (1, 1 << 28)):
        found.append(Case("scan", {"m": m, "n": n}, "f32", 8 * m * n))
    return found


def attention_cases():
    found = []
    for type_name in ("f32", "bf16"):
        shapes = ((512, 64, 0), (2048, 64, 0), (2048, 128, 0), (2048, 64, 1), (8192, 64, 0))
        if type_name == "bf16":
            shapes = tuple((length, depth, causal) for length in (2048, 8192, 16384) for depth in (64, 128) for causal in (0, 1))
        for length, depth, causal in shapes:
            sizes = {"h": 16, "m": length, "n": length, "d": depth, "dv": depth}
            flops = 4 * 16 * length * length * depth / (2 if causal else 1)
            found.append(Case("attention", sizes, type_name, flops=flops, options={"causal": causal}))
    # Decoding: one query for each head reads all keys and values once.
    for keys in (8192, 32768, 131072):
        sizes = {"h": 32, "m": 1, "n": keys, "d": 128, "dv": 128}
        found.append(Case("attention", sizes, "bf16", 2 * 32 * keys * 128 * BYTES["bf16"]))
    return found


def narrow_cases():
    def case(kernel, m, n, k, type_name, options=None, text=""):
        return Case(kernel, {"m": m, "n": n, "k": k}, type_name, flops=2 * m * n * k, options=options, text=text)

    gelu = "c[m,n] = 0.5 * x[m,n] * (1 + tanh(0.7978845608 * (x[m,n] + 0.044715 * x[m,n] * x[m,n] * x[m,n])))"
    return [
        case("matmul", 4096, 4096, 4096, "bf16"),
        case("matmul", 4096, 4096, 4096, "i8", {"transpose_b": 1}),
        case("matmul", 4096, 7168, 16384, "f8e4m3", {"transpose_b": 1}),
        case("bias_gelu", 4096, 4096, 4096, "bf16", text=f"x[m,n] = bias[n] + sum(k) a[m,k] * b[k,n]; {gelu}"),
        case("residual", 4096, 4096, 4096, "bf16", text="c[m,n] = r[m,n] + sum(k) a[m,k] * b[k,n]"),
    ]


class Bench:
    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out)
        self.lines = {line["key"]: line for line in read_log(self.out)} if self.out.exists() else {}
        self.end = time.monotonic() + options.limit_s if options.limit_s else math.inf

    def search(self, case):
        """What our search finds, as a dict."""
        with tempfile.TemporaryDirectory(prefix="exh-rows-") as folder:
            run = pathlib.Path(folder) / "run"
            command = [self.options.search, *case.words(), "--device", self.options.device, "--gpu", self.options.gpu,
                       "--budget", self.options.budget, "--progress", "none", "--winners", "none", "--out", run]
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            records = read_log(run / "log.jsonl")
            shutil.rmtree(run, ignore_errors=True)
        evaluations = [r for r in records if r["t"] == "eval"]
        verdicts = {}
        for record in evaluations:
            verdicts[record["verdict"]] = verdicts.get(record["verdict"], 0) + 1
        found = {"verdicts": verdicts, "violations": sum(r["t"] == "violation" for r in records)}
        winner = next((r for r in records if r["t"] == "reference" and r["name"] == "winner" and r["verdict"] == "correct"),
                      None) or min((r for r in evaluations if r["verdict"] == "correct" and r["best_ns"] > 0),
                                   key=lambda r: r["best_ns"], default=None)
        rates = next((r for r in records if r["t"] == "rates"), None)
        if rates:
            found["copy_gbs"] = max(rates["driver_copy_gbs"], rates["kernel_copy_gbs"])
        if winner is None:
            found["error"] = (done.stdout.strip().splitlines() or ["it said nothing"])[-1][:300]
        else:
            found["us"] = winner["best_ns"] / 1e3
        return found

    def peers(self, case):
        command = [sys.executable, "-B", HERE / "row_peers.py", "--gpu", self.options.gpu, "--work", self.out.parent,
                   json.dumps({"kernel": case.kernel, "sizes": case.sizes, "options": case.options, "type": case.type})]
        try:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, timeout=PEER_SECONDS, check=False)
            return json.loads(done.stdout.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, ValueError, IndexError):
            return {}

    def take(self, case):
        begin = time.monotonic()
        line = {"key": case.key(), "device": self.options.device, "budget": self.options.budget, "bytes": case.bytes,
                "flops": case.flops, **conditions(), **self.search(case), "peers": self.peers(case)}
        line["seconds"] = round(time.monotonic() - begin, 1)
        self.lines[case.key()] = line
        self.out.parent.mkdir(parents=True, exist_ok=True)
        with self.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line, sort_keys=True) + "\n")

    def show(self, case):
        line = self.lines.get(case.key())
        if line is None:
            return
        if "us" not in line:
            print(f"{case.key():48} {line.get('error', 'nothing')}", flush=True)
            return
        words = f"{case.key():48} {line['us']:9.2f} us"
        if case.bytes:
            words += f"  {case.bytes / line['us'] / 1e3:6.0f} GB/s"
            if line.get("copy_gbs"):
                words += f" {case.bytes / line['us'] / 1e3 / line['copy_gbs']:.2f} of copy"
        if case.flops:
            words += f"  {case.flops / line['us'] / 1e6:6.1f} TFLOP/s"
        for name, us in line["peers"].items():
            words += f"  {us / line['us']:.2f} x {name}"
        wrong = line["verdicts"].get("wrong", 0) + line["verdicts"].get("impossible", 0)
        print(words + (f"  {wrong} WRONG" if wrong else "") +
              (f"  {line['violations']} VIOLATIONS" if line["violations"] else ""), flush=True)

    def record(self, cases):
        """Writes what is known of these cases as records."""
        into = recorder.Recorder(self.options.record, self.options.cases, sys.argv[1:])
        for case in cases:
            line = self.lines.get(case.key())
            if line is None or "us" not in line:
                continue
            figures = {}
            if case.bytes:
                figures["GB/s"] = recorder.figure(case.bytes / line["us"] / 1e3, digits=0)
            if case.flops:
                figures["TFLOP/s"] = recorder.figure(case.flops / line["us"] / 1e6, digits=1)
            into.add(*case.place(), line, sizes=case.shown_sizes(), ours=recorder.time(1e3 * line["us"]), figures=figures,
                     ratios=recorder.ratios(line["us"], {PEER_NAMES.get(name, name): us for name, us in line["peers"].items()}))
        into.write()

    def means(self, cases):
        """Geometric means by kernel against the best peer of each."""
        by_kernel = {}
        for case in cases:
            line = self.lines.get(case.key())
            if line and "us" in line and line["peers"]:
                by_kernel.setdefault(case.kernel, []).append(min(line["peers"].values()) / line["us"])
        for kernel, ratios in by_kernel.items():
            mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
            print(f"{kernel}: {len(ratios)} cases, {mean:.2f} x the best peer in the geometric mean, least {min(ratios):.2f}")

    def run(self, cases):
        slowest = 0
        for case in cases:
            if case.key() not in self.lines:
                if time.monotonic() + slowest > self.end:
                    print("no time left: the same call goes on", flush=True)
                    break
                self.take(case)
                slowest = max(0.8 * slowest, self.lines[case.key()]["seconds"])
            self.show(case)
        self.means(cases)


CASES = {"rows": row_cases, "attention": attention_cases, "narrow": narrow_cases}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", default="measure", choices=("measure", "report"))
    parser.add_argument("--search", required=True)
    parser.add_argument("--cases", default="rows", choices=CASES)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--gpu", default="0")
    parser.add_argument("--budget", default="20s")
    parser.add_argument("--only", default="", help="cases with this in their names")
    parser.add_argument("--out", default="", help="default: runs/bench-CASES.jsonl")
    parser.add_argument("--limit-s", type=float, default=0, help="end after so many seconds")
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    options = parser.parse_args()
    options.out = options.out or f"runs/bench-{options.cases}.jsonl"
    cases = [case for case in CASES[options.cases]() if options.only in case.key()]
    bench = Bench(options)
    if options.action == "report":
        for case in cases:
            bench.show(case)
        bench.means(cases)
    else:
        bench.run(cases)
    if options.record:
        bench.record(cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
