#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `exhc check --diagnostics=json` says of the wrong files of the tree is valid by
docs/diagnostics.schema.json, and the schema and its validator can tell.

usage: diagnostics_schema_test.py EXHC [unittest arguments]
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import json_schema
import tree

SCHEMA = json.loads((tree.ROOT / "docs/diagnostics.schema.json").read_text())
EXHC = ""


def diagnostics_of(path, failed=1):
    """What exhc says of a file; `failed`: its exit code where there are errors."""
    done = subprocess.run([EXHC, "check", "--root", tree.ROOT, "--diagnostics=json", path],
                          capture_output=True, text=True, timeout=60, cwd=tree.ROOT)
    diagnostics = json.loads(done.stderr)
    errors = [each for each in diagnostics if each["severity"] == "error"]
    if done.returncode != (failed if errors else 0):
        raise AssertionError(f"{path}: exit code {done.returncode} with {len(errors)} errors")
    return diagnostics


def problems(diagnostics):
    return json_schema.problems(diagnostics, SCHEMA)


class Output(unittest.TestCase):
    def test_every_wrong_file_of_the_tree(self):
        seen = set()
        files = [path for folder in ("invalid", "render", "valid")
                 for path in sorted((tree.ROOT / "tests/dsl" / folder).rglob("*.exh"))]
        self.assertGreater(len(files), 15)
        for path in files:
            with self.subTest(path=path.name):
                diagnostics = diagnostics_of(path)
                self.assertEqual(problems(diagnostics), [])
                for each in diagnostics:
                    seen.add(each["severity"])
                    seen.update(name for name in ("notes", "included_from") if each.get(name))
                    begin, end = (each["line"], each["column"]), (each["end_line"], each["end_column"])
                    self.assertLessEqual(begin, end)
        self.assertEqual(seen, {"error", "warning", "notes", "included_from"})

    def test_what_is_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bytes.exh"
            path.write_bytes(b'include "\xff"\n\x00 set \xe4\n')
            diagnostics = diagnostics_of(path)
            self.assertTrue(diagnostics)
            self.assertEqual(problems(diagnostics), [])
            missing = diagnostics_of(pathlib.Path(folder) / "missing.exh", failed=2)
            self.assertTrue(missing)
            self.assertEqual(problems(missing), [])

    def test_more_than_are_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "many.exh"
            path.write_text("".join(f"require r{i}: forall $x in Unknown{i}: \"$x.fits()\"\n" for i in range(300)))
            diagnostics = diagnostics_of(path)
            self.assertGreaterEqual(len(diagnostics), 100)
            self.assertEqual(problems(diagnostics), [])


PLACE = {"file": "a.exh", "line": 1, "column": 2, "end_line": 1, "end_column": 3}
RIGHT = [
    {"severity": "error", "code": "E0301", **PLACE, "message": "m", "notes": []},
    {"severity": "warning", "code": "W0301", **PLACE, "message": "m",
     "notes": [{**PLACE, "message": "here"}], "included_from": [PLACE]},
]


class Schema(unittest.TestCase):
    """Each thing that the schema asks for is missed when it is not there."""

    def expect_wrong(self, change):
        wrong = copy.deepcopy(RIGHT)
        change(wrong)
        self.assertNotEqual(problems(wrong), [], wrong)

    def test_what_is_right(self):
        self.assertEqual(problems(RIGHT), [])
        self.assertEqual(problems([]), [])

    def test_every_member_is_needed(self):
        for name in RIGHT[0]:
            self.expect_wrong(lambda wrong, name=name: wrong[0].pop(name))
        for name in RIGHT[1]["notes"][0]:
            self.expect_wrong(lambda wrong, name=name: wrong[1]["notes"][0].pop(name))
        for name in PLACE:
            self.expect_wrong(lambda wrong, name=name: wrong[1]["included_from"][0].pop(name))

    def test_every_member_has_its_type(self):
        for name, value in RIGHT[1].items():
            other = 1 if isinstance(value, (str, list)) else "1"
            self.expect_wrong(lambda wrong, name=name, other=other: wrong[1].update({name: other}))

    def test_values(self):
        for name, value in (("severity", "note"), ("code", "E301"), ("code", "X0301"),
                            ("code", "W0301"), ("line", 0), ("column", True), ("file", ""),
                            ("extra", 1), ("included_from", [])):
            self.expect_wrong(lambda wrong, name=name, value=value: wrong[0].update({name: value}))
        self.expect_wrong(lambda wrong: wrong.append("text"))
        self.assertNotEqual(problems({}), [])

    def test_an_unknown_keyword_of_a_schema_is_not_ignored(self):
        with self.assertRaises(ValueError):
            json_schema.problems(1, {"maximum": 2})


if __name__ == "__main__":
    EXHC = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
