# SPDX-License-Identifier: MIT
"""What a program asks of the system it runs on, as readelf says it."""

import re
import subprocess

OLDEST = (2, 31)  # The glibc that a release must run with.


def _readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=True).stdout


def libraries(program):
    """The shared libraries that it is linked with: ["libc.so.6", …]."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", _readelf("-d", str(program)))


def versions(program):
    """{function: its version in glibc, (2, 34)}, of those that the program has from there."""
    found = re.findall(r" UND (\w+)@+GLIBC_(\d+(?:\.\d+)+)", _readelf("--dyn-syms", str(program)))
    # Data of glibc may be copied into the program: it is defined there, with the version of its origin.
    found += re.findall(r" OBJECT .* (\w+)@+GLIBC_(\d+(?:\.\d+)+)", _readelf("--dyn-syms", str(program)))
    return {name: tuple(map(int, version.split("."))) for name, version in found}


def newer(program, oldest=OLDEST):
    """Those that glibc `oldest` does not have, or not in this version."""
    return {name: version for name, version in versions(program).items() if version > oldest}
