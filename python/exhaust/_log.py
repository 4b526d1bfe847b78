# SPDX-License-Identifier: MIT
"""The log of a run, read while it grows: docs/log.md of Exhaust says what its lines mean."""

from __future__ import annotations

import array
import json
import os
import threading
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"
NO_PART, LARGE = ".", "~"
VALUE_OF = {digit: value for value, digit in enumerate(DIGITS)}
# Of each evaluation: what is long, and what only says that the line is whole.
LEFT_OUT = ("path", "line", "after", "crc", "t")
ENDS = ("line", "after", "crc")


class Record(Dict[str, Any]):
    """A record of the log: a dict whose fields are attributes, too. What it has not is None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]


class Tail:
    """The whole lines of a file that another process writes. A line without its end is left for later."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.damaged = 0  # Lines that are no JSON.
        self.began_again = False  # The file became shorter than what was read: it is another one.
        self._offset = 0

    def poll(self) -> List[Record]:
        """The records of the lines that are new."""
        self.began_again = False
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset:
                    self._offset, self.damaged, self.began_again = 0, 0, True
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:
            return []
        whole = text.rfind(b"\n") + 1
        self._offset += whole
        records = []
        for line in text[:whole].splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict) and isinstance(record.get("t"), str):
                records.append(Record(record))
            elif line.strip():
                self.damaged += 1
        return records


class Choice:
    """A decision of the space: `name` is "tile(m)", `values` what it may be."""

    def __init__(self, record: Record) -> None:
        self.index: int = record["i"]
        self.choice: str = record["name"]
        self.args: Tuple[str, ...] = tuple(record.get("args", ()))
        self.name = self.choice + (f"({','.join(self.args)})" if self.args else "")
        self._domain: Sequence[str] = record.get("domain", ())
        self._ranges: Sequence[Sequence[int]] = record.get("ranges", ())
        self._numbers = all(value.lstrip("-").isdigit() for value in self._domain)

    def value(self, index: int) -> Any:
        """A number, or a name such as "UNROLL"; the index itself where the log does not have it."""
        if index < len(self._domain):
            return int(self._domain[index]) if self._numbers else self._domain[index]
        for first, last in self._ranges:
            if index <= last - first:
                return first + index
            index -= last - first + 1
        return index

    def __repr__(self) -> str:
        return f"Choice({self.name!r})"


def values_of(vector: str) -> Iterator[Optional[int]]:
    """The value of each decision of a vector by its index in the domain; None takes no part."""
    large = [at for at, digit in enumerate(vector) if digit == LARGE]
    # Each large value has two digits more, behind all decisions.
    decisions = len(vector) - 2 * len(large)
    big = iter(range(decisions, len(vector), 2))
    for digit in vector[:decisions]:
        if digit == LARGE:
            at = next(big)
            yield 64 * VALUE_OF[vector[at]] + VALUE_OF[vector[at + 1]]
        else:
            yield None if digit == NO_PART else VALUE_OF.get(digit)


