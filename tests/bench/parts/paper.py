# SPDX-License-Identifier: MIT
"""The tables of the paper beside ours, in parts of at most 8 minutes.

./exh bench paper                    runs every part that is not finished; --list shows them
./exh bench paper space              those of the space, which need no GPU: size, dead ends, cut, order of decisions
./exh bench paper gpu                those of speed, on one H200: about 60 minutes
./exh bench paper cpu                a search on the cpu beside Eigen
./exh bench paper space-axpy-k4000   one of them
./exh bench paper --merge            prints the tables and writes docs/results/parts/paper.json

Parts, --state, --results and --merge are as of ./exh bench h200. --budget is what each estimate of a size may take, --descents how many
random descents look for dead ends. --sweep FILE is a hand-written SGEMM as for ./exh bench h200: its best instance with one stage, no
split and tiles of up to 128 is timed in the same part as the searches of matmul 1024.
"""
import collections
import json
import os
import re
import statistics
import sys
import time

import parts
from parts import copy_share, ratio, read_json, references, run_sweep, time_of, words

LEAVES = 5000  # Random implementations that the bound is compared with.
SEARCH, SPREAD, PROOF, CPU, BEST = "120s", "60s", "240s", "300s", "40s"  # Budgets of searches.
SIZES = {"axpy": ("axpy", "n=67108864"), "matmul-256x256x32": ("matmul", "m=256,n=256,k=32"),
         "matmul-1024": ("matmul", "m=1024,n=1024,k=1024"), "strided-1024": ("matmul", "m=1024,n=1024,k=1024,a_stride=32")}
MORE = {"mv": ("mv", "m=16384,n=16384")}  # Where random implementations are measured beside their bounds, too.
# Of the paper: tables 2 and 3; speed-up over cuBLAS, of the strided matmul over a naive kernel.
Published = collections.namedtuple("Published", "size dead_ends cut_size nodes kept speedup")
PAPER = {"axpy": Published("1.1e11 ± 1.7e10", 0.1, "2.9e7", 86587, 0.14, 1.47),
         "matmul-256x256x32": Published("1.83e21 ± 3.3e20", 14, "3.5e18", 134060, 15, 2.42),
         "matmul-1024": Published("3.5e21 ± 1.8e21", 2.8, "9.5e17", 161980, 4.2, 0.78),
         "strided-1024": Published("6.0e20 ± 2.0e20", 2.3, "8.1e17", 142780, 6.6, 66.7)}
PAPER_ORDERS = "24 at depth 10 against 1.8 at depth 16"
# Of the paper: times of the kernels without their launch. Of ours: the part of h200.json with the best so far.
CUTS = {"axpy": "7.05ms", "matmul-256x256x32": "21.4us", "matmul-1024": "4.81ms", "strided-1024": "10.1ms"}
OURS = {"axpy": "best-axpy-226", "matmul-256x256x32": "best-matmul-256x256x32", "matmul-1024": "best-matmul-1024",
        "strided-1024": "best-strided-matmul-1024"}
DEPTH = 10
BEYOND = 100000  # Nodes of the level at which two orders of decisions are compared.
PROOFS = {"axpy-228": ("n=268435456", 5), "axpy-226": ("n=67108864", 10)}  # Sizes of axpy, and within how many % of the optimum.
ROOM = 0.98
AXPY_BYTES = 12 * 2**26
SWEEP = r'''
  M = N = K = 1024;
#define EXH_TILE(BM, BN, TM, TN) run<BM, BN, 8, TM, TN, 1, 1>(); run<BM, BN, 16, TM, TN, 1, 1>(); run<BM, BN, 32, TM, TN, 1, 1>();
  EXH_TILE(128, 128, 8, 8) EXH_TILE(128, 64, 8, 8) EXH_TILE(64, 128, 8, 8) EXH_TILE(64, 64, 8, 8) EXH_TILE(64, 64, 8, 4)
  EXH_TILE(64, 64, 4, 4) EXH_TILE(32, 64, 4, 4) EXH_TILE(32, 32, 4, 4) EXH_TILE(128, 128, 16, 8)
  for (auto& r : res) printf("%.3f %s\n", r.us, r.n.c_str());
'''


