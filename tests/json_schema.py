# SPDX-License-Identifier: MIT
"""Validates JSON against the part of JSON Schema (draft 2020-12) that our schemas use. A keyword that
is not known here is an error: nothing in a schema is silently ignored."""

import decimal
import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
         "number": (int, float, decimal.Decimal)}
SAY_NOTHING = {"$schema", "$defs", "title", "description"}


def problems(value, schema, root=None, where="$"):
    """What is wrong with the value, a line each; empty when it is valid."""
    root = schema if root is None else root
    found = []
    for keyword, argument in schema.items():
        if keyword in SAY_NOTHING:
            continue
        if keyword not in KEYWORDS:
            raise ValueError(f"the schema has a keyword that is not known here: {keyword}")
        found += KEYWORDS[keyword](value, argument, schema, root, where)
    return found


def of_reference(value, name, schema, root, where):
    target = root
    for step in name.removeprefix("#/").split("/"):
        target = target[step]
    return problems(value, target, root, where)


def of_type(value, name, schema, root, where):
    right = isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
    return [] if right else [f"{where}: {value!r} is not of type {name}"]


def of_properties(value, properties, schema, root, where):
    if not isinstance(value, dict):
        return []
    return [problem for name, each in properties.items() if name in value
            for problem in problems(value[name], each, root, f"{where}.{name}")]


def of_required(value, names, schema, root, where):
    if not isinstance(value, dict):
        return []
    return [f"{where}: has no '{name}'" for name in names if name not in value]


def of_additional(value, allowed, schema, root, where):
    if not isinstance(value, dict):
        return []
    others = [name for name in value if name not in schema.get("properties", {})]
    if allowed is False:
        return [f"{where}: '{name}' is unknown" for name in others]
    return [problem for name in others for problem in problems(value[name], allowed, root, f"{where}.{name}")]


def of_items(value, each, schema, root, where):
    if not isinstance(value, list):
        return []
    return [problem for i, item in enumerate(value)
            for problem in problems(item, each, root, f"{where}[{i}]")]


def of_one(value, choices, schema, root, where):
    valid = sum(not problems(value, choice, root, where) for choice in choices)
    return [] if valid == 1 else [f"{where}: {valid} of {len(choices)} alternatives are valid"]


def test(holds, what):
    """A keyword that asks one question of values of the type that it is about."""
    def of(value, argument, schema, root, where):
        return [] if holds(value, argument) else [f"{where}: {value!r} {what} {argument!r}"]
    return of


KEYWORDS = {
    "$ref": of_reference,
    "type": of_type,
    "properties": of_properties,
    "required": of_required,
    "additionalProperties": of_additional,
    "items": of_items,
    "oneOf": of_one,
    "enum": test(lambda value, values: value in values, "is not among"),
    "const": test(lambda value, other: value == other, "is not"),
    "pattern": test(lambda value, pattern: not isinstance(value, str) or re.search(pattern, value),
                    "does not match"),
    "minimum": test(lambda value, least: not isinstance(value, int) or value >= least, "is less than"),
    "minLength": test(lambda value, least: not isinstance(value, str) or len(value) >= least,
                      "is shorter than"),
    "minItems": test(lambda value, least: not isinstance(value, list) or len(value) >= least,
                     "has fewer items than"),
}
