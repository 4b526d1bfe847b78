# SPDX-License-Identifier: MIT
"""Many shapes: `search tune` as tune_file, and what came of it."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, Iterable, Mapping, Optional, Union

from . import _find
from ._log import Record
from ._options import Files, arguments_of
from ._process import Process, new_folder
from ._result import Result
from ._tune import RUNS, Path
from .errors import Error, Interrupted

FLEET_FILE = os.path.join("tune", "fleet.json")


def _gpu_list(gpus: Union[int, str, Iterable[int]]) -> str:
    """8 -> "0-7": so many; [0, 2] -> "0,2"; a text is as the program takes it."""
    if isinstance(gpus, str):
        return gpus
    if isinstance(gpus, int):
        return f"0-{gpus - 1}" if gpus > 1 else "0"
    return ",".join(str(each) for each in gpus)


def _shape_line(shape: Mapping[str, Any]) -> str:
    """A kernel that is a file is looked for beside the list, which is elsewhere: its path becomes absolute."""
    kernel = shape.get("kernel")
    if isinstance(kernel, (str, os.PathLike)) and os.path.isfile(kernel):
        shape = {**shape, "kernel": os.path.abspath(kernel)}
    return json.dumps(shape) + "\n"


class Fleet:
    """The runs of many shapes, in the folder `folder`. `results` has what each found so far, by name."""

    def __init__(self, folder: str, search: str) -> None:
        self.folder = folder
        self.search = search
        self._process: Optional[Process] = None

    @property
    def done(self) -> bool:
        """No process of this Python works on it any more."""
        return self._process is None or self._process.poll() is not None

    @property
    def output(self) -> str:
        """What the program printed: a line for each shape that is done."""
        return self._process.output if self._process else ""

    @property
    def status(self) -> Record:
        """How far it is, as `search tune --status --format json` says it: `counts`, `means`, `shapes`, …"""
        return Record(json.loads(_find.run(self.search, "tune", "--status", self.folder, "--format", "json")))

    @property
    def shapes(self) -> Dict[str, Record]:
        """Each shape by its name: `state` ("done", "running", "waiting", "failed"), `why`, `best_ns`, `gap`, …"""
        return {each["shape"]: Record(each) for each in self.status["shapes"]}

    @property
    def results(self) -> Dict[str, Result]:
        """The run of each shape that was begun, by its name."""
        return {name: Result(os.path.join(self.folder, name), self.search) for name in self.shapes
                if os.path.exists(os.path.join(self.folder, name, "log.jsonl"))}

    def wait(self, timeout: Optional[float] = None) -> "Fleet":
        """Waits for the end, at most `timeout` seconds. Ctrl-C ends it as that of a terminal does: what was
        logged stays, and the same call goes on with it. Raises Error when a shape failed, with this as
        `result`, or what else went wrong."""
        if self._process is None:
            return self
        code = self._process.wait(timeout)
        if code is None or code == 0:
            return self
        if self._process.interrupted:
            raise Interrupted("interrupted; the same call goes on with it", code, self)
        error = _find.error_of(code, self._process.output, self._process.errors)
        error.result = self
        raise error

    def stop(self) -> None:
        """Ends it as Ctrl-C does. What was logged stays."""
        if self._process is not None and self._process.poll() is None:
            self._process.interrupt()
            self._process.wait()

    def install(self, out: Path, *options: str) -> str:
        """A library of the best of every shape, for C, C++, NumPy and PyTorch, in the folder `out`. Returns what
        `search install-kernel` says."""
        runs = [result.run for result in self.results.values()]
        if not runs:
            raise Error("no shape has a run yet", None, self)
        return _find.run(self.search, "install-kernel", *runs, "--out", os.fspath(out), *options)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {state}" for state, number in self.status["counts"].items())
        return f"<exhaust.Fleet {self.folder}: {counts}>"


def tune_file(shapes: Union[Path, Iterable[Mapping[str, Any]], None] = None, *, out: Optional[Path] = None,
              gpus: Union[int, str, Iterable[int], None] = None, wait: bool = True, verbose: bool = False,
              search: Optional[str] = None, **options: Any) -> Fleet:
    """Searches many shapes: `search tune`.

    shapes  a file, an object of JSON a line, {"kernel": "matmul", "sizes": {"m": 512}}, or what other tools log;
            or a list of such dicts; None: goes on with the fleet in `out`
    out     the folder of the fleet, new or one that goes on (default runs/fleet-TIME)
    gpus    so many GPUs (8), or which ("0-3", [0, 2]), each of which searches a shape at a time. Says
            device="cuda" where nothing else is said
    wait    False: returns at once; `done`, `status` and `wait()` say how far it is

    All other keywords are options of `search tune`: budget="60s" (of each shape), seed, device, jobs, …
    """
    program = _find.find_search(search)
    known = _find.options_of(program, "tune")
    options = {name: value for name, value in options.items() if value is not None}
    if gpus is not None:
        options["gpus"] = _gpu_list(gpus)
        options.setdefault("device", "cuda")
    files = Files()
    try:
        if shapes is None or isinstance(shapes, (str, os.PathLike)):
            words = [] if shapes is None else [os.fspath(shapes)]
        else:
            words = [files.write("shapes.jsonl", "".join(_shape_line(each) for each in shapes))]
        words += arguments_of(options, known, files)
        made = out is None
        folder = new_folder(RUNS, f"fleet-{time.strftime('%Y%m%d-%H%M%S')}") if out is None else os.fspath(out)
        fleet = Fleet(folder, program)
        fleet._process = Process([program, "tune", *words, "--out", folder], None, verbose)
    except BaseException:
        files.remove()
        raise

    def end() -> None:
        files.remove()
        if made and not os.listdir(folder):
            os.rmdir(folder)

    fleet._process.at_end(end)
    return fleet.wait() if wait else fleet


def load_fleet(folder: Path, search: Optional[str] = None) -> Fleet:
    """A fleet that is there, by its folder: also one that another process still works on."""
    path = os.fspath(folder)
    if not os.path.exists(os.path.join(path, FLEET_FILE)):
        raise Error(f"no fleet at '{path}'")
    return Fleet(path, _find.find_search(search))
