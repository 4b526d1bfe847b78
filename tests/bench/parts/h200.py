# SPDX-License-Identifier: MIT
"""The figures of a GPU, in parts of at most 8 minutes.

./exh bench h200                   runs every part that is not finished; --list shows them
./exh bench h200 replays check-mv  runs these
./exh bench h200 --only check-linear --evals 500 --seconds 300
                                   checks so many random implementations of each computation whose name has that in it
./exh bench h200 --merge           prints the table and writes docs/results/parts/h200.json

The state of a part is one JSON file in --state (build/bench/h200). A part that is finished is skipped and one that was
begun goes on, so that the benchmark can be taken in pieces and on several machines: bring the files together and merge. What was merged before counts
as well; to measure everything anew, give --results another file and --state another folder.
--sweep FILE names a hand-written SGEMM, a .cu that ends with its main and whose template `run<BM,BN,BK,TM,TN,stages,split>()` times one instance
of itself for the globals M, N, K and appends it to `res`; part `sweep` then compares T1 with it.
"""
import collections
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile
import time

import library
import parts
from parts import copy_share, ratio, recorder, references, run_sweep, time_of, words

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"
# In the words of the records.
CHECKED = {"batched_matmul": "batched matmul", "matmul2": "two matmuls in a row"}
CHECKS = 5000
SANITIZED = 100  # Implementations under each tool.
# Sizes up to 128, every third one no power of two, and how many of the checks each gets.
SIZES = {
    "axpy": [("n=128", 3), ("n=64", 3), ("n=100", 3)],
    "mv": [("m=64,n=128", 3), ("m=128,n=32", 3), ("m=60,n=84", 3)],
    "gesummv": [("m=64,n=64", 3), ("m=32,n=128", 3), ("m=60,n=36", 3)],
    "matmul": [("m=64,n=64,k=64", 2), ("m=128,n=32,k=16,transpose_a=1", 2), ("m=32,n=128,k=64,transpose_b=1,a_stride=2", 2),
               ("m=60,n=36,k=84", 2), ("m=96,n=100,k=24,relu=1", 1)],
    "batched_matmul": [("batch=8,m=32,n=32,k=64", 3), ("batch=16,m=16,n=32,k=32,reuse_b=1", 3), ("batch=6,m=20,n=36,k=30", 3)],
    "matmul2": [("m=32,n=32,k=32,p=32", 3), ("m=16,n=64,k=16,p=32", 3), ("m=12,n=20,k=18,p=28", 3)],
    # A form is what of the axes [a, b, c, d] is reduced (a and c) and kept.
    "reduce-all": [("a=1,b=1,c=4096,d=1", 3), ("a=1,b=1,c=1000,d=1", 3), ("a=1,b=1,c=1031,d=1", 3)],
    "reduce-x": [("a=1,b=64,c=128,d=1", 3), ("a=1,b=33,c=100,d=1", 3), ("a=1,b=31,c=127,d=1", 3)],
    "reduce-y": [("a=128,b=64,c=1,d=1", 3), ("a=100,b=33,c=1,d=1", 3), ("a=127,b=31,c=1,d=1", 3)],
    "reduce-rpr": [("a=16,b=32,c=64,d=1", 3), ("a=20,b=12,c=33,d=1", 3), ("a=31,b=7,c=65,d=1", 3)],
    "reduce-prp": [("a=1,b=32,c=64,d=16", 3), ("a=1,b=12,c=33,d=20", 3), ("a=1,b=7,c=65,d=31", 3)],
    "dot": [("n=4096", 3), ("n=1000", 3), ("n=1031", 3)],
    "softmax": [("m=32,n=64", 3), ("m=20,n=33", 3), ("m=7,n=127", 3)],
    "layer_norm": [("m=32,n=64", 3), ("m=20,n=33", 3), ("m=7,n=127", 3)],
    "moments": [("m=32,n=64", 3), ("m=20,n=33", 3), ("m=7,n=127", 3)],
    "conv2d": [("h=14,w=14,c=16,m=32", 2), ("h=15,w=13,c=3,m=24,stride=2", 2), ("h=12,w=20,c=8,m=12,dilation=2,pad=2,layout=nchw,filter_layout=mcrs", 2),
               ("h=19,w=23,c=3,m=8,r=11,s=11,stride=4,pad=2", 2), ("n=2,h=9,w=10,c=16,m=12,r=1,s=1,pad=0", 1)],
}
# Statements whose sums begin with a value, end in something else, and are divided among blocks: what they compute, more options, sizes with their
# shares. Every unit has some. Compilers got such sums wrong (kernels/codegen/print/gpu/unit.cc).
COMPUTATIONS = {
    "linear-relu": ("c[i,j] = max(0, b[j] + sum(k) x[i,k] * w[j,k])", (), [("i=320,j=288,k=256", 2), ("i=64,j=40,k=128", 1), ("i=61,j=31,k=61", 1)]),
    "linear-f64": ("c[i,j] = max(0, b[j] + sum(k) x[i,k] * w[j,k])", ("--type", "f64"), [("i=128,j=96,k=128", 1), ("i=64,j=40,k=64", 1)]),
    "linear-f16": ("c[i,j] = max(0, b[j] + sum(k) x[i,k] * w[j,k])", ("--type", "f16"), [("i=128,j=96,k=256", 1), ("i=64,j=40,k=64", 1)]),
    "linear-bf16": ("c[i,j] = max(0, b[j] + sum(k) x[i,k] * w[j,k])", ("--type", "bf16"), [("i=128,j=96,k=256", 1), ("i=64,j=40,k=64", 1)]),
    "linear-i8": ("c[i,j] = b[j] + sum(k) x[i,k] * w[j,k]", ("--type", "i8"), [("i=128,j=96,k=256", 1), ("i=64,j=40,k=64", 1)]),
    "row-bias": ("c[i,j] = b[i] + sum(k) x[i,k] * w[k,j]", (), [("i=128,j=96,k=256", 1), ("i=60,j=36,k=84", 1)]),
    "residual": ("c[i,j] = max(0, r[i,j] + sum(k) x[i,k] * w[k,j])", (), [("i=128,j=96,k=256", 1), ("i=64,j=64,k=64", 1)]),
    "chosen": ("c[i,j] = (s[j] > 0 ? b[j] : 0) + sum(k) x[i,k] * w[k,j]", (), [("i=128,j=96,k=256", 1), ("i=64,j=64,k=64", 1)]),
    "batched-bias": ("c[n,i,j] = max(0, b[n] + sum(k) x[n,i,k] * w[n,k,j])", (), [("n=3,i=32,j=32,k=64", 1), ("n=7,i=16,j=24,k=32", 1)]),
    "vector-bias": ("y[i] = max(0, b[i] + sum(k) a[i,k] * x[k])", (), [("i=96,k=512", 1), ("i=60,k=84", 1)]),
    "window-bias": ("c[p,m] = max(0, b[m] + sum(r,q) x[p+r,q] * f[r,q,m])", (), [("p=64,m=32,q=32,r=3", 1), ("p=30,m=24,q=16,r=3", 1)]),
    "largest": ("y[i] = max(b[i], max(k) a[i,k])", (), [("i=64,k=512", 1), ("i=33,k=127", 1)]),
}
SMALL = {"axpy": "n=60", "mv": "m=12,n=20", "gesummv": "m=12,n=20", "matmul": "m=12,n=20,k=18",
         "batched_matmul": "batch=3,m=6,n=10,k=8", "matmul2": "m=6,n=10,k=8,p=12",
         "reduce-all": "a=1,b=1,c=200,d=1", "reduce-x": "a=1,b=6,c=40,d=1", "reduce-y": "a=40,b=6,c=1,d=1",
         "reduce-rpr": "a=6,b=4,c=10,d=1", "reduce-prp": "a=1,b=4,c=20,d=6", "dot": "n=200", "softmax": "m=4,n=40",
         "layer_norm": "m=4,n=40", "moments": "m=4,n=40", "conv2d": "h=6,w=6,c=4,m=6"}
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
TABLE2 = {"axpy 2^26": ("axpy", "n=67108864"), "matmul 256x256x32": ("matmul", "m=256,n=256,k=32"),
          "matmul 1024": ("matmul", "m=1024,n=1024,k=1024"),
          "strided matmul 1024": ("matmul", "m=1024,n=1024,k=1024,a_stride=32")}
