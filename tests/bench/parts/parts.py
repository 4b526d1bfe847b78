# SPDX-License-Identifier: MIT
"""What benchmarks share that are taken in parts: the state of parts, runs of the program, tables.

A part is a name and a function that returns what it measured as something JSON can hold. Its state is one file in --state:
{conditions, "seconds", "result"}. A part that is finished is skipped and one that was begun goes on, so that a benchmark can be taken
in pieces, on several machines, and by several processes at once (one for each GPU): bring the files together and --merge. What was
merged before counts as well.
"""
import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests/results"))
import recorder

PART_SECONDS = 460  # Of a part, at most; --seconds.


class Bench:
    """A benchmark in parts. A subclass has a `name`, `parts()` and `rows(state)`; `is_whole(result)` where parts go on, and
    `record(state, into)` where its figures are records of docs/results."""
    name = ""
    part = ""  # That is taken.

    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix=f"exh-{self.name}-")

    # ---- the program -----------------------------------------------------------------------------

    def run(self, *arguments, seconds=None):
        """Exit code and all output; 124 when it took too long."""
        command = [self.options.search, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds or self.options.seconds, check=False)
        except subprocess.TimeoutExpired as late:
            return 124, ((late.stdout or b"").decode() + (late.stderr or b"").decode())
        return done.returncode, done.stdout + done.stderr

    def output(self, *arguments, **how):
        """The output of a command that must not fail."""
        rc, text = self.run(*arguments, **how)
        if rc:
            sys.exit(f"{self.name}: {' '.join(arguments)}: exit code {rc}:\n{text[-2000:]}")
        return text

    def records(self, name, *arguments, of=(), **how):
        """A search into a folder of its own; its log as a list of objects, and what it printed. `of`: the words of the command that
        searches, when it is not `search` itself."""
        out = os.path.join(self.work, name)
        shutil.rmtree(out, ignore_errors=True)
        # What is measured is the search, not what an earlier one found.
        rc, text = self.run(*of, "--progress", "none", "--winners", "none", "--out", out, *arguments, **how)
        found = read_log(os.path.join(out, "log.jsonl"))
        if not any(r["t"] == "eval" for r in found):
            sys.exit(f"{self.name}: {' '.join(arguments)}: nothing was evaluated (exit code {rc}):\n{text[-2000:]}")
        if self.options.logs:
            os.makedirs(self.options.logs, exist_ok=True)
            number = sum(1 for file in os.listdir(self.options.logs) if file.startswith(self.part + "."))
            shutil.copy(os.path.join(out, "log.jsonl"), os.path.join(self.options.logs, f"{self.part}.{number + 1}.jsonl"))
        return found, text

    def replay(self, file):
        """A replay of the repository, with its yardsticks."""
        log = os.path.join(self.work, file + ".jsonl")
        rc, text = self.run("replay", os.path.join(self.options.replays, file + ".txt"), "--all-yardsticks", "--log", log, seconds=200)
        records = read_log(log)
        return {"file": f"kernels/replays/{file}.txt", "exit_code": rc, "text": text[-3000:], **references(records)}

    # ---- parts -----------------------------------------------------------------------------------

    def path(self, part):
        return os.path.join(self.options.state, part + ".json")

    def earlier(self, part):
        """What earlier calls measured of the part, or None."""
        return read_json(self.path(part), {}).get("result")

    def is_whole(self, result):
        return True

    def merged(self, result):
        """What of a result is kept when parts are brought together."""
        return result

    def is_finished(self, part):
        result = self.earlier(part)
        return result is not None and self.is_whole(result)

    def take(self, part, measure):
        start = time.monotonic()
        self.part = part
        result = measure()
        write_json(self.path(part), {**conditions(), "seconds": round(time.monotonic() - start, 1), "result": result})
        print(f"{part}: {time.monotonic() - start:.0f} s", flush=True)
        print(self.table({part: read_json(self.path(part), {})}), flush=True)

    def table(self, state):
        """What is known of these parts, as a table of Markdown."""
        return self.markdown(self.rows(state))

    @staticmethod
    def markdown(rows):
        """A table of rows of cells; the first has their heads."""
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])

    def record(self, state, into):
        """Hands what is known of these parts to a Recorder."""
        sys.exit(f"{self.name}: writes no records")

    def state(self):
        names = sorted(name[:-5] for name in os.listdir(self.options.state) if name.endswith(".json"))
        return {name: read_json(self.path(name), {}) for name in names}

    def merge(self):
        state = {part: {**data, "result": self.merged(data["result"])} for part, data in self.state().items()}
        if not state:
            sys.exit(f"{self.name}: no part is finished: {self.options.state} holds none")
        write_json(self.options.results, state)
        print(self.table(state))

    def list(self):
        for part in self.parts():
            print(f"{part:40} {'finished' if self.is_finished(part) else 'begun' if self.earlier(part) else ''}")

    def take_all(self):
        parts = self.parts()
        for part in self.options.parts or parts:
            if part not in parts:
                sys.exit(f"{self.name}: there is no part '{part}'; --list shows them")
            if self.is_finished(part):
                print(f"{part}: finished before", flush=True)
            else:
                self.take(part, parts[part])


