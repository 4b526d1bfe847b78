# SPDX-License-Identifier: MIT
"""Tables of Markdown, made of records. A page says with comments where a table lies:

    <!-- results: begin rows/norms -->
    (made by ./exh results)
    <!-- results: end -->

`rows/norms` is the table "norms" of docs/results/rows.json. `kinds`, `missed` and `history` are made of all files, and `begin`
alone, which README.md has, is the best and the worst of each kind. Text around the comments is written by hand."""
import datetime
import re

import records

BLOCK = re.compile(r"(<!-- results: begin ?([\w/.-]*) -->\n)(.*?)(<!-- results: end -->)", re.DOTALL)
LEAST_EVEN = 0.95  # A ratio below this is printed in bold.
MOST_COMMITS = 3  # That a line above a table names.


class PageError(Exception):
    """A page asks for a table that there is none of."""


# ---- cells ---------------------------------------------------------------------------------------


def what(record):
    words = " ".join(record[name] for name in ("subject", "sizes") if record.get(name))
    return ", ".join(part for part in (words, record.get("variant")) if part)


def day(date):
    if date == "unknown":
        return "day unknown"
    read = datetime.date.fromisoformat(date)
    return f"{read.day} {read:%B %Y}"


def days(dates):
    """One day, or from which to which."""
    known = sorted(date for date in dates if date != "unknown")
    if not known:
        return day("unknown")
    first, last = (datetime.date.fromisoformat(date) for date in (known[0], known[-1]))
    if first == last:
        return day(known[0])
    same_month = (first.year, first.month) == (last.year, last.month)
    return f"{first.day if same_month else day(known[0])} to {day(known[-1])}"


def must(record):
    mark = record.get("must")
    if not mark:
        return ""
    return mark["text"] if mark["met"] else f"{mark['text']}: **missed**"


def ratio(figure):
    words = records.shown(figure)
    numbers = records.numbers_of(figure) if figure else []
    return f"**{words}**" if numbers and min(numbers) < LEAST_EVEN else words


def command(record):
    return "no command" if record["command"] == records.NO_COMMAND else f"`{record['command']}`"


OF_RECORD = {"what": what, "must": must, "command": command, "date": lambda record: day(record["date"]),
             "ours": lambda record: records.shown(record.get("ours"))}


def part(record, name):
    """What one part of a column shows of a record: `subject`, `ours`, `ratios.cuBLAS` …"""
    if name in OF_RECORD:
        return OF_RECORD[name](record)
    group, _, member = name.partition(".")
    if group == "ratios":
        return ratio(record.get(group, {}).get(member))
    if member:
        return records.shown(record.get(group, {}).get(member))
    return str(record.get(name, ""))


def cell(record, parts):
    return ", ".join(text for text in (part(record, name) for name in parts) if text)


# ---- tables --------------------------------------------------------------------------------------


def markdown(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["|" + "|".join(f" {text} " if text else " " for text in row) + "|" for row in rows]) + "\n"


def caption(rows, columns):
    """What all rows of a table share, and is no column: command, device, day, commits."""
    said = []
    if "command" not in columns:
        said.append("No command of the repository prints this table" if rows[0]["command"] == records.NO_COMMAND
                    else command(rows[0]))
    if "device" not in columns:
        said.append(rows[0]["device"])
    said.append(days([row["date"] for row in rows]))
    commits = list(dict.fromkeys(row["commit"] for row in rows if row["commit"] != "unknown"))
    if commits and len(commits) <= MOST_COMMITS:
        said.append(("commit " if len(commits) == 1 else "commits ") + ", ".join(f"`{commit}`" for commit in commits))
    return "; ".join(said) + ".\n"


def table(content, name):
    layout = next((each for each in content["tables"] if each["name"] == name), None)
    if layout is None:
        raise PageError(f"docs/results/{content['kind']}.json has no table '{name}'")
    rows = [record for record in content["records"] if record["table"] == name]
    if not rows:
        return "Not measured yet.\n"
    columns = [list(column) for column in layout["columns"]]
    shown = {name for column in columns for name in column[1:]}
    for field in ("device", "command"):
        if field not in shown and len({row[field] for row in rows}) > 1:
            columns.append([field, field])
    if any(row.get("note") for row in rows) and "note" not in shown:
        columns.append(["note", "note"])
    shown = {name for column in columns for name in column[1:]}
    body = [[cell(row, column[1:]) for column in columns] for row in rows]
    return caption(rows, shown) + "\n" + markdown([column[0] for column in columns], body)


