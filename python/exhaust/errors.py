# SPDX-License-Identifier: MIT
"""What can go wrong, as exceptions.

Each has `code`, the exit code of the program (negative: the signal that ended it; None: the program was
not run), and `result`, what the run had found by then (None where there is no run).
"""

from __future__ import annotations

from typing import Any, Optional


class Error(Exception):
    """The program failed, or what is asked of it cannot be done. The text is the program's message."""

    def __init__(self, message: str, code: Optional[int] = None, result: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.result = result


class UsageError(Error):
    """A mistake of the call, or of a file that it names (exit code 2 of the program)."""


class NothingFound(Error):
    """The search ended well, and nothing that it measured was correct (exit code 1)."""


class Interrupted(Error, KeyboardInterrupt):
    """Ctrl-C came before anything correct was found. It is a KeyboardInterrupt as well."""


class ProgramMissing(Error):
    """The program `search` was not found."""


class Verdict(Exception):
    """What a decorated function raises to say what became of an implementation. See exhaust.program."""

    verdict = "crash"


class Wrong(Verdict):
    """The implementation ran, and its result is wrong."""

    verdict = "wrong"


class CompileError(Verdict):
    """The implementation does not compile."""

    verdict = "compile_error"


class Timeout(Verdict):
    """The implementation took too long, and was stopped."""

    verdict = "timeout"
