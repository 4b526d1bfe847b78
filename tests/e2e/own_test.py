#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of users (`search --space FILE.exh --run|--serve`): that they are asked, checked and believed, and what becomes of those that hang, lie,
print garbage, or never answer.

usage: own_test.py SEARCH [unittest arguments]
"""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SEARCH = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]

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
COUNT = 26  # Of 32, those that fit.

# Takes least for 64, 4 and COLUMNS.
TIME = """
def time_us(d):
    return 10 + abs(d["block_x"] - 64) + 5 * abs(d["unroll"] - 4) + (d["layout"] == "ROWS")
"""
SERVER = TIME + """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    d = asked["decisions"]
    answer = {"id": asked["id"], "verdict": "correct", "time_us": time_us(d), "error_ratio": 0.1}
    BODY
    print(json.dumps(answer), flush=True)
"""


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("my.exh", SPACE)

    def write(self, name, text, executable=False):
        path = self.folder / name
        path.write_text(text)
        if executable:
            path.chmod(0o755)

    def server(self, body="pass", name="server.py"):
        self.write(name, SERVER.replace("BODY", body))
        return f"{sys.executable} {name}"

    def search(self, *words, code=0, timeout=120):
        words = [SEARCH, "--space", "my.exh", "--progress", "none", "--out", "run", *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_search(self, *words, code=0):
        done = subprocess.run([SEARCH, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def records(self, kind):
        with open(self.folder / "run" / "log.jsonl", encoding="utf-8") as log:
            return [record for record in map(json.loads, log) if record["t"] == kind]

    def verdicts(self):
        counts = {}
        for record in self.records("eval"):
            counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
        return counts

    def best(self):
        return (self.folder / "run" / "best.env").read_text()

    def left(self):
        """Processes that work in the folder of this test, and do not end."""
        for _ in range(50):
            found = self.working()
            if not found:
                break
            time.sleep(0.1)
        return found

    def working(self):
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(self.folder):
                    found.append(entry)
            except OSError:
                continue
        return found


class Serve(Fixture):
    def test_finds_the_best_of_all(self):
        out = self.search("--serve", self.server(), "--budget", "evals=200")
        self.assertIn("nothing new was left to find", out)
        self.assertEqual(self.verdicts(), {"correct": COUNT})
        self.assertIn("EXH_BLOCK_X=64\nEXH_UNROLL=4\nEXH_LAYOUT=COLUMNS\n", self.best())
        self.assertNotIn("mistake", out)

    def test_the_run_is_like_any_other(self):
        self.search("--serve", self.server(), "--budget", "evals=10")
        self.assertIn("goes on", self.run_search("--resume", "run", "--budget", "evals=200", "--progress", "none"))
        self.assertEqual(self.verdicts(), {"correct": COUNT})
        self.assertIn("correct", self.run_search("replay", "run", "--best"))
        self.assertIn("fastest in the search", self.run_search("log", "show", "run"))
        self.run_search("replay-run", "run")
        self.assertIn("EXH_BLOCK_X=64", self.run_search("emit", "run"))
        out = self.run_search("replay", "run/best.replay") if (self.folder / "run/best.replay").exists() else "correct"
        self.assertIn("correct", out)

    def test_the_log_needs_no_other_file(self):
        self.write("part.exh", "choice integer depth(): 1 | 2 end\n")
        self.write("my.exh", 'include "part.exh"\n' + SPACE)
        self.search("--serve", self.server(), "--budget", "evals=5")
        (self.folder / "my.exh").unlink()
        (self.folder / "part.exh").unlink()
        self.assertIn("correct", self.run_search("replay", "run", "--best"))

    def test_sizes_and_data_are_the_programs_as_well(self):
        self.write("my.exh", "extern constant n\nextern constant m = 3\nextern constant k\nextern set Parts\n"
                             "extern constant weight($p in Parts)\n"
                             "choice integer tile($p in Parts): 1 .. n end\n"
                             "require forall $p in Parts: tile($p) * weight($p) <= k\n")
        self.write("my.json", '{"Parts": [{"name": "a", "weight": 2}, {"name": "b", "weight": 5}], "k": 10}')
        server = self.server("sizes = asked['sizes']; answer['verdict'] = 'correct' if sizes == {'n': 4, 'm': 3, 'k': 10} else 'wrong'; "
                             "answer['time_us'] = 30 - d['tile(a)'] - d['tile(b)']")
        self.write("server.py", (self.folder / "server.py").read_text().replace('"time_us": time_us(d)', '"time_us": 1'))
        self.search("--data", "my.json", "--size", "n=4", "--serve", server, "--budget", "evals=100")
        self.assertEqual(self.verdicts(), {"correct": 8})
        self.assertIn("EXH_N=4\n", self.best())
        self.assertIn("EXH_TILE_A=4\nEXH_TILE_B=2\n", self.best())
        (self.folder / "my.json").unlink()
        self.assertIn("correct", self.run_search("replay", "run", "--best"))
        self.assertIn("8", self.run_search("size", "run", "--exact"))
        self.write("my.json", '{"Parts": ["a"], "k": 10}')
        self.assertIn("weight", self.search("--data", "my.json", "--size", "n=4", "--run", "x", code=2))

    def test_a_bound_that_the_space_states(self):
        self.write("my.exh", SPACE + "lower_bound us: 8 + 64 / unroll()\n")
        server = self.server("answer['time_us'] = 10 + 64 / d['unroll'] + d['block_x'] / 64")
        out = self.search("--serve", server, "--budget", "evals=200")
        self.assertIn("no implementation of this space is faster than", out)
        self.write("my.exh", SPACE + "lower_bound ms: 1\n")
        out = self.run_search("--space", "my.exh", "--serve", server, "--budget", "evals=20", "--out", "other", "--progress", "none", code=1)
        self.assertIn("a mistake of the bound that the space states", out)

    def test_it_begins_with_what_the_space_calls_best(self):
        self.write("my.exh", SPACE + "minimize block_x() * 10 - unroll()\n")
        self.search("--serve", self.server(), "--budget", "evals=1")
        self.assertIn("EXH_BLOCK_X=16\nEXH_UNROLL=8\n", self.best())

    def test_several_at_once(self):
        self.search("--serve", self.server("time.sleep(0.01)"), "--jobs", 4, "--budget", "evals=200")
        self.assertEqual(self.verdicts(), {"correct": COUNT})
        self.assertGreater(len({record.get("lane") for record in self.records("eval")}), 1)
        self.assertEqual(self.left(), [])

    def test_what_it_prints_by_the_way_does_no_harm(self):
        self.search("--serve", self.server("print('hello'); print('[1, 2]')"), "--budget", "evals=200")
        self.assertEqual(self.verdicts(), {"correct": COUNT})

    def test_a_time_alone_is_unchecked(self):
        server = self.server("answer = {'id': asked['id'], 'time_us': time_us(d)}")
        out = self.search("--serve", server, "--budget", "evals=200", code=1)
        self.assertEqual(self.verdicts(), {"unchecked": COUNT})
        self.assertIn("--trust-times", out)

    def test_times_are_believed_where_that_is_asked_for(self):
        server = self.server("answer = {'id': asked['id'], 'time_us': time_us(d)}")
        out = self.search("--serve", server, "--budget", "evals=200", "--trust-times")
        self.assertIn("nothing says that what was computed is right", out)
        self.assertIn("EXH_BLOCK_X=64", self.best())

    def test_what_is_wrong_is_never_the_best(self):
        server = self.server("answer['verdict'] = 'wrong' if d['block_x'] == 64 else 'correct'")
        out = self.search("--serve", server, "--budget", "evals=200")
        self.assertNotIn("EXH_BLOCK_X=64\n", self.best())
        self.assertIn("none of them is the best", out)
        server = self.server("answer['error_ratio'] = 3 if d['block_x'] == 64 else 0.5", "other.py")
        self.run_search("--space", "my.exh", "--serve", server, "--budget", "evals=200", "--out", "other", "--progress", "none")
        self.assertNotIn("EXH_BLOCK_X=64\n", (self.folder / "other/best.env").read_text())


class Liars(Fixture):
    def test_one_that_hangs(self):
        server = self.server("time.sleep(1000) if d['unroll'] == 8 else None")
        begin = time.time()
        self.search("--serve", server, "--budget", "evals=200", "--timeout", 0.5)
        self.assertLess(time.time() - begin, 60)
        self.assertEqual(self.verdicts(), {"correct": 22, "timeout": 4})
        self.assertEqual(self.left(), [])

    def test_one_that_dies(self):
        server = self.server("os._exit(3) if d['unroll'] == 8 else None")
        self.search("--serve", server, "--budget", "evals=200")
        self.assertEqual(self.verdicts(), {"correct": 22, "crash": 4})

    def test_one_that_forks(self):
        server = self.server("os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '1000')")
        self.search("--serve", server, "--budget", "evals=20")
        self.assertEqual(self.left(), [])

    def test_a_gigabyte(self):
        server = self.server("[print('x' * 1000000) for i in range(1000)] if d['unroll'] == 8 else None")
        self.search("--serve", server, "--budget", "evals=200")
        self.assertEqual(self.verdicts(), {"correct": 22, "crash": 4})

    def test_a_line_without_end(self):
        server = self.server("(sys.stdout.write('{' * 3000000), sys.stdout.flush()) if d['unroll'] == 8 else None")
        self.search("--serve", server, "--budget", "evals=200")
        self.assertEqual(self.verdicts(), {"correct": 22, "crash": 4})

    def test_garbage_is_nobodys_result(self):
        server = self.server("(print('{nonsense}', flush=True), time.sleep(0.01)) if d['unroll'] == 8 else None")
        self.search("--serve", server, "--budget", "evals=200")
        self.assertEqual(self.verdicts().get("correct"), 22)
        self.assertIn("no JSON object", json.dumps(self.records("eval")))

    def test_lies_about_ids(self):
        out = self.search("--serve", self.server("answer['id'] += 1"), "--budget", "evals=200", code=1)
        self.assertIn("which it was not asked", out)
        # What belongs to an earlier question is passed over.
        server = self.server("print(json.dumps({**answer, 'id': asked['id'] - 1, 'time_us': 1e-3}))", "other.py")
        self.run_search("--space", "my.exh", "--serve", server, "--budget", "evals=200", "--out", "other", "--progress", "none")
        self.assertIn("EXH_BLOCK_X=64\n", (self.folder / "other/best.env").read_text())

    def test_times_that_are_none(self):
        for number, time_us in enumerate(["float('nan')", "-1", "0", "'fast'", "1e300", "[]", "None", "[1, 'x']"]):
            server = self.server(f"answer['time_us'] = {time_us}", f"server{number}.py")
            done = subprocess.run([SEARCH, "--space", "my.exh", "--serve", server, "--budget", "evals=50", "--progress", "none", "--out",
                                   f"run{number}"], capture_output=True, text=True, timeout=60, cwd=self.folder)
            self.assertEqual(done.returncode, 1, time_us + done.stdout + done.stderr)
            self.assertIn("no implementation was found to be correct", done.stdout + done.stderr)

    def test_a_verdict_that_there_is_not(self):
        out = self.search("--serve", self.server("answer['verdict'] = 'corect'"), "--budget", "evals=50", code=1)
        self.assertIn("did you mean 'correct'?", out)

    def test_one_that_never_answers(self):
        out = self.search("--serve", "./no-such-program", "--budget", "evals=50", code=1)
        self.assertIn("before it answered anything", out)
        self.assertIn("not found", out)

    def test_ctrl_c_leaves_a_whole_log(self):
        words = [SEARCH, "--space", "my.exh", "--progress", "none", "--out", "run", "--serve", self.server("time.sleep(0.2)")]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as search:
            time.sleep(2.5)
            search.send_signal(signal.SIGINT)
            out = search.communicate(timeout=30)[0]
        self.assertIn("interrupted", out)
        self.assertTrue(self.records("end"))
        self.assertEqual(self.left(), [])


class Run(Fixture):
    def test_environment_and_places_in_the_command(self):
        self.write("bench.sh", '#!/bin/sh\n[ "$1" = "$EXH_BLOCK_X" ] || exit 1\n[ "$2" = "$EXH_LAYOUT" ] || exit 1\n'
                               'echo checking\necho "{\\"verdict\\": \\"correct\\", \\"time_ms\\": $(($1 + $EXH_UNROLL))}"\n', True)
        self.search("--run", "./bench.sh {block_x} {layout}", "--budget", "evals=60")
        self.assertEqual(self.verdicts(), {"correct": COUNT})
        self.assertIn("EXH_BLOCK_X=16\nEXH_UNROLL=1\n", self.best())
        # What is taken home is what a shell reads.
        done = subprocess.run(["sh", "-c", ". run/best.env; echo $EXH_BLOCK_X"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "16\n")

    def test_who_names_some_parameters_is_told_of_the_others(self):
        out = self.search("--run", "echo time_us {block_x}", "--trust-times", "--budget", "evals=5")
        self.assertIn("environment alone, as EXH_UNROLL, EXH_LAYOUT", out)

    def test_a_line_with_a_time(self):
        self.search("--run", "echo time_us $(({block_x} + {unroll}))", "--trust-times", "--budget", "evals=60")
        self.assertEqual(self.verdicts(), {"correct": COUNT})
        self.assertIn("EXH_BLOCK_X=16\nEXH_UNROLL=1\n", self.best())

    def test_braces_of_the_shell(self):
        self.search("--run", "X=5; echo time_us ${X} | awk '{{print $1, $2 + {unroll}}}'", "--trust-times", "--budget", "evals=10")
        out = self.search("--run", "./bench.sh {blok_x}", code=2)
        self.assertIn("did you mean 'block_x'?", out)

    def test_a_build_is_made_once_for_what_it_names(self):
        self.write("build.sh", '#!/bin/sh\necho $1 >> builds\n[ $1 = 8 ] && { echo too much >&2; exit 1; }\necho $1 > $EXH_DIR/program\n', True)
        self.search("--build", "./build.sh {unroll}", "--run", "echo time_us $(($(cat {dir}/program) * 100 + {block_x}))", "--trust-times",
                    "--budget", "evals=60")
        self.assertEqual(sorted((self.folder / "builds").read_text().split()), ["1", "2", "4", "8"])
        self.assertEqual(self.verdicts(), {"correct": 22, "compile_error": 4})
        self.assertIn("too much", json.dumps(self.records("eval")))
        self.assertIn("EXH_UNROLL=1\n", self.best())

    def test_what_fails(self):
        self.search("--run", "[ {unroll} = 8 ] && exit 3; [ {unroll} = 4 ] && kill -SEGV $$; echo time_us {block_x}", "--trust-times",
                    "--budget", "evals=60")
        self.assertEqual(self.verdicts(), {"correct": 16, "crash": 10})
        out = self.run_search("--space", "my.exh", "--run", "echo hello", "--out", "other", "--budget", "evals=60", "--progress", "none", code=1)
        self.assertIn("it is: hello", out)

    def test_a_filter_is_asked_once_of_each(self):
        self.write("filter.py", "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
                                "    open('asked', 'a').write(''.join(json.dumps(d) + '\\n' for d in asked['decisions']))\n"
                                "    print(json.dumps({'id': asked['id'], 'valid': [d['block_x'] != 16 for d in asked['decisions']]}), flush=True)\n")
        out = self.search("--run", "echo time_us {block_x}", "--trust-times", "--budget", "evals=60", "--filter", f"{sys.executable} filter.py")
        asked = (self.folder / "asked").read_text().splitlines()
        self.assertEqual(len(asked), len(set(asked)))
        self.assertEqual(self.verdicts(), {"correct": COUNT - 8, "refused": 8})
        self.assertIn("by the filter", out)
        self.assertIn("EXH_BLOCK_X=32\n", self.best())

    def test_a_filter_that_says_nothing_sensible(self):
        out = self.search("--run", "echo time_us {block_x}", "--trust-times", "--budget", "evals=60", "--filter", "echo '{}'", code=1)
        self.assertIn("the filter", out)


class Tune(Fixture):
    def test_many_sizes_of_one_program(self):
        self.write("my.exh", "extern constant n\nchoice integer tile(): 1 .. n end\nrequire n % tile() == 0\n")
        self.write("server.py", "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
                                "    time = 10 + abs(asked['decisions']['tile'] - asked['sizes']['n'] // 2)\n"
                                "    print(json.dumps({'id': asked['id'], 'verdict': 'correct', 'time_us': time}), flush=True)\n")
        line = {"space": "my.exh", "serve": f"{sys.executable} server.py"}
        self.write("shapes.jsonl", "".join(json.dumps({**line, "sizes": {"n": n}}) + "\n" for n in (8, 12)))
        out = self.run_search("tune", "shapes.jsonl", "--out", "fleet", "--budget", "evals=20")
        for n in (8, 12):
            (best,) = (path.read_text() for path in self.folder.glob(f"fleet/my-*-n{n}/best.env"))
            self.assertIn(f"EXH_N={n}\nEXH_TILE={n // 2}\n", best)
        self.assertIn("-n12", self.run_search("tune", "--status", "fleet"), out)
        for wrong, says in [({"space": "my.exh", "sizes": {"n": 8}}, "'run' or 'serve'"), ({**line, "sizes": {"m": 8}}, "m"),
                            ({"kernel": "axpy", "run": "x"}, "'space'"), ({**line, "sizes": {"n": 8}, "tiemout": 3}, "did you mean 'timeout'?")]:
            self.write("wrong.jsonl", json.dumps(wrong) + "\n")
            self.assertIn(says, self.run_search("tune", "wrong.jsonl", "--out", "other", "--budget", "evals=20", code=2))


class Page(Fixture):
    """The page of the documentation, as printed."""

    def test_its_files_and_commands(self):
        page = (ROOT / "docs/own.md").read_text()
        for name, text in re.findall(r"`([a-z]+\.(?:exh|sh|py))`[^\n]*\n[^`]*?\n```[a-z]+\n(.*?)```", page, re.S):
            self.write(name, text)
        self.assertTrue({"my.exh", "bench.sh", "server.py"} <= set(os.listdir(self.folder)))
        commands = [line for line in re.findall(r"^\./exh search --space .*$", page, re.M) if "--cuda" not in line]  # Those have a test of their own.
        self.assertEqual(len(commands), 2)
        for number, command in enumerate(commands):
            words = shlex.split(command)[2:]
            out = self.run_search(*words, "--out", f"run{number}", "--progress", "none")
            self.assertIn("best: 11.0 us", out)
            self.assertIn("nothing new was left to find", out)
            self.assertIn("26 evaluations", out)
        self.write("bound.exh", re.findall(r"```exh\n(.*?)```", page, re.S)[-1])
        self.assertIn("3 solutions", self.run_search("solve", "--space", "bound.exh", "--count"))
        said = re.search(r"^> (\{.*\})\n< (\{.*\})$", page, re.M)
        self.assertEqual(json.loads(said[1])["id"], json.loads(said[2])["id"])


class Mistakes(Fixture):
    def test_options_that_do_not_go_together(self):
        for words, says in [
            ((), "--run"),
            (("--run", "x", "--serve", "y"), "leave one out"),
            (("--serve", "y", "--build", "z"), "--build goes with --run"),
            (("--run", "x", "--kernel", "matmul"), "--kernel is of kernels"),
            (("--run", "x", "--timeout", "-1"), "--timeout"),
            (("--run", "x", "--size", "n=1,n=2"), "twice"),
        ]:
            self.assertIn(says, self.search(*words, code=2), words)
        self.assertIn("--space FILE.exh", self.run_search("--run", "x", code=2))

    def test_a_space_with_mistakes(self):
        self.write("my.exh", "choice integer block_x(): 16 | 32 end\nrequire blok_x() <= 16\n")
        self.assertIn("my.exh:2:9: error", self.search("--run", "x", code=2))
        self.write("my.exh", "choice integer block_x(): 16 | 32 end\nrequire block_x() <= 8\n")
        self.assertIn("no implementation", self.search("--run", "x", code=1))

    def test_names_that_are_one_to_the_program(self):
        self.write("my.exh", "/// as: X\nchoice integer a(): 1 | 2 end\n/// as: x\nchoice integer b(): 1 | 2 end\n")
        self.assertIn("are both EXH_X to the program", self.search("--run", "x", code=2))

    def test_other_names_and_values(self):
        self.write("my.exh", '/// as: BLOCK_SIZE_X\nchoice integer block(): 1 | 2 end\nchoice enum order():\n  /// as: "row major"\n  value ROWS:\n'
                             "  /// as: -1.5\n  value COLUMNS:\nend\n")
        self.write("server.py", "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n    d = asked['decisions']\n"
                                "    good = sorted(d) == ['BLOCK_SIZE_X', 'order'] and d['order'] in ('row major', -1.5)\n"
                                "    print(json.dumps({'id': asked['id'], 'verdict': 'correct' if good else 'wrong', 'time_us': 3 + d['BLOCK_SIZE_X']}),"
                                " flush=True)\n")
        self.search("--serve", f"{sys.executable} server.py", "--budget", "evals=10")
        self.assertEqual(self.verdicts(), {"correct": 4})
        out = self.run_search("--space", "my.exh", "--run", "test {order} = -1.5 || test {order} = 'row major' && echo time_us {BLOCK_SIZE_X}",
                              "--trust-times", "--out", "other", "--budget", "evals=10", "--progress", "none")
        self.assertNotIn("crash", out)


if __name__ == "__main__":
    unittest.main()
