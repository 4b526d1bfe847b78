# SPDX-License-Identifier: MIT
"""Searches: `tune` and what can be asked before one."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _find
from ._log import Record
from ._options import Files, arguments_of, option_name
from ._process import new_folder
from ._result import Result
from .errors import UsageError

Path = Union[str, "os.PathLike[str]"]
RUNS = "runs"


def what_words(what: Optional[Path], kernel: Optional[Path]) -> List[str]:
    """A text with a `=` is a computation, all else is a kernel: its name, or a file."""
    if what is not None and kernel is not None:
        raise UsageError("a computation and kernel=: say one of them")
    if kernel is None and what is not None and "=" not in os.fspath(what):
        kernel = what
    if kernel is not None:
        return ["--kernel", os.fspath(kernel)]
    return [] if what is None else ["--compute", os.fspath(what)]


def _folder_name(words: List[str]) -> str:
    """What the folder of a run is called: after its kernel or space."""
    said = dict(zip(words, words[1:]))
    text = said.get("--kernel") or said.get("--space") or "compute"
    stem = os.path.splitext(os.path.basename(text))[0]
    return re.sub(r"[^\w.-]+", "_", stem).strip("_.") or "run"


def _remove_if_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass


def start(what: Optional[Path], kernel: Optional[Path], out: Optional[Path], search: Optional[str], verbose: bool,
          sizes: Optional[Mapping[str, Any]], options: Dict[str, Any],
          step: Optional[Callable[[], None]] = None, environment: Optional[Mapping[str, str]] = None) -> Result:
    """Begins a search and returns at once. `step`: what is to be called again and again until it ends;
    `environment`: what the program has beside that of this process."""
    program = _find.find_search(search)
    known = _find.options_of(program)
    if options.get("simulate"):
        raise UsageError("tune makes a run, and a simulation is none: give --simulate to the program itself")
    files = Files()
    try:
        words = what_words(what, kernel) + arguments_of(options, known, files, sizes)
        resumed = options.get("resume") or options.get("resume_or_start")
        made = None
        if resumed:
            if out is not None:
                raise UsageError("a run that goes on stays in its folder: leave out= away")
            run = os.fspath(resumed)
        else:
            run = os.fspath(out) if out is not None else new_folder(
                RUNS, f"{_folder_name(words)}-{time.strftime('%Y%m%d-%H%M%S')}")
            made = None if out is not None else run
            words += ["--out", run]
        if "progress" not in options:
            words += ["--progress", "plain"]
        result = Result(run, program)
        result._start([program, *words], files, verbose, lambda: _remove_if_empty(made) if made else None, step,
                      environment)
        return result
    except BaseException:
        files.remove()
        raise


def tune(what: Optional[Path] = None, *, kernel: Optional[Path] = None, resume: Optional[Path] = None,
         out: Optional[Path] = None, wait: bool = True, verbose: bool = False, search: Optional[str] = None,
         sizes: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Searches for the fastest implementation, and returns what it found.

    what     a computation, "c[i,j] = sum(k) a[i,k] * b[k,j]", several statements with ; between them; or,
             without a =, the name of a kernel or a file: "matmul", "dense.kernel"
    kernel   the same said by name
    resume   the folder of a run that is to go on
    out      the folder of the run: new or empty (default runs/NAME-TIME)
    wait     False: returns at once, and the result is live: `events()`, `wait()`, `stop()`
    verbose  prints what the program prints, as it does
    search   the program (default: see exhaust.find_search)
    sizes    sizes and options of the kernel, also with names that keywords of this function have

    All other keywords are options of the program by their names (seed=7, jobs=2, type="f16", device="cuda",
    budget="60s", policy="uct", max_threads=256; True for one without a value, a list for one that is
    repeated), and those that it does not have are sizes: i=512. A bare number as budget is seconds.

    Ctrl-C ends the search cleanly, and what it found is returned (`interrupted` says so). Raises UsageError,
    NothingFound, Interrupted or Error; `error.result` is what there is.

    A program of your own: tune(space="my.exh", run="./bench.sh {block_x}", data={...}, budget="60s"), or
    serve="./server"; `data` may be a dict, and `space` the text itself. A Python function: exhaust.program.
    """
    if resume is not None:
        options["resume"] = resume
    result = start(what, kernel, out, search, verbose, sizes, options)
    return result.wait() if wait else result


def _ask(command: str, what: Optional[Path], kernel: Optional[Path], search: Optional[str],
         sizes: Optional[Mapping[str, Any]], options: Dict[str, Any], *more: str, positional: bool = False) -> str:
    program = _find.find_search(search)
    files = Files()
    try:
        words = what_words(what, kernel)
        if positional and words[:1] == ["--kernel"]:
            words = words[1:]
        words += arguments_of(options, _find.options_of(program, command), files, sizes)
        return _find.run(program, command, *words, *more)
    finally:
        files.remove()


def bound(what: Optional[Path] = None, *, kernel: Optional[Path] = None, run: Optional[Path] = None,
          search: Optional[str] = None, sizes: Optional[Mapping[str, Any]] = None, **options: Any) -> Record:
    """What no implementation can be faster than: of a computation or kernel as `tune` takes them, or of the
    best of a `run` (record=N: of another). Nothing is searched or compiled. The record has `bound_us`,
    `bound_ns`, `bottleneck` (the resource that limits) and `terms`."""
    more = ["--json"] + ([os.fspath(run)] if run is not None else [])
    found = Record(json.loads(_ask("bound", what, kernel, search, sizes, options, *more)))
    found["bound_us"] = found["bound_ns"] / 1e3
    return found


class Size(NamedTuple):
    """A size or an option of a kernel."""

    what: str
    default: Union[int, str]
    values: str  # "1 to 65536", "one of sum max"


class Kernel(NamedTuple):
    """A kernel that comes with the program."""

    name: str
    summary: str
    sizes: Dict[str, Size]


def _size_of(line: str) -> Optional[Tuple[str, Size]]:
    said = re.fullmatch(r"  (\S+)\s+(.*) \(default (\S+), (.*)\)", line)
    if said is None:
        return None
    default = int(said[3]) if re.fullmatch(r"-?\d+", said[3]) else said[3]
    return said[1], Size(said[2].strip(), default, said[4])


def kernels(search: Optional[str] = None) -> List[Kernel]:
    """The kernels that come with the program, with their sizes and options."""
    found: List[Kernel] = []
    for line in _find.run(_find.find_search(search), "list").splitlines():
        if line and not line[0].isspace():
            name, _, summary = line.partition(" ")
            found.append(Kernel(name, summary.strip(), {}))
        elif found:
            size = _size_of(line)
            if size is not None:
                found[-1].sizes[size[0]] = size[1]
    return found


def describe(what: Optional[Path] = None, *, kernel: Optional[Path] = None, search: Optional[str] = None,
             sizes: Optional[Mapping[str, Any]] = None, **options: Any) -> str:
    """What the program understands of a computation or kernel, as text: sizes, arrays, axes, loops, operations,
    bytes. Takes what `tune` takes, of sizes and type."""
    return _ask("list", what, kernel, search, sizes, options, positional=True)


def known_option(name: str, search: Optional[str] = None) -> bool:
    """Is this keyword of `tune` an option of the program? If not it is a size."""
    return option_name(name) in _find.options_of(_find.find_search(search))
