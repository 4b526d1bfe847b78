# SPDX-License-Identifier: MIT
"""What attacks on logs share: a small run, copies of it, and every command that reads one."""

import os
import re
import shutil
import subprocess

# A process that does not answer by then hangs; the machine may be busy.
LIMIT = 300


class Readers:
    def __init__(self, scene):
        self.scene = scene
        self.whole = os.path.join(scene.folder, "whole")
        done = self.search("--kernel", "axpy", "--size", "n=64", "--space", "paper", "--budget", "evals=4", "--progress", "none",
                           "--out", self.whole)
        if done.returncode != 0:
            raise RuntimeError(f"the run to attack ended with {done.returncode}: {done.stdout}{done.stderr}")
        with open(os.path.join(self.whole, "log.jsonl"), "rb") as log:
            self.text = log.read()
        self.header_size = self.text.index(b"\n") + 1

    def search(self, *arguments):
        try:
            return subprocess.run([self.scene.search, *arguments], capture_output=True, text=True, errors="replace",
                                  timeout=LIMIT, cwd=self.scene.folder, check=False)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(arguments, -1, "", f"no answer within {LIMIT} s")

    def folder(self, name, text):
        folder = os.path.join(self.scene.folder, name)
        os.mkdir(folder)
        with open(os.path.join(folder, "log.jsonl"), "wb") as log:
            log.write(text)
        return folder

    def remove(self, folder):
        shutil.rmtree(folder, ignore_errors=True)

    def read(self, folder, which=None):
        """What is wrong with how the log is read, or None. Each reader works, or says one thing and
        returns 1 or 2. `which`: one of the readers that take long; all of them otherwise."""
        quick = [("log", "show", folder), ("log", "show", folder, "--best", "--full"), ("log", "repair", folder)]
        slow = [("replay-run", folder), ("emit", folder), ("log", "diff", folder, self.whole),
                ("--simulate", folder, "--policy", "tag", "--seeds", "1"), ("replay", folder, "--dry-run"),
                ("bound", folder)]
        for command in quick + (slow if which is None else [slow[which % len(slow)]]):
            done = self.search(*command)
            words = " ".join(command)
            if done.returncode not in (0, 1, 2):
                return f"{words}: exit code {done.returncode}: {done.stderr[-300:]}"
            if done.returncode != 0 and not done.stderr.strip():
                return f"{words}: exit code {done.returncode} without a word"
            if re.search(r"json\.exception|filesystem error|what\(\)|terminate", done.stderr):
                return f"{words}: not a message of ours: {done.stderr[-300:]}"
        return None

    def resume(self, folder, has_header=True):
        """What is wrong with how the run goes on, or None."""
        done = self.search("--resume", folder, "--budget", "evals=6", "--progress", "none")
        if not has_header:
            return None if done.returncode == 2 and "no header" in done.stderr else f"--resume without a header: {done.stderr}"
        if done.returncode != 0:
            return f"--resume: exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
        tree = self.search("replay-run", folder)
        if tree.returncode != 0 or "the same tree" not in tree.stdout:
            return f"replay-run after --resume: {tree.stdout[-300:]}{tree.stderr[-300:]}"
        return None
