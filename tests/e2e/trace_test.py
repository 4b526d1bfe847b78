#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`search --trace FILE`: that the file is a Chrome trace whose spans nest, that it has each evaluation of the log, with and without lanes, pilots and
a fleet; that it can be read when the search is killed; and that no trace fails a search.

usage: trace_test.py SEARCH [unittest arguments]
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import trace_reader

SEARCH = sys.argv.pop(1)

SPACE = """
choice integer block_x(): 16 | 32 | 64 | 128 end
choice integer unroll(): 1 | 2 | 4 | 8 end
"""
SERVER = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    d = asked["decisions"]
    time.sleep(PAUSE)
    verdict = "wrong" if d["unroll"] == 8 else "correct"
    print(json.dumps({"id": asked["id"], "verdict": verdict, "why": 'it "is"\\n\\u0007 \\u2028]', "time_us": 10 + abs(d["block_x"] - 64)}), flush=True)
"""
HOSTILE = 'run "of]}, \\ \n é'


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "my.exh").write_text(SPACE)
        self.serve()

    def serve(self, pause=0):
        (self.folder / "server.py").write_text(SERVER.replace("PAUSE", str(pause)))

    def own(self, *words):
        return [SEARCH, "--space", "my.exh", "--serve", f"{sys.executable} server.py", "--progress", "none", *words]

    def run_search(self, words, code=0):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def trace(self, name="trace.json", is_whole=True):
        trace = trace_reader.Trace(self.folder / name)
        self.assertEqual(trace.is_whole, is_whole)
        self.assertEqual(trace.problems(), [])
        if is_whole:
            self.assertEqual(trace.events[-1]["args"], {"left out": 0})
        return trace

    def records(self, kind, run="run"):
        with open(self.folder / run / "log.jsonl", encoding="utf-8") as log:
            return [record for record in map(json.loads, log) if record["t"] == kind]

    def check_evaluations(self, trace, run="run"):
        """Each evaluation of the log is there, once, with what the log says of it."""
        spans = {span["args"]["n"]: span for span in trace.named("evaluation ")}
        evals = self.records("eval", run)
        self.assertEqual(sorted(spans), [record["n"] for record in evals])
        for record in evals:
            span = spans[record["n"]]
            self.assertEqual(span["name"], f"evaluation {record['n']}")
            for field in ("verdict", "code"):
                self.assertEqual(span["args"][field], record[field])
            for field in ("best_ns", "bound_ns"):
                in_log = record.get(field, 0)
                self.assertAlmostEqual(span["args"]["ns" if field == "best_ns" else field], in_log, delta=1e-3 * in_log + 1e-3)
            self.assertEqual(span["args"]["why"], record.get("why", ""))
            self.assertEqual(trace.row(span), record.get("lane", "judge"))
        return evals


class Traces(Fixture):
    def test_a_kernel_on_a_processor(self):
        out = self.run_search([SEARCH, "--kernel", "axpy", "--size", "n=4096", "--budget", "evals=12", "--jobs", 2, "--progress", "none",
                               "--out", HOSTILE, "--trace", "trace.json"]).stdout
        self.assertIn("best:", out)
        trace = self.trace()
        self.check_evaluations(trace, HOSTILE)
        names = [event["args"]["name"] for event in trace.events if event["name"] == "process_name"]
        self.assertEqual(len(names), 1)
        self.assertTrue(names[0].endswith(HOSTILE), names)
        # What the log says of the end was measured by the same scopes.
        for what in ("descend", "compile", "time"):
            self.assertTrue(trace.named(what), what)
        self.assertTrue(any("check_us" in span["args"] for span in trace.named("time")))
        self.assertTrue(trace.named("finals") and trace.named("record "))
        bests = [record["ns"] for record in self.records("best", HOSTILE)]
        counts = trace.counts("best, us")
        self.assertTrue(counts)
        for count, best in zip(counts, bests):
            self.assertAlmostEqual(count, best / 1e3)
        self.assertEqual(trace.counts("batch")[-1], 0)

    def test_a_program_of_a_user_and_what_it_says(self):
        self.run_search(self.own("--out", "run", "--budget", "evals=16", "--trace", "trace.json"))
        evals = self.check_evaluations(self.trace())
        self.assertTrue(any(record["verdict"] == "wrong" and '"is"' in record["why"] for record in evals))

    def test_a_run_that_goes_on(self):
        self.run_search(self.own("--out", "run", "--budget", "evals=5"))
        self.run_search([SEARCH, "--resume", "run", "--budget", "evals=9", "--progress", "none", "--trace", "trace.json"])
        spans = self.trace().named("evaluation ")
        self.assertEqual(sorted(span["args"]["n"] for span in spans), [6, 7, 8, 9])

    def test_lanes(self):
        self.serve(pause=0.02)
        self.run_search(self.own("--out", "run", "--budget", "evals=16", "--jobs", 2, "--trace", "trace.json"))
        trace = self.trace()
        evals = self.check_evaluations(trace)
        self.assertTrue(all(record["lane"] in trace.rows.values() for record in evals))
        self.assertTrue(trace.counts("made ahead") and trace.counts("ready to be measured"))
        self.assertTrue(any(name.startswith("proposer ") for name in trace.rows.values()), trace.rows)

    def test_pilots(self):
        self.run_search(self.own("--out", "run", "--budget", "evals=10", "--worker", f"{SEARCH} worker", "--trace", "trace.json"))
        trace = self.trace()
        self.check_evaluations(trace)
        self.assertIn("pilot 1", trace.rows.values())
        self.assertTrue(trace.named("at pilot 1"))

    def test_a_fleet(self):
        (self.folder / "shapes.jsonl").write_text('{"kernel": "axpy", "sizes": {"n": 1024}}\n{"kernel": "axpy", "sizes": {"n": 2048}}\n')
        self.run_search([SEARCH, "tune", "shapes.jsonl", "--out", "fleet", "--budget", "evals=2", "--trace", "trace.json"])
        trace = self.trace()
        shapes = [span for span in trace.spans if span["name"].startswith("axpy")]
        self.assertEqual([span["args"]["end"] for span in shapes], ["done", "done"])
        self.assertEqual({trace.row(span) for span in shapes}, {"lane"})


class WhatGoesWrong(Fixture):
    def test_a_search_that_is_killed_leaves_what_can_be_read(self):
        self.serve(pause=0.25)
        search = subprocess.Popen(self.own("--out", "run", "--budget", "60s", "--trace", "trace.json"), cwd=self.folder,
                                  stdout=subprocess.DEVNULL)
        path = self.folder / "trace.json"
        while not path.exists() or "evaluation 4" not in path.read_text():
            self.assertIsNone(search.poll())
            time.sleep(0.02)
        search.send_signal(signal.SIGKILL)
        search.wait()
        trace = self.trace(is_whole=False)
        self.assertGreaterEqual(len(trace.named("evaluation ")), 4)

    def test_no_trace_fails_no_search(self):
        for path, why in (("none/trace.json", "No such file or directory"), (".", "Is a directory"),
                          ("/dev/full", "No space left on device")):
            done = self.run_search(self.own("--out", path.strip("/.").replace("/", "-") + "run", "--budget", "evals=4", "--trace", path))
            self.assertIn(f"search: note: the trace '{path}' cannot be written: {why}; it goes on without\n", done.stderr)
            self.assertIn("best:", done.stdout)

    def test_simulations_have_none(self):
        done = self.run_search([SEARCH, "--simulate", "run", "--trace", "trace.json"], code=2)
        self.assertIn("--trace", done.stderr)


if __name__ == "__main__":
    unittest.main()
