#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python/build_wheel.py: what is in the wheel, that it is installed and searches, and that the package alone is, too.

usage: wheel_test.py SEARCH [unittest arguments]
"""

import base64
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

import support

import exhaust

BUILD = str(support.PACKAGE / "build_wheel.py")
USE = """
import exhaust
print(exhaust.__version__, exhaust.find_search())
r = exhaust.tune("axpy", n=4096, budget="evals=1")
print(r.best_us > 0, exhaust.kernels()[0].name)
"""


def has(module):
    return importlib.util.find_spec(module) is not None


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="exh-python-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.wheel = cls.build("one")

    @classmethod
    def build(cls, name, *options):
        done = subprocess.run([sys.executable, "-B", BUILD, "--search", os.environ["EXHAUST_SEARCH"], "--out", str(cls.folder / name),
                               *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return next((cls.folder / name).iterdir())

    def test_what_is_in_it(self):
        name, version, python, abi, tag = self.wheel.stem.split("-")
        self.assertEqual((name, version, python, abi), ("exhaust", exhaust.__version__, "py3", "none"))
        self.assertRegex(tag, r"^(manylinux_2_\d+|linux)_\w+$")
        info = f"exhaust-{version}.dist-info"
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            self.assertEqual(len(names), len(set(names)))
            sources = {f"exhaust/{path.name}" for path in (support.PACKAGE / "exhaust").glob("*.py")}
            self.assertLessEqual(sources | {"exhaust/py.typed", "exhaust/bin/search", f"{info}/METADATA", f"{info}/WHEEL",
                                            "exhaust/share/exhaust/devices/h200.json",
                                            "exhaust/share/exhaust/spaces/linalg.exh"}, set(names))
            self.assertTrue(any(each.startswith("exhaust/share/exhaust/replays/") for each in names))
            self.assertFalse(any("__pycache__" in each or each.startswith("/") for each in names))
            self.assertEqual(archive.getinfo("exhaust/bin/search").external_attr >> 16 & 0o777, 0o755)
            self.assertIn(f"Tag: py3-none-{tag}\n", archive.read(f"{info}/WHEEL").decode())
            metadata = archive.read(f"{info}/METADATA").decode()
            self.assertIn(f"\nName: exhaust\nVersion: {version}\n", metadata)
            self.assertNotIn("\nRequires-Dist: numpy\n", metadata)
            lines = archive.read(f"{info}/RECORD").decode().splitlines()
            self.assertEqual([line.split(",")[0] for line in lines], names)
            for line in lines[:-1]:
                path, digest, size = line.split(",")
                data = archive.read(path)
                self.assertEqual(int(size), len(data))
                wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual(digest, f"sha256={wanted}")
            self.assertEqual(lines[-1], f"{info}/RECORD,,")

    def test_one_tree_makes_one_wheel(self):
        self.assertEqual(self.build("two").read_bytes(), self.wheel.read_bytes())

    def test_another_version_is_refused(self):
        fake = self.folder / "search"
        fake.write_text("#!/bin/sh\necho search 9.9\n")
        fake.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", BUILD, "--search", str(fake)], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("search 9.9", done.stderr)

    def pip(self, *words):
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", *map(str, words)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def use(self, place, **environment):
        """Searches with what is installed in a folder. Returns where the program was."""
        inherited = {name: value for name, value in os.environ.items() if name != "EXHAUST_SEARCH"}
        home = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([sys.executable, "-B", "-c", USE], capture_output=True, text=True, check=False, cwd=home,
                              env=dict(inherited, PYTHONPATH=str(place), **environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = done.stdout.splitlines()
        self.assertEqual((first.split()[0], second), (exhaust.__version__, "True axpy"))
        return first.split()[1]

    def test_it_holds_the_program(self):
        # As an installer does it.
        place = self.folder / "unpacked"
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(place)
        (place / "exhaust/bin/search").chmod(0o755)
        self.assertEqual(self.use(place), str(place / "exhaust/bin/search"))

    @unittest.skipUnless(has("pip"), "pip is not there")
    def test_pip_installs_it(self):
        place = self.folder / "installed"
        self.pip("--target", place, self.wheel)
        self.assertEqual(self.use(place), str(place / "exhaust/bin/search"))

    @unittest.skipUnless(has("pip"), "pip is not there")
    def test_pip_installs_the_package_alone(self):
        """Without network: nothing is needed to build it."""
        place = self.folder / "alone"
        self.pip("--target", place, support.PACKAGE)
        self.assertTrue((place / "exhaust/py.typed").exists())
        self.assertFalse((place / "exhaust/bin").exists())
        self.assertEqual(self.use(place, EXHAUST_SEARCH=exhaust.find_search()), exhaust.find_search())
        place = self.folder / "with"
        self.pip("--config-settings", f"search={os.environ['EXHAUST_SEARCH']}", "--target", place, support.PACKAGE)
        self.assertEqual(self.use(place), str(place / "exhaust/bin/search"))

    def test_what_else_pip_may_ask(self):
        sys.path.insert(0, str(support.PACKAGE))
        import build_wheel
        sys.path.pop(0)
        with zipfile.ZipFile(self.folder / build_wheel.build_editable(str(self.folder))) as archive:
            self.assertEqual(archive.read("exhaust.pth").decode().strip(), str(support.PACKAGE))
        with tarfile.open(self.folder / build_wheel.build_sdist(str(self.folder))) as archive:
            self.assertIn(f"exhaust-{exhaust.__version__}/exhaust/bridge.py", archive.getnames())


if __name__ == "__main__":
    support.main()
