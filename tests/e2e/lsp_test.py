#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exhc lsp as an editor meets it: a scripted client over a real process.

usage: lsp_test.py EXHC [unittest arguments]
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lsp"))
from client import Document, Editor, RpcError, edited, position, uri_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXHC = ""

SPACE = """\
extern constant n = 8
/// The rows of a board.
set Rows = 1 .. n

/// Where the queen of this row stands.
choice integer column($row in Rows): 1 .. n end

/// How a row is painted.
choice enum paint($row in Rows):
  /// Like snow.
  value WHITE:
  value BLACK:
  value GREY:
  alias DULL = WHITE | GREY:
end

/// No two queens share a column.
require columns_differ: forall $a < $b in Rows: column($a) != column($b)
let is_dark($row in Rows) = paint($row) is BLACK
require dark: forall $a < $b in Rows: is_dark($a) || paint($b) is DULL
"""
KERNEL = """\
/// One layer of a network.
kernel dense
  size rows = 256, outs = 128, ins = 64 in 1..65536
  input x: f32[rows, ins]
  input w: f32[ins, outs]
  output y: f32[rows, outs]
  y[i, j] = sum(k) x[i, k] * w[k, j]
end
"""
PROGRAM = """\
size n = 64
param s
def double(x) = x * 2.0
input values: [float]n
kernel out = mapGlb(0, chunk -> mapSeq(x -> double(x), chunk), split(s, values))
"""


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exh lsp "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.editor = Editor(EXHC)
        self.addCleanup(self.editor.__exit__)

    def open(self, name, text, **more):
        language = {"exh": "exh", "kernel": "exhaust-kernel", "fun": "exhaust-fun"}[name.split(".")[-1]]
        return Document(self.editor, self.folder / name, text, language, **more)


