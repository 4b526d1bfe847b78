# SPDX-License-Identifier: MIT
"""Reductions: how fast they are beside other libraries, and whether they are right.

./exh bench reductions --shapes FILE --budget 10s  each shape of a CSV file: our best, the peers
./exh bench reductions report                      tables and geometric means of what was measured
./exh bench reductions agree --shapes FILE         50 small shapes: a search that is free to divide
                                                   as it likes against the best of searches that
                                                   have each way forced upon them
./exh bench reductions correct --count 20          random implementations of all reductions
./exh bench reductions paper --budget 30s          large sums with and without atomics, how 20 launches
                                                   of each vary, sub-graphs fused and unfused

The shapes file has the columns op (ReduceSum ...), dtype (float32 ...), shape (8x20x27x27) and axes
(0 2 3). Each result is a line of --out. What stands there is not measured again, so that a call
goes on where the last one ended, also after a kill. A ratio above 1 means that ours is faster.
Times are the fastest mean of a batch of launches."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import selectors
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import reduction_texts as texts
from parts import ROOT, conditions, read_log, recorder

HERE = pathlib.Path(__file__).resolve().parent
PEERS = "torch,inductor,cub,cudnn"
PEER_SECONDS = 400  # Of one case at most; torch.compile tries many kernels.
YARDSTICK_SECONDS = 120  # Of a search beside its budget, at most.
SPENT = "no time left"
AGREE = 50  # Small shapes, at most.
WITHIN = 1.05  # Of the time of the best of all ways: they agree.
LAUNCHES = 20  # One by one, to see how their times and bits vary.

SUMS = [texts.Case("sum", "f32", (16226304,), (0,)),
        texts.Case("sum", "f32", (1024, 131072), (1,)),
        texts.Case("sum", "f32", (131072, 1024), (1,)),
        texts.Case("sum", "f32", (1048576, 512), (1,))]
VARIANTS = {"atomics": ("ATOMIC_RED",), "no atomics": ("LAST_BLOCK", "SECOND_LAUNCH"),
            "one block": ("NOT_ACROSS",)}


class Spent(Exception):
    """--limit-s is over."""


# ---- searches ------------------------------------------------------------------------------------


class Searches:
    """Runs of the program."""

    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.limit_s if options.limit_s else None
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="exh-reductions-"))
        self.ways = self.find_ways()

    def left(self):
        return float("inf") if self.end is None else self.end - time.monotonic()

    def run(self, *arguments, seconds):
        """Exit code and output; Spent where --limit-s came before the end."""
        within = min(seconds, self.left())
        if within <= 0:
            raise Spent
        command = [str(word) for word in (self.options.search, *arguments)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=within, check=False)
        except subprocess.TimeoutExpired as late:
            if within < seconds:
                raise Spent from late
            return 124, f"it did not end within {seconds:.0f} s"
        return done.returncode, done.stdout

    def find_ways(self):
        """The values of across_blocks that the device has beside NOT_ACROSS; None where the program
        does not know the choice."""
        _, said = self.run("devices", "--device", self.options.device, seconds=60)
        for line in said.splitlines():
            if line.split()[:1] == [texts.ACROSS]:
                return json.loads(line.split(maxsplit=1)[1])
        return None

    def forced(self, values):
        """Words that leave these values of across_blocks and NOT_ACROSS, which is always there:
        what is wanted is picked by the value that an implementation has."""
        if self.ways is None:
            return []
        ways = [value for value in values if value != "NOT_ACROSS"]
        return ["--set", f"{texts.ACROSS}={json.dumps(ways)}"]

    def evenly(self):
        """Words with which random implementations have each value about as often."""
        return ["--order", texts.ACROSS] if self.ways else []

    def search(self, kernel, *words, budget):
        """(records of the log, folder, what it printed) of a search of a kernel, which is named by
        words of a command line."""
        folder = self.work / f"run-{threading.get_ident()}"
        shutil.rmtree(folder, ignore_errors=True)
        gpu = ["--gpu", self.options.gpu] if self.options.device != "cpu" else []
        command = [*kernel, "--device", self.options.device, *gpu, "--progress", "none", "--winners", "none",
                   "--seed", self.options.seed, "--out", folder, *words]
        for one in budget:
            command += ["--budget", one]
        seconds = sum(seconds_of(one) for one in budget) + YARDSTICK_SECONDS
        _, said = self.run(*command, seconds=seconds)
        return read_log(folder / "log.jsonl"), folder, said

    def replay(self, folder, record, *words):
        """What was measured of a record again; nothing where that was not right."""
        log = self.work / "replay.jsonl"
        log.unlink(missing_ok=True)
        self.run("replay", folder, "--record", record, "--log", log, *words,
                 seconds=YARDSTICK_SECONDS)
        return next((r for r in read_log(log) if r["t"] == "reference" and r["name"] == "winner"
                     and r["verdict"] == "correct"), None)

    def best(self, kernel, *words, budget, value=None, launches=0):
        """What a search found, as a dict with "us", or with "error". With a value of across_blocks:
        the best of those that have it, timed once more by itself where others were faster. With
        `launches`, and inputs in L2: so many of it one by one."""
        records, folder, said = self.search(kernel, *words, budget=[budget])
        evals = {r["n"]: r for r in records if r["t"] == "eval"}
        found = {"verdicts": dict(collections.Counter(r["verdict"] for r in evals.values())),
                 "violations": sum(r["t"] == "violation" for r in records)}
        choices = texts.choices_of(records)
        right = [r for r in evals.values() if r["verdict"] == "correct" and r["best_ns"] > 0]
        if value is not None:
            right = [r for r in right if texts.across_of(r) == value]
        bests = [r["n"] for r in records if r["t"] == "best"]
        if not right:
            last = said.strip().splitlines()[-1][:300] if said.strip() else "it said nothing"
            found["error"] = (f"no right implementation with {value}" if value and evals else
                              f"no right implementation: {last}")
            return found
        end = next((r for r in reversed(records) if r["t"] == "end"), {})
        timed = {r["name"]: r for r in records
                 if r["t"] == "reference" and r["verdict"] == "correct"}
        rates = next((r for r in records if r["t"] == "rates"), None)
        winner = min(right, key=lambda r: r["best_ns"])
        if bests and any(r["n"] == bests[-1] for r in right):
            winner, name = evals[bests[-1]], "winner"
        else:
            name = f"record {winner['n']}"
            # A replay has its inputs in L2.
            if name not in timed and "cold" not in words:
                timed[name] = self.replay(folder, winner["n"]) or winner
        naive, timed = timed.get("naive"), timed.get(name, winner)
        found.update(us=timed["best_ns"] / 1e3,
                     median_us=(timed.get("median_ns") or timed["best_ns"]) / 1e3,
                     record=winner["n"], across=texts.across_of(winner),
                     bits_vary=winner.get("bits_vary", False),
                     kinds=texts.kinds_of(choices, winner["vector"]))
        if rates:
            found["copy_gbs"] = max(rates["driver_copy_gbs"], rates["kernel_copy_gbs"])
        if end.get("bound_ns"):
            found["bound_us"] = end["bound_ns"] / 1e3
        if naive:
            found["naive_us"] = naive["best_ns"] / 1e3
        again = self.replay(folder, winner["n"], "--repeat", launches) if launches and \
            "cold" not in words else None
        if again:
            found["launches"] = {"results": again["results"],
                                 "us": [ns / 1e3 for ns in again["runtimes_ns"]]}
        return found


def seconds_of(budget):
    """Of a budget in time; of evaluations 0."""
    units = {"s": 1, "m": 60, "h": 3600}
    return float(budget[:-1]) * units[budget[-1]] if budget[-1] in units else 0


# ---- peers ---------------------------------------------------------------------------------------


class PeerProcess:
    """The process of reduction_peers.py: begun when it is asked, and again when it died."""

    def __init__(self, options, searches):
        self.options, self.searches = options, searches
        self.process, self.notes_said, self.there = None, False, bool(options.peers)

    def start(self):
        work = pathlib.Path(self.options.out).resolve().parent
        command = [sys.executable, "-B", HERE / "reduction_peers.py", "--device",
                   self.options.device, "--gpu", self.options.gpu, "--peers", self.options.peers,
                   "--work", work, "--cccl", self.options.cccl]
        with open(work / "peers.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([str(word) for word in command], text=True, stderr=log,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        said = self.read()
        self.there = bool(said and said["there"])
        if not self.notes_said:
            for note in said["notes"] if said else ["the process of the peers did not start"]:
                print(f"peers: {note}", flush=True)
            self.notes_said = True

    def read(self):
        """The next answer; None where none came in time, or the process died."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            within = min(PEER_SECONDS, self.searches.left())
            line = self.process.stdout.readline() if selector.select(max(0, within)) else ""
        if line:
            return json.loads(line)
        self.stop()
        if within < PEER_SECONDS and self.searches.left() <= 0:
            raise Spent
        return None

    def ask(self, case):
        """{state: {peer: times}}"""
        nothing = {state: {} for state in case["states"]}
        if not self.there:
            return nothing
        if self.process is None:
            self.start()
        if self.process is None or not self.there:
            return nothing
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
        except OSError:
            self.stop()
            return nothing
        answer = self.read()
        if answer is None:
            print("peers: their process died or hung; it begins anew", flush=True)
            return nothing
        return answer["peers"]

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


