# SPDX-License-Identifier: MIT
"""A Python function whose parameters a search decides: exhaust.program.

The search asks in lines of JSON, one for each implementation:

    {"v": 1, "id": 17, "decisions": {"block_x": 64, "tile(m)": 4}, "sizes": {"n": 512}, "effort": "quick", "cap_ns": 2100000.0}
    {"id": 17, "verdict": "correct", "runtimes_ns": [1900000.0, 1920000.0], "error_ratio": 0.2}

`Server` answers them with the function, in the thread that waits for the search; bridge.py carries the lines.
"""

from __future__ import annotations

import functools
import inspect
import json
import keyword
import numbers
import os
import pathlib
import queue
import re
import shlex
import socket
import sys
import tempfile
import threading
import traceback
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _tune
from ._process import STEP_S
from ._result import Result
from .errors import UsageError, Verdict

SOCKET = "EXHAUST_SOCKET"  # Where the bridge finds it: so the command is the same when a run goes on.
BRIDGE = pathlib.Path(__file__).resolve().parent / "bridge.py"
LONGEST_SOCKET = 100  # Bytes of the path of a Unix socket that every system takes.
ANSWER_FIELDS = ("verdict", "runtimes_ns", "time_ns", "time_us", "time_ms", "time_s", "error_ratio", "max_error", "compile_ms",
                 "check_ms", "why")


class Answer:
    """What became of an implementation.

    ms           how long it took, in milliseconds: a number, or one for each time that it ran
    correct      True or False, when its result was compared with what it should be; None: it was not, and
                 then it can only be the best of a search with trust_times=True
    error_ratio  its largest error as a multiple of what is allowed
    verdict      in the place of `correct`: a verdict of the log ("crash", "timeout", "slow", …)
    why          the reason, for people
    """

    def __init__(self, ms: Union[float, Sequence[float], None] = None, correct: Optional[bool] = None, *,
                 error_ratio: Optional[float] = None, verdict: Optional[str] = None, why: str = "") -> None:
        if verdict is not None and correct is not None:
            raise UsageError("an answer has a verdict, or says whether it is correct: not both")
        self.ms, self.correct, self.error_ratio, self.why = ms, correct, error_ratio, why
        self.verdict = verdict if correct is None else "correct" if correct else "wrong"

    def fields(self) -> Dict[str, Any]:
        """As it is told the search."""
        said: Dict[str, Any] = {}
        if self.verdict is not None:
            said["verdict"] = self.verdict
        if self.ms is not None:
            times = [self.ms] if isinstance(self.ms, numbers.Real) else list(self.ms)
            said["runtimes_ns"] = [1e6 * float(each) for each in times]
        if self.error_ratio is not None:
            said["error_ratio"] = float(self.error_ratio)
        if self.why:
            said["why"] = str(self.why)
        return said

    def __repr__(self) -> str:
        return f"Answer({self.fields()})"


