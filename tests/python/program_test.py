#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of a user: the bridge between a search and a Python function, with a stand-in for the search
(fake_search.py), and then with the program itself.

usage: program_test.py SEARCH [unittest arguments]
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import support

import exhaust
from exhaust import _serve, bridge

FAKE = str(pathlib.Path(__file__).resolve().parent / "fake_search.py")


def answers(result):
    return [record.answer for record in result.log.evals]


class Fake(support.InFolder):
    def program(self, function, implementations, **options):
        (self.folder / "own.exh").write_text("".join(json.dumps(each) + "\n" for each in implementations))
        return exhaust.program(space="own.exh", **options)(function)

    def test_a_function_is_asked(self):
        seen = []

        def bench(block_x, tile, order, class_, n, unroll=1):
            seen.append((block_x, tile, order, class_, n, unroll, threading.current_thread() is threading.main_thread(),
                         program.cap_ms, program.effort))
            print("this is no part of the conversation")
            return exhaust.Answer(ms=[block_x / 10, block_x / 5], correct=block_x != 1, error_ratio=0.5)

        program = self.program(bench, [{"block_x": value, "tile(m)": 4, "tile(n)": 8, "order(a,b)": "BEFORE", "class": "A"}
                                       for value in (32, 1, 16)])
        self.assertEqual(program.__name__, "bench")
        r = program.tune(budget="1s", n=7, m=9, search=FAKE, out="run")
        self.assertEqual(seen[0], (32, {"m": 4, "n": 8}, {("a", "b"): "BEFORE"}, "A", 7, 1, True, 2.1, "quick"))
        self.assertEqual([record.verdict for record in r.log.evals], ["correct", "wrong", "correct"])
        self.assertEqual(answers(r)[0], {"id": 1, "verdict": "correct", "runtimes_ns": [3.2e6, 6.4e6], "error_ratio": 0.5})
        self.assertEqual((r.best.n, r.best_us), (3, 1600))
        self.assertEqual(r.log.end.code, 0)
        print(f"an answer takes {r.log.end.ask_us:.0f} us")
        self.assertIn("--size n=7,m=9", " ".join(r.log.run.argv))
        # A run does not name a socket, and goes on with another one.
        again = program.tune(resume="run", search=FAKE, budget="1s")
        self.assertEqual(len(list(again.events("eval"))), 6)

    def test_what_a_function_may_return(self):
        returns = iter([0.002, (0.003, 0.004), {"verdict": "crash", "why": "no"}, {"time_ms": 5.0},
                        exhaust.Answer(ms=1, verdict="slow"), exhaust.Answer(7)])
        r = self.program(lambda a: next(returns), [{"a": at} for at in range(6)]).tune(search=FAKE, trust_times=True)
        said = answers(r)
        for each in said:
            del each["id"]
        self.assertEqual(said, [{"runtimes_ns": [2e6]}, {"runtimes_ns": [3e6, 4e6]}, {"verdict": "crash", "why": "no"},
                                {"time_ms": 5.0}, {"verdict": "slow", "runtimes_ns": [1e6]}, {"runtimes_ns": [7e6]}])

    def test_a_time_alone_is_never_the_best(self):
        with self.assertRaises(exhaust.NothingFound) as raised:
            self.program(lambda a: 0.5, [{"a": 1}]).tune(search=FAKE)
        self.assertEqual(raised.exception.result.verdicts, {"unchecked": 1})

    def test_what_a_function_may_raise(self):
        raises = iter([exhaust.Wrong("element 3"), exhaust.CompileError(), exhaust.Timeout("10 s"), ZeroDivisionError("by 0"),
                       SystemExit(3)])

        def bench(a):
            raise next(raises)

        with self.assertRaises(exhaust.NothingFound) as raised:
            self.program(bench, [{"a": at} for at in range(5)]).tune(search=FAKE)
        self.assertEqual([(record.verdict, record.why) for record in raised.exception.result.log.evals],
                         [("wrong", "element 3"), ("compile_error", "CompileError"), ("timeout", "10 s"),
                          ("crash", "ZeroDivisionError: by 0"), ("crash", "SystemExit: 3")])
        self.assertIn("in bench", str(raised.exception))

    def test_mistakes_of_the_function_end_the_search(self):
        for function, words in ((lambda b: 1.0, "cannot be called with what the space decides, a"),
                                (lambda a: None, "not None"), (lambda a: True, "not True"),
                                (lambda a: {"times": 3}, "an answer has no 'times'")):
            with self.assertRaisesRegex(exhaust.UsageError, words):
                self.program(function, [{"a": 1}] * 3).tune(search=FAKE, budget="1s")
        with self.assertRaises(exhaust.UsageError):
            exhaust.program(lambda a: 1)
        with self.assertRaises(exhaust.UsageError):
            exhaust.Answer(1, correct=True, verdict="wrong")

    def test_without_waiting(self):
        threads = set()

        def bench(a):
            threads.add(threading.current_thread().name)
            return exhaust.Answer(a, correct=True)

        r = self.program(bench, [{"a": at} for at in (3, 1, 2)]).tune(search=FAKE, wait=False)
        self.assertEqual([event.n for event in r.events("best")], [1, 2])
        self.assertNotIn("MainThread", threads)
        with self.assertRaisesRegex(exhaust.UsageError, "returns"):
            self.program(lambda a: "text", [{"a": 1}]).tune(search=FAKE, wait=False).wait()

    def test_space_and_data_as_values(self):
        text = json.dumps({"a": 1}) + "\n"
        r = exhaust.program(space=text, data={"n": 3})(lambda a: exhaust.Answer(1, correct=True)).tune(search=FAKE)
        words = r.log.run.argv
        self.assertFalse(os.path.exists(words[words.index("--data") + 1]))
        self.assertTrue(words[words.index("--space") + 1].endswith(".exh"))

    def interrupted(self, hang, function):
        text = f"""
            import exhaust, os, signal, sys, time
            {hang}
            space = '{{"a": 1}}\\n{{"a": 2}}\\n{{"a": 3}}\\n'
            @exhaust.program(space=space)
            def bench(a):
                {function}
                return exhaust.Answer(a, correct=True)
            print("BEGIN", flush=True)
            try:
                r = bench.tune(search={FAKE!r}, out="run")
                print("RETURNED", r.interrupted, r.why, r.best_us)
            except exhaust.Interrupted as error:
                print("INTERRUPTED", error.result.why, isinstance(error, KeyboardInterrupt))
            """
        child = subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(text)], stdout=subprocess.PIPE, text=True,
                                 env=dict(os.environ, PYTHONPATH=str(support.PACKAGE)), start_new_session=True)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "BEGIN\n")
        return child

    def test_ctrl_c_while_the_search_waits(self):
        child = self.interrupted("os.environ['FAKE_HANG'] = '1'", "pass")
        while not os.path.exists("run/log.jsonl"):
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        self.assertEqual(child.communicate(timeout=30)[0], "INTERRUPTED signal True\n")

    def test_ctrl_c_in_the_function(self):
        child = self.interrupted("", "a == 2 and (print('IN', flush=True), time.sleep(60))")
        self.assertEqual(child.stdout.readline(), "IN\n")
        os.killpg(child.pid, signal.SIGINT)
        self.assertEqual(child.communicate(timeout=30)[0], "RETURNED True signal 1000.0\n")