class Spaces(WithFolder):
    def test_diagnostics_as_one_types(self):
        space = self.open("a.exh", SPACE)
        self.assertEqual(space.diagnostics(), [])
        space.replace("paint($b) is DULL", "paint($b) is WIHTE")
        wrong, = space.diagnostics()
        self.assertEqual((wrong["code"], wrong["severity"], wrong["source"]), ("E0304", 1, "exhaust"))
        self.assertEqual(wrong["message"], "'paint' has no value 'WIHTE'; did you mean 'WHITE'?")
        self.assertEqual(wrong["range"], {"start": position(space.text, "WIHTE"),
                                          "end": position(space.text, "WIHTE", behind=True)})
        note, = wrong["relatedInformation"]
        self.assertEqual(note["message"], "'paint' is declared here")
        self.assertEqual(note["location"]["uri"], space.uri)
        space.replace("WIHTE", "WHITE")
        self.assertEqual([d["severity"] for d in space.diagnostics()], [2], "an alias that nobody uses")
        space.change(space.text + "require x: forall $a in Rows: column($a) <\nset\n")
        self.assertEqual([d["code"] for d in space.diagnostics()], ["E0202", "E0202"],
                         "one mistake does not hide the next")

    def test_hover_says_domain_documentation_and_how_many_decisions(self):
        space = self.open("a.exh", SPACE)
        self.assertEqual(space.hover("column($a)"),
                         "```exh\nchoice integer column($row in Rows):\n  1 .. n\nend\n```\n\n"
                         "Where the queen of this row stands.\n\n8 decisions of 8 values each")
        self.assertEqual(space.hover("paint($b)"),
                         "```exh\nchoice enum paint($row in Rows)\n```\n\nHow a row is painted.\n\n"
                         "8 decisions of 3 values each\n* `WHITE`: Like snow.\n* `BLACK`\n* `GREY`")
        self.assertIn("No two queens share a column.", space.hover("columns_differ"))
        self.assertIn("value WHITE of paint", space.hover("WHITE", 1))
        self.assertIn("The rows of a board.", space.hover("Rows", 2))
        self.assertIn("$a in Rows", space.hover("$a", 1))
        self.assertIn("let is_dark($row in Rows) = paint($row) is BLACK", space.hover("is_dark($a)"))
        self.assertIsNone(space.hover("forall"))
        # With a mistake elsewhere it is known all the same, but for what all of the space says.
        space.change(SPACE + "require forall\n")
        self.assertIn("Where the queen of this row stands.", space.hover("column($a)"))

    def test_definition_references_and_highlights(self):
        space = self.open("a.exh", SPACE)
        self.assertEqual(space.definition("column($b)"), ("a.exh", 5, "column"))
        self.assertEqual(space.definition("WHITE |"), ("a.exh", 10, "WHITE"))
        self.assertEqual(space.definition("$b)", 1), ("a.exh", 19, "$b"))
        self.assertEqual(space.definition("n end"), ("a.exh", 0, "n"))
        self.assertIsNone(space.definition("forall"))
        places = space.ask("references", "column($b)", context={"includeDeclaration": True})
        self.assertEqual([p["range"]["start"]["line"] for p in places], [5, 17, 17])
        places = space.ask("references", "column($b)", context={"includeDeclaration": False})
        self.assertEqual(len(places), 2)
        self.assertEqual([h["kind"] for h in space.ask("documentHighlight", "is_dark")], [3, 2])

    def test_outline(self):
        space = self.open("a.exh", SPACE)
        outline = space.ask("documentSymbol")
        self.assertEqual([s["name"] for s in outline],
                         ["n", "Rows", "column", "paint", "columns_differ", "is_dark", "dark"])
        paint = outline[3]
        self.assertEqual([s["name"] for s in paint["children"]], ["WHITE", "BLACK", "GREY", "DULL"])
        self.assertEqual(paint["range"]["start"], position(SPACE, "/// How a row"))
        self.assertEqual(paint["selectionRange"]["start"], position(SPACE, "paint("))

    def test_rename(self):
        space = self.open("a.exh", SPACE)
        found = space.ask("prepareRename", "paint($b)")
        self.assertEqual(found["placeholder"], "paint")
        self.assertIsNone(space.ask("prepareRename", "forall"))

        def renamed(needle, name, nth=0):
            return edited(SPACE, space.ask("rename", needle, nth, newName=name)["changes"][space.uri])

        self.assertEqual(renamed("paint($b)", "colour"), SPACE.replace("paint(", "colour("))
        self.assertEqual(renamed("Rows", "Lines"), SPACE.replace("Rows", "Lines"))
        self.assertEqual(renamed("BLACK", "DARK"), SPACE.replace("BLACK", "DARK"))
        self.assertEqual(renamed("columns_differ", "apart"), SPACE.replace("columns_differ", "apart"))
        # A variable is that of its statement. The `$` may be left out.
        head, tail = SPACE.split("require dark")
        self.assertEqual(renamed("is_dark($a)", "is_black"), SPACE.replace("is_dark", "is_black"))
        self.assertEqual(renamed("$b", "c", nth=2), head + "require dark" + tail.replace("$b", "$c"))
        for needle, name, code, words in (
                ("paint($b)", "Paint", -32602, "starts with a lower-case letter"),
                ("paint($b)", "set", -32602, "reserved word"),
                ("paint($b)", "column", -32803, "'column' is declared twice"),
                ("$b", "$a", -32803, r"'\$a' is declared twice"),
                ("WHITE", "BLACK", -32803, "is declared twice"),
                ("Rows", "ROWS", -32602, "holds a lower-case one"),
                ("forall", "x", -32803, "there is no name here")):
            with self.subTest(needle=needle, name=name):
                with self.assertRaisesRegex(RpcError, words) as error:
                    space.ask("rename", needle, newName=name)
                self.assertEqual(error.exception.code, code)

    def test_the_values_of_a_flag_stand_nowhere(self):
        text = ("set Things = 1 .. 3\nchoice enum order($a in Things, $b in Things):\n  antisymmetric:\n"
                "    BEFORE -> AFTER\n  value BEFORE:\n  value AFTER:\n  value MERGED:\nend\n"
                "quotient Firsts of $thing in Things:\n  is_first = true / order is MERGED\nend\n"
                "require one: forall $thing in Things: is_first($thing) is TRUE || is_first($thing) is FALSE\n")
        space = self.open("a.exh", text)
        self.assertEqual([d for d in space.diagnostics() if d["severity"] == 1], [])
        self.assertEqual(edited(text, space.ask("rename", "is_first($thing)", newName="leads")["changes"][space.uri]),
                         text.replace("is_first", "leads"))
        self.assertIn("value TRUE of is_first", space.hover("TRUE"))
        self.assertEqual(space.definition("FALSE"), ("a.exh", 9, ""))
        self.assertIsNone(space.ask("prepareRename", "TRUE"))
        with self.assertRaisesRegex(RpcError, "always called FALSE and TRUE"):
            space.ask("rename", "TRUE", newName="YES")
        self.assertNotIn('"name": "TRUE"', json.dumps(space.ask("documentSymbol")))
        begun = "require forall $thing in Things: is_first($thing) is "
        space.change(text + begun)
        self.assertEqual(set(space.offered(begun)) & {"TRUE", "FALSE", "BEFORE"}, {"TRUE", "FALSE"})

    def test_completion_asks_the_parser(self):
        space = self.open("a.exh", SPACE)

        def offered(text):
            space.change(SPACE + text)
            return set(space.offered(text))

        self.assertLessEqual({"set", "require", "choice", "let"}, offered("\n"))
        self.assertEqual(offered("choice "), {"enum", "integer", "counter", "half", "internal"})
        self.assertLessEqual({"Rows"}, offered("require x: forall $c in "))
        self.assertNotIn("column", offered("require x: forall $c in "))
        offer = offered("require x: forall $c in Rows: col")
        self.assertLessEqual({"column", "paint", "is_dark", "not", "forall"}, offer)
        self.assertNotIn("WHITE", offer)
        self.assertEqual(offered("require x: forall $c in Rows: paint("), {"$c"})
        self.assertEqual(offered("require x: forall $c in Rows: paint($"), {"$c"})
        self.assertEqual(offered("require x: forall $c in Rows: paint($c) is "), {"WHITE", "BLACK", "GREY", "DULL", "not"})
        self.assertEqual(offered("require x: forall $c in Rows: paint($c) is not WHITE | B"),
                         {"WHITE", "BLACK", "GREY", "DULL"})
        self.assertEqual(offered("require x: forall $c in Rows: \"f($"), {"$c"}, "within code")
        self.assertEqual(offered("// a comment "), set())
        self.assertEqual(offered("set "), set(), "a new name")
        self.assertLessEqual({"iterator", "item_type", "end"}, offered("set Cells subsetof Rows:\n  "))
        self.assertLessEqual({"predicate", "constant", "set"}, offered("extern "))

    def test_formatting_is_that_of_exhc_fmt(self):
        loose = SPACE.replace("forall $a < $b in Rows: col", "forall   $a<$b in Rows:col", 1)
        space = self.open("a.exh", loose)
        self.assertEqual(edited(loose, space.ask("formatting", options={})), SPACE)
        space.change(SPACE)
        self.assertEqual(space.ask("formatting", options={}), [])
        space.change(SPACE + "set\n")
        with self.assertRaisesRegex(RpcError, "not formatted: line 21: ") as error:
            space.ask("formatting", options={})
        self.assertEqual(error.exception.code, -32803)

    def test_colours(self):
        space = self.open("a.exh", SPACE)
        words = space.colours()
        for each in (("extern", "keyword"), ("n", "variable"), ("Rows", "type"), ("column", "property"),
                     ("$row", "parameter"), ("WHITE", "enumMember"), ("is_dark", "function"),
                     ("columns_differ", "event"), ("is", "keyword")):
            self.assertIn(each, words)
        # A word is one where it means something, and a name elsewhere.
        space.change("set Things = 0 .. 3\nchoice integer once($a in Things): 1 | 2 end\n"
                     "require forall $a in Things: once($a) is 1\n")
        self.assertEqual([kind for word, kind in space.colours() if word == "once"], ["property"] * 2)


