#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`search report` as its users see it: the page of a run of a small kernel, what is refused, and that nothing is left
half-written.

usage: report_test.py SEARCH"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SEARCH = ""
TEMPLATE = "<!--exhaust report 3--><title><!--title--></title><script><!--data--></script>"


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        (cls.root / "page.html").write_text(TEMPLATE)
        cls.search("--kernel", "axpy", "--size", "n=4096", "--budget", "evals=4", "--seed", "1", "--out", "run")

    @classmethod
    def search(cls, *arguments, code=0):
        done = subprocess.run([SEARCH, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                              cwd=cls.root)
        if done.returncode != code:
            raise AssertionError(f"{arguments} gave {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def data(self, *arguments):
        self.search("report", *arguments, "--page", "page.html", "-o", "out.html")
        html = (self.root / "out.html").read_text()
        return html, json.loads(re.search(r"<script>(.*)</script>", html, re.DOTALL)[1])

    def test_what_decisions_are_worth(self):
        self.assertIsNone(self.data("run")[1]["runs"][0]["why"])
        text = self.search("why", "run", "--budget", "8s", "--jobs", "1")
        self.assertRegex(text, r"record \d+ of run: .* here, logged with ")
        self.assertRegex(text, r"each alone with another value, .*noise \d+\.\d %")
        self.assertIn("run/why.json", text)
        slowest = max((json.loads(line) for line in (self.root / "run/log.jsonl").read_text().splitlines() if '"eval"' in line),
                      key=lambda record: record.get("best_ns", 0))["n"]
        self.assertIn("each alone as it is in the other record",
                      self.search("why", "run", f"run@{slowest}", "--budget", "6s", "--jobs", "1"))
        whole = json.loads((self.root / "run/why.json").read_text())
        self.assertEqual({"record", "noise", "decisions", "steps"} - set(whole), set())
        self.assertTrue(any(one["others"] for one in whole["decisions"]))
        why = self.data("run")[1]["runs"][0]["why"]
        self.assertEqual(why["record"], whole["record"])
        evil = "</script><script>"
        damaged = [("{", None), ("[]", None), ('{"record":"x"}', None), ('{"record":1e300}', None),
                   (json.dumps({"record": whole["record"], "decisions": [{"name": evil, "value": 7, "worth": 2, "others": 3}]}),
                    [[evil, "", 2, [["", None, "", 0]]]])]
        for text, decisions in damaged:
            (self.root / "run/why.json").write_text(text)
            html, data = self.data("run")
            self.assertNotIn(evil, html)
            why = data["runs"][0]["why"]
            self.assertEqual(why and why["decisions"], decisions)
        (self.root / "run/why.json").unlink()

    def test_why_says_what_is_wrong(self):
        for arguments, words in (((), "why is what fast"), (("run", "--budget", "soon"), "bad budget 'soon'"),
                                 (("run@77",), "77"), (("run", "run"), "the same decisions"), (("nowhere",), "nowhere"), (("run", "--jobs", "-1"), "bad --jobs '-1'")):
            self.assertIn(words, self.search("why", *arguments, code=2))

    def test_a_run(self):
        html, data = self.data("run")
        self.assertIn("<title>axpy ", html)
        run, = data["runs"]
        log = [json.loads(line) for line in (self.root / "run/log.jsonl").read_text().splitlines()]
        evals = [record for record in log if record["t"] == "eval"]
        self.assertEqual(run["evals"]["n"], [record["n"] for record in evals])
        best = [record for record in log if record["t"] == "best"][-1]
        self.assertEqual((run["winner"]["n"], run["winner"]["trouble"]), (best["n"], ""))
        self.assertIn("exec ", run["winner"]["outline"])
        self.assertIn("printed by Exhaust", run["winner"]["source"])
        self.assertEqual(run["treeTrouble"], "")
        self.assertEqual(run["tree"]["visits"][0], sum(record["t"] == "select" for record in log))
        self.assertEqual(len(run["roofline"]["n"]), sum(record["verdict"] == "correct" for record in evals))
        for requirement in run["requirements"]:
            self.assertRegex(requirement["place"], r"^kernels/spaces/\w+\.exh:\d+$")
            self.assertNotEqual(requirement["text"], "")

    def test_a_run_of_something_else(self):
        operator = pathlib.Path(__file__).resolve().parents[1] / "kernels/fused/operators/layout.json"
        self.search("fused", "search", operator, "--threads", "1", "--budget", "evals=3", "--out", "operator")
        _, data = self.data("operator")
        run, = data["runs"]
        self.assertEqual((run["winner"]["trouble"], run["treeTrouble"]), ("", ""))
        self.assertIn("exh_run", run["winner"]["source"])
        self.assertIn("statement", run["winner"]["outline"])
        self.assertIsNone(run["roofline"])

    def test_a_run_of_a_program_of_a_user(self):
        (self.root / "own.exh").write_text("choice integer x(): 1 .. 4 end\n")
        self.search("--space", "own.exh", "--run", "echo time_ms 1.{x}", "--trust-times", "--budget", "evals=4", "--seed", "1", "--out", "own")
        html, data = self.data("own")
        self.assertIn("<title>own</title>", html)
        run, = data["runs"]
        self.assertEqual((run["run"]["subject"], run["run"]["device"], run["run"]["flops"]), ("own", "program", 0))
        text = json.loads(run["run"]["text"])
        self.assertEqual([file["path"] for file in text["files"]], ["own.exh"])
        self.assertEqual(text["program"]["run"], "echo time_ms 1.{x}")
        self.assertEqual((run["winner"]["outline"], run["winner"]["suffix"], run["winner"]["source"]), ("", ".env", "EXH_X=1\n"))
        self.assertIsNone(run["roofline"])

    def test_two_runs(self):
        html, data = self.data("run", "run/log.jsonl")
        self.assertIn("<title>2 runs of axpy</title>", html)
        self.assertEqual([run["name"] for run in data["runs"]], ["run", "run/log.jsonl"])

    def test_a_fleet(self):
        shapes = [{"kernel": "axpy", "sizes": {"n": 512 * k}} for k in (1, 2, 3)] + [{"compute": "out[i] = x[i] + 1", "sizes": {"i": 64}}]
        (self.root / "shapes.jsonl").write_text("".join(json.dumps(shape) + "\n" for shape in shapes))
        self.search("tune", "shapes.jsonl", "--budget", "evals=2", "--seed", "1", "--threads", "1", "--out", "fleet")
        # One that never began, and one that was interrupted: its log has no end.
        for name in ("axpy-n1024", "axpy-n1536"):
            log = self.root / "fleet" / name / "log.jsonl"
            lines = log.read_text().splitlines(keepends=True)
            at = next(i for i, line in enumerate(lines) if '"t":"best"' in line)
            log.write_text("".join(lines[:at + 1]) if name == "axpy-n1536" else "")
        self.search("report", "fleet/axpy-n512", "--page", "page.html", "-o", "fleet/axpy-n512/report.html")
        (self.root / "pages").mkdir()
        self.search("report", "fleet/", "--page", "page.html", "-o", "pages/fleet.html")
        html = (self.root / "pages/fleet.html").read_text()
        self.assertIn("<title>4 shapes on cpu</title>", html)
        data = json.loads(re.search(r"<script>(.*)</script>", html, re.DOTALL)[1])
        self.assertEqual(data["folder"], "../fleet")
        # The page is made of what the status says, and that is what the logs say.
        self.assertEqual(data["fleet"], json.loads(self.search("tune", "--status", "fleet", "--format", "json")))
        fleet = data["fleet"]
        self.assertEqual(fleet["counts"], {"done": 2, "running": 0, "waiting": 2, "failed": 0})
        first, second, third, text = fleet["shapes"]
        log = [json.loads(line) for line in (self.root / "fleet/axpy-n512/log.jsonl").read_text().splitlines()]
        references = {record["name"]: record for record in log if record["t"] == "reference" and record["verdict"] == "correct"}
        self.assertEqual(first["evaluations"], sum(record["t"] == "eval" for record in log))
        self.assertEqual(first["sizes"], {"n": "512"})
        self.assertEqual(first["report"], "axpy-n512/report.html")
        own = [name for name in references if name == "winner" or name.startswith("record ")]
        self.assertEqual({one["name"] for one in first["yardsticks"]}, set(references) - set(own))
        times = [one["ns"] for one in first["yardsticks"]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(second, {"shape": "axpy-n1024", "state": "waiting", "kernel": "axpy", "sizes": {"n": "1024"}, "seconds": 0.0, "evaluations": 0})
        self.assertEqual((third["state"], third["evaluations"]), ("waiting", 1))
        self.assertIn("interrupted", third["note"])
        self.assertGreater(third["best_ns"], 0)
        self.assertTrue(text["kernel"].startswith("compute_"), text)
        self.assertEqual(fleet["evaluations"], sum(shape["evaluations"] for shape in fleet["shapes"]))
        for mean in fleet["means"]:
            self.assertLessEqual(mean["least"], mean["ratio"] * (1 + 1e-9))
            self.assertLessEqual(mean["ratio"], mean["most"] * (1 + 1e-9))
        self.assertIn("'fleet' is a fleet, and the page of a fleet has nothing else", self.refused("run", "fleet", "--page", "page.html"))

    def test_a_damaged_log_and_one_of_another_space(self):
        lines = (self.root / "run/log.jsonl").read_text().splitlines(keepends=True)
        damaged = [line.replace('"dt"', '"xt"') if '"t":"eval"' in line else line for line in lines]
        (self.root / "none.jsonl").write_text("".join(damaged))
        self.assertIn("none.jsonl' has no evaluations", self.refused("none.jsonl", "--page", "page.html"))
        at = next(i for i, line in enumerate(lines) if '"t":"eval"' in line)
        (self.root / "some.jsonl").write_text("".join(lines[:at] + [damaged[at]] + lines[at + 1:]))
        run = self.data("some.jsonl")[1]["runs"][0]
        self.assertEqual((run["count"], run["numProblems"]), (3, 1))
        # Without the event that is damaged there is no tree, and the page says so.
        self.assertNotEqual(run["treeTrouble"], "")

    def refused(self, *arguments, code=2):
        before = sorted(path.name for path in self.root.iterdir())
        said = self.search("report", *arguments, code=code)
        self.assertEqual(before, sorted(path.name for path in self.root.iterdir()), "nothing is left behind")
        return said

    def test_what_is_refused(self):
        self.assertIn("report which run? search report RUN -o report.html, or the folder of a fleet", self.refused())
        self.assertIn("no log at 'nowhere'", self.refused("nowhere", "--page", "page.html"))
        self.assertIn("./exh report-assets", self.refused("run", "--page", "no.html", "-o", "x.html"))
        self.assertIn("-o takes the name of a file, not 'run': for example -o run/report.html",
                      self.refused("run", "--page", "page.html", "-o", "run"))
        self.assertIn("cannot write '/proc/nope/x.html'",
                      self.refused("run", "--page", "page.html", "-o", "/proc/nope/x.html", code=1))
        (self.root / "old.html").write_text(TEMPLATE.replace("report 3", "report 2"))
        self.assertIn("made for another version of search: ./exh report-assets makes it",
                      self.refused("run", "--page", "old.html", "-o", "x.html", code=1))


if __name__ == "__main__":
    SEARCH = sys.argv.pop(1)
    unittest.main()
