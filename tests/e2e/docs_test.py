#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents print for a reader to copy: the files of docs/tutorial.md and of the first example
of docs/dsl.md are taken from the pages, built as printed against what is installed, and run.

usage: docs_test.py CMAKE BUILD_FOLDER COMPILER COMPILER_FLAGS [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CMAKE, BUILD, COMPILER, FLAGS = "", "", "", ""
TIMEOUT = 600


def blocks(page):
    """(the line before, the language, the text) of each fenced block of a page."""
    found = []
    before, language, text = "", None, []
    for line in (ROOT / page).read_text().splitlines():
        if language is None and line.startswith("```"):
            language, text = line[3:], []
        elif language is not None and line == "```":
            found.append((before, language, "".join(each + "\n" for each in text)))
            before, language = "", None
        elif language is not None:
            text.append(line)
        elif line.strip():
            before = line
    return found


def files(page):
    """The blocks that are whole files, by the name that ends the line before: `main.cc`:"""
    named = {}
    for before, _, text in blocks(page):
        name = re.search(r"`([\w./]+)`:$", before)
        if name:
            named[name[1]] = text
    return named


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="exh-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.environment = dict(os.environ, HOME=str(cls.home), CXX=COMPILER, CXXFLAGS=FLAGS)
        cls.run_in(cls.home, [CMAKE, "--install", BUILD, "--prefix", str(cls.home / ".local")])

    @classmethod
    def run_in(cls, folder, command):
        done = subprocess.run(command, cwd=folder, env=cls.environment, timeout=TIMEOUT, text=True,
                              shell=isinstance(command, str), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command}\n{done.stdout[-4000:]}")
        return done.stdout

    def project(self, name, page):
        folder = self.home / name
        for file, text in files(page).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        return folder

    def test_the_tutorial_builds_and_prints_what_it_says(self):
        folder = self.project("queens", "docs/tutorial.md")
        self.assertEqual(sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")),
                         ["CMakeLists.txt", "main.cc", "queens.exh", "queens/board.h"])
        printed = [text for _, language, text in blocks("docs/tutorial.md") if language == "sh"]
        expected = [text for _, language, text in blocks("docs/tutorial.md") if language == "text"]
        self.assertEqual((len(printed), len(expected)), (1, 1))
        *build, run = printed[0].splitlines()
        for command in build:
            self.run_in(folder, command)
        self.assertEqual(self.run_in(folder, run), expected[0])
        checked = self.run_in(folder, f"'{self.home}/.local/bin/exhc' check queens.exh")
        self.assertEqual(checked, "")

    def test_the_first_example_of_the_language_builds(self):
        folder = self.project("shop", "docs/dsl.md")
        self.assertEqual(sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")),
                         ["CMakeLists.txt", "shop.exh", "shop/plan.h"])
        self.run_in(folder, "cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH=$HOME/.local")
        self.run_in(folder, "cmake --build build")


if __name__ == "__main__":
    CMAKE, BUILD, COMPILER, FLAGS = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