def answer_of(value: Any) -> Dict[str, Any]:
    """What a function returned, as it is told the search: an Answer, a dict with the fields of the protocol,
    or a time in seconds (several: one for each run), which nobody has checked."""
    if isinstance(value, Answer):
        return value.fields()
    if isinstance(value, Mapping):
        unknown = [name for name in value if name not in ANSWER_FIELDS]
        if unknown:
            raise UsageError(f"an answer has no '{unknown[0]}', but {', '.join(ANSWER_FIELDS)}")
        return dict(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return {"runtimes_ns": [1e9 * float(value)]}
    if isinstance(value, Sequence) and value and all(isinstance(each, numbers.Real) for each in value):
        return {"runtimes_ns": [1e9 * float(each) for each in value]}
    raise UsageError(f"a program returns exhaust.Answer, a dict, or its time in seconds, and not {value!r}")


def keywords_of(decisions: Mapping[str, Any]) -> Dict[str, Any]:
    """Decisions as keywords: {"block_x": 64, "tile(m)": 4, "order(a,b)": "BEFORE"} becomes
    block_x=64, tile={"m": 4}, order={("a", "b"): "BEFORE"}. A word of Python has an underscore behind it."""
    found: Dict[str, Any] = {}
    for name, value in decisions.items():
        said = re.fullmatch(r"([^(]+)\((.*)\)", name)
        choice = said[1] if said else name
        if keyword.iskeyword(choice):
            choice += "_"
        if said is None:
            found[choice] = value
        else:
            objects: Tuple[str, ...] = tuple(each.strip() for each in said[2].split(","))
            found.setdefault(choice, {})[objects if len(objects) > 1 else objects[0]] = value
    return found


class Server:
    """Answers what searches ask with a function. `step()` answers what has come, in the thread that calls it."""

    command = shlex.join([sys.executable, "-I", "-S", str(BRIDGE)])

    def __init__(self, function: Callable[..., Any], see: Callable[[Mapping[str, Any]], None]) -> None:
        self._function, self._see = function, see
        self._signature = inspect.signature(function)
        kinds = [each.kind for each in self._signature.parameters.values()]
        self._takes_all = inspect.Parameter.VAR_KEYWORD in kinds
        self._asked: "queue.Queue[Tuple[socket.socket, bytes]]" = queue.Queue()
        self._folder = tempfile.TemporaryDirectory(prefix="exhaust-")
        path = os.path.join(self._folder.name, "socket")
        if len(os.fsencode(path)) > LONGEST_SOCKET:
            self._folder.cleanup()
            self._folder = tempfile.TemporaryDirectory(prefix="exhaust-", dir="/tmp")
            path = os.path.join(self._folder.name, "socket")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        self._links: List[socket.socket] = []
        self._closed = False
        self.failure: Optional[BaseException] = None  # A mistake of the function, which ends the search.
        self.trouble = ""  # The traceback of what it raised last.
        self.on_failure: Callable[[], None] = lambda: None
        self.environment = {SOCKET: path}
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            self._links.append(link)
            threading.Thread(target=self._read, args=(link,), daemon=True).start()

    def _read(self, link: socket.socket) -> None:
        try:
            with link.makefile("rb") as lines:
                for line in lines:
                    if line.endswith(b"\n"):
                        self._asked.put((link, line))
        except OSError:
            pass
        self._hang_up(link)  # The search asks nothing more, and waits for nothing.

    @staticmethod
    def _hang_up(link: socket.socket) -> None:
        try:
            # What waits in accept() or recv() returns only when somebody shuts the socket down.
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        link.close()

    def step(self) -> None:
        """Answers one question, or returns after a moment in which there was none."""
        try:
            link, line = self._asked.get(timeout=STEP_S)
        except queue.Empty:
            return
        if self.failure is None:
            self._serve(link, line)

    def run(self) -> None:
        """Answers until close(): for a thread of its own."""
        while not self._closed:
            self.step()

    def _serve(self, link: socket.socket, line: bytes) -> None:
        try:
            asked = json.loads(line)
            number = asked["id"]
            keywords = self._keywords(asked)
        except (ValueError, TypeError, KeyError):
            return  # No question.
        try:
            said = self._ask(keywords, asked)
        except KeyboardInterrupt:
            self._send(link, {"id": number, "why": "interrupted"})
            raise
        except Exception as error:  # A mistake of the caller: nothing can be searched with it.
            self.failure = error
            self.on_failure()
            return
        self._send(link, {"id": number, **said})

    def _keywords(self, asked: Mapping[str, Any]) -> Dict[str, Any]:
        """All decisions, and those sizes that the function has parameters for."""
        keywords = keywords_of(asked["decisions"])
        for name, value in (asked.get("sizes") or {}).items():
            called = name + "_" if keyword.iskeyword(name) else name
            if self._takes_all or called in self._signature.parameters:
                keywords.setdefault(called, value)
        return keywords

    def _ask(self, keywords: Dict[str, Any], asked: Mapping[str, Any]) -> Dict[str, Any]:
        try:
            bound = self._signature.bind(**keywords)
        except TypeError as error:
            name = getattr(self._function, "__name__", "the function")
            raise UsageError(f"{name}{self._signature} cannot be called with what the space decides, "
                             f"{', '.join(keywords)}: {error}") from None
        self._see(asked)
        try:
            value = self._function(*bound.args, **bound.kwargs)
        except Verdict as verdict:
            return {"verdict": verdict.verdict, "why": str(verdict) or type(verdict).__name__}
        except (Exception, SystemExit) as error:
            self.trouble = traceback.format_exc()
            return {"verdict": "crash", "why": f"{type(error).__name__}: {error}"}
        return answer_of(value)

    @staticmethod
    def _send(link: socket.socket, answer: Dict[str, Any]) -> None:
        try:
            link.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            pass  # The search gave up waiting for it.

    def close(self) -> None:
        """Ends every conversation."""
        self._closed = True
        for link in [self._listener, *self._links]:
            self._hang_up(link)
        self._folder.cleanup()


class Program:
    """A function that a search calls. Called itself, it is the function."""

    def __init__(self, function: Callable[..., Any], options: Dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.cap_ms: Optional[float] = None
        """While the function runs: what takes longer than so many milliseconds need not be measured to its
        end, and may raise exhaust.Timeout. None: there is no such limit."""
        self.effort = ""
        """Likewise: "quick" where the search looks for what is good, "final" where it must be sure."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(*arguments, **keywords)

    def _see(self, asked: Mapping[str, Any]) -> None:
        cap_ns = asked.get("cap_ns")
        self.cap_ms = cap_ns / 1e6 if cap_ns else None
        self.effort = asked.get("effort") or ""

    def tune(self, *, out: Optional[_tune.Path] = None, wait: bool = True, verbose: bool = False,
             search: Optional[str] = None, sizes: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
        """Searches for the decisions with which the function is fastest; options as of exhaust.tune. The
        function is called in this thread, one call at a time; with wait=False in a thread of its own. A call
        that hangs cannot be ended from outside: a program of its own (run=, serve=) can."""
        asked = {**self.options, **options}
        if asked.get("resume"):
            # What a run searches, and whom it asks, stands in its log.
            asked = {name: value for name, value in asked.items() if name not in ("space", "data")}
        else:
            asked["serve"] = Server.command
        server = Server(self.function, self._see)
        try:
            result = _tune.start(None, None, out, search, verbose, sizes,
                                 asked, server.step if wait else None, server.environment)
        except BaseException:
            server.close()
            raise
        result._serve(server)
        if not wait:
            threading.Thread(target=server.run, daemon=True).start()
            return result
        return result.wait()


def program(space: Optional[_tune.Path] = None, **options: Any) -> Callable[[Callable[..., Any]], Program]:
    """Makes a function something that is searched:

        @exhaust.program(space="my.exh")
        def bench(block_x, unroll): ...
        r = bench.tune(budget="60s")

    `space` is a file of choices and requirements, or its text. The function gets what was decided as keywords
    (`tile(m)` and `tile(n)` as tile={"m": 4, "n": 8}), and those sizes that it has parameters for. It returns exhaust.Answer(ms=1.9,
    correct=True), a dict with the fields of the protocol, or its time in seconds. A time alone is `unchecked`: it can only be the best
    with trust_times=True. An exception is a `crash`; exhaust.Wrong, CompileError and Timeout are those
    verdicts. Options are those of exhaust.tune.
    """
    if callable(space):
        raise UsageError("a program needs its space: @exhaust.program(space=\"my.exh\")")
    if space is not None:
        options["space"] = space
    return lambda function: Program(function, options)

