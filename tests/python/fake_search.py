#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for the program `search` where a test is about the conversation of --serve: it says its version and
options, asks the served program about implementations, and writes a log. SIGINT ends it as it ends a search.

The space is a file with one line of JSON for each implementation. $FAKE_HANG: asks nothing, and waits for a signal.
"""

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time

OPTIONS = ("kernel", "compute", "size", "space", "data", "serve", "out", "budget", "progress", "seed", "jobs", "resume",
           "trust-times")


def write(log, record):
    log.write(json.dumps(record) + "\n")
    log.flush()


class Served:
    """The program behind --serve, as search has it: in a process group of its own, below a shell."""

    def __init__(self, command):
        self.process = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)

    def ask(self, question, seconds=20.0):
        """The answer with the question's number, and the seconds that it took; None: none came."""
        begin = time.monotonic()
        self.process.stdin.write((json.dumps(question) + "\n").encode())
        self.process.stdin.flush()
        while select.select([self.process.stdout], [], [], seconds)[0]:
            line = self.process.stdout.readline()
            if not line:
                return None, 0
            answer = json.loads(line)
            if answer["id"] == question["id"]:
                return answer, time.monotonic() - begin
        return None, 0

    def end(self):
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return None


def main():
    if sys.argv[1:] == ["--version"]:
        print("search 0.1.0")
        return 0
    parser = argparse.ArgumentParser()
    for option in OPTIONS:
        flag = {"action": "store_true"} if option == "trust-times" else {}
        parser.add_argument(f"--{option}", **flag)
    given = parser.parse_args()
    interrupted = []
    signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    folder = given.resume or given.out
    os.makedirs(folder, exist_ok=True)
    if given.resume:
        with open(os.path.join(folder, "log.jsonl"), encoding="utf-8") as log:
            before = json.loads(log.readline())["argv"]
        for option in ("space", "serve", "size"):
            setattr(given, option, before[before.index(f"--{option}") + 1])
    with open(given.space, encoding="utf-8") as file:
        implementations = [json.loads(line) for line in file if line.startswith("{")]
    with open(os.path.join(folder, "log.jsonl"), "a", encoding="utf-8") as log:
        write(log, {"t": "run", "kernel": {"name": "own", "sizes": {}}, "device": {"name": "own"}, "argv": sys.argv})
        for at, name in enumerate(implementations[0]):
            write(log, {"t": "choice", "i": at, "name": name, "args": [], "domain": []})
        served = Served(given.serve)
        best = None
        seconds = []
        for number, decisions in enumerate(implementations, 1):
            while os.environ.get("FAKE_HANG") and not interrupted:
                time.sleep(0.01)
            if interrupted:
                break
            sizes = dict(each.split("=") for each in given.size.split(",")) if given.size else {}
            answer, took = served.ask({"v": 1, "id": number, "decisions": decisions, "effort": "quick", "cap_ns": 2.1e6,
                                       "sizes": {name: int(value) for name, value in sizes.items()}})
            if answer is None:
                print("search: the served program is gone", file=sys.stderr)
                return 1
            seconds.append(took)
            times = answer.get("runtimes_ns") or [1e6 * answer.get("time_ms", 0)]
            verdict = answer.get("verdict") or ("correct" if given.trust_times else "unchecked")
            write(log, {"t": "eval", "n": number, "verdict": verdict, "best_ns": min(times), "answer": answer,
                        "why": answer.get("why", ""), "vector": "."})
            if verdict == "correct" and (best is None or min(times) < best):
                best = min(times)
                write(log, {"t": "best", "n": number, "ns": best, "dt": number})
        write(log, {"t": "end", "why": "signal" if interrupted else "exhausted", "code": served.end(),
                    "ask_us": sorted(seconds)[len(seconds) // 2] * 1e6 if seconds else 0})
    if best is None:
        print("nothing was found to be correct")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
