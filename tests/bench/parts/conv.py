# SPDX-License-Identifier: MIT
"""The nine distinct convolutions of VGG-16 (batch 1, f32), in parts: a search of each, against yardsticks. Others beside them.

./exh bench conv                          runs every layer that is not finished; --list shows them
./exh bench conv layer-24 --budget 60     runs this one; its search has 60 seconds
./exh bench conv --layout nchw            planes of channels, as torch has them
./exh bench conv --device cuda            on a GPU, where torch, torch.compile, im2col with cuBLAS and each algorithm of cuDNN are peers
./exh bench conv other-stride-2           another layer: a stride, larger kernels, few channels
./exh bench conv without-unit             layer 10 with one thing taken away from the space (a GPU)
./exh bench conv --merge                  prints the table and writes docs/results/parts/conv-DEVICE-LAYOUT.json

On a cpu the yardsticks are those of the search: the naive loop nest, and Eigen's product behind an im2col on the same threads, each
measured in turn with ours. A ratio above 1 means that ours is faster. Bytes are those beside image, filter and result: of Eigen the
matrix that im2col makes, of ours the temporary arrays of all threads on a cpu, and what a launch is given in main memory on a GPU.
"""
import json
import math
import os
import re
import subprocess
import sys

import parts
from parts import ratio, recorder, time_of, words

# Number of the layer: channels, rows and columns of the image, channels of the result.
LAYERS = {0: (3, 224, 64), 2: (64, 224, 64), 5: (64, 112, 128), 7: (128, 112, 128), 10: (128, 56, 256), 12: (256, 56, 256),
          17: (256, 28, 512), 19: (512, 28, 512), 24: (512, 14, 512)}
# With the side of the kernel and the stride.
OTHERS = {"stride-2": (128, 56, 256, 3, 2), "kernel-5": (64, 56, 128, 5, 1), "kernel-11": (3, 224, 64, 11, 4),
          "three-channels": (3, 224, 64, 7, 2), "one-by-one": (256, 56, 256, 1, 1)}
# What is taken away: limits of the device.
ABLATIONS = {"nothing": [], "unit": ["tensor_units=[]"], "windows": ["windows=false"], "divided-sums": ["across_blocks=[]"],
             "async-copies": ["async_copies=false"], "vectors": ["vector_sizes=[]"], "registers": ["max_unroll=1"]}
ABLATED = 10
FILTERS = {"nhwc": "rscm", "nchw": "mcrs"}
# The same in the records.
TAKEN_AWAY = {"nothing": "nothing, searched again", "unit": "matrix units", "windows": "windows", "divided-sums": "blocks that divide a sum (`across_blocks`)",
              "async-copies": "asynchronous copies", "vectors": "vectors", "registers": "unrolled loops, so tiles in registers"}
PEERS = ("torch", "inductor", "im2col", "cudnn", "winograd")
NAMES = {"cublas": "cuBLAS", "cublaslt": "cublasLt", "eigen": "im2col + Eigen", "im2col": "im2col + cuBLAS", "inductor": "torch.compile", "cudnn": "cuDNN", "winograd": "Winograd"}
PEER_SECONDS = 400
SEEDS = (11,)


def shape_of(part):
    """Channels and side of the image, channels of the result, side of the kernel, stride."""
    kind, name = part.split("-", 1)
    return OTHERS[name] if kind == "other" else (*LAYERS[ABLATED if kind == "without" else int(name)], 3, 1)


