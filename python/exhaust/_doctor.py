# SPDX-License-Identifier: MIT
"""What is there, and what is missing: python -m exhaust doctor."""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
from typing import Callable, List, NamedTuple, Optional

from . import _find
from ._version import __version__
from .errors import Error


class Finding(NamedTuple):
    """A line of the doctor's."""

    kind: str  # "ok", "missing" (something cannot be done), "FAIL" (nothing can) or "" (for information).
    what: str
    text: str


# Of what is not needed: what it is for, and how to get it.
MODULES = (("numpy", "calls operators on arrays", "pip install numpy"),
           ("torch", "operators on tensors and GPUs, offers to Inductor", "pip install torch"),
           ("pandas", "log.to_pandas()", "pip install pandas"),
           ("IPython", "draws results in notebooks", "pip install notebook"))
TOOLS = (("g++", "CXX", "compiles what a search on a processor tries, and operators", "apt-get install g++"),
         ("cmake", "", "builds operators for GPUs", "apt-get install cmake"),
         ("nvcc", "", "builds operators for GPUs", "the CUDA toolkit, 12.8 or later"))


def _program(search: Optional[str]) -> List[Finding]:
    try:
        path = _find.find_search(search)
    except Error as error:
        return [Finding("FAIL", "search", str(error))]
    version = _find.version_of(path)
    found = [Finding("ok", "search", f"{path}, from {_find.source_of(path)}, version {version}")]
    if version != __version__:
        found.append(Finding("", "version", f"the package is {__version__}, and the program {version}: install both of one"))
    for device in ("cpu", "cuda"):
        try:
            lines = _find.run(path, "devices", "--device", device).splitlines()
            limits = dict(line.split(None, 1) for line in lines[1:] if len(line.split(None, 1)) == 2)
            shown = [f"{name} {limits[name]}" for name in ("name", "threads", "vector_bytes", "sm", "multiprocessors")
                     if name in limits]
            found.append(Finding("ok", f"device {device}", ", ".join([*lines[:1], *shown])))
        except Error as error:
            found.append(Finding("", f"device {device}", str(error).splitlines()[0]))
    # It ends with 1 when something is missing, and says what in its lines.
    done = subprocess.run([path, "doctor"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          check=False)
    for line in (done.stdout + done.stderr).splitlines():
        said = re.match(r"(ok  |FAIL|    )  (\S+) +(.*)", line)
        if said:
            found.append(Finding(said[1].strip(), f"search: {said[2]}", said[3]))
        elif line.strip():  # The rest of what does not fit on a line.
            found[-1] = found[-1]._replace(text=f"{found[-1].text}; {line.strip()}")
    return found


def _module(name: str, purpose: str, how: str) -> Finding:
    try:
        module = importlib.import_module(name)
    except Exception as error:  # A module that is broken is as good as missing, and its message helps.
        text = f"not there ({purpose}): {how}" if isinstance(error, ImportError) else f"does not load: {error}"
        return Finding("missing", name, text)
    return Finding("ok", name, f"{getattr(module, '__version__', '?')} ({purpose})" + _cuda_of(module))


def _cuda_of(module: object) -> str:
    cuda = getattr(module, "cuda", None) if getattr(module, "__name__", "") == "torch" else None
    if cuda is None:
        return ""
    try:
        return f"; CUDA: {cuda.get_device_name()}" if cuda.is_available() else "; no CUDA"
    except Exception as error:  # Whatever a driver says.
        return f"; CUDA: {error}"


def _tool(name: str, variable: str, purpose: str, how: str) -> Finding:
    named = os.environ.get(variable) if variable else None
    path = shutil.which(named or name)
    if path is None:
        return Finding("missing", name, f"not there ({purpose}): {how}")
    done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          check=False)
    lines = [line for line in done.stdout.splitlines() if any(letter.isdigit() for letter in line)]
    return Finding("ok", name, f"{path}: {lines[0].strip() if lines else '?'}")


def doctor(search: Optional[str] = None) -> List[Finding]:
    """Which program, devices, compilers and packages there are, and how to get what is missing."""
    found = [Finding("ok", "exhaust", f"{__version__}, {_find.HERE}"),
             Finding("ok", "python", f"{platform.python_version()}, {sys.executable}")]
    found += _program(search)
    found += [_tool(*each) for each in TOOLS]
    found += [_module(*each) for each in MODULES]
    return found


def main(search: Optional[str] = None, say: Callable[[str], None] = print) -> int:
    """Prints doctor(). Returns 1 when nothing can be searched."""
    found = doctor(search)
    width = max(len(each.what) for each in found)
    for kind, what, text in found:
        say(f"{kind:<8}{what:<{width}}  {text}".rstrip())
    return 1 if any(each.kind == "FAIL" for each in found) else 0
