#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site of the documents, where Sphinx and what it is made with are installed: it is whole, it asks no other machine for anything,
and what is broken ends it with its place."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tree

SITE = tree.ROOT / "docs/site"
NEEDED = "import sphinx, myst_parser, furo"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SITE))
import contents  # noqa: E402

# What a browser would fetch for a page from elsewhere; a link is followed by the reader alone.
FETCHED = re.compile(r'<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]*)"')
LIST = "# Contents\n\n## Start\n\n* [Small](../README.md): all\n* [Contents](README.md)\n* [Page](page.md): one\n"
PAGE = "# A page\n\n## Two words\n\n[up](../README.md) [here](#two-words) [a file](file.exh) [a folder](folder)\n"


def python():
    """A Python that has all of it, or None; as `./exh docs` looks for one."""
    for program in ("python3", "/usr/bin/python3"):
        done = subprocess.run([program, "-c", NEEDED], capture_output=True, check=False)
        if done.returncode == 0:
            return program
    return None


def made(root, out):
    return subprocess.run([PYTHON, SITE / "make.py", root, out], capture_output=True, text=True, check=False, timeout=300)


class Site(unittest.TestCase):
    def small(self, folder, page):
        """A book of three pages, with its site in `out`."""
        root = pathlib.Path(folder)
        for name, text in (("README.md", "# Small\n\n[a page](docs/page.md#two-words)\n"), ("docs/README.md", LIST),
                           ("docs/page.md", page), ("docs/file.exh", "set A = 1 .. 2\n"), ("docs/folder/a.txt", "")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return made(root, root / "out"), root / "out"

    def test_a_book_that_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            done, out = self.small(folder, PAGE + "\n```exh\nset A = 1 .. 2  // Two.\n```\n")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            page = (out / "docs/page.html").read_text(encoding="utf-8")
            self.assertIn('href="../README.html"', page)
            self.assertIn('<span class="k">set</span>', page, "our languages have the colours of the editors")
            self.assertIn('<span class="c1">// Two.</span>'.replace("c1", "c"), page)
            self.assertEqual((out / "index.html").read_text(encoding="utf-8"), (out / "README.html").read_text(encoding="utf-8"))

    def test_what_is_broken_ends_it(self):
        broken = ("gone.md", "#nowhere", "../README.md#nowhere", "gone.exh")
        with tempfile.TemporaryDirectory() as folder:
            done, out = self.small(folder, PAGE + "".join(f"\n[x]({target})\n" for target in broken) + "\n![x](gone.svg)\n")
            self.assertEqual(done.returncode, 1, done.stderr)
            for number, target in enumerate((*broken, "gone.svg")):
                self.assertRegex(done.stderr, rf"docs/page\.md:{7 + 2 * number}: WARNING: .*{re.escape(target)}")
            self.assertFalse(out.exists(), "no site is better than a broken one")

    def test_the_book(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "site"
            done = made(tree.ROOT, out)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            first = (out / "index.html").read_text(encoding="utf-8")
            for part, pages in contents.parts(tree.ROOT):
                self.assertIn(f'<span class="caption-text">{part}</span>', first)
                for page in pages:
                    self.assertTrue((out / page.path).with_suffix(".html").is_file(), page)
            texts = {path: path.read_text(encoding="utf-8") for path in out.rglob("*.html")}
            self.assertGreater(len(texts), 200)
            for path, text in texts.items():
                self.assertEqual(FETCHED.findall(text), [], path)


if __name__ == "__main__":
    PYTHON = python()
    if PYTHON is None:
        print(f"skipped: no Python here can `{NEEDED}`; ./exh docs installs what is missing")
        sys.exit(tree.SKIPPED)
    unittest.main()
