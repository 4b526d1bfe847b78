#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`search view` of a run of 100,000 evaluations that goes on, in a browser without a screen.

./exh bench view [--count 100000] [--rate 200] [--seconds 20] [--run RUN] [--all]

The records of a run (--run; without it a short search of a matrix product makes one) are repeated with numbers and times that go on. All but the last
RATE x SECONDS of them are there at first; the others come at that rate, as a search writes them. With --all none is there at first, and all come as fast as
they can be written. Printed: the time between two frames of the browser, the longest piece of work in its thread, its memory, and memory and processor time
of the server. Needs Chromium and Node.js 20."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import growing_log  # noqa: E402

CHAIN = re.compile(r',"line":\d+,"after":"[0-9a-f]{8}","crc":"[0-9a-f]{8}"}$')


def records_of(run):
    """The records of a log without numbers and checksums."""
    with open(run / "log.jsonl", encoding="utf-8") as log:
        return [json.loads(CHAIN.sub("}", line.rstrip("\n"))) for line in log]


def repeated(records, count, rate):
    """First what an evaluation refers to, then (events, evaluation) again and again: `count` of them, one each 1/rate seconds."""
    header = [record for record in records if record["t"] in ("run", "choice")]
    selects = {record["seq"]: record for record in records if record["t"] == "select"}
    deads = [record for record in records if record["t"] == "dead"]
    evals = [record for record in records if record["t"] == "eval"]
    events = max((record.get("seq", 0) for record in records), default=0)
    fastest = min((record["best_ns"] for record in evals if record["verdict"] == "correct"), default=1000)

    def following():
        best = float("inf")
        for n in range(1, count + 1):
            copy, index = divmod(n - 1, len(evals))
            record = dict(evals[index], n=n, dt=round(n / rate, 3))
            if record["verdict"] == "correct":
                record["best_ns"] = record["best_ns"] * (1 + 0.3 * (n * 7919 % 1000) / 1000) + fastest / n ** 0.5
                record["runtimes_ns"] = [record["best_ns"]]
            lines = []
            select = selects.get(record.get("select"))
            if select:
                record.update(seq=record.get("seq", 0) + copy * events, select=record["select"] + copy * events)
                lines.append(dict(select, seq=record["select"]))
            if deads:
                lines.append(dict(deads[n % len(deads)], dt=record["dt"]))
            lines.append(record)
            if record["verdict"] == "correct" and record["best_ns"] < best:
                best = record["best_ns"]
                lines.append({"t": "best", "n": n, "dt": record["dt"], "ns": best, "h": record["h"]})
            yield lines
    return header, following()


def memory_of(pid, what):
    """"VmHWM" or "VmRSS" of a process, in MB."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(rf"{what}:\s+(\d+)", text)[1]) / 1024


def loads():
    """How busy the machine is: frames are late where others have the processor."""
    return f"{os.cpu_count()} cores, a load of {os.getloadavg()[0]:.0f}"


def used_by(pid):
    """Seconds of the processor."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", required=True)
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--view", default="timeline", help="the view that is open meanwhile")
    parser.add_argument("--all", action="store_true", help="all evaluations come, as fast as they can be written")
    parser.add_argument("--screenshot", help="a picture at the end")
    options = parser.parse_args()
    for program in ("node", "chromium"):
        if shutil.which(program) is None:
            sys.exit(f"there is no {program}: apt-get install {'nodejs npm' if program == 'node' else program}")
    with tempfile.TemporaryDirectory() as folder:
        measure(options, pathlib.Path(folder))


def measure(options, folder):
    run = options.run
    if run is None:
        run = folder / "short"
        subprocess.run([options.search, "--kernel", "matmul", "--size", "m=256,n=256,k=256", "--budget", "evals=60", "--seed", "1", "--out", run],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    header, following = repeated(records_of(run), options.count, options.rate)
    log = growing_log.GrowingLog(folder / "run" / "log.jsonl", growing_log.compiled_crc32c())
    log.write(*header)
    arriving = options.count if options.all else min(options.count, int(options.rate * options.seconds))
    for _ in range(options.count - arriving):
        log.write(*next(following))
    size = log.path.stat().st_size
    server = subprocess.Popen([options.search, "view", folder / "run", "--port", "0"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    begin = time.monotonic()
    browser = subprocess.Popen(["node", ROOT / "tests/bench/parts/view_page.mjs", url, str(options.count - arriving), str(options.count), options.view,
                                options.screenshot or ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert browser.stdout.readline() == "loaded\n", "the page was not loaded"
    loaded = time.monotonic() - begin
    used_before = used_by(server.pid)
    begin = time.monotonic()
    for k in range(arriving):
        wait = begin + k / options.rate - time.monotonic()
        if wait > 0 and not options.all:
            time.sleep(wait)
        log.write(*next(following))
    written = time.monotonic() - begin
    found = json.loads(browser.stdout.readline())
    took = time.monotonic() - begin
    used = used_by(server.pid) - used_before
    peak = memory_of(server.pid, "VmHWM")
    server.send_signal(2)
    server.wait(timeout=20)
    browser.stdin.write("\n")
    browser.stdin.flush()
    browser.wait(timeout=60)
    print(f"log            {options.count} evaluations, {size / 1e6:.0f} MB; {arriving} came in {written:.1f} s, shown {took - written:.1f} s after the last")
    print(f"page           loaded with {options.count - arriving} after {loaded:.1f} s, the view {options.view}")
    print(f"frames         {found['frames']} in {found['seconds']:.1f} s; 99 % within {found['p99']:.0f} ms, the longest {found['longest']:.0f} ms")
    print(f"work at once   at most {found['task']:.0f} ms; {found['draws']} times drawn, {found['draw']:.0f} ms at most")
    print(f"processor      in {took:.1f} s the page took {found['used']:.1f} s, the server {used:.1f} s; {loads()}")
    print(f"memory         server {peak:.0f} MB at most, JavaScript {found['heap']:.0f} MB, the page's process {found['process']:.0f} MB")


if __name__ == "__main__":
    main()