def main(bench, description, options=()):
    """The program of a benchmark; `bench` is its class, `options` more of them: (flag, keywords)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--search", default=os.path.join(ROOT, "build/release/bin/search"))
    parser.add_argument("--state", default=os.path.join(ROOT, "build/bench", bench.name))
    parser.add_argument("--replays", default=os.path.join(ROOT, "kernels/replays"))
    parser.add_argument("--sweep", default="", help="a hand-written SGEMM to compare with")
    parser.add_argument("--logs", default="", help="a folder that keeps the logs of searches, for search --simulate")
    parser.add_argument("--seconds", type=int, default=PART_SECONDS, help="most of a part")
    parser.add_argument("--list", action="store_true", help="the parts, and which are finished")
    parser.add_argument("--merge", action="store_true", help="writes --results and prints the table")
    parser.add_argument("--results", default=results_of(bench.name))
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    for flag, keywords in options:
        parser.add_argument(flag, **keywords)
    chosen = parser.parse_args()
    os.makedirs(chosen.state, exist_ok=True)
    taken = bench(chosen)
    try:
        # What was merged before is not measured again: it is where a fresh machine goes on from.
        for part, state in read_json(chosen.results, {}).items():
            if not os.path.exists(taken.path(part)):
                write_json(taken.path(part), state)
        if chosen.merge:
            taken.merge()
        elif chosen.list:
            taken.list()
        else:
            taken.take_all()
        if chosen.record:
            into = recorder.Recorder(chosen.record, bench.name, sys.argv[1:])
            taken.record(taken.state(), into)
            into.write()
    finally:
        shutil.rmtree(taken.work, ignore_errors=True)


def results_of(name):
    return os.path.join(ROOT, "docs/results/parts", name + ".json")


# ---- files ---------------------------------------------------------------------------------------


def read_json(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_json(path, value):
    """Whole or not at all, also when several processes take parts into one folder."""
    new = f"{path}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8") as out:
        json.dump(value, out, indent=1, sort_keys=True)
        out.write("\n")
    os.replace(new, path)


def read_log(path):
    """The records of a log; a last line that was cut off is left out."""
    found = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
    return found


def conditions():
    query = "name,driver_version,clocks.max.sm,clocks.max.memory,clocks.sm,power.limit"
    try:
        line = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True,
                              check=False).stdout.splitlines()[0]
    except (OSError, IndexError):
        line = "none"
    return {"gpu": dict(zip(query.split(","), line.split(", "))), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "cores": len(os.sched_getaffinity(0)), "processor": recorder.processor(), "commit": recorder.commit()}


# ---- what a run compared itself with -------------------------------------------------------------


def references(records):
    """Winner, other finalists and yardsticks of a log, and the rates of the device."""
    fields = ("name", "verdict", "why", "best_ns", "lo_ns", "median_ns", "hi_ns", "clock_mhz", "workspace_bytes")
    return {"references": [{key: r[key] for key in fields if key in r} for r in records if r["t"] == "reference"],
            "rates": next((r for r in records if r["t"] == "rates"), None)}


def time_of(found, name="winner"):
    """Nanoseconds of the reference in `found`, or None."""
    reference = next((r for r in found if r["name"] == name and r["verdict"] == "correct"), None)
    return reference and (reference.get("median_ns") or reference["best_ns"])


def ratio(found, name):
    """How many times as fast as the yardstick the winner is, or None."""
    winner, other = time_of(found), time_of(found, name)
    return winner and other and other / winner


def copy_share(result, size):
    """Of the device's copy bandwidth: what `size` bytes in the winner's time are; or None."""
    rates, winner = result["rates"], time_of(result["references"])
    return rates and winner and size / winner / max(rates["driver_copy_gbs"], rates["kernel_copy_gbs"])


def words(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


# ---- the hand-written SGEMM ----------------------------------------------------------------------


def run_sweep(source, work, body):
    """Times instances of --sweep: a .cu that ends with its main and whose template run<BM,BN,BK,TM,TN,stages,split>() times one of
    them for the globals M, N, K (at most 4096) and appends it to `res`. `body` is what main runs; the lines that it prints come back."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    main_file, program = os.path.join(work, "sweep.cu"), os.path.join(work, "sweep")
    with open(main_file, "w", encoding="utf-8") as out:
        # Without its main, which has hundreds of instances compiled.
        out.write(text[:text.index("int main(")] + r'''
int main() {
  const size_t bytes = 4096ull * 4096 * 4;
  cudaMalloc(&A, bytes); cudaMalloc(&B, bytes); cudaMalloc(&C, bytes);
  std::vector<float> h(4096ull * 4096);
  for (float& x : h) x = 2 * static_cast<float>(rand()) / RAND_MAX - 1;
  cudaMemcpy(A, h.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(B, h.data(), bytes, cudaMemcpyHostToDevice);
''' + body + "}\n")
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    subprocess.run([nvcc, "-O3", "-std=c++17", "-w", "-arch=sm_90", main_file, "-o", program], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