# ---- of all kinds --------------------------------------------------------------------------------


def placed(content):
    """(score, record, words) of each record that its kind can rank, best first. Means and sums of others are not ranked."""
    rank = content.get("rank")
    found = []
    for record in content["records"] if rank else []:
        if "of" in record or record["table"] not in rank["tables"]:
            continue
        if rank["by"] == "ratio":
            ratios = records.ratios_of(record)
            if ratios:
                peer, least, words = min(ratios, key=lambda each: each[1])
                found.append((least, record, f"{words} x {peer}"))
        else:
            figure = record.get("figures", {}).get(rank["by"])
            if figure and records.numbers_of(figure):
                score = max(records.numbers_of(figure))
                found.append((-score if rank["better"] == "less" else score, record, f"{rank['by']} {records.shown(figure)}"))
    return sorted(found, key=lambda each: -each[0])


def entry(place):
    _, record, words = place
    ours = records.shown(record.get("ours"))
    return f"{what(record)}: {words}" + (f"; {ours}" if ours else "")


def best_and_worst(files):
    rows = []
    for content in in_order(files):
        places = placed(content)
        if places:
            machines = dict.fromkeys(place[1]["device"] for place in (places[0], places[-1]))
            rows.append([content["title"], str(len(places)), entry(places[0]), entry(places[-1]), "; ".join(machines)])
    return markdown(["kind", "rows", "the best", "the worst", "machine"], rows)


def in_order(files):
    return sorted((content for kind, content in files.items() if kind != records.HISTORY), key=lambda each: each["place"])


def kinds(files):
    rows = []
    for content in in_order(files):
        devices = list(dict.fromkeys(record["device"] for record in content["records"]))
        page = content["page"].partition("#")[0]
        rows.append([content["title"], f"[{page}]({content['page']})", f"[{content['kind']}.json]({content['kind']}.json)",
                     str(len(content["records"])), "; ".join(devices)])
    return markdown(["kind", "page", "data", "rows", "machines"], rows)


def missed(files):
    rows = []
    for content in in_order(files):
        for record in content["records"]:
            mark = record.get("must", {"met": True})
            if not mark["met"]:
                rows.append([f"[{content['title']}]({content['page']})", what(record), measured(record, mark.get("of")), mark["text"],
                             command(record)])
    return markdown(["kind", "what", "measured", "must be", "command"], rows)


def measured(record, name=None):
    """A figure of a record, `ours` when no other is named or there."""
    group, _, member = (name or "ours").partition(".")
    if group == "ratios":
        return f"{records.shown(record['ratios'][member])} x {member}"
    if member:
        return records.shown(record[group][member])
    first = next((f"{group}.{member}" for group in ("ratios", "figures") for member in record.get(group, {})), "ours")
    return records.shown(record["ours"]) if "ours" in record else measured(record, first)


def history(files):
    """A line for each record that a newer one has replaced."""
    lines = []
    for record in files.get(records.HISTORY, {"records": []})["records"]:
        if not records.is_replaced(record):
            continue
        ratios = [measured(record, f"ratios.{peer}") for peer in record.get("ratios", {})]
        words = ", ".join([measured(record), *ratios] if "ours" in record else ratios or [measured(record)])
        lines.append(f"* {day(record['date'])}, {record['device']}, commit `{record['commit']}`: {what(record)}: {words}; {command(record)}.\n")
    return "".join(lines) or "No record has been replaced yet.\n"


OF_ALL = {"": best_and_worst, "kinds": kinds, "missed": missed, "history": history}


def made(text, files):
    """The page with each table made anew."""
    def block(match):
        name = match[2]
        if name in OF_ALL:
            return match[1] + OF_ALL[name](files) + match[4]
        kind, _, table_name = name.partition("/")
        if kind not in files:
            raise PageError(f"there is no docs/results/{kind}.json")
        return match[1] + table(files[kind], table_name) + match[4]
    return BLOCK.sub(block, text)


def tables_of(text):
    """The names of the tables that a page has."""
    return [match[2] for match in BLOCK.finditer(text)]