class Includes(WithFolder):
    MAIN = 'include "sets.exh"\ninclude "rules.exh"\n'
    SETS = "set Rows = 1 .. 4\nchoice integer column($row in Rows): 1 .. 4 end\n"
    RULES = "require apart: forall $a < $b in Rows: column($a) != column($b)\n"

    def setUp(self):
        super().setUp()
        for name, text in (("main.exh", self.MAIN), ("sets.exh", self.SETS), ("rules.exh", self.RULES)):
            (self.folder / name).write_text(text)

    def test_a_part_is_read_as_a_part_of_its_space(self):
        rules = self.open("rules.exh", self.RULES)
        self.assertEqual(rules.diagnostics(), [])
        self.assertEqual(rules.definition("column"), ("sets.exh", 1, "column"))
        self.assertIn("4 decisions of 4 values each", rules.hover("column"))
        main = self.open("main.exh", self.MAIN)
        self.assertEqual(main.definition("sets.exh")[0], "sets.exh")
        self.assertEqual(main.diagnostics(), [])

    def test_what_is_open_counts(self):
        rules, sets = self.open("rules.exh", self.RULES), self.open("sets.exh", self.SETS)
        self.assertEqual(rules.diagnostics(), [])
        sets.change(self.SETS.replace("column", "place"))
        self.assertRegex(rules.diagnostics()[0]["message"], "unknown choice 'column'")
        # What was never saved is forgotten when it is closed.
        self.editor.tell("textDocument/didClose", {"textDocument": {"uri": sets.uri}})
        self.assertEqual(rules.diagnostics(), [])

    def test_a_mistake_in_a_file_that_is_not_open(self):
        (self.folder / "sets.exh").write_text(self.SETS + "set\n")
        main = self.open("main.exh", self.MAIN)
        wrong = main.diagnostics()[0]
        self.assertRegex(wrong["message"], r"^in '.*sets.exh', line 3: expected ")
        self.assertEqual(wrong["range"]["start"]["line"], 0)
        sets = self.open("sets.exh", self.SETS + "set\n")
        self.assertEqual([d["code"] for d in sets.diagnostics()], ["E0202"])
        self.assertEqual([d for d in main.diagnostics() if "sets.exh" in d["message"]], [], "it is told there")

    def test_a_rename_goes_through_all_files_of_all_spaces(self):
        (self.folder / "other.exh").write_text(
            'include "sets.exh"\nrequire forall $a in Rows: column($a) != 2\n')
        sets = self.open("sets.exh", self.SETS)
        changes = sets.ask("rename", "column", newName="place")["changes"]
        self.assertEqual(sorted(os.path.basename(uri) for uri in changes), ["other.exh", "rules.exh", "sets.exh"])
        self.assertEqual(edited(self.RULES, changes[uri_of(self.folder / "rules.exh")]),
                         self.RULES.replace("column", "place"))
        # A name that one of the spaces has already.
        (self.folder / "other.exh").write_text('include "sets.exh"\nset Lines = 1 .. 2\n')
        self.editor.tell("workspace/didChangeWatchedFiles",
                         {"changes": [{"uri": uri_of(self.folder / "other.exh"), "type": 2}]})
        with self.assertRaisesRegex(RpcError, "'Lines' is declared twice"):
            sets.ask("rename", "Rows", newName="Lines")

    def test_the_space_of_the_tree(self):
        path = ROOT / "kernels/spaces/order.exh"
        order = Document(self.editor, path, path.read_text(), on_disk=False)
        self.assertEqual([d for d in order.diagnostics() if d["severity"] == 1], [])


