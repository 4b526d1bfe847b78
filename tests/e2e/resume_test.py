#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is done with the log of a run on the cpu device: search --resume goes on with it, search --simulate
compares policies on it, and tests/bench/parts/plot_policies.py draws what came out.

usage: resume_test.py SEARCH [unittest arguments]
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEARCH = ""
KERNEL = ("--kernel", "axpy", "--size", "n=4096")


def run(*arguments):
    return subprocess.run([SEARCH, *arguments], capture_output=True, text=True, timeout=300, cwd=ROOT)


def records(folder):
    with open(os.path.join(folder, "log.jsonl"), encoding="utf-8", errors="replace") as log:
        return [json.loads(line) for line in log if line.endswith("\n")]


def evaluations(folder):
    return [record for record in records(folder) if record["t"] == "eval"]


def compared_times(folder):
    """What a search compares, of each evaluation that was correct."""
    return [e.get("quiet_ns", e["best_ns"]) if "pairs" in e else max(e["best_ns"], e.get("again_ns", 0))
            for e in evaluations(folder) if e["verdict"] == "correct"]


def digest(folder):
    tree = run("replay-run", folder)
    return re.search(r"tree ([0-9a-f]{16})", tree.stdout).group(1) if tree.returncode == 0 else tree.stderr


class Resume(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(folder.name, "run")

    def kill_after(self, more, *arguments):
        """Starts a search and kills it, some time after so many further evaluations."""
        known = len(evaluations(self.out)) if os.path.exists(os.path.join(self.out, "log.jsonl")) else 0
        process = subprocess.Popen([SEARCH, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        self.addCleanup(process.kill)
        for _ in range(2400):
            if os.path.exists(os.path.join(self.out, "log.jsonl")) and len(evaluations(self.out)) >= known + more:
                break
            time.sleep(0.05)
        time.sleep(random.random())
        process.kill()
        process.wait()

    def test_killed_twice_and_torn_in_the_middle_of_a_line(self):
        self.kill_after(2, *KERNEL, "--budget", "120s", "--out", self.out)
        for tear in (0, 17):
            path = os.path.join(self.out, "log.jsonl")
            if tear:
                os.truncate(path, os.path.getsize(path) - tear)
            before = digest(self.out)
            with open(path, "rb") as log:
                whole = log.read()
            whole = whole[:whole.rfind(b"\n") + 1]
            self.kill_after(2, "--resume", self.out, "--budget", "120s")
            with open(path, "rb") as log:
                self.assertTrue(log.read().startswith(whole))
            # Cut where the second process took over, the tree is the one at which the first died.
            with open(path, "rb") as log:
                text = log.read()
            part = os.path.join(self.folder, f"part{tear}")
            os.mkdir(part)
            with open(os.path.join(part, "log.jsonl"), "wb") as log:
                log.write(text[:text.rfind(b'{"t":"resume"')])
            self.assertEqual(digest(part), before)
        count = len(evaluations(self.out)) + 1
        done = run("--resume", self.out, "--budget", f"evals={count}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        numbers = [e["n"] for e in evaluations(self.out)]
        self.assertEqual(numbers, list(range(1, count + 1)))
        self.assertEqual(len({e["code"] for e in evaluations(self.out)}), count)
        self.assertIn("best: ", done.stdout)
        self.assertIn("naive", done.stdout)  # The winner was compiled again and measured.
        again = run("replay-run", self.out)
        self.assertIn("the same tree as at the end of the run", again.stdout, again.stderr)
        self.assertIn("3 times", run("log", "show", self.out).stdout)

    def check(self, arguments, *parts):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_mistakes_are_said(self):
        self.assertEqual(run(*KERNEL, "--budget", "evals=1", "--seed", "7", "--out", self.out).returncode, 0)
        with open(os.path.join(self.out, "log.jsonl"), "rb") as log:
            text = log.read()
        resume = ("--resume", self.out)
        self.check((*resume, "--kernel", "matmul"), "--kernel matmul contradicts the run, which has axpy")
        self.check((*resume, "--size", "n=64"), "--size n=64", "n=4096")
        self.check((*resume, "--seed", "8"), "--seed 8", "7")
        self.assertNotIn("goes on", run(*resume, "--seed", "8").stdout)
        self.check((*resume, "--policy", "uct"), "--policy uct", "tag")
        self.check((*resume, "--epsilon", "2%"), "--epsilon 2%", "1%")
        self.check((*resume, "--order", "dim_kind"), "--order dim_kind", "size,")
        self.check((*resume, "--set", "max_unroll=2"), "--set max_unroll=2")
        self.check((*resume, "--out", self.folder), "--out")
        self.check((*resume, "--budget", "soon"), "soon")
        self.check(("--resume", os.path.join(self.folder, "none")), "no log at")

        def damaged(name, change):
            folder = os.path.join(self.folder, name)
            shutil.copytree(self.out, folder)
            with open(os.path.join(folder, "log.jsonl"), "wb") as log:
                log.write(change(text))
            return folder

        middle = text.index(b'"t":"choice"')
        self.check(("--resume", damaged("torn", lambda t: t[:40])), "no header")
        self.check(("--resume", damaged("spoilt", lambda t: t[:middle] + b"#" + t[middle + 1:])), "is damaged", "line 2")
        with open(os.path.join(self.out, "log.jsonl"), "rb") as log:
            self.assertEqual(log.read(), text)
        # What cannot be mended is lost, and what can be known again is written again.
        spoilt = damaged("choice", lambda t: t[:middle + 8] + b"####" + t[middle + 12:])
        done = run("log", "repair", spoilt)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 line", done.stdout)
        self.assertIn("line 2 (", done.stdout)
        self.assertEqual(run("--resume", spoilt, "--budget", "evals=2").returncode, 0)
        self.assertEqual([r["i"] for r in records(spoilt) if r["t"] == "choice"][-1], 0)
        self.assertEqual(run("replay-run", spoilt).returncode, 0)
        self.assertIn("nothing is damaged", run("log", "repair", spoilt).stdout)
        # Killed while it wrote its first lines: the rest of them is written now.
        early = damaged("early", lambda t: t[:text.index(b'"t":"choice","i":9,')])
        done = run("--resume", early, "--budget", "evals=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [r["i"] for r in records(early) if r["t"] == "choice"]
        self.assertEqual(names, list(range(len(evaluations(early)[0]["vector"]))))
        # What agrees with the run may be said again.
        done = run(*resume, *KERNEL, "--seed", "7", "--policy", "tag", "--budget", "evals=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(evaluations(self.out)), 2)


class Simulate(unittest.TestCase):
    def test_policies_on_a_recorded_run(self):
        with tempfile.TemporaryDirectory() as folder:
            out, file, svg = (os.path.join(folder, name) for name in ("run", "policies.json", "policies.svg"))
            done = run(*KERNEL, "--budget", "evals=12", "--policy", "random", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(out, "log.jsonl"), "rb") as log:
                before = log.read()
            times = compared_times(out)
            policies = ("tag", "tag,bound=off", "random")
            simulate = [word for policy in policies for word in ("--policy", policy)]
            done = run("--simulate", out, *simulate, "--seeds", "4", "--out", file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("record: 12 implementations", done.stdout)
            for policy in policies:
                self.assertRegex(done.stdout, rf"(?m)^{re.escape(policy)} ")
            with open(file, encoding="utf-8") as written:
                data = json.load(written)
            self.assertEqual([p["policy"] for p in data["policies"]], list(policies))
            self.assertEqual(data["best_ns"], min(times))
            for policy in data["policies"][1:]:  # Without a cut they all find it.
                self.assertEqual(policy["evaluations"]["median_ns"][-1], min(times))
                self.assertEqual(policy["ended"], 12)
            with open(os.path.join(out, "log.jsonl"), "rb") as log:
                self.assertEqual(log.read(), before)
            self.assertEqual(run("--simulate", out, *simulate, "--seeds", "4").stdout, done.stdout)
            self.assertNotIn("was searched with", done.stdout)
            tree = os.path.join(folder, "tree")
            self.assertEqual(run(*KERNEL, "--budget", "evals=4", "--out", tree).returncode, 0)
            both = run("--simulate", out, tree, "--policy", "tag", "--policy", "uct", "--seeds", "2")
            self.assertEqual(both.returncode, 0, both.stderr)
            self.assertIn(f"'{tree}' was searched with 'tag'", both.stdout)
            self.assertRegex(both.stdout, r"record: 1[2-6] implementations")

            for by in ("evaluations", "seconds"):
                drawn = subprocess.run([sys.executable, os.path.join(ROOT, "tests/bench/parts/plot_policies.py"), file,
                                        "-o", svg, "--by", by], capture_output=True, text=True, timeout=60)
                self.assertEqual(drawn.returncode, 0, drawn.stderr)
                picture = xml.etree.ElementTree.parse(svg).getroot()
                words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
                self.assertTrue(set(policies) <= set(words), words)
                self.assertTrue(any(by in word for word in words), words)
            refused = subprocess.run([sys.executable, os.path.join(ROOT, "tests/bench/parts/plot_policies.py"),
                                      os.path.join(out, "log.jsonl")], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("plot_policies: ", refused.stderr)

    def test_the_whole_proposer_on_a_recorded_run(self):
        with tempfile.TemporaryDirectory() as folder:
            out, file = (os.path.join(folder, name) for name in ("run", "settings.json"))
            done = run(*KERNEL, "--budget", "evals=16", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            whole = ("--simulate", out, "--whole", "--vary", "screen=1,8", "--vary", "walks=1", "--budget", "evals=40", "--seeds", "2")
            done = run(*whole, "--jobs", "2", "--out", file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"record: \d+ implementations, \d+ of them correct")
            self.assertRegex(done.stdout, r"320 evaluations in .* s, 2 searches at once: .* a second")
            with open(file, encoding="utf-8") as written:
                text = written.read()
            data = json.loads(text)
            self.assertEqual([s["setting"] for s in data["settings"]], ["default", "screen=1", "screen=8", "walks=1"])
            self.assertEqual(data["best_ns"], min(compared_times(out)))
            for setting in data["settings"]:
                self.assertIn(f"\n{setting['setting']} ", done.stdout)
                self.assertEqual([look["evaluations"] for look in setting["looks"]], [5, 10, 20, 40])
                self.assertGreaterEqual(setting["looks"][3]["least"], 1)
            self.assertEqual(run(*whole, "--jobs", "1", "--out", file).returncode, 0)
            with open(file, encoding="utf-8") as written:
                self.assertEqual(written.read(), text)

    def test_mistakes_are_said(self):
        for arguments, part in (
                (("--simulate", "x", "--whole", "--vary", "walk=2"), "did you mean 'walks'?"),
                (("--simulate", "x", "--whole", "--vary", "walks=0"), "is a whole number from 1 to 64"),
                (("--simulate", "x", "--whole", "--budget", "60s"), "legal: one --budget evals=2000"),
                (("--simulate", "x", "--whole", "--kernel", "axpy"), "--kernel means nothing with --simulate --whole"),
                (("--simulate", "x", "--whole", "--seeds", "0"), "--seeds must be"),
                (("--simulate", "/nonexistent", "--whole"), "no log at"),
                (("--simulate", "x", "--vary", "walks=2"), "and --whole"),
                (("--kernel", "axpy", "--vary", "walks=2"), "--vary goes with --simulate"),
                (("--simulate", "/nonexistent"), "no log at"),
                (("--simulate", "x", "--kernel", "axpy"), "--kernel means nothing with --simulate"),
                (("--simulate", "x", "--policy", "tag,bound=maybe"), "bound=maybe"),
                (("--simulate", "x", "--seeds", "0"), "--seeds must be"),
                (("--kernel", "axpy", "--policy", "tag", "--policy", "uct"), "--simulate"),
                (("--kernel", "axpy", "--seeds", "3"), "--simulate")):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    SEARCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
