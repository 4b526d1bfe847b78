# SPDX-License-Identifier: MIT
"""What a search found, also while it goes on."""

from __future__ import annotations

import os
import re
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _draw, _find
from ._log import Log, Record, Tail, without_ends
from ._options import Files
from ._process import STEP_S, Process
from .errors import Error, Interrupted, NothingFound

BUG = 4  # The exit code when checks of the program itself failed, whatever was found.
WINNER = "winner"
APART = 1.5  # Times of one program that differ by this factor are no one time (search/log/times).
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class Interval(NamedTuple):
    """Between which times, in microseconds, rounds of the finals were."""

    low_us: float
    high_us: float


class Yardstick(NamedTuple):
    """What the best was compared with in its run, measured in turn with it."""

    name: str  # "openblas"
    us: Optional[float]  # None where it was not measured.
    ratio: Optional[float]  # Its time divided by the best's: above 1 the best is faster.
    verdict: str
    why: str  # Which library it is, or why it was not measured.


def _us(ns: Optional[float]) -> Optional[float]:
    return ns / 1e3 if ns else None


def _time_of(record: Record) -> float:
    return record.get("median_ns") or record.get("best_ns") or 0.0


class Result:
    """A run: its folder is `run`, its log `log`. While the search goes on all of it is what is known so far.

    `exhaust.tune` makes one, and `exhaust.load` of a run that is there. Times are microseconds (…_us).
    """

    def __init__(self, run: str, search: Optional[str] = None) -> None:
        self.run = run  #: The folder of the run.
        self.log = Log(os.path.join(run, "log.jsonl") if not run.endswith(".jsonl") else run)
        if run.endswith(".jsonl"):
            self.run = os.path.dirname(run) or "."
        self._search = search
        self._process: Optional[Process] = None
        self._step: Optional[Callable[[], None]] = None
        self._said_bound_ns: Optional[float] = None
        self._stopped = False
        self._server: Any = None
        self._operators: Dict[str, Any] = {}

    # ---- The search, while it goes on ---------------------------------------------------------------

    def _start(self, command: List[str], files: Files, echo: bool, on_end: Callable[[], None],
               step: Optional[Callable[[], None]] = None, environment: Optional[Mapping[str, str]] = None) -> None:
        self._step = step
        self._process = Process(command, self._hear, echo, environment)
        self._process.at_end(files.remove)
        self._process.at_end(on_end)

    def _serve(self, server: Any) -> None:
        """The search asks a function of this process, and ends when that is not to be called at all."""
        process = self._process
        assert process is not None
        self._server = server
        server.on_failure = process.kill
        process.at_end(server.close)

    def _hear(self, line: str) -> None:
        """Of a search that goes on only its lines of progress say what the bound is."""
        said = re.search(r"  bound ([\d.]+(?:e[+-]?\d+)?) (ns|us|ms|s)\b", line)
        if said:
            self._said_bound_ns = float(said[1]) * UNITS[said[2]]

    @property
    def done(self) -> bool:
        """The search is over. That of a run that was loaded is."""
        return self._process is None or self._process.poll() is not None

    @property
    def interrupted(self) -> bool:
        """Ctrl-C or stop() ended the search."""
        end = self.log.end
        return self._stopped or (self._process is not None and self._process.interrupted) or bool(
            end and end.why == "signal")

    @property
    def output(self) -> str:
        """What the program printed: the text of a terminal, with yardsticks and proof."""
        return self._process.output if self._process else ""

    @property
    def errors(self) -> str:
        """What the program said on its standard error: notes and messages."""
        return self._process.errors if self._process else ""

    def wait(self, timeout: Optional[float] = None) -> "Result":
        """Waits for the end of the search, at most `timeout` seconds. Ctrl-C meanwhile ends it cleanly,
        with the best so far, and this returns. A second Ctrl-C kills it. Raises what went wrong: NothingFound,
        UsageError, Interrupted (when nothing was found by then) or Error."""
        if self._process is None:
            return self
        code = self._process.wait(timeout, self._step)
        if code is None:
            return self
        self._judge(code)
        return self

    def stop(self) -> "Result":
        """Ends the search as Ctrl-C does, and waits: the best so far stays. Finals and yardsticks are left out."""
        self._stopped = True
        if self._process is not None and self._process.poll() is None:
            self._process.interrupt()
        return self.wait()

    def kill(self) -> None:
        """Ends the search at once. Its log stays, and exhaust.tune(resume=r.run) goes on with it."""
        if self._process is not None:
            self._stopped = True
            self._process.kill()
            self._process.wait()

    def _judge(self, code: int) -> None:
        process = self._process
        assert process is not None
        if code == 0:
            return
        if self._server is not None and self._server.failure is not None:
            raise self._server.failure
        found = self.log.best is not None
        if code == BUG and found:
            warnings.warn("checks of the program itself failed, which is a bug:\n" + _find.message_of(process.errors)
                          + "\n" + "\n".join(process.output.splitlines()[-8:]), RuntimeWarning, stacklevel=3)
            return
        error = _find.error_of(code, process.output, process.errors)
        error.result = self
        if process.interrupted or self._stopped:
            if found and code < 0:
                return  # Killed by a second Ctrl-C: what was found by then is there.
            if not found:
                raise Interrupted("interrupted before anything correct was found", code, self)
        if code == 1 and not found and self.log.end is not None:
            raised = f"\nwhat the function raised last:\n{self._server.trouble}" if self._server and self._server.trouble else ""
            raise NothingFound(str(error) + raised, code, self)
        raise error

    def events(self, *kinds: str) -> Iterator[Record]:
        """The records of the log as they are written, from the first on: dicts whose `t` is "eval", "best",
        "select", … and whose fields are attributes. `kinds`: only these. What an "eval" decided says
        log.decisions(event). Ends with the search, and raises what wait() raises. Ctrl-C ends the search
        cleanly; what is logged from then on comes as well."""
        tail = Tail(self.log.path)
        while True:
            try:
                is_over = self.done
                if not is_over and self._step is not None:
                    self._step()
                records = tail.poll()
                if not records and is_over:
                    break
                if not records:
                    time.sleep(0 if self._step else STEP_S)
            except KeyboardInterrupt:
                if self._process is None:
                    raise
                self._process.interrupt()
                continue
            for record in records:
                if kinds and record["t"] not in kinds:
                    continue
                yield without_ends(record)
        self.wait()

    # ---- What was found -----------------------------------------------------------------------------

    @property
    def best(self) -> Optional[Record]:
        """The evaluation that is the best, with its `decisions` and those of them that were `taken`; None while
        there is none."""
        record = self.log.best
        if record is None:
            return None
        return Record(record, decisions=self.log.decisions(record), taken=self.log.taken(record))

    @property
    def decisions(self) -> Dict[str, Any]:
        """All that the best decided: {"tile(m)": 4, …}; empty while there is none."""
        best = self.log.best
        return self.log.decisions(best) if best else {}

    @property
    def taken(self) -> Dict[str, Any]:
        """The decisions of the best that were taken, in their order: all others follow from them."""
        best = self.log.best
        return self.log.taken(best) if best else {}

    def _winner(self) -> Optional[Record]:
        return next((each for each in self.log.references
                     if each.get("name") == WINNER and each.get("verdict") == "correct"), None)

    @property
    def best_ns(self) -> Optional[float]:
        """As best_us, in nanoseconds."""
        bests = self.log.bests
        if not bests:
            return None
        winner = self._winner()
        return (_time_of(winner) if winner else 0) or bests[-1].get("ns") or None

    @property
    def best_us(self) -> Optional[float]:
        """What the best takes, in microseconds: the median of the finals, and before them what the search
        measured. None while nothing is correct."""
        return _us(self.best_ns)

    @property
    def interval_us(self) -> Optional[Interval]:
        """Between which times the finals say that is, in microseconds; None before them. Where the search
        measured something else by a factor of 1.5 or more, the machine was busy, and both are in it."""
        winner = self._winner()
        if winner is None or not winner.get("hi_ns"):
            return None
        low, high, median = winner.get("lo_ns") or 0.0, winner["hi_ns"], _time_of(winner)
        best, bests = self.log.best, self.log.bests
        searched = (best or {}).get("best_ns") or 0.0
        for each in bests:
            if best is not None and each.get("n") == best["n"] and each.get("ns") != median:
                searched = each.get("ns") or searched
        if searched > APART * median or median > APART * searched > 0:
            low, high = min(low, searched), max(high, searched)
        return Interval(low / 1e3, high / 1e3)

    @property
    def bound_ns(self) -> Optional[float]:
        """As bound_us, in nanoseconds."""
        if self.log.violations:
            return None
        end = self.log.end
        if end is None:
            return self._said_bound_ns
        return end.get("bound_ns") or None

    @property
    def bound_us(self) -> Optional[float]:
        """What no implementation of the space is faster than, in microseconds, as far as model and search have
        proven. While the search goes on it has three digits, as its progress says it. None: nothing is
        known, or a time below its bound was measured (log.violations)."""
        return _us(self.bound_ns)

    @property
    def gap(self) -> Optional[float]:
        """The share of the best's time that is not proven to be needed: 0.14 is 14 %; 0: proven optimal."""
        best, bound = self.best_ns, self.bound_ns
        return None if best is None or bound is None else max(0.0, 1 - bound / best)

    @property
    def gflops(self) -> Optional[float]:
        """Floating-point operations of the computation divided by the best's time: 1e9 a second."""
        run, best = self.log.run, self.best_ns
        flops = (run or {}).get("kernel", {}).get("flops") if run else None
        return flops / best if flops and best else None

    @property
    def yardsticks(self) -> List[Yardstick]:
        """What the best was compared with at the end of the run: libraries, a naive loop nest."""
        winner = self._winner()
        ours = _time_of(winner) if winner else 0
        found = []
        for each in self.log.references:
            name = each.get("name", "")
            if name == WINNER or name.startswith("record "):
                continue
            theirs = _time_of(each) if each.get("verdict") == "correct" else 0
            found.append(Yardstick(name, _us(theirs), theirs / ours if theirs and ours else None,
                                   each.get("verdict", ""), each.get("why") or ""))
        return found

    @property
    def evaluations(self) -> int:
        """How many implementations were evaluated."""
        return len(self.log)

    @property
    def verdicts(self) -> Dict[str, int]:
        """How many evaluations have each verdict: {"correct": 120, "idle": 30}."""
        counts: Dict[str, int] = {}
        for record in self.log.evals:
            counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
        return counts

    @property
    def why(self) -> Optional[str]:
        """Why the search ended: "budget:time", "stop:gap", "signal", …; None before it did."""
        end = self.log.end
        return end.why if end else None

    @property
    def kernel(self) -> str:
        """The name of the kernel, or of the space of one's own program."""
        run = self.log.run or {}
        return run.get("kernel", {}).get("name") or run.get("space", {}).get("name") or ""

    @property
    def sizes(self) -> Dict[str, Any]:
        """Sizes and options of the kernel: {"m": 512, …}. Of options with named values the name."""
        kernel = (self.log.run or {}).get("kernel", {})
        return {**kernel.get("sizes", {}), **(kernel.get("words") or {})}

    @property
    def device(self) -> str:
        """The device that was searched for: "cpu", …"""
        return (self.log.run or {}).get("device", {}).get("name", "")

    # ---- What can be made of it ---------------------------------------------------------------------

    @property
    def search(self) -> str:
        """The program that commands about this run are given to."""
        self._search = self._search or _find.find_search()
        return self._search

    def source(self, record: Optional[int] = None) -> str:
        """The source of the best, or of another record."""
        return _find.run(self.search, "emit", self.run, *self._record(record))

    def export(self, format: str, out: Union[str, "os.PathLike[str]", None] = None, record: Optional[int] = None) -> str:
        """The best as one file for a compiler: "cc", "cu" or "header". Written to `out`, or returned."""
        where = ["--out", os.fspath(out)] if out is not None else []
        text = _find.run(self.search, "export", self.run, "--format", format, *self._record(record), *where)
        return os.fspath(out) if out is not None else text

    def report(self, out: Union[str, "os.PathLike[str]"]) -> str:
        """Writes a page for a browser. The program needs its page: './exh report-assets', once."""
        _find.run(self.search, "report", self.run, "-o", os.fspath(out))
        return os.fspath(out)

    def operator(self, name: Optional[str] = None, record: Optional[int] = None,
                 folder: Union[str, "os.PathLike[str]", None] = None, rebuild: bool = False) -> Any:
        """The best as a function: c = r.operator("mm")(a, b).

        It is built once, by `search install-kernel` and a compiler, into `folder` (default: one in the run's
        folder); `rebuild`: again, for another processor. Arrays that are read come in the order of the kernel, options
        and scalars by name; what is written is returned. Arrays are NumPy's, PyTorch's, or have __dlpack__,
        __array_interface__ or __cuda_array_interface__. Types, shapes and strides must be those of the run:
        nothing is copied or cast. With PyTorch 2.4 or later `op.torch` is torch.ops.tuned.NAME.
        """
        from . import _operator
        best = record if record is not None else (self.log.best or {}).get("n")
        if best is None:
            raise NothingFound("the run has found nothing correct that could be called", None, self)
        key = f"{name}@{best}"
        if key not in self._operators or rebuild:
            self._operators[key] = _operator.make(self, name, best, folder, rebuild)
        return self._operators[key]

    @staticmethod
    def _record(record: Optional[int]) -> List[str]:
        return [] if record is None else ["--record", str(record)]

    # ---- How it is shown ----------------------------------------------------------------------------

    def _facts(self) -> List[Tuple[str, str]]:
        gap, interval = self.gap, self.interval_us
        best = _draw.time_text(self.best_ns)
        if interval:
            best += f" ({_draw.time_text(interval.low_us * 1e3)} to {_draw.time_text(interval.high_us * 1e3)})"
        if self.gflops:
            best += f", {self.gflops:.3g} GFLOP/s"
        facts = [("kernel", " ".join([self.kernel, *(f"{name}={value}" for name, value in self.sizes.items())])),
                 ("device", self.device), ("best", best), ("bound", _draw.time_text(self.bound_ns)),
                 ("gap", "-" if gap is None else f"{100 * gap:.3g} %"), ("evaluations", str(self.evaluations)),
                 ("state", "running" if not self.done else self.why or "ended without a last line"), ("run", self.run)]
        facts += [(each.name, f"{_draw.time_text(each.us * 1e3)}, {each.ratio:.3g} x the time of the best")
                  for each in self.yardsticks if each.us and each.ratio]
        return facts

    def _repr_svg_(self) -> str:
        """The curve alone."""
        log = self.log
        evals, bests = log.evals, log.bests
        dots = [(each.get("dt") or 0.0, each["best_ns"]) for each in evals
                if each.get("verdict") == "correct" and each.get("best_ns")]
        ends = [each.get("dt") or 0.0 for each in [*evals, *bests, *([log.end] if log.end else [])]]
        return _draw.curve([(each.get("dt") or 0.0, each["ns"]) for each in bests if each.get("ns")], dots,
                           self.bound_ns, max(ends, default=0.0), f"{self.kernel} on {self.device}")

    def _repr_html_(self) -> str:
        """What a notebook shows: the curve of the best, and a table."""
        return f"<div>{self._repr_svg_()}{_draw.table(self._facts())}</div>"

    def __repr__(self) -> str:
        facts = dict(self._facts())
        state = "" if self.done else ", running"
        return (f"<exhaust.Result {facts['kernel']} on {facts['device']}: best {facts['best']}, bound {facts['bound']}, "
                f"gap {facts['gap']}, {facts['evaluations']} evaluations{state}, run {self.run}>")


def load(run: Union[str, "os.PathLike[str]"], search: Optional[str] = None) -> Result:
    """A run that is there, by its folder or its log: also one that another process still writes."""
    path = os.fspath(run)
    result = Result(path, search)
    if result.log.run is None:
        raise Error(f"no log of a run at '{result.log.path}'")
    return result
