# SPDX-License-Identifier: MIT
"""Reads what `search --trace` writes, and says what is wrong with it: a small reader of Chrome traces."""

import json


class Trace:
    """Of a file that may lack its end, as that of a process that was killed."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.is_whole = text.endswith("\n]\n")
        if not self.is_whole:
            text = text[:text.rindex("\n")].rstrip(",\n") + "\n]"
        self.events = json.loads(text)
        self.rows = {event["tid"]: event["args"]["name"] for event in self.events if event["name"] == "thread_name"}
        self.spans = [event for event in self.events if event["ph"] == "X"]

    def named(self, begin):
        return [span for span in self.spans if span["name"].startswith(begin)]

    def row(self, span):
        return self.rows[span["tid"]]

    def counts(self, name):
        """Values of a counter, as time goes on."""
        events = [event for event in self.events if event["ph"] == "C" and event["name"] == name]
        return [event["args"]["value"] for event in sorted(events, key=lambda event: event["ts"])]

    def problems(self):
        found = []
        if len({event["pid"] for event in self.events}) != 1:
            found.append("events of several processes")
        for event in self.events:
            if event["ph"] not in "XCMi":
                found.append(f"no event: {event}")
            elif event["ph"] != "M" and event["ts"] < 0 or event["ph"] == "X" and event["dur"] < 0:
                found.append(f"time goes back: {event}")
        for row in {span["tid"] for span in self.spans}:
            if row not in self.rows:
                found.append(f"row {row} has no name")
            found += self.crossings(row)
        return found

    def crossings(self, row):
        """Spans of a row nest. In nanoseconds, which all times are whole numbers of."""
        found, open_ends = [], []
        spans = [(round(1e3 * span["ts"]), round(1e3 * span["dur"]), span["name"]) for span in self.spans
                 if span["tid"] == row]
        for begin, duration, name in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1][0] <= begin:
                open_ends.pop()
            if open_ends and begin + duration > open_ends[-1][0]:
                found.append(f"{self.rows.get(row)}: '{name}' at {begin} ns crosses '{open_ends[-1][1]}'")
            open_ends.append((begin + duration, name))
        return found
