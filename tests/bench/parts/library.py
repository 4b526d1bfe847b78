# SPDX-License-Identifier: MIT
"""Searches of every kernel of the library, as a benchmark's parts: its default size and one more, three seeds each.

A part is `search-KERNEL-SIZE`; a call goes on with the seeds that are missing. Of each seed it keeps what was best against the
yardsticks that the search measured in turn with it, when the first result was correct, and what the time was spent on.
"""
import collections
import statistics

from parts import ratio, recorder, references, time_of, words

SEEDS = (11, 12, 13)
SECONDS = 60
FFMA = "ffma:"  # Before a size: without matrix units.
# "" is the default size.
SEARCHES = {
    "cpu": {"axpy": ["", "n=1000000"], "mv": ["", "m=1000,n=3000"], "gesummv": ["", "m=1000,n=1000"],
            "batched_matmul": ["", "batch=64,m=64,n=64,k=64"],
            "matmul": ["", "m=256,n=256,k=256", "m=384,n=384,k=384", "m=500,n=500,k=500", "m=509,n=509,k=509", "m=640,n=640,k=640",
                       "m=768,n=384,k=640", "m=1000,n=1000,k=1000", "m=1024,n=1024,k=1024", "m=128,n=1024,k=1024"],
            "matmul2": ["", "m=512,n=512,k=64,p=64"], "conv2d": [""], "softmax": [""], "layer_norm": [""], "reduce": [""]},
    "h200": {"axpy": ["n=67108864", "n=1000000"], "mv": ["m=8192,n=8192", ""], "gesummv": ["m=4096,n=4096", ""],
             "batched_matmul": ["batch=512,m=64,n=64,k=64", ""],
             "matmul": ["m=256,n=256,k=32", "m=512,n=512,k=512", "m=1024,n=1024,k=1024", "m=2048,n=2048,k=2048", "m=4096,n=4096,k=4096",
                        "m=128,n=1024,k=1024", "m=32,n=32,k=131072", "m=1024,n=1024,k=1024,a_stride=32", "m=4096,n=4096,k=4096,type=bf16",
                        "m=1000,n=1000,k=1000", "m=1023,n=1023,k=1023", "m=97,n=101,k=103", "m=1021,n=1031,k=1033", "m=5124,n=700,k=2048",
                        "m=35,n=700,k=2048", "m=1760,n=16,k=1760", FFMA + "m=512,n=512,k=512", FFMA + "m=1024,n=1024,k=1024"],
             "matmul2": ["", "m=1024,n=1024,k=1024,p=1024", "m=16384,n=64,k=64,p=64", "m=4096,n=128,k=128,p=128"]},
}
STOPPED = ("slow", "timeout", "idle")
PEER_NAMES = {"cublas": "cuBLAS", "cublaslt": "cublasLt", "openblas": "OpenBLAS", "onednn": "oneDNN", "eigen": "Eigen"}


def spent(records):
    """Seconds from each evaluation to the next, by verdict, and the whole run's."""
    seconds, last = collections.Counter(), 0.0
    for record in records:
        if record["t"] == "eval":
            seconds[record["verdict"]] += record["dt"] - last
            last = record["dt"]
    return seconds, last


def search(bench, device, kernel, size, seed):
    """One search, in numbers."""
    ffma = size.startswith(FFMA)
    size = size.removeprefix(FFMA)
    more = (("--size", size) if size else ()) + (("--set", "tensor_units=[]") if ffma else ())
    records, _ = bench.records("library", "--kernel", kernel, "--device", device, "--budget", f"{bench.options.budget}s", "--seed",
                               str(seed), *more, seconds=bench.options.budget + 120)
    evals = [r for r in records if r["t"] == "eval"]
    seconds, whole = spent(records)
    correct = [r["dt"] for r in evals if r["verdict"] == "correct"]
    found = references(records)["references"]
    best = [r for r in records if r["t"] == "best"]
    return {"seed": seed, "evaluations": len(evals), "verdicts": dict(collections.Counter(r["verdict"] for r in evals)),
            "best_ns": time_of(found) or (best[-1]["ns"] if best else None), "first_s": correct[0] if correct else None,
            "stopped": sum(seconds[v] for v in STOPPED) / whole if whole else None, "references": found}


def best_library(found):
    """Of the libraries among the yardsticks the fastest: (its name, how many times as fast the winner is), or None."""
    names = {r["name"] for r in found if time_of(found, r["name"])} - {"winner", "naive"}
    ratios = [(ratio(found, name), name) for name in names if not name.startswith("record ") and ratio(found, name)]
    return min(ratios)[::-1] if ratios else None