def flops(part):
    channels, side, results, kernel, stride = shape_of(part)
    out = (side + kernel // 2 * 2 - kernel) // stride + 1
    return 2 * kernel * kernel * channels * out * out * results


def temporary_bytes(text, threads):
    """Of an emitted program: the arrays that each thread has, and those that all have together."""
    size = {"double": 8, "std::int64_t": 8, "float": 4}
    return sum((threads if each or not static else 1) * size.get(element, 4) * int(elements) for static, each, element, elements in
               re.findall(r"alignas\(64\) (static )?(thread_local )?([\w:]+) \w+\[(\d+)\];", text))


def front_of(evals):
    """Of time and memory: [bytes beside the arrays, us] of the correct implementations that no other one beats in both."""
    front = []
    for size, ns in sorted((r.get("workspace_bytes", 0), r["best_ns"]) for r in evals if r["verdict"] == "correct"):
        if not front or ns / 1e3 < front[-1][1]:
            front.append([size, ns / 1e3])
    return front


def geometric_mean(values):
    there = [v for v in values if v]
    return math.exp(sum(map(math.log, there)) / len(there)) if there else None


def megabytes(size):
    return "-" if size is None else f"{size / 1e6:.3g}"


class Bench(parts.Bench):
    name = "conv"

    def __init__(self, options):
        super().__init__(options)
        # Of each device and layout its own folder and file.
        self.kind = f"{options.device}-{options.layout}"
        options.state = os.path.join(options.state, self.kind)
        os.makedirs(options.state, exist_ok=True)
        if options.results == parts.results_of(self.name):
            options.results = parts.results_of(f"{self.name}-{self.kind}")

    def parts(self):
        names = [f"layer-{layer}" for layer in LAYERS] + [f"other-{name}" for name in OTHERS]
        if self.options.device != "cpu":
            names += [f"without-{name}" for name in ABLATIONS]
        return {name: lambda n=name: self.layer(n) for name in names}

    def is_whole(self, result):
        return "references" in result

    def layer(self, part):
        channels, side, results, kernel, stride = shape_of(part)
        layout = self.options.layout
        size = (f"h={side},w={side},c={channels},m={results},layout={layout},filter_layout={FILTERS[layout]},"
                f"r={kernel},s={kernel},pad={kernel // 2},stride={stride}")
        gpu = ("--gpu", str(self.options.gpu)) if self.options.device != "cpu" else ()
        budget = self.options.budget
        limits = ABLATIONS[part.split("-", 1)[1]] if part.startswith("without-") else []
        records, _ = self.records(part, *(word for limit in limits for word in ("--set", limit)), "--kernel", "conv2d", "--size", size, "--device", self.options.device, *gpu,
                                  "--budget", f"{budget}s", "--seed", str(SEEDS[0]), "--bound", "check", seconds=budget + 240)
        evals = [r for r in records if r["t"] == "eval"]
        verdicts = {name: sum(r["verdict"] == name for r in evals) for name in sorted({r["verdict"] for r in evals})}
        found = {"budget": budget, "verdicts": verdicts, "violations": sum(r["t"] == "violation" for r in records),
                 "front": front_of(evals), **parts.references(records)}
        if self.options.device == "cpu":
            text = self.output("emit", os.path.join(self.work, part), seconds=60)
            found["temporary_bytes"] = temporary_bytes(text, parts.conditions()["cores"])
        else:
            found["peers"] = {} if limits else self.peers(part)
        return found

    def peers(self, part):
        """What --peers take, by conv_peers.py in a process of its own: it starts slowly and may crash."""
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conv_peers.py")
        command = [self.options.python, "-B", program, "--gpu", str(self.options.gpu), "--layout", self.options.layout,
                   "--peers", self.options.peers, "--layer", ",".join(map(str, shape_of(part)))]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PEER_SECONDS, check=False)
            return json.loads(done.stdout.splitlines()[-1])
        except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
            return {"note": f"no peers: {type(error).__name__}"}

    # ---- tables ----------------------------------------------------------------------------------

    def others(self, state):
        """Names of all that is not ours, in the order of the columns."""
        names = [r["name"] for part in state.values() for r in part["result"]["references"]]
        peers = [name for name in PEERS if any(name in part["result"].get("peers", {}) for part in state.values())]
        return [n for n in ("naive", "eigen", "cublas", "cublaslt") if n in names] + peers

    @staticmethod
    def other(result, name):
        """(times ours, bytes beside the arrays) of a yardstick or peer, as far as they are known."""
        reference = next((r for r in result["references"] if r["name"] == name), None)
        if reference:
            return ratio(result["references"], name), reference.get("workspace_bytes", 0)
        peer = result.get("peers", {}).get(name, {})
        ours = time_of(result["references"])
        return ("us" in peer and ours and 1e3 * peer["us"] / ours) or None, peer.get("workspace_bytes")

    def table(self, state):
        """The layers, and below them what each algorithm of cuDNN takes."""
        algorithms = self.algorithms(state)
        return super().table(state) + ("\n\n" + self.markdown(algorithms) if len(algorithms) > 1 else "")

    @staticmethod
    def algorithms(state):
        rows = [("layer", "algorithm of cuDNN", "us", "its MB", "ours : it")]
        for part, data in state.items():
            ours = time_of(data["result"]["references"])
            for name, entry in sorted(data["result"].get("peers", {}).get("algorithms", {}).items()):
                if "us" in entry:
                    rows.append((part, name, f"{entry['us']:.1f}", megabytes(entry["workspace_bytes"]), words(ours and 1e3 * entry["us"] / ours)))
        return rows

    def record(self, state, into):
        """The tables of VGG-16, of other layers, of planes, and of what is taken away."""
        on_cpu, planes = self.options.device == "cpu", self.options.layout == "nchw"
        means, taken = {}, None
        for part, data in state.items():
            result, kind = data["result"], part.split("-")[0]
            ours = time_of(result["references"])
            if not ours:
                continue
            channels, side, results, kernel, stride = shape_of(part)
            fields = {"sizes": f"({channels}, {side}, {results})", "budget": f"{result['budget']} s", "ours": recorder.time(ours),
                      "figures": {"GFLOP/s": recorder.figure(flops(part) / ours, digits=0)}, "device": recorder.machine(data, gpu=not on_cpu),
                      "variant": "planes of channels" if planes else ""}
            others = {NAMES.get(name, name): self.other(result, name)[0] for name in self.others({part: data})}
            fields["ratios"] = {name: recorder.figure(times) for name, times in others.items() if times}
            if kind == "layer":
                into.add("convolutions", "planes" if planes else "cpu" if on_cpu else "vgg", f"VGG-16, layer {part.split('-')[1]}", data,
                         **fields | ({"sizes": ""} if planes else {}))
                taken = data
                for name, times in others.items():
                    means.setdefault(name, []).append(times)
            elif kind == "other":
                window = f"stride {stride}" if stride > 1 else ""
                into.add("convolutions", "others", f"{kernel} x {kernel}" + (f", {window}" if window else " window" if kernel > 1 else ""), data, **fields)
            else:
                into.add("convolutions", "without", f"VGG-16, layer {ABLATED}", data,
                         **fields | {"sizes": "", "variant": "without " + TAKEN_AWAY[part.split("-", 1)[1]], "ratios": {}})
        count = max(map(len, means.values()), default=0)
        if count > 1:
            into.add("convolutions", "planes" if planes else "cpu" if on_cpu else "vgg", "geometric mean", taken, of=count,
                     device=recorder.machine(taken, gpu=not on_cpu), variant="planes of channels" if planes else "",
                     ratios={name: recorder.figure(geometric_mean(times)) for name, times in means.items() if geometric_mean(times)})

    def rows(self, state):
        heads = {"eigen": "im2col + Eigen", "im2col": "im2col + cuBLAS", "inductor": "torch.compile", "cudnn": "cuDNN without Winograd"}
        layers = sorted((part for part in state if part.startswith("layer-")), key=lambda part: int(part.split("-")[1]))
        others = self.others({part: state[part] for part in layers} or state)
        rows = [("layer", "GFLOP", "ours", "GFLOP/s", "its MB") +
                tuple(head for n in others for head in (f"ours : {heads.get(n, n)}", "its MB"))]
        ratios = {name: [] for name in others}
        for part in layers + [part for part in state if part not in layers]:
            result = state[part]["result"]
            channels, side, results, kernel, stride = shape_of(part)
            ours = time_of(result["references"])
            winner = next((r for r in result["references"] if r["name"] == "winner"), {})
            called = part.split("-")[1] if part in layers else f"{part} ({kernel} x {kernel}, stride {stride})"
            row = [f"{called}: {channels}, {side} x {side}, {results}", f"{flops(part) / 1e9:.3f}",
                   words(ours and ours / 1e6, "{:.3g} ms"), words(ours and flops(part) / ours, "{:.3g}"),
                   megabytes(winner.get("workspace_bytes", 0) + result.get("temporary_bytes", 0))]
            for name in others:
                times, size = self.other(result, name)
                if part in layers:
                    ratios[name].append(times)
                row += [words(times), megabytes(size)]
            rows.append(tuple(row))
        means = []
        for name in others:
            means += [words(geometric_mean(ratios[name])), ""]
        rows.append(("geometric mean of the layers", "", "", "", "", *means))
        return rows


if __name__ == "__main__":
    parts.main(Bench, __doc__, [
        ("--device", {"default": "cpu"}), ("--gpu", {"type": int, "default": 0}),
        ("--layout", {"default": "nhwc", "choices": sorted(FILTERS)}),
        ("--budget", {"type": int, "default": 60, "help": "seconds of a search"}),
        ("--peers", {"default": "torch,inductor,im2col,cudnn", "help": "those of a GPU: inductor may take a minute a layer"}),
        ("--python", {"default": sys.executable, "help": "one with PyTorch, for --device cuda"})])