class Bench(parts.Bench):
    name = "paper"

    # ---- the space: no GPU -----------------------------------------------------------------------

    def cut(self, kernel, device):
        """The time that nothing slower than is looked at, as an option of the program."""
        if device == "k4000":
            return CUTS[kernel]
        found = [time_of((self.earlier(f"search-{kernel}-{space}") or {}).get("references", [])) for space in ("paper", "default")]
        state = read_json(os.path.join(parts.ROOT, "docs/results/parts/h200.json"), {}).get(OURS[kernel], {})
        found.append(time_of(state.get("result", {}).get("references", [])))
        best = min((ns for ns in found if ns), default=None)
        return best and f"{best / 1e3:.6g}us"

    @staticmethod
    def problem(kernel, device, k_tiled=True):
        name, size = SIZES[kernel]
        size += ",inner_tile=4" + ("" if k_tiled or name == "axpy" else ",k_tile=1")
        return ("--kernel", name, "--size", size, "--device", device, "--space", "paper")

    def size(self, problem, *cut):
        """How many implementations there are: the better of two estimates."""
        text = self.output("size", *problem, "--order", "paper", "--budget", f"{self.options.budget}s", "--format", "json", *cut)
        report = json.loads(text)
        if report["exact"]:
            return {"exact": report["exact"]["implementations"]}
        best = report["estimates"][0]
        return {"estimator": best["estimator"], "samples": best["samples"], **best["implementations"]}

    def levels(self, problem, order, cut, *arguments):
        """Nodes level by level, and with a cut those that it leaves."""
        text = self.output("stats", *problem, "--order", order, "--format", "json", *(("--cut", cut) if cut else ()), *arguments)
        found = json.loads(text)["orders"][0]
        result = {"nodes": [level["nodes"] for level in found["levels"]]}
        if cut:
            result["cut_nodes"] = [level["nodes"] for level in found["levels_left"]]
        return result

    def space(self, kernel, device, k_tiled):
        """Size, dead ends and what the cut leaves, of one kernel with or without tiles of k."""
        problem, cut = self.problem(kernel, device, k_tiled), self.cut(kernel, device)
        text = self.output("dead-ends", *problem, "--order", "paper", "--descents", str(self.options.descents))
        found = re.search(r": (\d+) of (\d+) descents met a dead end: \S+ % \(95 % interval (\S+) to (\S+) %\)", text)
        result = {"cut": cut, "dead_ends": {"dead": int(found[1]), "descents": int(found[2]), "low": float(found[3]), "high": float(found[4])},
                  "size": self.size(problem),
                  **self.levels(problem, "paper", cut, "--depth", str(DEPTH), "--cut-depth", str(DEPTH))}
        if cut:
            result["cut_size"] = self.size(problem, "--cut", cut, "--cut-depth", str(DEPTH))
        return result

    def orders(self, device, k_tiled):
        """How many times fewer nodes the cut leaves of a tree, by the order of its decisions."""
        problem, cut = self.problem("matmul-1024", device, k_tiled), self.cut("matmul-1024", device)
        if not cut:
            sys.exit("paper: no time to cut at: docs/results/parts/h200.json has none, and part search-matmul-1024-paper is not finished")
        result = {"cut": cut}
        for order in ("paper", "paper-reversed"):
            levels = self.levels(problem, order, cut, "--depth", "60", "--beyond", str(BEYOND), "--cut-depth", "60")
            result[order] = {"depth": len(levels["nodes"]) - 1, **levels}
        return result

    # ---- speed: one H200 -------------------------------------------------------------------------

    def best(self, kernel, space, *arguments, budget=None, size=None, seed=1, device="h200"):
        """A search, how its best compares, and what is proven."""
        name, usual = (SIZES | MORE)[kernel]
        records, text = self.records("search", "--kernel", name, "--size", size or usual, "--device", device, "--space", space,
                                     "--budget", budget or SEARCH, "--seed", str(seed), *arguments)
        evals = [r for r in records if r["t"] == "eval"]
        end = next((r for r in records if r["t"] == "end"), {})
        replay = os.path.join(self.work, "search", "best.replay")
        decisions = None
        if os.path.exists(replay):
            with open(replay, encoding="utf-8") as file:
                decisions = re.sub(r"^#.*\n", "", file.read())  # Where the run lay.
        fastest = min((r for r in evals if r["verdict"] == "correct"), key=lambda r: r["best_ns"], default={})
        return {"evaluations": len(evals), "seconds": evals[-1]["dt"], "why": end.get("why"), "bound_ns": end.get("bound_ns", 0),
                "replay": decisions,
                "curve": [[r["dt"], r["ns"]] for r in records if r["t"] == "best"],
                "fastest": {"ns": fastest.get("best_ns"), "bound_ns": fastest.get("bound_ns")},
                "violations": sum(r["t"] == "violation" for r in records),
                "verdicts": dict(collections.Counter(r["verdict"] for r in evals)), **references(records),
                "text": re.sub(r"to go on:\n(  .*\n)*", "", text[text.find("best:"):])[:4000]}

    def search(self, kernel, space):
        result = self.best(kernel, space)
        if kernel == "matmul-1024" and self.options.sweep:
            lines = [line.split(" ", 1) for line in self.sweep()]
            us, what = min((float(us), what) for us, what in lines)
            result["sweep"] = {"us": us, "what": what, "instances": len(lines)}
        return result

    def sweep(self):
        """The hand-written SGEMM has two stages or more; with one, a tile is waited for before it is read."""
        with open(self.options.sweep, encoding="utf-8") as file:
            text = file.read()
        for old, new in (('"n"(ST-2)', '"n"(ST<2?0:ST-2)'),
                         ("float* sa=smem+(it%ST)*SZ;",
                          'if(ST==1){ asm volatile("cp.async.wait_group 0;"); __syncthreads(); } float* sa=smem+(it%ST)*SZ;')):
            if text.count(old) != 1:
                raise SystemExit(f"paper: --sweep {self.options.sweep} is not the SGEMM that is known: it has not one '{old}'")
            text = text.replace(old, new)
        path = os.path.join(self.work, "one-stage.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return run_sweep(path, self.work, SWEEP)

    def spread(self, kernel):
        """The best of four seeds, a minute each."""
        runs = [self.best(kernel, "paper", budget=SPREAD, seed=seed) for seed in (1, 2, 3, 4)]
        return {"ns": [time_of(run["references"]) for run in runs], "cublas": [time_of(run["references"], "cublas") for run in runs],
                "evaluations": [run["evaluations"] for run in runs]}

    def bound(self, kernel):
        """Random implementations beside their bounds, and the best of a search; what earlier calls had of them counts."""
        name, size = (SIZES | MORE)[kernel]
        result = self.earlier(f"bound-{kernel}") or {"leaves": 0, "runs": 0, "ratios": [], "violations": []}
        begin = time.monotonic()
        if result["leaves"] < LEAVES:
            self.add_leaves(name, size, result)
        if result["leaves"] >= LEAVES:
            result["best"] = self.best(kernel, "default", budget=BEST)
        result["measured_s"] = round(result.get("measured_s", 0) + time.monotonic() - begin, 1)
        return result

    def add_leaves(self, name, size, result):
        """Random implementations that follow on those of earlier calls."""
        result["runs"] += 1
        records, _ = self.records("bound", "--kernel", name, "--size", size, "--device", "h200", "--policy", "random", "--bound", "check",
                                  "--budget", f"evals={LEAVES - result['leaves']}", "--budget", f"{self.options.seconds - 120}s",
                                  "--seed", str(100 + result["runs"]))
        evals = [r for r in records if r["t"] == "eval"]
        result["leaves"] += len(evals)
        timed = [r for r in evals if r["verdict"] == "correct" and r["best_ns"] > 0]
        result["ratios"] += [round(r.get("bound_ns", 0) / r["best_ns"], 6) for r in timed]
        for violation in (r for r in records if r["t"] == "violation"):
            result["violations"].append({key: violation[key] for key in ("n", "ns", "bound_ns", "resource") if key in violation})

    def policy(self, *arguments):
        return self.best("matmul-1024", "paper", *arguments)

    def proof(self, size, gap):
        """How near to the bound the best comes; what of the gap is that inputs may still be in the cache."""
        # A gap is a share of the best; that it is measured again at the end, and may then be a little slower, needs some room.
        result = self.best("axpy", "paper", "--stop", f"gap={100 * (1 - 1 / (1 + ROOM * gap / 100)):.3f}%", budget=PROOF, size=size)
        return {**result, **self.cache_credit(size)}

    def cache_credit(self, size):
        """The root bound, and what it were if nothing of the arrays could be in the largest cache."""
        bound = json.loads(self.output("bound", "--kernel", "axpy", "--size", size, "--device", "h200", "--space", "paper", "--json"))
        memory = next((term for term in bound["terms"] if term["resource"] == "memory"), None)  # None: the cache may hold all.
        uncached = 12 * int(size.split("=")[1]) / memory["rate_per_ns"] if memory else None
        return {"root_ns": bound["bound_ns"], "uncached_ns": uncached}

    def cpu(self):
        """A search of the cpu device beside Eigen, compiled with the same flags."""
        return self.best("matmul-1024", "paper", budget=CPU, size="m=512,n=512,k=512", device="cpu")

    # ---- parts -----------------------------------------------------------------------------------

    def is_whole(self, result):
        return "leaves" not in result or (result["leaves"] >= LEAVES and "best" in result)

    def merged(self, result):
        """Of thousands of ratios only how they are spread."""
        if "ratios" not in result or result["leaves"] < LEAVES:
            return result
        rest = {key: value for key, value in result.items() if key != "ratios"}
        return {**rest, "quantiles": dict(zip(("least", "5%", "25%", "50%", "75%", "95%", "largest"), quantiles(result["ratios"])))}

    def all_parts(self):
        space, gpu = {}, {}
        for device in ("k4000", "h200"):
            for kernel, (name, _) in SIZES.items():
                for k_tiled in (True,) if name == "axpy" else (False, True):
                    suffix = "" if name == "axpy" else "-k-tiled" if k_tiled else "-k-whole"
                    space[f"space-{kernel}{suffix}-{device}"] = lambda k=kernel, d=device, t=k_tiled: self.space(k, d, t)
            for k_tiled in (False, True):
                space[f"orders-{'k-tiled' if k_tiled else 'k-whole'}-{device}"] = lambda d=device, t=k_tiled: self.orders(d, t)
        for kernel in SIZES:
            for decisions in ("paper", "default"):
                gpu[f"search-{kernel}-{decisions}"] = lambda k=kernel, s=decisions: self.search(k, s)
        for kernel in ("matmul-256x256x32", "matmul-1024"):
            gpu[f"spread-{kernel}"] = lambda k=kernel: self.spread(k)
        for kernel in SIZES | MORE:
            gpu[f"bound-{kernel}"] = lambda k=kernel: self.bound(k)
        alone = ("--policy", "tag", "--local", "0%", "--screen", "1")
        gpu["policy-local-without-model"] = lambda: self.policy("--screen", "1")
        gpu["policy-tag"] = lambda: self.policy(*alone)
        gpu["policy-tag-without-bound"] = lambda: self.policy(*alone, "--bound", "none")
        gpu["policy-random"] = lambda: self.policy("--policy", "random")
        for name, (size, gap) in PROOFS.items():
            gpu[f"proof-{name}"] = lambda s=size, g=gap: self.proof(s, g)
        return {"space": space, "gpu": gpu, "cpu": {"cpu": self.cpu}}

    def parts(self):
        groups = self.all_parts()
        wanted = []
        for part in self.options.parts:  # The name of a group stands for its parts.
            wanted += groups.get(part, [part])
        self.options.parts = wanted
        return {name: measure for group in groups.values() for name, measure in group.items()}

    # ---- the tables ------------------------------------------------------------------------------

    def rows(self, state):
        """One line a figure; those of the space first."""
        rows = [("figure", "ours", "paper 001")]
        for name in sorted(state, key=lambda n: (not n.startswith("space"), not n.startswith("orders"), n)):
            data = state[name]["result"]
            group = name.split("-")[0]
            rows += [(name, *row) if len(row) == 2 else (f"{name}: {row[0]}", *row[1:]) for row in getattr(self, "rows_of_" + group)(name, data)]
        return rows

    @staticmethod
    def paper_of(name):
        """What the paper has to say of a part: nothing of other devices than its own."""
        return next(PAPER[kernel] for kernel in PAPER if kernel in name) if name.endswith("k4000") else None

    def rows_of_space(self, name, data):
        paper = self.paper_of(name)
        dead, nodes = data["dead_ends"], data["nodes"][-1]
        yield "implementations", size_words(data["size"]), paper.size if paper else ""
        yield ("dead ends", f"{100 * dead['dead'] / dead['descents']:.2f} % ({dead['low']:.2f} to {dead['high']:.2f})",
               f"{paper.dead_ends} %" if paper else "")
        yield f"nodes at depth {DEPTH}", f"{nodes}", f"{paper.nodes}" if paper else ""
        if "cut_nodes" in data:
            kept = data["cut_nodes"][-1]
            yield f"left of them by a cut at {data['cut']}", f"{kept} ({100 * kept / nodes:.2f} %)", f"{paper.kept} %" if paper else ""
            yield "implementations left by this cut", size_words(data["cut_size"]), paper.cut_size if paper else ""

    def rows_of_orders(self, name, data):
        texts = []
        for order in ("paper", "paper-reversed"):
            found = data[order]
            texts.append(f"{sum(found['nodes']) / max(1, sum(found['cut_nodes'])):.3g} at depth {found['depth']}")
        yield "nodes / nodes left by the cut, direct against reverse", " against ".join(texts), PAPER_ORDERS if name.endswith("k4000") else ""

    def rows_of_search(self, name, data):
        refs, kernel = data["references"], name[len("search-"):name.rindex("-")]
        text = f"{words(time_of(refs) and time_of(refs) / 1e3)} us; {words(ratio(refs, 'cublas'))} x cuBLAS, " \
               f"{words(ratio(refs, 'cublaslt'))} x cublasLt, {words(ratio(refs, 'naive'))} x naive"
        if kernel == "axpy":
            text += f", {words(copy_share(data, AXPY_BYTES), '{:.3f}')} of the copy bandwidth"
        if kernel == "strided-1024":
            text = text.replace("cuBLAS", "copy + cuBLAS")
        if "sweep" in data and time_of(refs):
            text += f"; {1e3 * data['sweep']['us'] / time_of(refs):.2f} x the hand-written one ({data['sweep']['what']})"
        yield (text + f"; {data['evaluations']} evaluations",
               f"{PAPER[kernel].speedup} x {'naive' if kernel == 'strided-1024' else 'cuBLAS'} (K4000, 4 h)")

    def rows_of_spread(self, _, data):
        times = [ns for ns in data["ns"] if ns]
        text = ", ".join(f"{ns / 1e3:.2f}" for ns in times) + " us"
        if times:
            text += f": {100 * (max(times) / min(times) - 1):.1f} % apart"
        yield "the best of four seeds, a minute each", text, ""

    def rows_of_bound(self, _, data):
        median = data["quantiles"]["50%"] if "quantiles" in data else statistics.median(data["ratios"]) if data["ratios"] else None
        fastest = data.get("best", {}).get("fastest", {})
        best = fastest["bound_ns"] / fastest["ns"] if fastest.get("ns") else None
        yield (f"{data['leaves']} random implementations", f"{len(data['violations'])} below their bound; bound / time: median "
               f"{words(median)}, of the best of a search {words(best)}", "")

    def rows_of_policy(self, _, data):
        winner = time_of(data["references"])
        yield "matmul 1024, 120 s", f"{words(winner and winner / 1e3)} us, {words(ratio(data['references'], 'cublas'))} x cuBLAS; " \
              f"{data['evaluations']} evaluations", ""

    def rows_of_proof(self, _, data):
        winner = time_of(data["references"])
        text = f"{data['why']} after {data['seconds']:.0f} s"
        if winner and data["bound_ns"]:
            text += f"; nothing is faster than {data['bound_ns'] / 1e3:.1f} us, the best takes {winner / 1e3:.1f} us: " \
                    f"within {100 * (winner / data['bound_ns'] - 1):.1f} %"
        if data["uncached_ns"]:
            text += f"; what may lie in L2 leaves {100 * (data['uncached_ns'] / data['root_ns'] - 1):.1f} % open"
        yield "proven", text, ""

    def rows_of_cpu(self, _, data):
        winner = time_of(data["references"])
        yield "matmul 512, 300 s", f"{words(winner and winner / 1e3, '{:.0f}')} us, {words(winner and 2 * 512**3 / winner, '{:.0f}')} GFLOP/s: " \
              f"{words(ratio(data['references'], 'eigen'), '{:.3f}')} x Eigen, {words(ratio(data['references'], 'naive'), '{:.0f}')} x naive; {data['evaluations']} evaluations", ""


def quantiles(values):
    ordered = sorted(values)
    return [ordered[round(share * (len(ordered) - 1))] for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)]


def size_words(size):
    """An estimate with its 95 % interval, or what it is no less than."""
    if "exact" in size:
        return str(size["exact"])
    if size["high"] is None:
        return f"at least {size['low']:.2g}, about {size['mean']:.3g}"
    text = f"{size['mean']:.3g}, {size['low']:.2g} to {size['high']:.2g}"
    return text + (f" (as good as {size['effective_samples']:.0f} samples)" if size["heavy_tailed"] else "")


OPTIONS = [("--budget", {"type": int, "default": 120, "help": "seconds of each estimate of a size"}),
           ("--descents", {"type": int, "default": 10000, "help": "random descents that look for dead ends"})]

if __name__ == "__main__":
    parts.main(Bench, __doc__, OPTIONS)