def record_names(kernel, size):
    """Subject, sizes and variant of a record: as the pages have them."""
    ffma = size.startswith(FFMA)
    values = dict(pair.split("=") for pair in size.removeprefix(FFMA).split(",") if "=" in pair)
    variants = ["FMA alone"] if ffma else []
    if "a_stride" in values:
        variants.append(f"columns of A {values['a_stride']} apart")
    if "type" in values:
        variants.append(values["type"])
    subject = {"matmul2": "two products", "batched_matmul": f"{values.get('batch', '')} products of".strip()}.get(kernel, kernel)
    extents = [values[axis] for axis in "mnkp" if axis in values]
    number = int(values["n"]) if kernel == "axpy" and "n" in values else 0
    sizes = f"2^{number.bit_length() - 1}" if number and number & (number - 1) == 0 else str(number) if number else recorder.side(*extents)
    # Of a square matrix and a vector both sides are said.
    if kernel in ("mv", "gesummv"):
        sizes = "x".join(extents)
    return subject, sizes, ", ".join(variants)


def median(values):
    """Of those that are there; None where half of them are not."""
    there = [v for v in values if v is not None]
    return statistics.median(there) if 2 * len(there) > len(values) else None


class Library:
    """What a benchmark in parts inherits to have them; it has a `device` and an option --budget."""
    device = ""

    def library_parts(self):
        parts = {}
        for kernel, sizes in SEARCHES[self.device].items():
            for size in sizes:
                parts[f"search-{kernel}-{size or 'default'}"] = lambda k=kernel, s=size: self.seeds(k, s)
        return parts

    def seeds(self, kernel, size):
        runs = (self.earlier(self.part) or {}).get("runs", [])
        for seed in SEEDS[len(runs):]:
            runs.append(search(self, self.device, kernel, size, seed))
            print(f"  seed {seed}: {words(runs[-1]['best_ns'] and runs[-1]['best_ns'] / 1e3)} us", flush=True)
        return {"runs": runs, "budget": self.options.budget}

    def library_record(self, name, part, into):
        """A record of one kernel and size: the best of each seed, and the median of the ratios."""
        kernel, _, size = name[7:].partition("-")
        runs = [run for run in part["result"]["runs"] if run["best_ns"]]
        if not runs:
            return
        subject, sizes, variant = record_names(kernel, size)
        on_cpu = self.device == "cpu"
        kind = "cpu" if on_cpu else "vectors" if kernel in ("axpy", "mv", "gesummv") else "products"
        peers = sorted({r["name"] for run in runs for r in run["references"]} - {"winner"})
        ratios = {peer: median([ratio(run["references"], peer) for run in runs]) for peer in peers if not peer.startswith("record ")}
        times = [run["best_ns"] for run in runs]
        ours = recorder.time(statistics.median(times) if on_cpu else times)
        if on_cpu and len(times) > 1:
            scale = float(statistics.median(times)) / float(ours["value"])
            ours |= {"from": recorder.number(min(times) / scale), "to": recorder.number(max(times) / scale)}
        into.add(kind, "library" if on_cpu else kind, subject, part, sizes=sizes, variant=variant, budget=f"{part['result']['budget']} s",
                 device=recorder.machine(part, gpu=not on_cpu), ours=ours,
                 ratios={PEER_NAMES.get(peer, peer): recorder.figure(value) for peer, value in ratios.items() if value})

    @staticmethod
    def library_row(name, result):
        """(figure, measured, must reach)"""
        runs = result["runs"]
        peers = sorted({r["name"] for run in runs for r in run["references"]} - {"winner"})
        peers = [p for p in peers if not p.startswith("record ")]
        best = median([run["best_ns"] for run in runs])
        ratios = [f"{words(median([ratio(run['references'], peer) for run in runs]))} x {peer}" for peer in peers]
        fastest = [best_library(run["references"]) for run in runs]
        if any(fastest):
            names = collections.Counter(one[0] for one in fastest if one)
            least = median([one and one[1] for one in fastest])
            ratios.insert(0, f"{words(least)} x the best library ({names.most_common(1)[0][0]})")
        spread = ", ".join(words(run["best_ns"] and run["best_ns"] / 1e3, "{:.4g}") for run in runs)
        return (f"{name[7:].replace('-', ' ', 1)}, {result['budget']} s",
                f"{words(best and best / 1e3, '{:.4g}')} us ({spread}): {', '.join(ratios) or 'no yardstick'}; first after "
                f"{words(median([run['first_s'] for run in runs]), '{:.1f}')} s; "
                f"{words(median([run['stopped'] for run in runs]), '{:.0%}')} on what was stopped; "
                f"{words(median([run['evaluations'] for run in runs]), '{:.0f}')} evaluations", "")
