# SPDX-License-Identifier: MIT
"""Runs docs/editors/*.tmLanguage.json over every `.exh`, `.kernel` and `.fun` of the tree and compares
the scopes of keywords, snippets, comments, variables, values, functions, types and numbers with a
lexer that shares nothing with it."""

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
    "function": "support.function.",
    "type": "storage.type.",
    "name": "variable.",
    "number": "constant.numeric.",
}
KERNEL_RESERVED = set(
    "aligned and end in inf input kernel not option require or output outside scalar size strides tile xor".split()
)
KERNEL_FUNCTIONS = set(
    "sum prod min max any all argmin argmax abs sqrt rsqrt exp log tanh erf pow select cast".split()
)
KERNEL_TYPES = set("f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 u32 i8 bool".split())
FUN_RESERVED = set("def div in input kernel let limit param require size user".split())
FUN_FUNCTIONS = set(
    "map mapSeq mapWrg mapLcl mapGlb reduce reduceSeq zip split join slide slideStrict transpose pad reorder "
    "asVector asScalar toGlobal toLocal toPrivate id fill dot min max".split()
)


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


def kernel_words(text):
    """The same for kernels as text."""
    at = 0
    while at < len(text):
        begin = at
        if text.startswith("//", at):
            at = (text + "\n").index("\n", at)
            yield "comment", begin, at
        elif text[at].isascii() and text[at].isdigit():
            while at < len(text) and text[at] in "0123456789":
                at += 1
            if text[at : at + 1] == "." and text[at + 1 : at + 2].isdigit():
                at += 1
                while at < len(text) and text[at] in "0123456789":
                    at += 1
            sign = 1 if text[at + 1 : at + 2] in ("+", "-") else 0
            if text[at : at + 1] in ("e", "E") and text[at + 1 + sign : at + 2 + sign].isdigit():
                at += 1 + sign
                while at < len(text) and text[at] in "0123456789":
                    at += 1
            yield "number", begin, at
        elif text[at].isascii() and (text[at].isalpha() or text[at] == "_"):
            while at < len(text) and text[at].isascii() and (text[at].isalnum() or text[at] == "_"):
                at += 1
            word = text[begin:at]
            if word == "inf":
                yield "number", begin, at
            elif word in KERNEL_RESERVED:
                yield "keyword", begin, at
            elif word in ("zero", "never") and text[:begin].endswith("outside "):
                yield "keyword", begin, at
            elif word in KERNEL_FUNCTIONS and text[at:].lstrip().startswith("("):
                yield "function", begin, at
            elif word in KERNEL_TYPES:
                yield "type", begin, at
            else:
                yield "name", begin, at
        else:
            at += 1


def fun_words(text):
    """The same for functional programs."""
    for word in re.finditer(r"//[^\n]*|[A-Za-z_]\w*|\d+(?:\.\d+f?)?", text, re.ASCII):
        begin, end, word = word.start(), word.end(), word.group()
        if word.startswith("//"):
            yield "comment", begin, end
        elif word[0].isdigit():
            yield "number", begin, end
        elif word in FUN_RESERVED:
            yield "keyword", begin, end
        elif word in FUN_FUNCTIONS:
            yield "function", begin, end
        elif word in ("float", "int", "vector"):
            yield "type", begin, end
        else:
            yield "name", begin, end


def mistakes(grammar, text, words=words):
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
choice integer max($a in Jobs): 1 | 2 .. 8 end
require forall $a in Jobs: max($a) * 2 + max(1, max($a)) div 3 % 4 <= div() - min (5, 6)
"""


KERNEL_ADDITIONS = r"""/// and or not; sum(k) 1e-3
kernel ending  // a size
  size in_n = 4 in 1..7, sum = 2; scalar alpha: bf16 = -1.5e-3
  input max: f32[2 * in_n, 3] strides (3, 1) outside zero
  input zero: bool[in_n] outside never
  input inf_1: f32[in_n] outside -inf
  output e2: i8[in_n]
  t: i32[n] = argmax(k) max[n, k]; u: f16[n] = cast(f16, sum(k: f64) max[n, k]) xor zero[n]
  e2[n] = not max[n, 0] < 1 or sum > 2.5 and n >= 1E3 ? abs(-alpha) : sum (k) max(max[n, k], 0)
  tile n: 2
