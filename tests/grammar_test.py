# SPDX-License-Identifier: MIT
"""Runs docs/editors/exh.tmLanguage.json over every `.exh` of the tree and compares the scopes of
keywords, snippets, comments, variables and values with a lexer that shares nothing with it."""

import json
import re
import unittest

import tree

RESERVED = set(
    "alias antisymmetric base counter define disjoint end enum forall half in integer internal is "
    "mul not of quotient require requires set subsetof sum symmetric trigger value when".split()
)
PREFIXES = {
    "comment": "comment.",
    "code": "string.",
    "variable": "variable.",
    "value": "constant.other.value.",
    "set": "entity.name.type.",
    "keyword": "keyword.",
    "truth": "constant.language.",
}


def first_match(patterns, line, at):
    """The rule that starts first from `at` on, the earlier one of two at the same place."""
    best = None
    for rule in patterns:
        found = re.compile(rule.get("match") or rule["begin"]).search(line, at)
        if found and (best is None or found.start() < best[1].start()):
            best = (rule, found)
    return best


def scopes(grammar, text):
    """The outermost scope of each character; one line at a time, as editors work."""
    result = []
    inside = None
    for line in text.splitlines(keepends=True):
        colours = [""] * len(line)
        at = 0
        while at < len(line):
            if inside is not None:
                end = re.compile(inside["end"]).search(line, at)
                inner = first_match(inside.get("patterns", []), line, at)
                # An end wins over an inner rule at the same place.
                if inner and (end is None or inner[1].start() < end.start()):
                    stop, closed = inner[1].end(), False
                else:
                    stop, closed = (end.end(), True) if end else (len(line), False)
                colours[at:stop] = [inside["name"]] * (stop - at)
                at = stop
                inside = None if closed else inside
                continue
            found = first_match(grammar["patterns"], line, at)
            if found is None:
                break
            rule, match = found
            colours[match.start() : match.end()] = [rule["name"]] * len(match.group())
            at = match.end()
            inside = rule if "begin" in rule else None
        result += colours
    return result


def words(text):
    """(kind, begin, end) of what the test compares, by hand."""
    at = 0
    while at < len(text):
        begin = at
        if text.startswith("//", at):
            at = (text + "\n").index("\n", at)
            yield "comment", begin, at
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            at = len(text) if end < 0 else end + 2
            yield "comment", begin, at
        elif text[at] == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text.startswith('\\"', at) else 1
            at = min(at + 1, len(text))
            yield "code", begin, at
        elif text[at] == "$" or (text[at].isascii() and text[at].isalpha()):
            at += 1
            while at < len(text) and text[at].isascii() and (text[at].isalnum() or text[at] == "_"):
                at += 1
            word = text[begin:at]
            if word[0] == "$":
                if len(word) > 1:
                    yield "variable", begin, at
            elif word[0].isupper():
                yield ("value" if word == word.upper() else "set"), begin, at
            elif word in RESERVED:
                yield "keyword", begin, at
            elif word in ("true", "false"):
                yield "truth", begin, at
        else:
            at += 1


def mistakes(grammar, text):
    found = scopes(grammar, text)
    for kind, begin, end in words(text):
        for i in range(begin, end):
            if text[i] not in "\r\n" and not found[i].startswith(PREFIXES[kind]):
                yield f"{kind} {text[begin:end]!r} at {begin} has scope {found[i]!r}"
                break


ADDITIONS = r"""extern predicate good($x in Jobs)
let f($x in Jobs) = not (mode($x) is A) && "$x.name == \"q\""
require a: forall $a, $b in Jobs where $a < $b: f($a) => mode($b) is B
decide mode, size
"""


class Grammar(unittest.TestCase):
    def setUp(self):
        path = tree.ROOT / "docs" / "editors" / "exh.tmLanguage.json"
        self.grammar = json.loads(path.read_text())

    def test_every_file(self):
        paths = tree.files(tree.ROOT, (".exh",))
        self.assertGreater(len(paths), 20)
        for path in paths:
            text = (tree.ROOT / path).read_bytes().decode(errors="replace")
            self.assertEqual(list(mistakes(self.grammar, text))[:3], [], path)

    def test_additions(self):
        self.assertEqual(list(mistakes(self.grammar, ADDITIONS)), [])
        found = scopes(self.grammar, ADDITIONS)
        for word in ("extern", "predicate", "let", "where", "=>", "&&", "decide"):
            self.assertTrue(found[ADDITIONS.index(word)].startswith("keyword."), word)

    def test_a_wrong_grammar_is_noticed(self):
        patterns = [r for r in self.grammar["patterns"] if not r["name"].startswith("variable")]
        self.assertTrue(list(mistakes({"patterns": patterns}, ADDITIONS)))


if __name__ == "__main__":
    unittest.main()