class Kernels(WithFolder):
    def test_diagnostics_hover_and_names(self):
        kernel = self.open("dense.kernel", KERNEL)
        self.assertEqual(kernel.diagnostics(), [])
        self.assertIn("index k: 0 .. 63", kernel.hover("k)"))
        self.assertIn("256 x 64 elements of f32", kernel.hover("x[i"))
        self.assertIn("256 where nothing else is said", kernel.hover("rows"))
        self.assertIn("1 to 65536", kernel.hover("ins ="))
        self.assertEqual(kernel.definition("w[k"), ("dense.kernel", 4, "w"))
        self.assertEqual(kernel.definition("rows, outs]"), ("dense.kernel", 2, "rows"))
        self.assertEqual([s["name"] for s in kernel.ask("documentSymbol")],
                         ["dense", "rows", "outs", "ins", "x", "w", "y"])
        kernel.replace("w[k, j]", "w[k, p]")
        wrong = kernel.diagnostics()[0]
        self.assertEqual((wrong["code"], wrong["range"]["start"]), ("E1114", position(kernel.text, "p]")))

    def test_a_statement_with_a_mistake_hides_none_of_others(self):
        kernel = self.open("two.kernel", "kernel two\n  size n = 8\n  input a: f32[n]\n  output b: f32[n]\n"
                           "  output c: f32[n]\n  output d: f32[n]\n  t[i] = a[q]\n  b[i] = t[i]\n  c[i] = a[i] * e\n"
                           "  d[i] = foo(a[i])\nend\n")
        self.assertEqual([(d["range"]["start"]["line"], d["code"]) for d in kernel.diagnostics()],
                         [(6, "E1114"), (8, "E1101"), (9, "E1104")], "what reads t says nothing of it")

    def test_rename_completion_formatting_colours(self):
        kernel = self.open("dense.kernel", KERNEL)
        edits = kernel.ask("rename", "k)", newName="q")["changes"][kernel.uri]
        self.assertEqual(edited(KERNEL, edits), KERNEL.replace("sum(k) x[i, k] * w[k, j]", "sum(q) x[i, q] * w[q, j]"))
        edits = kernel.ask("rename", "x:", newName="input_of")["changes"][kernel.uri]
        self.assertEqual(edited(KERNEL, edits), KERNEL.replace("input x", "input input_of").replace("x[i", "input_of[i"))
        for name, code in (("w", -32803), ("input", -32602), ("2x", -32602)):
            with self.assertRaises(RpcError) as error:
                kernel.ask("rename", "x:", newName=name)
            self.assertEqual(error.exception.code, code, name)
        self.assertLessEqual({"x", "w", "sum", "exp", "i"}, set(kernel.offered("* ")))
        self.assertLessEqual({"size", "input", "output", "tile"}, set(kernel.offered("dense\n  ")))
        self.assertNotIn("x", kernel.offered("input "), "a new name")
        loose = KERNEL.replace("sum(k) x", "sum( k )x")
        kernel.change(loose)
        self.assertEqual(edited(loose, kernel.ask("formatting", options={})), KERNEL)
        kernel.change(KERNEL)
        words = kernel.colours()
        for each in (("kernel", "keyword"), ("dense", "namespace"), ("rows", "variable"), ("i", "parameter")):
            self.assertIn(each, words)