# ---- results -------------------------------------------------------------------------------------


class Results:
    """A file of JSON lines, each with a key. The last line of a key counts."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lines = {}
        self.lock = threading.Lock()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = self.path.read_text() if self.path.exists() else ""
        for line in read_log(self.path):
            self.lines[line["key"]] = line
        if whole and not whole.endswith("\n"):  # A call was killed in the middle of a line.
            with self.path.open("a") as out:
                out.write("\n")

    def has(self, key):
        return key in self.lines and "error" not in self.lines[key]

    def add(self, line):
        with self.lock, self.path.open("a") as out:
            self.lines[line["key"]] = line
            out.write(json.dumps(line, sort_keys=True) + "\n")
            out.flush()
            os.fsync(out.fileno())


class Bench:
    def __init__(self, options):
        self.options = options
        self.results = Results(options.out)
        self.states = options.l2.split(",") if options.device != "cpu" else ["warm"]
        self.searches = self.peers = None
        self.slowest = 0.0

    def take(self, key, measure):
        """One line, unless it is there. False: there is no time for it."""
        if self.results.has(key):
            return True
        if self.searches.left() < self.slowest:
            return False
        begin = time.monotonic()
        line = {"key": key, "device": self.options.device, "budget": self.options.budget,
                **conditions()}
        try:
            line.update(measure())
        except Spent:
            return False
        line["seconds"] = round(time.monotonic() - begin, 1)
        self.slowest = max(0.7 * self.slowest, line["seconds"])
        self.results.add(line)
        return True

    def take_one(self, number, item):
        key, measure, show = item
        if not self.results.has(key) and self.take(key, measure):
            print(f"{number:4} {key:44} {show(self.results.lines[key])}", flush=True)

    def take_all(self, items, workers=1):
        """Items are (key, measure, what to print of a line). More than one worker where nothing is
        timed."""
        missing = sum(not self.results.has(key) for key, _, _ in items)
        print(f"{len(items)} to take, {len(items) - missing} of them taken before: "
              f"{self.results.path}", flush=True)
        self.searches = Searches(self.options)
        self.peers = PeerProcess(self.options, self.searches)
        try:
            with concurrent.futures.ThreadPoolExecutor(workers) as pool:
                list(pool.map(self.take_one, range(1, len(items) + 1), items))
            left = sum(key not in self.results.lines for key, _, _ in items)
            if left:
                print(f"{SPENT}: {left} of {len(items)} are left; the same call goes on", flush=True)
        finally:
            self.peers.stop()
            shutil.rmtree(self.searches.work, ignore_errors=True)

    # ---- shapes ----------------------------------------------------------------------------------

    def ours(self, kernel, size, words=(), value=None, launches=0):
        """{state: what a search found}"""
        found = {}
        for state in self.states:
            l2 = ["--l2", state] if state != "warm" else []
            found[state] = self.searches.best(kernel, *words, *l2, budget=self.options.budget,
                                              value=value, launches=launches)
            if "us" in found[state] and "copy_gbs" in found[state]:
                rate = size / found[state]["us"] / 1e3
                found[state]["copy_share"] = rate / found[state]["copy_gbs"]
        return found

    def of_shape(self, case):
        ours = self.ours(texts.kernel_words(case), case.bytes)
        peers = self.peers.ask({"op": case.op, "type": case.type, "shape": list(case.shape),
                                "axes": list(case.axes), "segments": case.segments(),
                                "states": self.states})
        line = {"kind": "shape", "op": case.op, "type": case.type, "shape": list(case.shape),
                "axes": list(case.axes), "form": case.form, "class": case.size_class,
                "bytes": case.bytes, "ours": ours, "peers": peers}
        errors = [found["error"] for found in ours.values() if "error" in found]
        return {**line, "error": errors[0]} if errors else line

    def shapes_of_file(self):
        if not self.options.shapes:
            sys.exit("reductions: --shapes FILE says which; its columns: op,dtype,shape,axes")
        return texts.read_shapes(self.options.shapes)

    def shapes(self):
        cases = texts.spread(self.shapes_of_file(), self.options.pick)
        self.take_all([(case.key, lambda c=case: self.of_shape(c), in_words) for case in cases])
        self.report()
        return 0

    def report(self):
        lines = [line for line in self.results.lines.values() if line.get("kind") == "shape"]
        if not lines:
            sys.exit(f"reductions: {self.results.path} holds no shape")
        print_report(lines)
        if self.options.record:
            record_report(recorder.Recorder(self.options.record, "reductions", sys.argv[1:]), lines)
        return 0

    # ---- correctness -----------------------------------------------------------------------------

    def of_random(self, case, values):
        """Counts of random implementations, by the value of across_blocks that they have."""
        words = self.searches.forced(values) if values else []
        records, _, said = self.searches.search(
            texts.kernel_words(case), "--policy", "random", "--bound", "check",
            *self.searches.evenly(), *words, budget=[f"evals={self.options.count}",
                                                     self.options.budget])
        evals = [r for r in records if r["t"] == "eval"]
        counts = collections.defaultdict(collections.Counter)
        for record in evals:
            counts[texts.across_of(record)][record["verdict"]] += 1
        violations = sum(r["t"] == "violation" for r in records)
        line = {"kind": "correct", "op": case.op, "type": case.type, "form": case.form,
                "counts": {value: dict(verdicts) for value, verdicts in counts.items()},
                "violations": violations,
                "why": [r["why"] for r in evals if r["verdict"] == "wrong" and r.get("why")][:3]}
        if not evals:
            line["error"] = said.strip().splitlines()[-1][:300] if said.strip() else "no evaluation"
        return line

    def correct(self):
        values = [value for value in self.options.across.split(",") if value]
        for value in values:
            if value not in texts.VALUES:
                sys.exit(f"reductions: unknown value '{value}'; legal: {', '.join(texts.VALUES)}")
        cases = texts.spread(texts.correct_cases(), self.options.pick)
        items = []
        for case in cases:
            for value in values or [""]:
                key = f"correct {case.key}{' ' + value if value else ''}"
                items.append((key, lambda c=case, v=value: self.of_random(c, [v] if v else []),
                              in_counts))
        self.take_all(items, self.options.workers)
        lines = [self.results.lines[key] for key, _, _ in items if key in self.results.lines]
        return print_correct(lines)

    # ---- agreement -------------------------------------------------------------------------------

    def of_agreement(self, case):
        """What a free search found, and searches as long in which each way to divide is forced."""
        values = [value for value in texts.VALUES
                  if value == "NOT_ACROSS" or value in (self.searches.ways or [])]
        kernel = texts.kernel_words(case)
        each = {value: self.ours(kernel, case.bytes, [*self.searches.forced([value]),
                                                      *self.searches.evenly()], value)
                for value in values}
        ours = self.ours(kernel, case.bytes)
        line = {"kind": "agree", "form": case.form, "bytes": case.bytes, "ours": ours, "each": each}
        errors = [found["error"] for found in ours.values() if "error" in found]
        return {**line, "error": errors[0]} if errors else line

    def agree(self):
        cases = texts.small(self.shapes_of_file(), AGREE)[::self.options.pick]
        self.take_all([(f"agree {case.key}", lambda c=case: self.of_agreement(c), in_words)
                       for case in cases])
        lines = [self.results.lines[f"agree {case.key}"] for case in cases
                 if f"agree {case.key}" in self.results.lines]
        for state in self.states:
            print_agreement(lines, state)
        return 0

    # ---- paper -----------------------------------------------------------------------------------

    def of_variant(self, case, values):
        """The best with each of these values; the fastest of them counts."""
        found = {}
        for value in values:
            has = self.searches.ways is not None and value in ["NOT_ACROSS", *self.searches.ways]
            if not has and value != "NOT_ACROSS":
                found[value] = {state: {"error": f"the device has no {value}"}
                                for state in self.states}
                continue
            across = self.searches.evenly() if value != "NOT_ACROSS" else []
            found[value] = self.ours(texts.kernel_words(case), case.bytes,
                                     [*self.searches.forced([value]), *across], value, LAUNCHES)
        ours = {}
        for state in self.states:
            there = [by[state] for by in found.values() if "us" in by[state]]
            ours[state] = min(there, key=lambda f: f["us"]) if there else {
                "error": "; ".join(by[state]["error"] for by in found.values())}
        line = {"kind": "variant", "ours": ours, "each": found, "bytes": case.bytes}
        errors = [by["error"] for by in ours.values() if "error" in by]
        return {**line, "error": errors[0]} if errors else line

    def of_step(self, step):
        """One operation of a sub-graph."""
        ours = self.ours(step, 0)
        line = {"kind": "step", "ours": ours}
        errors = [found["error"] for found in ours.values() if "error" in found]
        return {**line, "error": errors[0]} if errors else line

    def of_subgraph(self, file):
        peers = self.peers.ask({"subgraph": int(file.stem), "states": self.states})
        ours = self.ours(["--kernel", file], 0)
        line = {"kind": "subgraph", "ours": ours, "peers": peers}
        errors = [found["error"] for found in ours.values() if "error" in found]
        return {**line, "error": errors[0]} if errors else line

    def paper(self):
        items = []
        for case in SUMS:
            for name, values in VARIANTS.items():
                items.append((f"{name}: {case.key}",
                              lambda c=case, v=values: self.of_variant(c, v), in_words))
            items.append((case.key, lambda c=case: self.of_shape(c), in_words))
        for file in sorted((HERE / "subgraphs").glob("*.kernel")):
            items.append((f"sub-graph {int(file.stem)}", lambda f=file: self.of_subgraph(f),
                          in_words))
        steps = {texts.step_key(step): step for number in texts.OPERATIONS
                 for step in texts.steps_of(number)}
        items += [(key, lambda s=step: self.of_step(s), in_words) for key, step in steps.items()]
        items = items[::self.options.pick]
        self.take_all(items)
        print_paper(self.results.lines, self.states)
        return 0


# ---- words ---------------------------------------------------------------------------------------


def in_words(line):
    """One line of a result, as it is taken."""
    parts = []
    for state, found in line["ours"].items():
        peer = texts.best_peer(line.get("peers", {}).get(state, {}))
        parts.append(
            f"{state} {found['us']:.2f} us {found['across']}"
            + (f" {found['copy_share']:.2f} of copy" if found.get("copy_share") else "")
            + (f", {peer[0]} {peer[1]:.2f} us: {peer[1] / found['us']:.2f} x" if peer else "")
            if "us" in found else f"{state} {found['error']}")
        for name, other in line.get("peers", {}).get(state, {}).items():
            if not other["ok"]:
                parts.append(f"{name} ({state}): {other['why'][:120]}")
    return "; ".join(parts)


def in_counts(line):
    if "error" in line:
        return line["error"]
    said = [f"{value} " + ", ".join(f"{verdict} {count}" for verdict, count in counts.items())
            for value, counts in sorted(line["counts"].items())]
    return (f"{'; '.join(said)}; faster than bound {line['violations']}"
            + (f"  {line['why'][0][:120]}" if line["why"] else ""))


def print_report(lines):
    """Tables of the shapes and of the means; everything is in the file."""
    states = [state for state in ("warm", "cold") if any(state in line["ours"] for line in lines)]
    lines = sorted(lines, key=lambda line: (line["form"], line["bytes"]))
    for state in states:
        names = sorted({name for line in lines for name in line["peers"].get(state, {})})
        rows = [("shape", "form", "MB", "us", "of copy", *names, "best peer", "variant")]
        for line in lines:
            ours, peers = line["ours"].get(state, {}), line["peers"].get(state, {})
            best = texts.best_peer(peers)
            others = []
            for name in names:
                peer = peers.get(name, {})
                others.append(texts.words(peer.get("us")) if peer.get("ok") else
                              "wrong" if "us" in peer else "failed" if peer else "-")
            rows.append((line["key"], line["form"], f"{line['bytes'] / texts.MB:.3g}",
                         texts.words(ours.get("us")), texts.words(ours.get("copy_share")), *others,
                         f"{best[1] / ours['us']:.2f} x {best[0]}" if best and "us" in ours
                         else "-",
                         f"{ours.get('across', '')} {ours.get('kinds', '')}".strip()))
        print(f"\n{state} L2, times in us\n\n{texts.table(rows)}")
    for state in states:
        groups = texts.means(lines, state)
        names = sorted({name for _, _, by, _ in groups for name in by} - {"best", "copy"})
        rows = [("group", "shapes", "of copy", "x best peer", "not slower",
                 *[f"x {name}" for name in names])]
        for group, count, by, share in groups:
            rows.append((group, count, texts.words(by.get("copy")), texts.words(by.get("best")),
                         texts.words(share, "{:.0%}"),
                         *[texts.words(by.get(name)) for name in names]))
        print(f"\ngeometric means, {state} L2: how many times as fast as the peer\n\n"
              f"{texts.table(rows)}")
    for line in lines:
        if "error" in line:
            print(f"{line['key']}: {line['error']}")
        for state, peers in line["peers"].items():
            for name, peer in peers.items():
                if not peer["ok"]:
                    print(f"{line['key']}, {state}: {name}: {peer['why'][:160]}")


# Groups of means in the words of the records.
GROUPS = {"< 1 MB": "below 1 MB", "> 64 MB": "above 64 MB", "form all": "all elements", "form x": "rows (x)", "form y": "columns (y)",
          "form rpr": "axes around a kept one (rpr)", "form prp": "kept axes around one (prp)"}


def record_report(into, lines):
    """Records of the means with warm L2, and of the shape that is slowest beside its best peer."""
    names = {"best": "the best of them", "cub": "CUB", "inductor": "torch.compile", "cudnn": "cuDNN"}
    for group, count, by, share in texts.means(lines, "warm"):
        into.add("rows", "reductions", GROUPS.get(group, group), conditions(), variant="geometric mean", of=max(2, count),
                 ratios={names.get(name, name): recorder.figure(mean) for name, mean in by.items() if mean and name != "copy"},
                 figures={"not slower than the best": recorder.figure(100 * share, "%", 0)} if share is not None else {})
    every = [(best[1] / line["ours"]["warm"]["us"], line) for line in lines if "us" in line["ours"].get("warm", {})
             for best in [texts.best_peer(line["peers"].get("warm", {}))] if best]
    if every:
        ratio, line = min(every, key=lambda each: each[0])
        into.add("rows", "reduction-worst", line["key"], conditions(), ours=recorder.time(1e3 * line["ours"]["warm"]["us"]),
                 ratios={"the best peer": recorder.figure(ratio)})
    into.write()


def print_correct(lines):
    """Counts by operator and type, by form, and by value of across_blocks. The exit code: 1 where
    anything is wrong or faster than its bound."""
    groups = collections.defaultdict(collections.Counter)
    for line in lines:
        every = collections.Counter()
        for value, counts in line["counts"].items():
            every.update(counts)
            groups[f"across_blocks {value}"].update(counts)
        every["faster than bound"] = line["violations"]
        if not every["correct"]:
            every["cases without a right one"] = 1
        for group in (f"{line['op']} {line['type']}", f"form {line['form']}", "all"):
            groups[group].update(every)
    columns = sorted({name for counts in groups.values() for name in counts if counts[name]}
                     | {"correct", "wrong"}, key=lambda name: (name != "correct", name != "wrong"))
    print("\n" + texts.table([("random implementations", *columns)] + [
        (group, *[counts[name] for name in columns])
        for group, counts in sorted(groups.items(), key=lambda item: (item[0] == "all", item[0]))]))
    for line in lines:
        if line["why"] or "error" in line:
            print(f"{line['key']}: {line.get('error') or line['why'][0][:200]}")
    total = groups["all"]
    print(f"{len(lines)} cases, {total['wrong']} wrong, {total['faster than bound']} faster than "
          f"their bound, {sum('error' in line for line in lines)} without an evaluation")
    return 1 if total["wrong"] or total["faster than bound"] else 0


def print_agreement(lines, state):
    """Where a free search is as fast as the best of all ways to divide."""
    rows = [("shape", "free us", "variant", *texts.VALUES, "free / best")]
    ratios = []
    for line in lines:
        free = line["ours"].get(state, {})
        each = [line["each"].get(value, {}).get(state, {}).get("us") for value in texts.VALUES]
        if "us" not in free or not any(each):
            continue
        ratios.append(free["us"] / min(filter(None, each)))
        rows.append((line["key"].removeprefix("agree "), texts.words(free["us"]), free["across"],
                     *map(texts.words, each), texts.words(ratios[-1])))
    near = sum(ratio <= WITHIN for ratio in ratios)
    print(f"\n{state} L2, times in us\n\n{texts.table(rows)}\n\n{near} of {len(ratios)} shapes: the "
          f"free search is at most {WITHIN - 1:.0%} slower than the best of all ways")


def microseconds(line, state):
    """What the line of a result says of us; None where there is none."""
    return line.get("ours", {}).get(state, {}).get("us") if line else None


def launches_table(lines):
    """How launches of the sums differ, one by one, by variant."""
    rows = [(f"{LAUNCHES} launches", "variant", "different results", "fastest us", "median us",
             "slowest us", "apart")]
    for case in SUMS:
        for name in VARIANTS:
            found = lines.get(f"{name}: {case.key}", {}).get("ours", {}).get("warm", {})
            if not found.get("launches"):
                continue
            times = sorted(found["launches"]["us"])
            rows.append((case.key, found["across"], found["launches"]["results"],
                         *[texts.words(us) for us in (times[0], statistics.median(times),
                                                      times[-1])],
                         f"{times[-1] / times[0] - 1:.1%}"))
    return texts.table(rows)


def subgraphs_table(lines, state):
    rows = [("sub-graph, us", "fused", "unfused", "torch", "torch.compile", "x unfused", "x torch",
             "x torch.compile", "variant")]
    kept = collections.defaultdict(list)
    for number in range(1, 13):
        line = lines.get(f"sub-graph {number}")
        if line is None:
            continue
        ours = microseconds(line, state)
        peers = line["peers"].get(state, {})
        steps = [microseconds(lines.get(texts.step_key(step)), state)
                 for step in texts.steps_of(number)]
        times = [sum(steps) if all(steps) else None]
        times += [peers.get(name, {}).get("us") if peers.get(name, {}).get("ok") else None
                  for name in ("torch", "inductor")]
        ratios = [time and ours and time / ours for time in times]
        for column, ratio in enumerate(ratios):
            kept[column].append(ratio)
        rows.append((number, texts.words(ours), *map(texts.words, times),
                     *map(texts.words, ratios), line["ours"].get(state, {}).get("across") or "-"))
    rows.append(("geometric mean", "", "", "", "",
                 *[texts.words(texts.geometric_mean(kept[column])) for column in range(3)], ""))
    return texts.table(rows)


def print_paper(lines, states):
    for state in states:
        rows = [("sum, us", *VARIANTS, "free", "best peer")]
        for case in SUMS:
            cells = [microseconds(lines.get(key), state) for key in
                     [f"{name}: {case.key}" for name in VARIANTS] + [case.key]]
            peer = texts.best_peer(lines.get(case.key, {}).get("peers", {}).get(state, {}))
            rows.append((case.key, *[texts.words(cell) for cell in cells],
                         f"{peer[1]:.2f} {peer[0]}" if peer else "-"))
        print(f"\n{state} L2\n\n{texts.table(rows)}\n\n{subgraphs_table(lines, state)}")
    print(f"\nwarm L2, one by one\n\n{launches_table(lines)}")


# ---- the program ---------------------------------------------------------------------------------


def device_here():
    """h200 has recorded rates; other GPUs are asked for theirs."""
    name = conditions()["gpu"].get("name", "none")
    return "cpu" if name == "none" else "h200" if "H200" in name else "cuda"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="shapes",
                        choices=["shapes", "report", "agree", "correct", "paper"])
    parser.add_argument("--search", default=os.path.join(ROOT, "build/release/bin/search"))
    parser.add_argument("--shapes", default="", help="a CSV file: op,dtype,shape,axes")
    parser.add_argument("--device", default="", help="h200, cuda, cpu ... (default: what is there)")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--budget", default="10s", help="of each search; `correct`: at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--l2", default="warm,cold", help="states of L2, on a GPU")
    parser.add_argument("--peers", default=PEERS, help=f"some of {PEERS}; '' for none")
    parser.add_argument("--cccl", default="", help="folder of a newer CCCL's headers")
    parser.add_argument("--out", default="", help="file of results (default below build/bench)")
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    parser.add_argument("--limit-s", type=float, default=0, help="ends within so many seconds")
    parser.add_argument("--pick", type=int, default=1, help="every N-th, even over forms and sizes")
    parser.add_argument("--count", type=int, default=20, help="`correct`: implementations of each")
    parser.add_argument("--workers", type=int, default=1, help="`correct`: searches at once")
    parser.add_argument("--across", default="",
                        help="`correct`: each case once with each of these values of across_blocks")
    options = parser.parse_args()
    options.device = options.device or device_here()
    if min(options.pick, options.count, options.workers) < 1:
        sys.exit("reductions: --pick, --count and --workers are at least 1")
    name = {"agree": "agree-", "correct": "correct-", "paper": "paper-"}.get(options.what, "")
    options.out = options.out or os.path.join(ROOT, "build/bench/reductions",
                                              f"{name}{options.device}.jsonl")
    return getattr(Bench(options), options.what)()


if __name__ == "__main__":
    sys.exit(main())
