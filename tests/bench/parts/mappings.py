# SPDX-License-Identifier: MIT
"""Layers of VGG-16 as the tiled convolution of examples/lift/programs, in parts.

./exh bench mappings                       runs every part that is not finished; --list shows them
./exh bench mappings kernel-10 --device cuda
./exh bench mappings --merge               prints the tables and writes docs/results/parts/mappings.json

kernel-N     the program searched as a kernel, and the library's conv2d with the same layout of its filter: --budget each
mapping-N    the mapping by hand; mappings and parameters at random, and searched, each with two seeds: --mapping-budget each
"""
import os
import re

import parts
from parts import recorder, references, time_of, words

PROGRAM = os.path.join(parts.ROOT, "examples/lift/programs/tiled_convolution.fun")
# Number of the layer: channels, side of the image, kernels; and theta, kappa and sigma of the mapping by hand.
LAYERS = {5: (64, 112, 128, 10, 4, 8), 7: (128, 112, 128, 6, 4, 4), 10: (128, 56, 256, 6, 4, 8), 12: (256, 56, 256, 6, 4, 8),
          19: (512, 28, 512, 4, 8, 4), 24: (512, 14, 512, 4, 8, 4)}
BY_HAND = "tile_rows=21,tile_columns=20,copy_rows=11,copy_channels=10,groups=10,parts=11"
SEEDS = (1, 2)
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def sizes_of(layer):
    channels, side, kernels = LAYERS[layer][:3]
    return f"channels={channels},side={side},kernels={kernels}"


def time_in(text):
    """Nanoseconds of what `functional run` prints of a mapping that is right, or None."""
    found = re.search(r"^correct, ([\d.]+) (ns|us|ms|s)\b", text, re.MULTILINE)
    return found and float(found[1]) * NS[found[2]]


def best_of(records):
    """Nanoseconds of a run's winner; of its best where there were no finals; None where nothing was right."""
    best = [record["best_ns"] for record in records if record["t"] == "eval" and record["verdict"] == "correct" and record.get("best_ns")]
    return time_of(references(records)["references"]) or min(best, default=None)


class Bench(parts.Bench):
    name = "mappings"

    def parts(self):
        found = {f"kernel-{layer}": lambda n=layer: self.kernels(n) for layer in LAYERS}
        return found | {f"mapping-{layer}": lambda n=layer: self.mappings(n) for layer in LAYERS}

    def kernels(self, layer):
        channels, side, kernels = LAYERS[layer][:3]
        library = (f"h={side},w={side},c={channels},m={kernels},layout=nhwc,filter_layout=mrsc,r=3,s=3,pad=1,stride=1")
        found = {"budget": self.options.budget}
        for name, kernel, size in (("ours", PROGRAM, sizes_of(layer)), ("conv2d", "conv2d", library)):
            records, _ = self.records(name, "--kernel", kernel, "--size", size, "--device", self.options.device, "--gpu", str(self.options.gpu),
                                      "--budget", f"{self.options.budget}s", seconds=self.options.budget + 120)
            found[name] = best_of(records)
        return found

    def mappings(self, layer):
        budget = self.options.mapping_budget
        theta, kappa, sigma = LAYERS[layer][3:]
        gpu = ("--device", self.options.device, "--gpu", str(self.options.gpu))
        _, text = self.run("functional", "run", PROGRAM, "--size", f"{sizes_of(layer)},theta={theta},kappa={kappa},sigma={sigma}",
                           "--mapping", BY_HAND, *gpu, seconds=120)
        found = {"budget": budget, "by hand": time_in(text), "random": [], "searched": []}
        for seed in SEEDS:
            for name, policy in (("random", ("--policy", "random")), ("searched", ())):
                records, _ = self.records(f"{name}-{seed}", *policy, "--size", sizes_of(layer), *gpu, "--budget", f"{budget}s", "--seed", str(seed),
                                          of=("functional", "search", PROGRAM), seconds=budget + 120)
                found[name].append(best_of(records))
        return found

    def rows(self, state):
        rows = [("figure", "measured us", "beside it")]
        for name, part in sorted(state.items()):
            data = part["result"]
            if name.startswith("kernel-"):
                ours, other = data["ours"], data["conv2d"]
                rows.append((f"layer {name[7:]} as a kernel, {data['budget']} s", words(ours and ours / 1e3), f"conv2d {words(other and other / 1e3)}"))
            else:
                times = {key: ", ".join(words(ns and ns / 1e3) for ns in data[key]) for key in ("random", "searched")}
                hand = data["by hand"]
                rows.append((f"layer {name[8:]}, mappings searched, {data['budget']} s", times["searched"],
                             f"random {times['random']}, by hand {words(hand and hand / 1e3)}"))
        return rows

    def record(self, state, into):
        for name, part in sorted(state.items()):
            kind, _, layer = name.partition("-")
            data, subject = part["result"], f"VGG-16, layer {layer}"
            if kind == "kernel" and data["ours"]:
                peers = {"conv2d of the library": recorder.time(data["conv2d"])} if data["conv2d"] else {}
                over = {"kernel over conv2d": recorder.figure(data["ours"] / data["conv2d"])} if data["conv2d"] else {}
                into.add("mappings", "kernels", subject, part, variant="as a kernel", budget=f"{data['budget']} s", ours=recorder.time(data["ours"]),
                         peers=peers, figures=over)
            elif kind == "mapping" and all(data["searched"]):
                peers = {"by hand": recorder.time(data["by hand"])} if data["by hand"] else {}
                peers |= {"the best of random mappings": recorder.time(data["random"])} if all(data["random"]) else {}
                into.add("mappings", "searched", subject, part, variant="parameters and mapping searched", budget=f"{data['budget']} s",
                         ours=recorder.time(data["searched"]), peers=peers)


if __name__ == "__main__":
    parts.main(Bench, __doc__, [
        ("--device", {"default": "cuda"}), ("--gpu", {"type": int, "default": 0}),
        ("--budget", {"type": int, "default": 20, "help": "seconds of a search of kernels"}),
        ("--mapping-budget", {"type": int, "default": 30, "help": "seconds of a search of mappings"})])