class Programs(WithFolder):
    def test_all_of_it(self):
        program = self.open("p.fun", PROGRAM)
        self.assertEqual(program.diagnostics(), [])
        self.assertIn("7 values, found: 1, 2, 4, 8, 16, 32, 64", program.hover("s\n"))
        self.assertIn("`[[float]s](64 / s)`", program.hover("out ="))
        self.assertEqual(program.definition("double(x),"), ("p.fun", 2, "double"))
        self.assertEqual(program.definition("chunk)"), ("p.fun", 4, "chunk"))
        # The x of the function, not that of the one beside it.
        self.assertEqual(program.definition("x * 2"), ("p.fun", 2, "x"))
        self.assertEqual([s["name"] for s in program.ask("documentSymbol")], ["n", "s", "double", "values", "out"])
        edits = program.ask("rename", "x -> ", newName="each")["changes"][program.uri]
        self.assertEqual(edited(PROGRAM, edits), PROGRAM.replace("x -> double(x)", "each -> double(each)"))
        for name in ("map", "let", "1x"):
            with self.assertRaises(RpcError):
                program.ask("rename", "double", newName=name)
        self.assertLessEqual({"double", "values", "mapSeq", "split"}, set(program.offered("chunk -> ")))
        self.assertIsNone(program.ask("formatting", options={}), "there is no formatter")
        self.assertIn(("def", "keyword"), program.colours())
        program.replace("split(s, values)", "split(s, vaules)")
        self.assertEqual([d["code"] for d in program.diagnostics()], ["E1311"])


class Utf16(WithFolder):
    """An editor counts units of UTF-16, a file has bytes of UTF-8."""

    def test_positions_behind_other_letters(self):
        text = SPACE.replace("a board", "a 😀 bäñ").replace("require dark", "/* 😀é */ require dark")
        space = self.open("a.exh", text)
        self.assertEqual(space.diagnostics(), [])
        self.assertEqual(space.definition("is_dark($a)"), ("a.exh", 18, "is_dark"))
        edits = space.ask("rename", "is_dark($a)", newName="is_black")["changes"][space.uri]
        self.assertEqual(edited(text, edits), text.replace("is_dark", "is_black"))
        self.assertIn("bäñ", space.hover("Rows"))
        space.replace("😀é */", "é😀😀 */ ")
        space.replace("is DULL", "is DLUL")
        wrong, = [d for d in space.diagnostics() if d["severity"] == 1]
        self.assertEqual(wrong["range"]["start"], position(space.text, "DLUL"))
        # The second unit of a character is its beginning.
        place = position(space.text, "😀")
        place["character"] += 1
        self.assertIsNone(self.editor.ask("textDocument/hover", {
            "textDocument": {"uri": space.uri}, "position": place}))

    def test_a_character_at_a_time(self):
        space = self.open("a.exh", "")
        shown = ""
        for character in "// 😀é\r\nset Ä\nset Rows = 1 .. 2\r\n":
            line = shown.count("\n")
            column = len(shown[shown.rfind("\n") + 1:].encode("utf-16-le")) // 2
            here = {"line": line, "character": column}
            space.version += 1
            self.editor.tell("textDocument/didChange", {
                "textDocument": {"uri": space.uri, "version": space.version},
                "contentChanges": [{"range": {"start": here, "end": here}, "text": character}]})
            shown += character
        self.assertEqual([s["name"] for s in space.ask("documentSymbol")], ["Rows"])


