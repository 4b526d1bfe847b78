#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/commands.md, run as it is printed, from top to bottom.

Each command is given to a shell in a folder that has what of the tree the commands name, and `./exh`, a script that calls the programs of
this build. Changed is only what would take long: `--budget` of a search is some evaluations, and
that of `why` and `size` some seconds. A GPU is the fake one of tests/kernels/cuda,
which knows axpy alone, so that a matmul on it becomes an axpy. What is not run at all stands in SKIPPED, with its reason.

usage: readme_test.py SEARCH EXHC FAKE_DRIVER FAKE_NVRTC
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import page_test  # noqa: E402

SEARCH, EXHC, DRIVER, NVRTC = "", "", "", ""
N = 512  # Of the fake GPU.
LACKING = page_test.lacking()
# Beginnings of commands that are not run here, and why.
SKIPPED = {
    "./exh install ": "it builds a release and writes into the home folder",
    "./exh bench": "it builds in the tree itself; tests/exh_test.py runs it",
    "./exh search view ": "it serves until somebody ends it; tests/e2e/view_test.py does",
    "./exh release": "it takes minutes and a network; ./exh release --test tries what it makes",
    "./exh docs": "tests/site_test.py makes the site where Sphinx is installed",
    **({"./exh report-assets": LACKING, "./exh search report ": LACKING} if LACKING else {}),
}
SHIM = """#!/bin/sh
command=$1
shift
case $command in
  search) exec "{search}" "$@" ;;
  exhc) exec "{exhc}" "$@" ;;
  install-kernel) exec "{search}" install-kernel "$@" ;;
  report-assets) exec "{root}/exh" report-assets ;;
  *) echo "unexpected command $command" >&2; exit 2 ;;
esac
"""


def commands():
    """(what for, command) of each row, in their order."""
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!---|you want)(.*?) \| (.*) \|$", text, re.MULTILINE)
    return [(what, command) for what, cell in rows for command in re.findall(r"`(\./exh [^`]*)`", cell)]


def shortened(command):
    """The same with a budget that a test has time for."""
    words = command.split()
    if words[1:3] in (["search", "why"], ["search", "size"]):
        return re.sub(r" --budget \S+", "", command) + " --budget 4s"
    searches = words[1] == "search" and (words[2].startswith("--") or words[2] == "tune") and "--simulate" not in words
    if not searches:
        return command
    budget = "evals=8" if "--resume" in words else "evals=4"
    if "--device" in words:
        command = command.replace("--kernel matmul", f"--kernel axpy --size n={N}")
    if "--budget" in words:
        return re.sub(r"--budget \S+", f"--budget {budget}", command)
    return f"{command} --budget {budget}"


class Commands(unittest.TestCase):
    def test_its_rows_are_one_story(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("tests", "kernels", "examples", "runtime"):
                (folder / part).symlink_to(ROOT / part)
            shim = folder / "exh"
            shim.write_text(SHIM.format(search=SEARCH, exhc=EXHC, root=ROOT))
            shim.chmod(0o755)
            libraries = folder / "lib"
            libraries.mkdir()
            (libraries / "libcuda.so.1").symlink_to(DRIVER)
            (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
            environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": str(N), "XDG_CACHE_HOME": str(folder / "cache")}
            run = []
            for what, command in commands():
                why = next((why for start, why in SKIPPED.items() if command.startswith(start)), None)
                if why:
                    print(f"skipped: {command}: {why}")
                    continue
                short = shortened(command)
                with self.subTest(what=what, command=short):
                    done = subprocess.run(short, shell=True, capture_output=True, text=True, timeout=300, check=False, cwd=folder,
                                          env=environment)
                    self.assertEqual(done.returncode, 0, f"{short}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
                run.append(command)
            self.assertGreater(len(run), 20, run)
            for file in ("runs/mm/best.cc", "matmul.cc", "tuned/tuned.h", "kernel.cu"):
                self.assertTrue((folder / file).is_file(), file)

    def test_what_is_skipped_stands_in_it(self):
        for start in SKIPPED:
            self.assertTrue(any(command.startswith(start) for _, command in commands()), start)


if __name__ == "__main__":
    SEARCH, EXHC, DRIVER, NVRTC = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))
    unittest.main()
