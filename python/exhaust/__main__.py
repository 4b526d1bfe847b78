# SPDX-License-Identifier: MIT
"""python -m exhaust COMMAND."""

from __future__ import annotations

import argparse
import os
import sys

from . import _doctor, _find
from ._version import __version__
from .errors import Error


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m exhaust", description="Exhaust from Python; docs/python.md")
    parser.add_argument("--version", action="version", version=f"exhaust {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    doctor = commands.add_parser("doctor", help="which program, devices, compilers and packages there are")
    doctor.add_argument("--search", help="the program, instead of the one that is found")
    commands.add_parser("which", help="prints where the program is")
    commands.add_parser("search", help="runs the program: python -m exhaust search --kernel matmul", add_help=False)
    if sys.argv[1:2] == ["search"]:
        program = _find.find_search()
        os.execv(program, [program, *sys.argv[2:]])
    arguments = parser.parse_args()
    if arguments.command == "doctor":
        return _doctor.main(arguments.search)
    print(_find.find_search())
    return 0


def command() -> None:
    """main() as a program: mistakes are lines on the standard error."""
    try:
        sys.exit(main())
    except Error as error:
        print(f"exhaust: {error}", file=sys.stderr)
        sys.exit(error.code or 1)


if __name__ == "__main__":
    command()