class Log:
    """What a run wrote: `run`, `choices`, `evals`, `bests`, `references`, `end`. Each use reads what is new,
    also while a search goes on. Times are in nanoseconds (…_ns) as in the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._tail = Tail(path)
        self._clear()

    def _clear(self) -> None:
        self._run: Optional[Record] = None
        self._end: Optional[Record] = None
        self._choices: Dict[int, Choice] = {}
        self._evals: Dict[int, Record] = {}
        self._bests: List[Record] = []
        self._references: List[Record] = []
        self._violations: List[Record] = []
        self._policies: Dict[int, str] = {}
        self._paths: Dict[int, "array.array[int]"] = {}

    def refresh(self) -> "Log":
        """Reads what is new. All below do that by themselves."""
        with self._lock:
            new = self._tail.poll()
            if self._tail.began_again:
                self._clear()
            for record in new:
                self._add(record)
        return self

    def _add(self, record: Record) -> None:
        kind = record["t"]
        if kind == "run":
            self._run = record
        elif kind == "choice":
            choice = Choice(record)
            self._choices[choice.index] = choice
        elif kind == "select":
            self._policies[record.get("seq", 0)] = record.get("policy", "")
        elif kind == "eval":
            policy = self._policies.pop(record.get("select", 0), None)
            kept = Record((name, value) for name, value in record.items() if name not in LEFT_OUT)
            kept["policy"] = policy
            self._paths[record["n"]] = array.array("q", [number for pair in record.get("path", ()) for number in pair])
            self._evals[record["n"]] = kept
        elif kind == "best":
            self._bests.append(record)
        elif kind == "violation":
            self._violations.append(record)
        elif kind == "reference":
            self._references.append(record)
        elif kind == "resume":
            self._end, self._references = None, []
        elif kind == "end":
            self._end = record

    @property
    def run(self) -> Optional[Record]:
        """The first line: kernel, sizes, device, limits, seed, command line. None before it is written."""
        return self.refresh()._run

    @property
    def end(self) -> Optional[Record]:
        """The last line of a run that ended by itself, or None."""
        return self.refresh()._end

    @property
    def choices(self) -> List[Choice]:
        """The decisions, by number."""
        choices = self.refresh()._choices
        return [choices[index] for index in sorted(choices)]

    @property
    def evals(self) -> List[Record]:
        """The evaluations, in the order written. `decisions(record)` says what was decided."""
        return list(self.refresh()._evals.values())

    @property
    def bests(self) -> List[Record]:
        """Each time that something was the best: `n`, `dt` (seconds), `ns`."""
        return list(self.refresh()._bests)

    @property
    def references(self) -> List[Record]:
        """What was measured in turn at the end: the winner and the yardsticks."""
        return list(self.refresh()._references)

    @property
    def violations(self) -> List[Record]:
        """Times below a bound, which make all bounds of the run worth nothing."""
        return list(self.refresh()._violations)

    @property
    def damaged(self) -> int:
        """Whole lines that cannot be read. `search log repair` mends what can be mended."""
        self.refresh()
        return self._tail.damaged

    def find(self, n: int) -> Record:
        """The evaluation with this number. Raises KeyError."""
        return self.refresh()._evals[n]

    @property
    def best(self) -> Optional[Record]:
        """The evaluation that is the best, or None."""
        bests = self.bests
        return self._evals.get(bests[-1]["n"]) if bests else None

    def decisions(self, record: Record) -> Dict[str, Any]:
        """All that an evaluation decided: {"tile(m)": 4, "layout": "ROWS"}. What takes no part is left out."""
        self.refresh()
        return {self._choices[at].name: self._choices[at].value(value)
                for at, value in enumerate(values_of(record.get("vector") or ""))
                if value is not None and at in self._choices}

    def taken(self, record: Record) -> Dict[str, Any]:
        """The decisions that were taken, in the order in which they were: all others follow from them."""
        self.refresh()
        path = self._paths.get(record.get("n", 0), ())
        return {self._choices[at].name: self._choices[at].value(value) for at, value in zip(path[::2], path[1::2])
                if at in self._choices}

    def rows(self, decisions: Union[str, Iterable[str]] = "all") -> List[Dict[str, Any]]:
        """Every evaluation as a dict: its number, verdict, times and so on, then its decisions, a column each
        (None: takes no part). A space may have thousands of decisions: "all" are those that take part
        anywhere, "taken" those that were taken anywhere (the others follow from them), and a list of
        choices, ["size", "dim_kind"], theirs. A decision that is called as another column has () behind its name.
        Times that were not measured are None."""
        best = self.best
        evals = self.evals
        all_decided = [(self.taken if decisions == "taken" else self.decisions)(record) for record in evals]
        taking_part: Set[str] = set().union(*all_decided)
        chosen = None if isinstance(decisions, str) else set(decisions)
        columns = [choice.name for choice in self.choices
                   if choice.name in taking_part and (chosen is None or choice.choice in chosen)]
        rows: List[Dict[str, Any]] = []
        for record, decided in zip(evals, all_decided):
            error = record.get("err") or {}
            row: Dict[str, Any] = {
                "n": record["n"], "dt": record.get("dt"), "verdict": record.get("verdict"), "why": record.get("why"),
                "best_ns": record.get("best_ns") or None, "bound_ns": record.get("bound_ns"),
                "compile_ms": record.get("compile_ms"), "check_ms": record.get("check_ms"),
                "error_ratio": error.get("ratio"), "memory_bytes": record.get("memory_bytes"),
                "registers": record.get("registers"), "lane": record.get("lane"), "policy": record.get("policy"),
                "is_best": record is best}
            row.update([(name + "()" if name in row else name, decided.get(name)) for name in columns])
            rows.append(row)
        return rows

    def to_pandas(self, decisions: Union[str, Iterable[str]] = "all") -> Any:
        """rows() as a pandas.DataFrame. Raises ImportError where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("pandas is not installed: pip install pandas; log.rows() has the same as dicts") from error
        return pandas.DataFrame(self.rows(decisions))

    def __len__(self) -> int:
        return len(self.refresh()._evals)

    def __repr__(self) -> str:
        return f"Log({self.path!r}: {len(self)} evaluations)"


def without_ends(record: Record) -> Record:
    """The record without the number and checksums of its line."""
    for name in ENDS:
        record.pop(name, None)
    return record