REPLAYS = {"T1": "matmul-4096-h200", "T6": "axpy-h200", "T7": "batched-512-h200", "T8": "strided-1024-h200"}


def problem_of(name):
    """What a check searches: the options that say it, and the sizes with their shares."""
    if name in COMPUTATIONS:
        text, options, sizes = COMPUTATIONS[name]
        return ("--compute", text, *options), sizes
    return ("--kernel", kernel_of(name)), SIZES[name]


def kernel_of(name):
    """The kernel of a check: its name, but for the forms of `reduce`."""
    return name.split("-")[0]


class Bench(library.Library, parts.Bench):
    name = "h200"
    device = "h200"

    def __init__(self, options):
        super().__init__(options)
        self.failed = []  # Parts with wrong results.

    def random(self, name, *arguments, **how):
        """A random search on the GPU."""
        return self.records(name, "--device", "h200", "--policy", "random", *arguments, **how)

    # ---- parts -----------------------------------------------------------------------------------

    def check(self, kernel):
        """Random implementations, each checked against the double-precision reference."""
        problem, sizes = problem_of(kernel)
        shares = sum(share for _, share in sizes)
        # What earlier calls did of it counts; the seeds go on.
        result = self.earlier(f"check-{kernel}") or {"sizes": {}, "without_cause": 0, "wrong": [], "runs": 0}
        coverage = collections.defaultdict(collections.Counter)
        for name, values in result.get("coverage", {}).items():
            coverage[name].update({value: round(share * result["implementations"]) for value, share in values.items()})
        result["runs"] = result.get("runs", 1) + 1
        # All sizes at once: nothing is timed, and a large space takes one core half a minute to begin with.
        begun = []
        with concurrent.futures.ThreadPoolExecutor(len(sizes)) as pool:
            for number, (size, share) in enumerate(sizes):
                before = result["sizes"].get(size, {})
                count = -(-self.options.evals * share // shares) - sum(before.values())
                if count <= 0:
                    continue
                seed = 100 * result["runs"] + number
                begun.append((size, seed, before, pool.submit(
                    self.random, f"check-{number}", *problem, "--size", size, "--bound", "check", "--budget", f"evals={count}",
                    "--budget", f"{self.options.seconds - 60}s", "--seed", str(seed))))
        for size, seed, before, running in begun:
            records, _ = running.result()
            choices = {r["i"]: r for r in records if r["t"] == "choice"}
            result["violations"] = result.get("violations", 0) + sum(r["t"] == "violation" for r in records)
            verdicts = collections.Counter(before)
            for record in (r for r in records if r["t"] == "eval"):
                verdicts[record["verdict"]] += 1
                if record["verdict"] != "correct" and not record.get("why"):
                    result["without_cause"] += 1
                if record["verdict"] == "wrong":
                    result["wrong"].append({"size": size, "seed": seed, "n": record["n"], "why": record["why"]})
                seen = set()
                for decision, digit in enumerate(record["vector"]):
                    if digit in ".?":
                        continue
                    choice = choices[decision]
                    value = DIGITS.index(digit)
                    seen.add((choice["name"], str(choice["domain"][value])))
                for name, value in seen:
                    coverage[name][value] += 1
            result["sizes"][size] = dict(verdicts)
            self.keep_wrong(f"check-{number}", f"wrong-{kernel}-{seed}")
        total = collections.Counter()
        for verdicts in result["sizes"].values():
            total.update(verdicts)
        result["verdicts"] = dict(total)
        result["implementations"] = sum(total.values())
        result["run_and_checked"] = total["correct"] + total["wrong"]
        result["coverage"] = {name: {value: round(count / result["implementations"], 4) for value, count in sorted(values.items())}
                              for name, values in sorted(coverage.items())}
        return result

    def keep_wrong(self, run, name):
        """The first wrong result of a search, with all that it takes to look into it, beside the states of the parts."""
        folder = os.path.join(self.work, run, "wrong")
        if os.path.isdir(folder):
            shutil.copytree(folder, os.path.join(self.options.state, name), dirs_exist_ok=True)

    def take(self, part, measure):
        super().take(part, measure)
        if (self.earlier(part) or {}).get("wrong"):
            self.failed.append(part)

    def take_all(self):
        super().take_all()
        if self.failed:
            sys.exit(f"{self.name}: wrong results in {', '.join(self.failed)}: the first of each search is in {self.options.state}/wrong-*")

    def sanitize(self, kernel):
        """compute-sanitizer on random implementations, SANITIZED with each tool."""
        program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not os.path.exists(program):
            return {"missing": "compute-sanitizer is not installed"}
        # What earlier calls did of it counts; the seeds go on.
        result = self.earlier(f"sanitize-{kernel}") or {}
        result.pop("missing", None)  # It was; now it is there.
        for tool in self.options.tools.split(","):
            before = result.get(tool, {})
            seen = before.get("implementations", 0)
            if seen >= SANITIZED:
                continue
            search = ("--kernel", kernel_of(kernel), "--size", SMALL[kernel], "--budget", f"evals={SANITIZED - seen}", "--budget", "200s",
                      "--seed", str(7 + seen), "--jobs", "8")
            self.random("sanitize", *search)  # The cache then has what the sanitizer's slow processes ask for.
            with tempfile.TemporaryDirectory() as folder:
                under = f"{program} --tool {tool} --launch-timeout 300 --error-exitcode 0 --print-limit 5 --log-file {folder}/%p"
                records, _ = self.random("sanitize", *search, "--under", under, seconds=225)
                text = "\n".join(path.read_text(errors="replace") for path in sorted(pathlib.Path(folder).iterdir()))
            verdicts = collections.Counter(r["verdict"] for r in records if r["t"] == "eval")
            errors = [line.strip("= \n") for line in text.splitlines() if line.startswith("=========")
                      and ("Invalid" in line or "Uninitialized" in line or "hazard" in line.lower() and "0 hazards" not in line or "Error:" in line)]
            summaries = {line.strip("= \n") for line in text.splitlines() if "SUMMARY" in line}
            verdicts.update(before.get("verdicts", {}))
            result[tool] = {"implementations": sum(verdicts.values()), "verdicts": dict(verdicts),
                            "errors": (before.get("errors", []) + errors)[:20],
                            "summaries": sorted(summaries | set(before.get("summaries", [])))}
        return result

    def throughput(self):
        """Candidates per second over two minutes."""
        records, _ = self.random("throughput", "--kernel", "matmul", "--size", "m=1024,n=1024,k=1024", "--budget", "120s",
                                  "--seed", "1")
        evals = [r for r in records if r["t"] == "eval"]
        verdicts = collections.Counter(r["verdict"] for r in evals)
        seconds = evals[-1]["dt"]
        compiled = sum(1 for r in evals if r["compile_ms"] > 0)  # Some are rejected before.
        return {"evaluations": len(evals), "seconds": seconds, "per_second": len(evals) / seconds, "cores": os.cpu_count(),
                "compiled": compiled, "compiled_per_second": compiled / seconds,
                "verdicts": dict(verdicts), "slow_share": verdicts["slow"] / len(evals),
                "run_per_second": (verdicts["correct"] + verdicts["wrong"] + verdicts["slow"]) / seconds,
                "compile_ms_mean": sum(r["compile_ms"] for r in evals) / len(evals)}

    def best(self, kernel, size):
        """The best of 2,000 random candidates, and how it compares."""
        records, text = self.random("best", "--kernel", kernel, "--size", size, "--budget", "evals=2000",
                                     "--budget", f"{self.options.seconds - 60}s", "--seed", "1")
        evals = [r for r in records if r["t"] == "eval"]
        return {"evaluations": len(evals), "seconds": evals[-1]["dt"],
                "verdicts": dict(collections.Counter(r["verdict"] for r in evals)), **references(records),
                "text": text[text.find("best:"):][:6000]}

    def replays(self):
        return {name: self.replay(file) for name, file in REPLAYS.items()}

    def sweep(self):
        """T1 against a hand-written kernel of the same tile, one stage, no split, in the same minute."""
        if not self.options.sweep:
            return {"missing": "--sweep names no file"}
        lines = run_sweep(self.options.sweep, self.work, r'''
  M = N = K = 4096;
  for (int round = 0; round < 5; ++round) run<128, 128, 8, 8, 8, 1, 1>();
  for (auto& r : res) printf("%.3f\n", r.us);
''')
        times = sorted(float(line) for line in lines)
        return {"sweep_us": times, "median_us": times[len(times) // 2], "T1": self.replay(REPLAYS["T1"])}

    def is_whole(self, result):
        sanitized = not any(tool in result for tool in TOOLS) or all(
            result.get(tool, {}).get("implementations", 0) >= SANITIZED for tool in self.options.tools.split(","))
        has_seeds = len(result.get("runs", library.SEEDS)) >= len(library.SEEDS) if isinstance(result.get("runs", []), list) else True
        return result.get("implementations", self.options.evals) >= self.options.evals and sanitized and has_seeds

    def parts(self):
        _, listed = self.run("list", seconds=60)
        kernels = [k for k in SIZES if any(line.split()[:1] == [kernel_of(k)] for line in listed.splitlines())]
        parts = {"replays": self.replays, "throughput": self.throughput}
        for name, (kernel, size) in TABLE2.items():
            parts["best-" + name.replace(" ", "-").replace("^", "")] = lambda k=kernel, s=size: self.best(k, s)
        for kernel in kernels:
            parts[f"check-{kernel}"] = lambda k=kernel: self.check(k)
            parts[f"sanitize-{kernel}"] = lambda k=kernel: self.sanitize(k)
        for name in COMPUTATIONS:
            parts[f"check-{name}"] = lambda k=name: self.check(k)
        parts["sweep"] = self.sweep
        parts.update(self.library_parts())
        return {name: part for name, part in parts.items() if self.options.only in name}

    def record(self, state, into):
        """Searches of the library, random implementations, and candidates a second."""
        for name, part in sorted(state.items()):
            data = part["result"]
            if name.startswith("search-"):
                self.library_record(name, part, into)
            elif name.startswith("check-"):
                counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(data["verdicts"].items()))
                into.add("checks", "sums" if name[6:] in COMPUTATIONS else "random", CHECKED.get(name[6:], name[6:]), part, command=f"./exh bench h200 {name}",
                         ours={"text": f"{data['implementations']}: {counts}; {data.get('violations', 'no count of those')} faster than their bound"},
                         must={"text": f"{self.options.evals:,}, 0 wrong", "met": data["implementations"] >= self.options.evals
                               and not data["verdicts"].get("wrong", 0)})
            elif name == "throughput":
                into.add("candidates", "h200", "candidates, matmul", part, sizes="1024", variant=f"{part['cores']} cores", command="./exh bench h200",
                         ours=recorder.figure(data["compiled_per_second"], "compiled a second", 1),
                         figures={"evaluated a second": recorder.figure(data["per_second"], digits=1),
                                  "slow": recorder.figure(100 * data["slow_share"], "%", 0)})

    def rows(self, state):
        """One line a figure."""
        rows = [("figure", "measured", "must reach")]
        for name, part in sorted(state.items()):
            data = part["result"]
            if name.startswith("check-"):
                rows.append((f"{name[6:]}: random implementations", f"{data['implementations']}: " + ", ".join(
                    f"{count} {verdict}" for verdict, count in sorted(data["verdicts"].items()))
                    + f"; {data.get('violations', '-')} faster than their bound", f"{self.options.evals}, 0 wrong, 0 faster than their bound"))
            elif name.startswith("sanitize-"):
                rows.append((f"{name[9:]}: compute-sanitizer", data.get("missing") or ", ".join(
                    f"{tool}: {len(r['errors'])} errors on {r['implementations']}" for tool, r in data.items()), "clean"))
            elif name == "throughput":
                rows.append(("matmul 1024: candidates per second", f"{data['per_second']:.1f}, {data['compiled_per_second']:.1f} of them compiled ({100 * data['slow_share']:.0f} % slow)", "100"))
            elif name == "replays":
                for replay, r in data.items():
                    winner = time_of(r["references"])
                    text = f"{words(winner and winner / 1e3)} us; {words(ratio(r['references'], 'cublas'))} x cuBLAS, " \
                           f"{words(ratio(r['references'], 'cublaslt'))} x cublasLt, {words(ratio(r['references'], 'naive'))} x naive"
                    share = copy_share(r, 12 * 2**26)
                    if replay == "T6" and share:
                        text += f"; {share:.3f} of the copy bandwidth"
                    rows.append((f"{replay}, {r['file']}", text, {"T6": "0.97 of copy", "T8": "1.0 x cuBLAS"}.get(replay, "")))
            elif name == "sweep" and "T1" in data:
                winner = time_of(data["T1"]["references"])
                rows.append(("T1 against the hand-written kernel",
                             f"{1e3 * data['median_us'] / winner:.2f} x ({data['median_us']:.0f} us)", "0.9"))
            elif name.startswith("search-"):
                rows.append(self.library_row(name, data))
            elif name.startswith("best-"):
                refs = data["references"]
                rows.append((f"best of {data['evaluations']} random: {name[5:]}",
                             f"{words(ratio(refs, 'cublas'))} x cuBLAS, {words(ratio(refs, 'cublaslt'))} x cublasLt, {words(ratio(refs, 'naive'))} x naive", ""))
        return rows


OPTIONS = [("--budget", {"type": int, "default": library.SECONDS, "help": "seconds of a search"}),
           ("--evals", {"type": int, "default": CHECKS, "help": f"implementations of each part check-… (default {CHECKS})"}),
           ("--only", {"default": "", "help": "only parts with this in their names: --only check-linear"}),
           ("--tools", {"default": ",".join(TOOLS), "help": "of compute-sanitizer, that parts sanitize-… run"})]

if __name__ == "__main__":
    parts.main(Bench, __doc__, OPTIONS)
