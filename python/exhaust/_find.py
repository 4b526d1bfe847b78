# SPDX-License-Identifier: MIT
"""Where the program `search` is, and which options it has."""

from __future__ import annotations

import functools
import os
import pathlib
import re
import shutil
import subprocess
from typing import FrozenSet, Iterator, List, Optional, Tuple

from .errors import Error, ProgramMissing, UsageError

VARIABLE = "EXHAUST_SEARCH"
PRESETS = ("release", "bench", "dev")
HERE = pathlib.Path(__file__).resolve().parent


def checkouts() -> Iterator[pathlib.Path]:
    """Folders that are a checkout of Exhaust: the one that this package lies in, and those around the
    current folder."""
    here = pathlib.Path.cwd()
    for folder in (HERE.parent.parent, here, *here.parents):
        if (folder / "exh").is_file() and (folder / "CMakePresets.json").is_file():
            yield folder


def candidates() -> Iterator[Tuple[str, pathlib.Path]]:
    """(where it is from, a file that may be the program), in the order in which they are tried."""
    named = os.environ.get(VARIABLE)
    if named:
        yield VARIABLE, pathlib.Path(named)
        return
    yield "the wheel", HERE / "bin" / "search"
    on_path = shutil.which("search")
    if on_path:
        yield "PATH", pathlib.Path(on_path)
    for folder in checkouts():
        for preset in PRESETS:
            yield "a checkout", folder / "build" / preset / "bin" / "search"


@functools.lru_cache(maxsize=None)
def _version_of(path: str, changed: float) -> Optional[str]:
    del changed  # A program that was built again is another one.
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    # More lines say the commit, the devices and the formats.
    said = re.match(r"search (\d+(?:\.\d+)*\S*)\s*(?:\n|\Z)", done.stdout)
    return said[1] if said and done.returncode == 0 else None


def version_of(path: str) -> Optional[str]:
    """The version that a program `search` says, "0.1.0"; None when it is another program, or none."""
    try:
        changed = os.stat(path).st_mtime
    except OSError:
        return None
    return _version_of(path, changed)


def find_search(search: Optional[str] = None) -> str:
    """The path of the program `search`: the argument, else $EXHAUST_SEARCH, else the one in the wheel,
    on PATH, or in the build folders of a checkout. Raises ProgramMissing."""
    if search is not None:
        path = os.path.abspath(os.fspath(search))
        if version_of(path) is None:
            raise UsageError(f"'{search}' is not the program search of Exhaust, or cannot be run")
        return path
    tried: List[str] = []
    for source, file in candidates():
        path = os.path.abspath(file)
        if version_of(path) is not None:
            return path
        tried.append(f"{path} ({source})")
    raise ProgramMissing("the program search was not found. Build it in a checkout, './exh build release', or name it in "
                         f"{VARIABLE}, or give it as search=. Looked for: " + ", ".join(tried))


def source_of(path: str) -> str:
    """Where find_search() has a path from, in words."""
    return next((source for source, file in candidates() if os.path.abspath(file) == path), "the argument")


def run(search: str, *arguments: str, cwd: Optional[str] = None) -> str:
    """Runs a command of the program that ends by itself. Returns what it printed; raises Error or
    UsageError with its message and exit code."""
    done = subprocess.run([search, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", cwd=cwd, check=False)
    if done.returncode != 0:
        raise error_of(done.returncode, done.stdout, done.stderr)
    return done.stdout


def message_of(text: str) -> str:
    """What the program says on its standard error, without its name before each message."""
    lines = [re.sub(r"^search: ", "", line) for line in text.strip().splitlines()]
    return "\n".join(lines)


def error_of(code: int, stdout: str, stderr: str) -> Error:
    """The exception for an exit code and what was printed before it."""
    message = message_of(stderr) or "\n".join(stdout.strip().splitlines()[-12:])
    if code < 0:
        return Error(f"the program was ended by signal {-code}" + (f": {message}" if message else ""), code)
    kind = UsageError if code == 2 else Error
    return kind(message or f"the program ended with exit code {code}", code)


@functools.lru_cache(maxsize=None)
def options_of(search: str, *command: str) -> FrozenSet[str]:
    """The options of a command without their dashes: {"kernel", "budget", …}. Asked of the program."""
    text = run(search, *command, "--help")
    return frozenset(re.findall(r"(?<![\w-])--([a-z0-9][a-z0-9-]*)", "\n".join(
        line for line in text.splitlines() if re.match(r"\s+-", line))))