class WhatIsWrong(WithFolder):
    def test_before_initialize_and_behind_shutdown(self):
        with Editor(EXHC, initialize=False) as editor:
            with self.assertRaisesRegex(RpcError, "before 'initialize'") as error:
                editor.ask("textDocument/hover", {})
            self.assertEqual(error.exception.code, -32002)
            editor.tell("textDocument/didOpen", {})
            editor.ask("initialize", {})
            with self.assertRaises(RpcError) as error:
                editor.ask("initialize", {})
            self.assertEqual(error.exception.code, -32600)
            self.assertIsNone(editor.ask("shutdown", None))
            with self.assertRaises(RpcError) as error:
                editor.ask("textDocument/hover", {})
            self.assertEqual(error.exception.code, -32600)
            editor.tell("exit", None)
            self.assertEqual(editor.process.wait(60), 0)

    def test_exit_codes(self):
        editor = Editor(EXHC)
        editor.tell("exit", None)
        self.assertEqual(editor.process.wait(60), 1)
        editor.__exit__()
        with Editor(EXHC) as editor:
            self.assertEqual(editor.end(), 1, "gone without a word")
        with Editor(EXHC) as editor:
            editor.ask("shutdown", None)
            self.assertEqual(editor.end(), 0)

    def test_methods_and_parameters(self):
        space = self.open("a.exh", SPACE)
        for method, params, code, words in (
                ("textDocument/teleport", {}, -32601, "no method 'textDocument/teleport'"),
                ("x" * 5000, {}, -32601, "no method"),
                ("textDocument/hover", {}, -32602, "'textDocument' is missing|'position' is missing"),
                ("textDocument/hover", [], -32602, "expected an object"),
                ("textDocument/hover", 5, -32602, "expected an object"),
                ("textDocument/hover", {"textDocument": {"uri": 5}, "position": {}}, -32602, "is no text|is missing"),
                ("textDocument/hover", {"textDocument": {"uri": "file:///none.exh"},
                                        "position": {"line": 0, "character": 0}}, -32602, "is not open"),
                ("textDocument/hover", {"textDocument": {"uri": space.uri},
                                        "position": {"line": -1, "character": 0}}, -32602, "'line' is -1"),
                ("textDocument/hover", {"textDocument": {"uri": space.uri},
                                        "position": {"line": 1.5, "character": 0}}, -32602, "no whole number"),
                ("textDocument/hover", {"textDocument": {"uri": space.uri},
                                        "position": {"line": 2 ** 60, "character": 0}}, -32602, "it is 0 to"),
                ("textDocument/hover", {"textDocument": {"uri": space.uri},
                                        "position": {"line": 999, "character": 0}}, -32602, "there is no line 999"),
                ("textDocument/rename", {"textDocument": {"uri": space.uri},
                                         "position": {"line": 0, "character": 0}}, -32602, "'newName' is missing")):
            with self.subTest(method=method[:40], params=params):
                with self.assertRaisesRegex(RpcError, words) as error:
                    self.editor.ask(method, params)
                self.assertEqual(error.exception.code, code)
        # Behind the end of a line is its end.
        self.assertIsNone(self.editor.ask("textDocument/hover", {
            "textDocument": {"uri": space.uri}, "position": {"line": 3, "character": 999999}}))

    def test_documents(self):
        space = self.open("a.exh", SPACE)
        self.editor.tell("textDocument/didOpen", {"textDocument": {
            "uri": space.uri, "languageId": "exh", "version": 1, "text": SPACE}})
        self.assertIn("was open already", self.editor.log())
        self.editor.tell("textDocument/didClose", {"textDocument": {"uri": space.uri}})
        self.editor.tell("textDocument/didClose", {"textDocument": {"uri": space.uri}})
        self.assertIn("is not open", self.editor.log())
        with self.assertRaisesRegex(RpcError, "is not open"):
            space.hover("Rows")
        space.change(SPACE)
        self.assertIn("is not open", self.editor.log())
        other = Document(self.editor, self.folder / "notes.txt", "hello", "plaintext")
        with self.assertRaisesRegex(RpcError, "of no language that is known here"):
            other.hover("hello")

    def test_a_change_outside_of_the_text(self):
        space = self.open("a.exh", SPACE)
        self.editor.tell("textDocument/didChange", {
            "textDocument": {"uri": space.uri, "version": 2}, "contentChanges": [
                {"range": {"start": {"line": 999, "character": 0}, "end": {"line": 999, "character": 0}}, "text": "x"}]})
        self.assertIn("there is no line 999", self.editor.log())
        with self.assertRaisesRegex(RpcError, "out of step"):
            space.hover("Rows")
        space.change(SPACE)
        self.assertIn("The rows", space.hover("Rows"))
        backwards = {"start": position(SPACE, "Rows"), "end": {"line": 0, "character": 0}}
        self.editor.tell("textDocument/didChange", {
            "textDocument": {"uri": space.uri, "version": 3}, "contentChanges": [{"range": backwards, "text": "x"}]})
        self.assertIn("ends before it begins", self.editor.log())

    def test_what_is_no_message(self):
        editor = self.editor
        good = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "nothing/here"}).encode()
        good = b"Content-Length: %d\r\n\r\n" % len(good) + good
        for garbage in (b"hello\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: abc\r\n\r\n",
                        b"Content-Length: 999999999999999999999999\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n{",
                        b"Content-Length:\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 9000,
                        b"\r\n\r\n", b"x" * 20000, b"Content-Type: x\r\n\r\n"):
            with self.subTest(garbage=garbage[:40]):
                editor.send_bytes(garbage + good)
                wrong = editor.answer()
                self.assertEqual((wrong["id"], wrong["error"]["code"]), (None, -32700), wrong)
                right = editor.answer()
                self.assertEqual((right["id"], right["error"]["code"]), (7, -32601))
        for body, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"", -32700), (b"[" * 100000, -32700),
                           (b"[]", -32600), (b"5", -32600), (b'{"id":1}', -32600), (b'{"id":{},"method":"x"}', -32600),
                           (b'{"id":1,"method":5}', -32600), (b'{"id":1.5,"method":"x"}', -32600)):
            with self.subTest(body=body[:40]):
                editor.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body + good)
                self.assertEqual(editor.answer()["error"]["code"], code)
                self.assertEqual(editor.answer()["id"], 7)

    def test_headers_in_pieces_and_in_other_letters(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "nothing/here"}).encode()
        for byte in b"Content-Type: utf-8\r\ncontent-length:  %d \r\n\r\n" % len(body) + body:
            self.editor.send_bytes(bytes([byte]))
        self.assertEqual(self.editor.answer()["id"], 9)

    def test_a_request_is_cancelled(self):
        space = self.open("a.exh", SPACE * 1)
        params = {"textDocument": {"uri": space.uri}, "position": {"line": 0, "character": 0}}
        messages = [{"jsonrpc": "2.0", "id": n, "method": "textDocument/hover", "params": params} for n in (90, 91)]
        messages.append({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 91}})
        data = b"".join(b"Content-Length: %d\r\n\r\n" % len(t) + t for t in (json.dumps(m).encode() for m in messages))
        self.editor.send_bytes(data)
        self.assertIn("result", self.editor.answer())
        self.assertEqual(self.editor.answer()["error"]["code"], -32800)

    def test_a_text_that_is_too_long(self):
        space = self.open("a.exh", "// " + "x" * (5 << 20) + "\n", on_disk=False)
        self.assertRegex(space.diagnostics()[0]["message"], "bytes, more than the")
        self.assertEqual(space.offered("// "), [])

    def test_bytes_that_are_no_text_on_the_disk(self):
        (self.folder / "part.exh").write_bytes(b"set R\xff\xfews = 1 .. 2\n// \xf0\x9f\n")
        space = self.open("a.exh", 'include "part.exh"\n')
        self.assertTrue(space.diagnostics())

    def test_another_word_on_the_command_line(self):
        done = subprocess.run([EXHC, "lsp", "--prot"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        done = subprocess.run([EXHC, "lsp", "--stdio"], input=b"", capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, "an editor that says nothing is gone")


class Nonsense(WithFolder):
    """Whatever comes, each request has one answer, and the server goes on."""

    METHODS = ("hover", "definition", "references", "documentHighlight", "documentSymbol", "prepareRename", "rename",
               "completion", "formatting", "semanticTokens/full", "nothing")

    def value(self, dice, depth=0):
        kinds = [None, True, -1, 0, 3, 1e300, 2 ** 63, "", "x", "é😀", "file:///none", self.document.uri]
        if depth < 3 and dice.random() < 0.3:
            keys = ["uri", "line", "character", "text", "range", "start", "end", "position", "textDocument", "id"]
            return {dice.choice(keys): self.value(dice, depth + 1) for _ in range(dice.randrange(4))}
        if depth < 3 and dice.random() < 0.2:
            return [self.value(dice, depth + 1) for _ in range(dice.randrange(4))]
        return dice.choice(kinds)

    def mutated(self, dice, text):
        for _ in range(dice.randrange(1, 4)):
            at, end = sorted(dice.randrange(len(text) + 1) for _ in range(2))
            end = min(end, at + 12)
            piece = dice.choice(("", "$", '"', "é", "😀", "(", "end", "set ", "\n", "\r", "//", "/*", text[at:end] * 2))
            text = text[:at] + piece + text[end:]
        return text

    def test_messages_at_random(self):
        dice = random.Random(58)
        for name, text in (("a.exh", SPACE), ("a.kernel", KERNEL), ("a.fun", PROGRAM)):
            document = self.document = self.open(name, text)
            for step in range(150):
                if step % 3 == 0:
                    document.change(self.mutated(dice, text))
                params = {"textDocument": {"uri": document.uri}, "newName": dice.choice(("x", "Xx", "$x", "é", "")),
                          "position": {"line": dice.randrange(25), "character": dice.randrange(60)}}
                if dice.random() < 0.3:
                    params[dice.choice(list(params))] = self.value(dice)
                method = "textDocument/" + dice.choice(self.METHODS)
                if dice.random() < 0.1:
                    self.editor.tell(dice.choice(("textDocument/didChange", "textDocument/didSave", "$/x", method)), params)
                number = self.editor.begin(method, params)
                answer = self.editor.answer()
                self.assertEqual(answer["id"], number)
                self.assertIn(answer.get("error", {}).get("code"), (None, -32601, -32602, -32803), answer)
            self.editor.tell("textDocument/didClose", {"textDocument": {"uri": document.uri}})
        self.assertIsNone(self.editor.ask("shutdown", None))

    def test_bytes_at_random(self):
        dice = random.Random(59)
        good = json.dumps({"jsonrpc": "2.0", "id": "still there", "method": "nothing/here"}).encode()
        good = b"Content-Length: %d\r\n\r\n" % len(good) + good
        for _ in range(200):
            data = bytearray(good)
            for _ in range(dice.randrange(1, 6)):
                at = dice.randrange(len(data))
                data[at:at + dice.randrange(3)] = bytes(dice.randrange(256) for _ in range(dice.randrange(3)))
            self.editor.send_bytes(bytes(data))
        # What is cut off waits for its rest: so much fills whatever it was promised.
        self.editor.send_bytes(good * 2000)
        answers = [self.editor.answer() for _ in range(1000)]
        self.assertEqual(answers[-1]["id"], "still there")


def large_space(lines):
    """A space of so many lines, with choices that refer to each other."""
    text = "set Rows = 1 .. 8\n"
    number = 0
    while text.count("\n") < lines:
        text += (f"/// How row {number} is.\nchoice enum kind_{number}($a in Rows):\n  /// One.\n  value ONE:\n"
                 f"  value TWO:\n    requires forall $b in Rows: kind_{number}($b) is ONE || size_{number}($a) < 4\n"
                 f"  value THREE:\nend\nchoice integer size_{number}($a in Rows): 1 .. 8 end\n"
                 f"require rule_{number}: forall $a < $b in Rows:\n"
                 f"  kind_{number}($a) is ONE | TWO => size_{number}($a) + 1 <= size_{number}($b)\n")
        number += 1
    return text


class Speed(WithFolder):
    """Medians on whatever machine this is, which may have other things to do: four times what is promised is too much."""

    def measure(self, what, space, keys, behind):
        """Mistakes after each key, and what could stand behind some places."""
        space.diagnostics()
        told, offered = [], []
        for key in keys:
            begin = time.perf_counter()
            space.change(space.text + key)
            space.diagnostics()
            told.append(time.perf_counter() - begin)
        for place in behind:
            space.change(space.text + " ")
            begin = time.perf_counter()
            self.assertTrue(space.offered(place))
            offered.append(time.perf_counter() - begin)
        told, offered = (sorted(times)[len(times) // 2] * 1000 for times in (told, offered))
        print(f"{what}: mistakes {told:.1f} ms after a key, completion {offered:.1f} ms", file=sys.stderr)
        self.assertLess(told, 400)
        self.assertLess(offered, 200)

    def test_a_space_of_500_lines(self):
        self.measure("a space of 500 lines", self.open("large.exh", large_space(500)),
                     "require x: forall $c in Rows: kind_1($c) is ONE\n",
                     ("kind_2($a) is ", "require rule_9: forall $a < $b in ", "size_3($", "is ONE\n") * 3)

    def test_a_part_of_the_space_of_the_tree(self):
        path = ROOT / "kernels/spaces/order.exh"
        self.measure("a file of linalg.exh", Document(self.editor, path, path.read_text(), on_disk=False),
                     "require x: forall $a in Dims: size($a) > 0\n", ("forall $a, $b, $c in ",) * 5)


if __name__ == "__main__":
    EXHC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
