# SPDX-License-Identifier: MIT
"""Kills: a search that measures on the cpu gets a signal at any moment, and goes on with --resume.

After each: it ended in time, no process of it is left, no whole line of its log is lost or changed, nothing was measured
twice, and the log still makes a tree. After the last part: the tree is that of the end of the run, and no scratch folder
is left of all the parts that were killed.
"""
import json
import os
import shutil
import signal
import subprocess
import time

SHORT, LONG = 6, 100

KILLS = ("KILL", "TERM", "INT", "HUP", "INT INT", "KILL")
KERNEL = ("--kernel", "axpy", "--size", "n=4096")
GRACE = 20  # Seconds in which a run that was asked to end has to; on an idle machine it takes less than two.
GONE = 5    # Seconds in which what it started has to be gone; on an idle machine a tenth of one.
MARK = "EXH_ATTACK_MARK"


def alive(mark):
    """Processes that run with the mark in their environment, zombies aside."""
    found = []
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"{MARK}={mark}\0".encode() not in file.read():
                    continue
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found.append(f"{pid} {command[:60]}")
    return found


def still_alive(mark):
    """What is left of a run after the time in which it has to be gone."""
    end = time.monotonic() + GONE
    left = alive(mark)
    while left and time.monotonic() < end:
        time.sleep(0.02)
        left = alive(mark)
    return left


def whole_lines(path):
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return b""
    return text[:text.rfind(b"\n") + 1]


def wrong_with(before, after):
    """What is wrong with the whole lines of a log, which were `before` a part of the run."""
    if not after.startswith(before):
        return "lines that were whole are lost or changed"
    try:
        records = [json.loads(line) for line in after.splitlines()]
    except ValueError as error:
        return f"a whole line cannot be read: {error}"
    evaluations = [record for record in records if record["t"] == "eval"]
    if [one["n"] for one in evaluations] != list(range(1, len(evaluations) + 1)):
        return "the numbers of evaluations are not 1, 2, 3 …"
    codes = [one["code"] for one in evaluations if one["verdict"] != "broken"]
    if len(set(codes)) != len(codes):
        return "something was measured twice"
    # The environment did nothing but to end the search, and that is nobody's fault.
    blamed = [one["verdict"] for one in evaluations if one["verdict"] in ("broken", "compile_error", "crash", "wrong")]
    return f"candidates were blamed: {blamed}" if blamed else None


class Run:
    """One run, part by part."""

    def __init__(self, scene, number):
        self.search = scene.search
        self.folder = os.path.join(scene.folder, f"run{number}")
        self.log = os.path.join(self.folder, "log.jsonl")
        self.tmp = os.path.join(scene.folder, "tmp")
        os.makedirs(self.tmp, exist_ok=True)
        self.mark = f"{os.getpid()}-{number}"
        self.environment = {**os.environ, "TMPDIR": self.tmp, MARK: self.mark}

    def call(self, *arguments):
        return subprocess.run([self.search, *arguments], capture_output=True, text=True, timeout=300,
                              env=self.environment)

    def part(self, kill, seconds):
        """Runs a part and kills it. Returns what went wrong."""
        before = whole_lines(self.log)
        if not before:  # It was killed before it wrote a line: there is nothing to go on with.
            shutil.rmtree(self.folder, ignore_errors=True)
        what = ("--resume", self.folder) if before else (*KERNEL, "--out", self.folder)
        with subprocess.Popen([self.search, *what, "--budget", "1000s", "--progress", "none"], env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(seconds)
            if process.poll() is not None:
                return f"it ended by itself with code {process.returncode}"
            for name in kill.split():
                process.send_signal(getattr(signal, f"SIG{name}"))
                time.sleep(0.01)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                return f"it lived for {GRACE} s more"
        left = still_alive(self.mark)
        if left:
            return f"{len(left)} processes outlived it by {GONE} s: {left[0]}"
        after = whole_lines(self.log)
        if not after:
            return None  # Killed before it wrote a line.
        failure = wrong_with(before, after)
        if failure:
            return failure
        tree = self.call("replay-run", self.folder)
        return None if tree.returncode == 0 else f"its log makes no tree: {tree.stderr.strip()}"

    def finish(self):
        """Runs the last part to its end."""
        whole = whole_lines(self.log)
        if whole:
            count = sum(json.loads(line)["t"] == "eval" for line in whole.splitlines()) + 2
            done = self.call("--resume", self.folder, "--budget", f"evals={count}")
        else:
            done = self.call(*KERNEL, "--out", self.folder + "-whole", "--budget", "evals=2")
            self.folder += "-whole"
        if done.returncode != 0:
            return f"the last part ended with code {done.returncode}: {done.stderr.strip()}"
        tree = self.call("replay-run", self.folder)
        if "the same tree as at the end of the run" not in tree.stdout:
            return f"another tree: {tree.stdout}{tree.stderr}"
        left = os.listdir(self.tmp)
        return f"scratch folders are left: {left}" if left else None


def run(scene, count):
    parts = 10  # Of one run; a new one then, since killing its beginning is an attack of its own.
    one, number = None, 0
    for attempt in range(count):
        if attempt % parts == 0:
            number += 1
            one = Run(scene, number)
        kill = KILLS[attempt % len(KILLS)]
        seconds = scene.random.choice((0.1, 1, 4)) * scene.random.random()
        failure = one.part(kill, seconds)
        if not failure and (attempt % parts == parts - 1 or attempt == count - 1):
            failure = one.finish()
        if failure:
            one = Run(scene, f"{number}-after-{attempt}")
        yield f"SIG{kill.replace(' ', ' SIG')} after {seconds:.2f} s, part {attempt % parts + 1}", failure
