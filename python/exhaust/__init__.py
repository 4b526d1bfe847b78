# SPDX-License-Identifier: MIT
"""Exhaust from Python: searches for fast implementations of a computation, and calls what they found.

    import exhaust
    r = exhaust.tune("c[i,j] = sum(k) a[i,k] * b[k,j]", i=512, j=512, k=512, budget="60s")
    r.best_us, r.bound_us, r.gap
    mm = r.operator("mm")
    c = mm(a, b)

The program `search` does the work, in a process of its own. docs/python.md tells all of it.
"""

from . import inductor
from ._doctor import Finding, doctor
from ._find import find_search
from ._fleet import Fleet, load_fleet, tune_file
from ._log import Log, Record
from ._operator import NotBuilt, Operator
from ._result import Interval, Result, Yardstick, load
from ._serve import Answer, Program, program
from ._tune import Kernel, Size, bound, describe, kernels, tune
from ._version import __version__
from .errors import (CompileError, Error, Interrupted, NothingFound, ProgramMissing, Timeout, UsageError, Verdict,
                     Wrong)

__all__ = ["Answer", "CompileError", "Error", "Finding", "Fleet", "Interrupted", "Interval", "Kernel", "Log", "NotBuilt",
           "NothingFound", "Operator", "Program", "ProgramMissing", "Record", "Result", "Size", "Timeout", "UsageError",
           "Verdict", "Wrong", "Yardstick", "__version__", "bound", "describe", "doctor", "find_search", "inductor",
           "kernels", "load", "load_fleet", "program", "tune", "tune_file"]
