# SPDX-License-Identifier: MIT
"""The library on this machine's cores, in parts: the replay that the repository has, and a search of every kernel, three seeds each.

./exh bench cpu                        runs every part that is not finished; --list shows them
./exh bench cpu search-mv-default      runs this one; --budget 20 gives a search 20 seconds instead of 60
./exh bench cpu --merge                prints the table and writes docs/results/parts/cpu.json

What was found is compared with OpenBLAS, oneDNN and Eigen, as far as they are there and compute the same: on the same threads, measured
in turn with it. Eigen is compiled with the same flags. The figure that counts is that of the best of them.
"""
import library
import parts
from parts import ratio, words


class Bench(library.Library, parts.Bench):
    name = "cpu"
    device = "cpu"

    def replays(self):
        # The widest vectors of this machine for which there is a replay.
        width = "avx512" if "16" in next((line for line in self.output("devices", seconds=60).splitlines() if "vector_sizes" in line), "") else "avx2"
        return self.replay(f"matmul-512-{width}")

    def is_whole(self, result):
        return len(result.get("runs", library.SEEDS)) >= len(library.SEEDS)

    def parts(self):
        return {"replays": self.replays, **self.library_parts()}

    def record(self, state, into):
        for name, part in sorted(state.items()):
            if name.startswith("search-"):
                self.library_record(name, part, into)

    def rows(self, state):
        rows = [("figure", "measured", "must reach")]
        for name, part in sorted(state.items()):
            if name == "replays":
                rows.append((part["result"]["file"], f"{words(ratio(part['result']['references'], 'eigen'))} x eigen", ""))
            else:
                rows.append(self.library_row(name, part["result"]))
        return rows


if __name__ == "__main__":
    parts.main(Bench, __doc__, [("--budget", {"type": int, "default": library.SECONDS, "help": "seconds of a search"})])
