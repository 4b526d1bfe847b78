#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/python.md: each block that is marked `py` is run as it is printed, one after the other, with shorter searches;
those that need a GPU or PyTorch are Python at least. What the pages say there is, there is.

usage: docs_test.py SEARCH [unittest arguments]
"""

import ast
import contextlib
import io
import re
import sys

import support

support.with_numpy()

import exhaust
from exhaust import errors

PAGE = support.ROOT / "docs/python.md"
SHORT = 'budget="evals=3"'


def blocks(page, language):
    """(line, text) of each fenced block of this language."""
    return [(text.count("\n", 0, match.start()) + 1, match[1]) for text in [page.read_text()]
            for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


class Documents(support.InFolder):
    def test_the_page_runs_as_printed(self):
        names = {}
        ran = 0
        for line, text in blocks(PAGE, "py"):
            if "import numpy" in text and not support.has_numpy():
                print(f"docs/python.md:{line}: skipped: NumPy is not there")
                continue
            text = re.sub(r'budget="\d+s"', SHORT, text)
            with self.subTest(line=line), contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * line + text, str(PAGE), "exec"), names)  # pylint: disable=exec-used
            ran += 1
        self.assertGreaterEqual(ran, 5)
        self.assertEqual(names["bench"](block=8, unroll=2, n=16).ms, 2)

    def test_other_blocks_are_python(self):
        for page in (PAGE, support.PACKAGE / "README.md"):
            for line, text in blocks(page, "python"):
                with self.subTest(page=page.name, line=line):
                    ast.parse(text)

    def test_names_of_the_page_are_there(self):
        text = PAGE.read_text() + (support.PACKAGE / "README.md").read_text()
        for name in set(re.findall(r"\bexhaust\.(\w+)", text)) - {"md"}:
            self.assertTrue(hasattr(exhaust, name) or name in ("whl",), name)
        result = exhaust.Result("nowhere")
        for name in set(re.findall(r"\br\.(\w+)", text)):
            self.assertTrue(hasattr(result, name), name)
        told = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
        for name in {each.__name__ for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.Error)}:
            self.assertIn(name, told)

    def test_every_public_name_says_what_it_is(self):
        for name in exhaust.__all__:
            if not name.startswith("__"):
                self.assertTrue(getattr(exhaust, name).__doc__, name)

    def test_it_is_python_3_9(self):
        for path in sorted((support.PACKAGE / "exhaust").glob("*.py")):
            text = path.read_text()
            ast.parse(text, feature_version=(3, 9))
            self.assertEqual(text.splitlines()[0], "# SPDX-License-Identifier: MIT", path)
            if sys.version_info >= (3, 10):
                # X | Y between types is no mistake of grammar: only in annotations, which are never run.
                self.assertTrue("from __future__ import annotations" in text or "|" not in re.sub(r'"[^"\n]*"', "", text), path)


if __name__ == "__main__":
    support.main()
