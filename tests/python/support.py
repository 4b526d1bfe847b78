# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: the program that they are given, the package of this tree, and an
interpreter that has NumPy where the one of CMake has none."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "python"
SYSTEM_PYTHON = "/usr/bin/python3"

sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True


def has_numpy():
    return importlib.util.find_spec("numpy") is not None


def with_numpy():
    """Goes on as the system's interpreter where this one has no NumPy and that one has."""
    if has_numpy() or not os.access(SYSTEM_PYTHON, os.X_OK) or os.path.realpath(sys.executable) == os.path.realpath(SYSTEM_PYTHON):
        return
    if subprocess.run([SYSTEM_PYTHON, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])


class InFolder(unittest.TestCase):
    """Each test has an empty folder as its current one."""

    def setUp(self):
        home = os.getcwd()
        folder = tempfile.TemporaryDirectory(prefix="exh-python-")
        self.addCleanup(folder.cleanup)
        os.chdir(folder.name)
        self.addCleanup(os.chdir, home)
        self.folder = pathlib.Path(folder.name)


def main():
    """usage: x_test.py SEARCH [unittest arguments]. What a test prints is seen when it fails, and with -v."""
    os.environ["EXHAUST_SEARCH"] = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], buffer="-v" not in sys.argv)
