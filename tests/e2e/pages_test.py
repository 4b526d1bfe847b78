#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages as they are printed: files are written, commands run in their order, and what a page shows below a command is what the command prints.

A block below a line that ends with `NAME`: is a file. A block `sh` is run by a shell in a folder that has what of the tree commands name, and
`./exh`, a script that calls the programs of this build. A block `text` behind it is its output; … stands for anything within a line. Searches
are shortened to a few evaluations. What is not run stands in SKIPPED, with its reason. Pages that need more than that have tests of their own,
ELSEWHERE; a page with commands that is in neither is a mistake.

usage: pages_test.py SEARCH EXHC [unittest arguments]
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


# What a page takes for granted.
RUN = "./exh search --kernel axpy --size n=4096 --budget 20s --out runs/"
BEFORE = {"docs/log.md": [f"{RUN}mm", f"{RUN}other --seed 2"]}
GUIDE = ("search", "kernels", "fused", "functional", "lift")
REFERENCE = ("dsl", "log", "ir")
FIRST = ("first-kernel", "first-space", "first-program", "one-kernel")
ELSEWHERE = {"tutorial": "tests/e2e/docs_test.py", "own": "tests/e2e/own_test.py", "exchange": "tests/e2e/exchange_test.py",
             "fleet": "tests/e2e/tune_test.py", "application": "tests/e2e/install_test.py", "install": "tests/e2e/release/release_test.py"}
# Parts of commands that are not run here, and why.
SKIPPED = {
    "--device cuda": "there is no GPU",
    "./exh bench": "it builds in the tree itself; tests/exh_test.py runs it",
    "operators.jsonl": "a file of a reader's own",
    "runs/functional-…": "a run of a GPU",
}


def shortened(command):
    """The same with a budget that a test has time for."""
    searches = re.match(r"\./exh search (--(?!simulate)|fused search)", command)
    budget = f"--budget evals={3 if '--resume' in command else 2} --budget 20s" if searches else "--budget 2s"
    return re.sub(r"--budget \S+", budget, command)


def pattern(text):
    return re.escape(text.strip()).replace("…", ".*") + r"\s*"


class Pages(unittest.TestCase):
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
        folder, printed = self.folder(), None
        environment = {**os.environ, "XDG_CACHE_HOME": self.cache}
        for before, language, text in [("", "sh", "\n".join(BEFORE.get(page, []))), *docs_test.blocks(page)]:
            file = re.search(r"`([\w./]+)`:$", before)
            if file:
                (folder / file[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / file[1]).write_text(text, encoding="utf-8")
            elif language == "sh":
                printed = ""
                for command in text.splitlines():
                    why = next((why for part, why in SKIPPED.items() if part in command), None)
                    if why:
                        print(f"skipped: {page}: {command}: {why}")
                        continue
                    done = subprocess.run(shortened(command), shell=True, cwd=folder, env=environment, capture_output=True, text=True,
                                          timeout=300, check=False)
                    self.assertEqual(done.returncode, 0, f"{page}: {command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
                    printed += done.stdout or done.stderr
            elif language == "text":
                self.assertRegex(printed.strip() + "\n", rf"\A{pattern(text)}\Z", page)
        return folder

    def test_a_first_kernel(self):
        self.assertTrue((self.run_page("docs/first-kernel.md") / "distance.cc").is_file())

    def test_a_first_space(self):
        self.run_page("docs/first-space.md")

    def test_a_first_program(self):
        self.assertIn("EXH_TILE_ROWS=", (self.run_page("docs/first-program.md") / "runs/total/best.env").read_text())

    def test_one_kernel_all_the_way(self):
        self.run_page("docs/one-kernel.md")

    def test_the_guide(self):
        for page in GUIDE:
            with self.subTest(page):
                self.run_page(f"docs/{page}.md")

    def test_the_reference(self):
        for page in REFERENCE:
            with self.subTest(page):
                self.run_page(f"docs/{page}.md")

    def test_every_page_with_commands_has_a_test(self):
        pages = {path.stem for path in (ROOT / "docs").glob("*.md") if any(language == "sh" for _, language, _ in docs_test.blocks(path))}
        self.assertEqual(pages - {*FIRST, *GUIDE, *REFERENCE}, set(ELSEWHERE))
        for page, test in ELSEWHERE.items():
            self.assertIn(f"docs/{page}.md", (ROOT / test).read_text(encoding="utf-8"))

    def test_what_is_shown_of_the_space_is_the_space(self):
        shown = next(text for _, language, text in docs_test.blocks("docs/one-kernel.md") if language == "exh")
        self.assertIn(shown, (ROOT / "kernels/spaces/dims.exh").read_text(encoding="utf-8"))


if __name__ == "__main__":
    SEARCH, EXHC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