class Bridge(support.InFolder):
    def test_lines_go_both_ways_whole(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("socket")
        listener.listen()
        process = subprocess.Popen([sys.executable, "-I", "-S", str(_serve.BRIDGE), "socket"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        link = listener.accept()[0]
        long = b'{"id": 1, "decisions": {"a": "' + b"x" * 300000 + b'"}}\n'
        process.stdin.write(long)
        process.stdin.flush()
        got = b""
        while not got.endswith(b"\n"):
            got += link.recv(65536)
        self.assertEqual(got, long)
        threading.Thread(target=link.sendall, args=(long,)).start()
        self.assertEqual(process.stdout.readline(), long)
        # The search closes its side: the bridge tells, and ends when the other side does.
        process.stdin.close()
        self.assertEqual(link.recv(10), b"")
        link.close()
        self.assertEqual(process.wait(timeout=10), 0)
        process.stdout.close()
        listener.close()

    def test_nobody_listens(self):
        for words, environment, says in (([], {}, "no longer runs"), (["nowhere"], {}, "nobody listens"),
                                         ([], {"EXHAUST_SOCKET": "nowhere"}, "nobody listens")):
            done = subprocess.run([sys.executable, "-B", "-m", "exhaust.bridge", *words], capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONPATH=str(support.PACKAGE), **environment), check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)
        self.assertTrue(callable(bridge.relay))

    def test_garbage_is_no_question(self):
        server = _serve.Server(lambda a: exhaust.Answer(a), lambda asked: None)
        self.addCleanup(server.close)
        link = socket.socket(socket.AF_UNIX)
        self.addCleanup(link.close)
        link.connect(server.environment["EXHAUST_SOCKET"])
        link.sendall(b'no json\n[1]\n{"id": 1}\n{"id": 5, "decisions": {"a": 3}}\n')
        answered = threading.Thread(target=lambda: [server.step() for _ in range(4)])
        answered.start()
        self.assertEqual(json.loads(link.makefile().readline()), {"id": 5, "runtimes_ns": [3e6]})
        answered.join()
        self.assertIsNone(server.failure)


class Real(support.InFolder):
    """With the program itself."""

    SPACE = """
/// Threads of a block.
choice integer block_x(): 16 | 32 | 64 | 128 end
choice integer unroll(): 1 | 2 | 4 | 8 end
choice enum layout():
  value ROWS:
  value COLUMNS:
end
require fits: block_x() * unroll() <= 256
"""

    @staticmethod
    def ms(block_x, unroll, layout):
        return 1 + abs(block_x - 64) / 16 + abs(unroll - 4) + (layout == "ROWS")

    def bench(self, **options):
        @exhaust.program(space=self.SPACE, **options)
        def bench(block_x, unroll, layout):
            print("this is no part of the conversation")
            return exhaust.Answer(ms=self.ms(block_x, unroll, layout), correct=True, error_ratio=0.1)

        return bench

    def test_the_best_of_all(self):
        begin = time.monotonic()
        r = self.bench().tune(budget="evals=100", seed=5, out="run")
        self.assertEqual(r.decisions, {"block_x": 64, "unroll": 4, "layout": "COLUMNS"})
        self.assertAlmostEqual(r.best_us, 1000)
        self.assertEqual(r.evaluations, 26)
        self.assertEqual(r.why, "exhausted")
        rows = r.log.rows()
        self.assertEqual(len({(row["block_x"], row["unroll"], row["layout"]) for row in rows}), 26)
        self.assertTrue(all(row["best_ns"] == 1e6 * self.ms(row["block_x"], row["unroll"], row["layout"]) for row in rows))
        self.assertIn("<path", r._repr_html_())
        print(f"26 of a function in {time.monotonic() - begin:.2f} s")

    def test_it_goes_on(self):
        self.bench().tune(budget="evals=5", out="run")
        r = self.bench().tune(budget="evals=9", resume="run")
        self.assertEqual(r.evaluations, 9)

    def test_verdicts(self):
        @exhaust.program(space=self.SPACE)
        def bench(block_x, unroll, layout):
            if block_x == 64:
                raise exhaust.Wrong("c[17]")
            if block_x == 32:
                raise ValueError("no such block")
            return 1e-3 * self.ms(block_x, unroll, layout) if layout == "ROWS" else exhaust.Answer(ms=unroll, correct=True)

        r = bench.tune(budget="evals=100")
        verdicts = r.verdicts
        self.assertEqual((verdicts["wrong"], verdicts["crash"], verdicts["unchecked"]), (6, 8, 6))
        self.assertIn("ValueError: no such block", [row["why"] for row in r.log.rows()])
        self.assertEqual((r.decisions["layout"], r.decisions["unroll"]), ("COLUMNS", 1))

    def test_times_alone(self):
        def seconds(block_x, unroll, layout):
            return 1e-3 * self.ms(block_x, unroll, layout)

        with self.assertRaises(exhaust.NothingFound):
            exhaust.program(space=self.SPACE)(seconds).tune(budget="evals=5")
        r = exhaust.program(space=self.SPACE, trust_times=True)(seconds).tune(budget="evals=100")
        self.assertEqual(r.decisions["block_x"], 64)

    def test_a_mistake_of_the_function(self):
        with self.assertRaisesRegex(exhaust.UsageError, "cannot be called"):
            exhaust.program(space=self.SPACE)(lambda block: 1.0).tune(budget="evals=5")
        with self.assertRaises(exhaust.UsageError):
            exhaust.program(space="choice nothing")(lambda block: 1.0).tune(budget="evals=5")

    def test_sizes_are_for_the_function(self):
        seen = set()

        @exhaust.program(space="extern constant n\nextern constant unused = 2\n" + self.SPACE)
        def bench(block_x, unroll, layout, n, m=3):
            seen.add((n, m))
            return exhaust.Answer(ms=block_x, correct=True)

        r = bench.tune(budget="evals=3", n=512, unused=1)
        self.assertEqual((seen, r.sizes["n"]), ({(512, 3)}, 512))

    def test_a_command_and_a_server(self):
        (self.folder / "my.exh").write_text(self.SPACE)
        (self.folder / "server.py").write_text(textwrap.dedent("""
            import json, sys
            for line in sys.stdin:
                asked = json.loads(line)
                print(json.dumps({"id": asked["id"], "verdict": "correct", "time_ms": asked["decisions"]["block_x"]}), flush=True)
            """))
        r = exhaust.tune(space="my.exh", serve=f"{sys.executable} server.py", budget="evals=100")
        self.assertEqual((r.decisions["block_x"], r.best_us), (16, 16000))
        r = exhaust.tune(space="my.exh", run="echo time_ms {block_x}", budget="evals=100", trust_times=True)
        self.assertEqual(r.decisions["block_x"], 16)


if __name__ == "__main__":
    support.main()
