# SPDX-License-Identifier: MIT
"""The figures of a GPU, in parts of at most 8 minutes.

./exh bench h200                   runs every part that is not finished; --list shows them
./exh bench h200 replays check-mv  runs these
./exh bench h200 --merge           prints the table and writes docs/results/h200.json

The state of a part is one JSON file in --state (build/bench/h200). A part that is finished is skipped and one that was
begun goes on, so that the benchmark can be taken in pieces and on several machines: bring the files together and merge. What was merged before counts
as well; to measure everything anew, give --results another file and --state another folder.
--sweep FILE names a hand-written SGEMM, a .cu that ends with its main and whose template `run<BM,BN,BK,TM,TN,stages,split>()` times one instance
of itself for the globals M, N, K and appends it to `res`; part `sweep` then compares T1 with it.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"
CHECKS = 5000
# Sizes up to 128, every third one no power of two, and how many of the checks each gets.
SIZES = {
    "axpy": [("n=128", 3), ("n=64", 3), ("n=100", 3)],
    "mv": [("m=64,n=128", 3), ("m=128,n=32", 3), ("m=60,n=84", 3)],
    "gesummv": [("m=64,n=64", 3), ("m=32,n=128", 3), ("m=60,n=36", 3)],
    "matmul": [("m=64,n=64,k=64", 2), ("m=128,n=32,k=16,transpose_a=1", 2), ("m=32,n=128,k=64,transpose_b=1,a_stride=2", 2),
               ("m=60,n=36,k=84", 2), ("m=96,n=100,k=24,relu=1", 1)],
    "batched_matmul": [("batch=8,m=32,n=32,k=64", 3), ("batch=16,m=16,n=32,k=32,reuse_b=1", 3), ("batch=6,m=20,n=36,k=30", 3)],
    "matmul2": [("m=32,n=32,k=32,p=32", 3), ("m=16,n=64,k=16,p=32", 3), ("m=12,n=20,k=18,p=28", 3)],
}
SMALL = {"axpy": "n=60", "mv": "m=12,n=20", "gesummv": "m=12,n=20", "matmul": "m=12,n=20,k=18",
         "batched_matmul": "batch=3,m=6,n=10,k=8", "matmul2": "m=6,n=10,k=8,p=12"}
TABLE2 = {"axpy 2^26": ("axpy", "n=67108864"), "matmul 256x256x32": ("matmul", "m=256,n=256,k=32"),
          "matmul 1024": ("matmul", "m=1024,n=1024,k=1024"),
          "strided matmul 1024": ("matmul", "m=1024,n=1024,k=1024,a_stride=32")}
REPLAYS = {"T1": "matmul-4096-h200", "T6": "axpy-h200", "T7": "batched-512-h200", "T8": "strided-1024-h200"}
PART_SECONDS = 460  # Of a part; --seconds.


class Bench:
    def __init__(self, options):
        self.options = options
        self.search = options.search
        self.work = tempfile.mkdtemp(prefix="exh-h200-")

    def run(self, *arguments, seconds=PART_SECONDS, prefix=()):
        command = [*prefix, self.search, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as late:
            return 124, ((late.stdout or b"").decode() + (late.stderr or b"").decode())
        return done.returncode, done.stdout + done.stderr

    def records(self, name, *arguments, **how):
        """A search into a folder of its own; its log as a list of objects."""
        out = os.path.join(self.work, name)
        shutil.rmtree(out, ignore_errors=True)
        rc, text = self.run("--device", "h200", "--policy", "random", "--progress", "none", "--out", out, *arguments, **how)
        log = os.path.join(out, "log.jsonl")
        lines = open(log, encoding="utf-8") if os.path.exists(log) else []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
        if not any(r["t"] == "eval" for r in found):
            sys.exit(f"h200: {' '.join(arguments)}: nothing was evaluated (exit code {rc}):\n{text[-2000:]}")
        return found, text

    # ---- parts -----------------------------------------------------------------------------------

    def check(self, kernel):
        """Random implementations, each checked against the double-precision reference."""
        sizes = SIZES[kernel]
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
                count = -(-CHECKS * share // shares) - sum(before.values())
                if count <= 0:
                    continue
                seed = 100 * result["runs"] + number
                begun.append((size, seed, before, pool.submit(
                    self.records, f"check-{number}", "--kernel", kernel, "--size", size, "--budget", f"evals={count}",
                    "--budget", f"{PART_SECONDS - 60}s", "--seed", str(seed))))
        for size, seed, before, running in begun:
            records, _ = running.result()
            choices = {r["i"]: r for r in records if r["t"] == "choice"}
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
        total = collections.Counter()
        for verdicts in result["sizes"].values():
            total.update(verdicts)
        result["verdicts"] = dict(total)
        result["implementations"] = sum(total.values())
        result["run_and_checked"] = total["correct"] + total["wrong"]
        result["coverage"] = {name: {value: round(count / result["implementations"], 4) for value, count in sorted(values.items())}
                              for name, values in sorted(coverage.items())}
        return result

    def sanitize(self, kernel):
        """compute-sanitizer on 50 random implementations with each tool."""
        program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not os.path.exists(program):
            return {"missing": "compute-sanitizer is not installed"}
        result = {}
        search = ("--kernel", kernel, "--size", SMALL[kernel], "--budget", "evals=50", "--budget", "200s", "--seed", "7", "--jobs", "8")
        self.records("sanitize", *search)  # The cache then has what the sanitizer's slow processes ask for.
        for tool in ("memcheck", "racecheck"):
            prefix = (program, "--tool", tool, "--target-processes", "all", "--launch-timeout", "300", "--error-exitcode", "0", "--print-limit", "5")
            records, text = self.records("sanitize", *search, prefix=prefix, seconds=225)
            verdicts = collections.Counter(r["verdict"] for r in records if r["t"] == "eval")
            errors = [line.strip("= \n") for line in text.splitlines() if line.startswith("=========")
                      and ("Invalid" in line or "hazard" in line.lower() and "0 hazards" not in line or "Error:" in line)]
            result[tool] = {"implementations": sum(verdicts.values()), "verdicts": dict(verdicts), "errors": errors[:20],
                            "summaries": sorted({line.strip("= \n") for line in text.splitlines() if "SUMMARY" in line})}
        return result

    def throughput(self):
        """Candidates per second over two minutes."""
        records, _ = self.records("throughput", "--kernel", "matmul", "--size", "m=1024,n=1024,k=1024", "--budget", "120s",
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
        records, text = self.records("best", "--kernel", kernel, "--size", size, "--budget", "evals=2000",
                                     "--budget", f"{PART_SECONDS - 60}s", "--seed", "1")
        evals = [r for r in records if r["t"] == "eval"]
        return {"evaluations": len(evals), "seconds": evals[-1]["dt"],
                "verdicts": dict(collections.Counter(r["verdict"] for r in evals)),
                "references": [self.short(r) for r in records if r["t"] == "reference"],
                "rates": next((r for r in records if r["t"] == "rates"), None),
                "text": text[text.find("best:"):][:6000]}

    def replay(self, file):
        path = os.path.join(self.options.replays, file + ".txt")
        log = os.path.join(self.work, file + ".jsonl")
        rc, text = self.run("replay", path, "--log", log, seconds=200)
        records = [json.loads(line) for line in open(log, encoding="utf-8")] if os.path.exists(log) else []
        return {"file": f"kernels/replays/{file}.txt", "exit_code": rc, "text": text[-3000:],
                "references": [self.short(r) for r in records if r["t"] == "reference"],
                "rates": next((r for r in records if r["t"] == "rates"), None)}

    def replays(self):
        return {name: self.replay(file) for name, file in REPLAYS.items()}

    def sweep(self):
        """T1 against a hand-written kernel of the same tile, one stage, no split, in the same minute."""
        if not self.options.sweep:
            return {"missing": "--sweep names no file"}
        main = os.path.join(self.work, "sweep.cu")
        text = open(self.options.sweep, encoding="utf-8").read()
        with open(main, "w", encoding="utf-8") as out:
            # Without its main, which has hundreds of instances compiled.
            out.write(text[:text.index("int main(")] + r'''
int main() {
  const size_t bytes = 4096ull * 4096 * 4;
  cudaMalloc(&A, bytes); cudaMalloc(&B, bytes); cudaMalloc(&C, bytes);
  std::vector<float> h(4096ull * 4096);
  for (float& x : h) x = 2 * static_cast<float>(rand()) / RAND_MAX - 1;
  cudaMemcpy(A, h.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(B, h.data(), bytes, cudaMemcpyHostToDevice);
  M = N = K = 4096;
  for (int round = 0; round < 5; ++round) run<128, 128, 8, 8, 8, 1, 1>();
  for (auto& r : res) printf("%.3f\n", r.us);
}
''')
        program = os.path.join(self.work, "sweep")
        subprocess.run([shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "-O3", "-std=c++17", "-w", "-arch=sm_90", main, "-o", program],
                       check=True)
        times = [float(t) for t in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()]
        times.sort()
        return {"sweep_us": times, "median_us": times[len(times) // 2], "T1": self.replay(REPLAYS["T1"])}

    def earlier(self, name):
        path = os.path.join(self.options.state, name + ".json")
        return json.load(open(path, encoding="utf-8"))["result"] if os.path.exists(path) else None

    def is_finished(self, name):
        result = self.earlier(name)
        return result is not None and result.get("implementations", CHECKS) >= CHECKS

    @staticmethod
    def short(record):
        return {key: record[key] for key in ("name", "verdict", "why", "best_ns", "lo_ns", "median_ns", "hi_ns", "clock_mhz") if key in record}

    def parts(self):
        _, listed = self.run("list", seconds=60)
        kernels = [k for k in SIZES if any(line.split()[:1] == [k] for line in listed.splitlines())]
        parts = {"replays": self.replays, "throughput": self.throughput}
        for name, (kernel, size) in TABLE2.items():
            parts["best-" + name.replace(" ", "-").replace("^", "")] = lambda k=kernel, s=size: self.best(k, s)
        for kernel in kernels:
            parts[f"check-{kernel}"] = lambda k=kernel: self.check(k)
            parts[f"sanitize-{kernel}"] = lambda k=kernel: self.sanitize(k)
        parts["sweep"] = self.sweep
        return parts


def conditions():
    query = "name,driver_version,clocks.max.sm,clocks.max.memory,clocks.sm,power.limit"
    try:
        line = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True,
                              check=False).stdout.splitlines()[0]
    except (OSError, IndexError):
        line = "unknown"
    return {"gpu": dict(zip(query.split(","), line.split(", "))), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "cores": os.cpu_count()}


def ratio(references, name):
    by_name = {r["name"]: r for r in references if r["verdict"] == "correct"}
    if "winner" not in by_name or name not in by_name:
        return None
    time_of = lambda r: r.get("median_ns") or r["best_ns"]
    return time_of(by_name[name]) / time_of(by_name["winner"])


def words(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def table(state):
    """The table of the results, one line a figure."""
    rows = [("figure", "measured", "must reach")]
    for name, part in sorted(state.items()):
        data = part["result"]
        if name.startswith("check-"):
            rows.append((f"{name[6:]}: random implementations", f"{data['implementations']}: " + ", ".join(
                f"{count} {verdict}" for verdict, count in sorted(data["verdicts"].items())), "5000, 0 wrong"))
        elif name.startswith("sanitize-"):
            rows.append((f"{name[9:]}: compute-sanitizer", data.get("missing") or ", ".join(
                f"{tool}: {len(r['errors'])} errors on {r['implementations']}" for tool, r in data.items()), "clean"))
        elif name == "throughput":
            rows.append(("matmul 1024: candidates per second", f"{data['per_second']:.1f}, {data['compiled_per_second']:.1f} of them compiled ({100 * data['slow_share']:.0f} % slow)", "100"))
        elif name == "replays":
            for replay, r in data.items():
                winner = next((x for x in r["references"] if x["name"] == "winner"), {})
                text = f"{words(winner.get('median_ns', 0) / 1e3)} us; {words(ratio(r['references'], 'cublas'))} x cuBLAS, " \
                       f"{words(ratio(r['references'], 'cublaslt'))} x cublasLt, {words(ratio(r['references'], 'naive'))} x naive"
                if replay == "T6" and r["rates"] and winner.get("median_ns"):
                    copy = max(r["rates"]["driver_copy_gbs"], r["rates"]["kernel_copy_gbs"])
                    text += f"; {12 * 2**26 / winner['median_ns'] / copy:.3f} of {copy:.0f} GB/s copied"
                rows.append((f"{replay}, {r['file']}", text, {"T6": "0.97 of copy", "T8": "1.0 x cuBLAS"}.get(replay, "")))
        elif name == "sweep" and "T1" in data:
            winner = next(x for x in data["T1"]["references"] if x["name"] == "winner")
            rows.append(("T1 against the hand-written kernel", f"{1e3 * data['median_us'] / winner['median_ns']:.2f} x ({data['median_us']:.0f} us)", "0.9"))
        elif name.startswith("best-"):
            refs = data["references"]
            rows.append((f"best of {data['evaluations']} random: {name[5:]}",
                         f"{words(ratio(refs, 'cublas'))} x cuBLAS, {words(ratio(refs, 'cublaslt'))} x cublasLt, {words(ratio(refs, 'naive'))} x naive", ""))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--search", default=os.path.join(ROOT, "build/release/bin/search"))
    parser.add_argument("--state", default=os.path.join(ROOT, "build/bench/h200"))
    parser.add_argument("--replays", default=os.path.join(ROOT, "kernels/replays"))
    parser.add_argument("--sweep", default="")
    parser.add_argument("--seconds", type=int, default=PART_SECONDS, help="most of a part")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--results", default=os.path.join(ROOT, "docs/results/h200.json"))
    options = parser.parse_args()
    globals()["PART_SECONDS"] = options.seconds
    os.makedirs(options.state, exist_ok=True)
    state_of = lambda name: os.path.join(options.state, name + ".json")
    # What was merged before is not measured again: it is where a fresh machine goes on from.
    merged = json.load(open(options.results, encoding="utf-8")) if os.path.exists(options.results) else {}
    for name, part in merged.items():
        if not os.path.exists(state_of(name)):
            with open(state_of(name), "w", encoding="utf-8") as out:
                json.dump(part, out)
    if options.merge:
        state = {name[:-5]: json.load(open(os.path.join(options.state, name), encoding="utf-8"))
                 for name in sorted(os.listdir(options.state)) if name.endswith(".json")}
        if not state:
            sys.exit(f"h200: no part is finished: {options.state} holds none")
        with open(options.results, "w", encoding="utf-8") as out:
            json.dump(state, out, indent=1, sort_keys=True)
            out.write("\n")
        print(table(state))
        return
    bench = Bench(options)
    try:
        parts = bench.parts()
        if options.list:
            for name in parts:
                print(f"{name:32} {'finished' if bench.is_finished(name) else 'begun' if os.path.exists(state_of(name)) else ''}")
            return
        for name in options.parts or parts:
            if name not in parts:
                sys.exit(f"h200: there is no part '{name}'; --list shows them")
            if bench.is_finished(name):
                print(f"{name}: finished before", flush=True)
                continue
            start = time.monotonic()
            result = parts[name]()
            with open(state_of(name) + ".new", "w", encoding="utf-8") as out:
                json.dump({**conditions(), "seconds": round(time.monotonic() - start, 1), "result": result}, out, indent=1)
                out.write("\n")
            os.replace(state_of(name) + ".new", state_of(name))
            print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
            print(table({name: json.load(open(state_of(name), encoding="utf-8"))}), flush=True)
    finally:
        shutil.rmtree(bench.work, ignore_errors=True)


if __name__ == "__main__":
    main()
