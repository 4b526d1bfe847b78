# SPDX-License-Identifier: MIT
"""The program as a process that may take long: its output line by line, Ctrl-C, its end.

It is in a session of its own, so that Ctrl-C of a terminal reaches Python alone, which passes it on once:
the second signal would kill the search. So that a search does not outlive a Python that
is killed, a shell beside it waits for the end of a pipe that only this process holds, and interrupts it then.
"""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Callable, Deque, List, Mapping, Optional

KEPT_LINES = 5000
STEP_S = 0.05
WATCH = 'read -r none; kill -INT "$1" 2>/dev/null; exit 0'


class Process:
    """A started program. `on_line` gets each line of its standard output, in another thread."""

    def __init__(self, command: List[str], on_line: Optional[Callable[[str], None]] = None,
                 echo: bool = False, environment: Optional[Mapping[str, str]] = None) -> None:
        self.command = command
        self._on_line, self._echo = on_line, echo
        self._at_end: List[Callable[[], None]] = []
        self._output: Deque[str] = collections.deque(maxlen=KEPT_LINES)
        self._errors: Deque[str] = collections.deque(maxlen=KEPT_LINES)
        self._interrupts = 0
        self._ended = False
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, errors="replace",
                                         start_new_session=True, env={**os.environ, **(environment or {})})
        self._watch = subprocess.Popen(["/bin/sh", "-c", WATCH, "sh", str(self._process.pid)],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        self._threads = [threading.Thread(target=self._read, args=each, daemon=True)
                         for each in ((self._process.stdout, self._output, sys.stdout),
                                      (self._process.stderr, self._errors, sys.stderr))]
        for thread in self._threads:
            thread.start()

    def _read(self, stream, kept, shown) -> None:
        for line in stream:
            kept.append(line)
            if self._on_line is not None and stream is self._process.stdout:
                self._on_line(line)
            if self._echo:
                print(line, end="", file=shown, flush=True)
        stream.close()

    def at_end(self, action: Callable[[], None]) -> None:
        """Calls this when the end is noticed."""
        self._at_end.append(action)

    @property
    def pid(self) -> int:
        """Of the program."""
        return self._process.pid

    @property
    def output(self) -> str:
        """What it printed so far (the last 5000 lines)."""
        return "".join(list(self._output))

    @property
    def errors(self) -> str:
        """What it said on its standard error so far."""
        return "".join(list(self._errors))

    @property
    def interrupted(self) -> bool:
        """interrupt() was called."""
        return self._interrupts > 0

    def poll(self) -> Optional[int]:
        """The exit code; None while it runs. Its output is complete when there is one."""
        if not self._ended and self._process.poll() is not None:
            self._ended = True
            # Its children may hold the pipes a moment longer; nobody waits for them for long.
            for thread in self._threads:
                thread.join(timeout=5)
            self._watch.kill()
            self._watch.wait()
            if self._watch.stdin is not None:
                self._watch.stdin.close()
            for action in self._at_end:
                action()
        return self._process.returncode if self._ended else None

    def interrupt(self) -> None:
        """Ends it cleanly, as Ctrl-C does. A second call kills it."""
        self._interrupts += 1
        if self._interrupts > 1:
            self.kill()
        elif self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends it at once. What it logged stays; what it started ends with it."""
        if self._process.poll() is None:
            self._process.kill()

    def wait(self, timeout: Optional[float] = None, step: Optional[Callable[[], None]] = None) -> Optional[int]:
        """Waits for the end, at most `timeout` seconds, and returns the exit code or None. `step` is called
        again and again meanwhile. The first KeyboardInterrupt ends the program cleanly, and the second
        kills it; none of them comes out of here."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                if step is not None:
                    step()
                code = self.poll()
                if code is not None:
                    return code
                if until is not None and time.monotonic() >= until:
                    return None
                if step is None:
                    self._pause()
            except KeyboardInterrupt:
                self.interrupt()

    def _pause(self) -> None:
        try:
            self._process.wait(timeout=STEP_S)
        except subprocess.TimeoutExpired:
            pass


def new_folder(parent: str, name: str) -> str:
    """Makes a folder that was not there: `name`, or `name`-2, …"""
    os.makedirs(parent, exist_ok=True)
    number = 1
    while True:
        path = os.path.join(parent, name if number == 1 else f"{name}-{number}")
        try:
            os.mkdir(path)
            return path
        except FileExistsError:
            number += 1