end
"""


def grammar_of(name):
    return json.loads((tree.ROOT / "docs" / "editors" / f"{name}.tmLanguage.json").read_text())


class Grammar(unittest.TestCase):
    def setUp(self):
        self.grammar = grammar_of("exh")

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
        for word in ("..", "* 2", "+ max", "div 3", "% 4", "- min"):
            self.assertTrue(found[ADDITIONS.index(word)].startswith("keyword.operator."), word)
        for word, scope in (("max(1", "support.function."), ("min (5", "support.function."),
                            ("max($a", "entity.name.function."), ("div()", "entity.name.function.")):
            self.assertTrue(found[ADDITIONS.index(word)].startswith(scope), word)

    def test_a_wrong_grammar_is_noticed(self):
        patterns = [r for r in self.grammar["patterns"] if not r["name"].startswith("variable")]
        self.assertTrue(list(mistakes({"patterns": patterns}, ADDITIONS)))


class KernelGrammar(unittest.TestCase):
    def setUp(self):
        self.grammar = grammar_of("kernel")

    def mistakes(self, text):
        return list(mistakes(self.grammar, text, kernel_words))

    def test_every_file(self):
        paths = tree.files(tree.ROOT, (".kernel",))
        self.assertGreater(len(paths), 5)
        for path in paths:
            text = (tree.ROOT / path).read_bytes().decode(errors="replace")
            self.assertEqual(self.mistakes(text)[:3], [], path)

    def test_additions(self):
        self.assertEqual(self.mistakes(KERNEL_ADDITIONS), [])
        found = scopes(self.grammar, KERNEL_ADDITIONS)
        for word in ("..", ">=", "? abs", "-1.5", "* in_n"):
            self.assertTrue(found[KERNEL_ADDITIONS.index(word)].startswith("keyword.operator."), word)

    def test_it_has_the_words_of_the_language(self):
        grammar = (tree.ROOT / "kernels" / "notation" / "syntax" / "Kernel.g4").read_text()
        reserved = re.findall(r"(?m)^[A-Z]+ *: '([a-z]+)' ;", grammar)
        self.assertEqual(set(reserved), KERNEL_RESERVED)

    def test_a_wrong_grammar_is_noticed(self):
        self.grammar["patterns"] = [
            rule for rule in self.grammar["patterns"] if not rule["name"].startswith("support.")
        ]
        self.assertTrue(self.mistakes(KERNEL_ADDITIONS))


class FunGrammar(unittest.TestCase):
    def setUp(self):
        self.grammar = grammar_of("fun")

    def mistakes(self, text):
        return list(mistakes(self.grammar, text, fun_words))

    def test_every_file(self):
        paths = tree.files(tree.ROOT, (".fun",))
        self.assertGreater(len(paths), 5)
        for path in paths:
            self.assertEqual(self.mistakes((tree.ROOT / path).read_text())[:3], [], path)

    def test_it_has_the_words_of_the_language(self):
        grammar = (tree.ROOT / "functional" / "syntax" / "Fun.g4").read_text()
        self.assertEqual(set(re.findall(r"(?m)^[A-Z]+ *: '([a-z]+)' ;", grammar)), FUN_RESERVED)
        patterns = (tree.ROOT / "functional" / "meaning" / "patterns.cc").read_text()
        functions = re.findall(r'\{"(\w+)", \d, \d, "', patterns)
        self.assertEqual(set(functions), FUN_FUNCTIONS)

    def test_a_wrong_grammar_is_noticed(self):
        self.grammar["patterns"] = self.grammar["patterns"][1:]
        self.assertTrue(self.mistakes("size n = 1  // of it\n"))


if __name__ == "__main__":
    unittest.main()
