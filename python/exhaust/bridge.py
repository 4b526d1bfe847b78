# SPDX-License-Identifier: MIT
"""Carries lines between a search and the Python that serves it: python -m exhaust.bridge [SOCKET].

A search that is told `--serve COMMAND` starts the command, and talks with it over its standard input and
output. This is that command: it hands each line to a Unix socket ($EXHAUST_SOCKET), and each line of that back. So the function
runs where it was defined, and what it prints is no part of the conversation. It ends when either side does.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

CHUNK = 65536


def _copy_in(link: socket.socket) -> None:
    while True:
        data = os.read(0, CHUNK)
        if not data:
            break
        link.sendall(data)
    link.shutdown(socket.SHUT_WR)


def _copy_out(link: socket.socket) -> None:
    while True:
        data = link.recv(CHUNK)
        if not data:
            return
        while data:
            data = data[os.write(1, data):]


def relay(path: str) -> int:
    """Copies until the socket is closed. Returns the exit code."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(path)
    except OSError as error:
        print(f"exhaust.bridge: nobody listens at {path}: {error.strerror}", file=sys.stderr)
        return 1

    def copy_in() -> None:
        try:
            _copy_in(link)
        except OSError:
            pass  # The other side is gone, and the main thread sees that.

    threading.Thread(target=copy_in, daemon=True).start()
    try:
        _copy_out(link)
    except (OSError, KeyboardInterrupt):
        pass
    return 0


def main() -> int:
    """The command line."""
    if len(sys.argv) > 2:
        print("usage: python -m exhaust.bridge [SOCKET]", file=sys.stderr)
        return 2
    path = sys.argv[1] if len(sys.argv) == 2 else os.environ.get("EXHAUST_SOCKET")
    if not path:
        print("exhaust.bridge: the function of this run is in a Python that no longer runs: its tune(resume=RUN) goes on "
              "with it", file=sys.stderr)
        return 1
    code = relay(path)
    # Without waiting for the thread that reads: its read ends when the search closes its side.
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
