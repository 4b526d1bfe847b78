# SPDX-License-Identifier: MIT
"""How a benchmark writes what it measured as records: --record FILE, which `./exh results --add FILE` takes over.

A benchmark makes a Recorder from its command line and hands it a row at a time. Conditions of a row (day, commit, machine) are
those under which it was taken, which a benchmark that goes on keeps beside each of its results."""
import os
import platform
import re
import shlex
import subprocess
from decimal import Decimal
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent.parent
# Options that say where things lie, and nothing of what is measured; each has one value.
PLACES = ("--search", "--record", "--out", "--keep", "--state", "--logs", "--results", "--replays", "--limit-s", "--python", "--cases")
ALONE = ("--merge", "--list")


def commit():
    """The commit that is checked out, or `unknown`."""
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def processor():
    """The model of this machine's processor, in the words of the system."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def machine(taken, gpu=True, cores=False):
    """The words for the machine of a result: its GPU, or its cores; `cores`: both."""
    name = taken.get("gpu", {}).get("name", "none")
    if not gpu or name == "none":
        count = taken.get("cores", os.cpu_count())
        return f"{count} {'core' if count == 1 else 'cores'} of {taken.get('processor', processor())}"
    return f"{name}, {taken['cores']} cores" if cores else name


def command(bench, words):
    """The command of a benchmark as a person would type it: of an option that comes twice the last one counts."""
    plain, options, at = [], {}, 0
    while at < len(words):
        name, _, value = words[at].partition("=")
        if not name.startswith("--"):
            plain.append(words[at])
        elif name in ALONE:
            pass
        elif value or at + 1 == len(words) or words[at + 1].startswith("--"):
            options[name] = value
        else:
            options[name] = words[at + 1]
            at += 1
        at += 1
    shown = [word for name, value in options.items() if name not in PLACES for word in (name, value) if word]
    return shlex.join(["./exh", "bench", bench, *[word for word in plain if word != "report"], *shown])


def number(value, digits=2):
    """A measured number with so many decimals."""
    return Decimal(f"{value:.{digits}f}")


def figure(value, unit=None, digits=2):
    """A figure of a number, or of a list of them."""
    numbers = [number(each, digits) for each in value] if isinstance(value, (list, tuple)) else number(value, digits)
    return {"value": numbers, "unit": unit} if unit else {"value": numbers}


def time(ns):
    """A figure of nanoseconds, or of a list of them: in us or ms, with three digits or more."""
    every = ns if isinstance(ns, (list, tuple)) else [ns]
    unit, scale = ("us", 1e3) if max(every) < 1e6 else ("ms", 1e6)
    digits = 2 if min(every) < 100 * scale else 1
    shown = [each / scale for each in every]
    return figure(shown if isinstance(ns, (list, tuple)) else shown[0], unit, digits)


def ratios(ours_ns, peers_ns):
    """How many times as fast as each peer ours is."""
    return {name: figure(ns / ours_ns) for name, ns in peers_ns.items() if ns}


def side(*sizes):
    """Sizes as a record has them: 1024 where all are alike, else 128x1024x1024."""
    return str(sizes[0]) if len(sizes) > 1 and len(set(sizes)) == 1 else "x".join(map(str, sizes))


class Recorder:
    """What one call of a benchmark records, behind what its file has already; without a file nothing is written."""

    def __init__(self, file, bench, words):
        self.file = file
        self.command = command(bench, words)
        self.kinds = records.read(file) if file and os.path.exists(file) else {}

    def add(self, kind, table, subject, taken, **fields):
        """A row. `taken` is what parts.conditions() said when it was measured; `device` may be said otherwise. Fields that are empty
        are left out."""
        head = {"table": table, "subject": subject, **{name: fields.pop(name) for name in ("sizes", "variant", "budget") if fields.get(name)},
                "command": fields.pop("command", self.command), "commit": taken.get("commit", "unknown"), "date": taken["date"],
                "device": fields.pop("device", None) or machine(taken)}
        record = head | {name: value for name, value in fields.items() if value}
        lines = self.kinds.setdefault(kind, [])
        lines[:] = [line for line in lines if records.key_of(line) != records.key_of(record)] + [record]

    def write(self):
        """Writes the file, whole or not at all."""
        if not self.file:
            return
        lines = ",\n".join(f'  {records.text_of(kind)}: [\n' + ",\n".join("    " + records.text_of(line) for line in rows) + "\n  ]"
                           for kind, rows in self.kinds.items())
        new = Path(f"{self.file}.{os.getpid()}.new")
        new.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
        os.replace(new, self.file)
        print(f"{sum(map(len, self.kinds.values()))} records: ./exh results --add {shlex.quote(str(self.file))}")
