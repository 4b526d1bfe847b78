# SPDX-License-Identifier: MIT
"""What was measured, as data: files docs/results/*.json, whose schema is docs/results.schema.json.

A file has a kind (such as "rows"), tables, and records. A record is one row: what was measured, by which command, on which
device, and what came out. A table names columns and has no numbers of its own.

Numbers are read as decimals, so that 25.80 stays 25.80: a figure shows the digits that were measured. A figure is an object
with `value` (one number, or a list of several searches), `unit`, `from` and `to` (an interval), `before` (the same before a
change), or `text` where it is no number. For example:

    {"value": 702, "from": 662, "to": 728, "unit": "us"}    702 us (662 to 728)
    {"before": 19.8, "value": 2.6, "unit": "s"}             19.8 → 2.6 s
"""
import json
import pathlib
from decimal import Decimal

FOLDER = pathlib.Path("docs/results")
SCHEMA = pathlib.Path("docs/results.schema.json")
HISTORY = "history"  # The kind of records that newer ones have replaced.
NO_COMMAND = "none"  # Stands for the command of what no command of the repository prints.
KEY = ("table", "subject", "sizes", "variant", "device")
FACTORS = {"ns": Decimal(1), "us": Decimal(1000), "ms": Decimal(1000000), "s": Decimal(1000000000)}


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_float=Decimal)


def text_of(value):
    """JSON on one line, decimals with all of their digits."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {text_of(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False)


def file_text(content):
    """A file of records: a line for each table and each record, so that a change of one is a change of one line."""
    members = []
    for name, value in content.items():
        if name in ("tables", "records"):
            lines = ",\n".join("    " + text_of(each) for each in value)
            members.append(f'  "{name}": [\n{lines}\n  ]' if value else f'  "{name}": []')
        else:
            members.append(f'  "{name}": {text_of(value)}')
    return "{\n" + ",\n".join(members) + "\n}\n"


def read_all(root):
    """All files of records, by kind."""
    return {path.stem: read(path) for path in sorted((pathlib.Path(root) / FOLDER).glob("*.json"))}


def is_replaced(record):
    """Whether a record of the history came there by a newer one: its table is KIND/TABLE."""
    return "/" in record["table"]


def key_of(record):
    """What makes two records the same measurement at different times."""
    return tuple(record.get(name, "") for name in KEY)


def marked(record):
    """The figure of a record that its mark is about, or None."""
    group, _, member = record["must"].get("of", "ours").partition(".")
    found = record.get(group)
    return found.get(member) if found and member else found


def is_met(record):
    """Whether the mark of a record is reached: None where it is no number, or its figure is none."""
    mark, figure = record["must"], marked(record)
    numbers = numbers_of(figure) if figure else []
    if not numbers or not ("least" in mark or "most" in mark):
        return None
    return min(numbers) >= mark.get("least", min(numbers)) and max(numbers) <= mark.get("most", max(numbers))


# ---- figures -------------------------------------------------------------------------------------


def numbers_of(figure):
    """The numbers of a figure, of the change's later side; empty where it is a text."""
    value = figure.get("value", [figure[end] for end in ("from", "to") if end in figure])
    return value if isinstance(value, list) else [value]


def number(value):
    return f"{value:,}"


def shown(figure):
    """A figure as it is printed; an empty text where there is none."""
    if not figure:
        return ""
    if "text" in figure:
        return figure["text"]
    unit = f" {figure['unit']}" if "unit" in figure else ""
    interval = f"{number(figure['from'])} to {number(figure['to'])}" if "from" in figure else ""
    if "value" not in figure:
        return interval + unit
    words = ", ".join(map(number, numbers_of(figure))) + unit
    if "before" in figure:
        words = f"{number(figure['before'])} → {words}"
    return f"{words} ({interval})" if interval else words


def ratios_of(record):
    """(peer, least ratio, the same as text) for each peer, above 1 where ours is faster: as measured, or of two measured figures."""
    found = [(peer, least, number(least)) for peer, figure in record.get("ratios", {}).items() for least in [min(numbers_of(figure), default=None)]
             if least is not None]
    ours = record.get("ours", {})
    for peer, figure in record.get("peers", {}).items():
        if peer in record.get("ratios", {}) or not numbers_of(figure) or not numbers_of(ours):
            continue
        if ours.get("unit") in FACTORS and figure.get("unit") in FACTORS:
            mine, other = max(numbers_of(ours)) * FACTORS[ours["unit"]], min(numbers_of(figure)) * FACTORS[figure["unit"]]
            ratio = Decimal(other) / Decimal(mine)
        elif ours.get("unit") == figure.get("unit"):
            ratio = Decimal(min(numbers_of(ours))) / Decimal(max(numbers_of(figure)))  # Of rates.
        else:
            continue
        found.append((peer, ratio, digits(ratio)))
    return found


def digits(value):
    """A ratio that no one measured as such, with about three digits."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{round(value):,}"
