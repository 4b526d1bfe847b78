# SPDX-License-Identifier: MIT
"""The grammars of the editors (docs/editors/*.tmLanguage.json) as lexers of Pygments, so that the languages have one description of
their colours. Of a grammar's rules the first that matches at a place colours it; a rule with `begin` and `end` is a state."""

import json

from pygments import lexer, token

# Beginnings of scopes, the first that fits.
TOKENS = (
    ("comment", token.Comment),
    ("string", token.String),
    ("constant.numeric", token.Number),
    ("constant.language", token.Keyword.Constant),
    ("constant", token.Name.Constant),
    ("keyword.operator", token.Operator),
    ("keyword", token.Keyword),
    ("storage.type", token.Keyword.Type),
    ("entity.name.type", token.Name.Class),
    ("entity.name.function", token.Name.Function),
    ("support.function", token.Name.Builtin),
    ("support", token.Name.Attribute),
    ("variable", token.Name.Variable),
    ("punctuation", token.Punctuation),
)


def token_of(scope):
    return next((kind for start, kind in TOKENS if scope.startswith(start)), token.Text)


def states(grammar):
    found = {"root": []}

    def rules(patterns, state):
        for rule in patterns:
            colour = token_of(rule["name"])
            if "match" in rule:
                found[state].append((rule["match"], colour))
                continue
            inside = f"state{len(found)}"
            found[inside] = [(rule["end"], colour, "#pop")]
            rules(rule.get("patterns", ()), inside)
            found[inside].append((r"[\s\S]", colour))
            found[state].append((rule["begin"], colour, inside))

    rules(grammar["patterns"], "root")
    found["root"] += [(r"\w+", token.Text), (r"[\s\S]", token.Text)]
    return found


def lexer_of(path):
    """A class of lexers for the grammar in this file."""
    grammar = json.loads(path.read_text(encoding="utf-8"))
    return type(lexer.RegexLexer)("Lexer", (lexer.RegexLexer,), {"name": grammar["name"], "tokens": states(grammar)})
