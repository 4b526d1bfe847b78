#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages that a newcomer begins with, as they are printed: files are written, commands run in their order, and what a page shows below a
command is what the command prints.

A block below a line that ends with `NAME`: is a file. A block `sh` is run by a shell in a folder that has what of the tree commands name, and
`./exh`, a script that calls the programs of this build. A block `text` behind it is its output; … stands for anything within a line. Searches
are shortened to a few evaluations.

usage: first_pages_test.py SEARCH EXHC [unittest arguments]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import docs_test
from readme_test import SHIM

ROOT = docs_test.ROOT
SEARCH, EXHC = "", ""


def shortened(command):
    return re.sub(r"--budget \d+s", "--budget evals=2", command)


def pattern(text):
    return re.escape(text.strip()).replace("…", ".*") + r"\s*"


class FirstPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # What a compiler and the processor were asked once serves all pages.
        cls.cache = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="exh-first-"))

    def folder(self):
        name = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="exh-first-")))
        for part in ("tests", "kernels", "examples"):
            (name / part).symlink_to(ROOT / part)
        shim = name / "exh"
        shim.write_text(SHIM.format(search=SEARCH, exhc=EXHC, root=ROOT))
        shim.chmod(0o755)
        return name

    def run_page(self, page):
        """The folder, after all of the page."""
        folder, printed, compared = self.folder(), None, 0
        environment = {**os.environ, "XDG_CACHE_HOME": self.cache}
        for before, language, text in docs_test.blocks(page):
            file = re.search(r"`([\w./]+)`:$", before)
            if file:
                (folder / file[1]).write_text(text, encoding="utf-8")
            elif language == "sh":
                printed = ""
                for command in text.splitlines():
                    done = subprocess.run(shortened(command), shell=True, cwd=folder, env=environment, capture_output=True, text=True,
                                          timeout=300, check=False)
                    self.assertEqual(done.returncode, 0, f"{page}: {command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
                    printed += done.stdout or done.stderr
            elif language == "text":
                self.assertRegex(printed.strip() + "\n", rf"\A{pattern(text)}\Z", page)
                compared += 1
        self.assertGreater(compared, 0, page)
        return folder

    def test_a_first_kernel(self):
        self.assertTrue((self.run_page("docs/first-kernel.md") / "distance.cc").is_file())

    def test_a_first_space(self):
        self.run_page("docs/first-space.md")

    def test_a_first_program(self):
        self.assertIn("EXH_TILE_ROWS=", (self.run_page("docs/first-program.md") / "runs/total/best.env").read_text())

    def test_one_kernel_all_the_way(self):
        self.run_page("docs/one-kernel.md")

    def test_what_is_shown_of_the_space_is_the_space(self):
        shown = next(text for _, language, text in docs_test.blocks("docs/one-kernel.md") if language == "exh")
        self.assertIn(shown, (ROOT / "kernels/spaces/dims.exh").read_text(encoding="utf-8"))


if __name__ == "__main__":
    SEARCH, EXHC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
