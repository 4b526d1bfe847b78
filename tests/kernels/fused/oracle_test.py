#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `search fused check --evaluate` says of operators of every kind, against oracle.py.

usage: oracle_test.py SEARCH [unittest arguments]
       oracle_test.py SEARCH --operators FILE.jsonl [MOST]   operators of a batch with at most so many elements
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

import operators
import oracle

SEARCH = ""
SEED = 20
PER_KIND = 6


def evaluated(lines, *options):
    """What the program computes of operators, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        batch, values = os.path.join(folder, "operators.jsonl"), os.path.join(folder, "values.jsonl")
        with open(batch, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([SEARCH, "fused", "check", batch, "--evaluate", "--values", values, *options],
                              capture_output=True, text=True, timeout=600)
        with open(values, encoding="utf-8") as found:
            return done, [json.loads(line) for line in found]


def random_operators():
    made = []
    for name in sorted(operators.KINDS):
        for repeat in range(PER_KIND):
            one = operators.random_operator(random.Random(f"{SEED} {name} {repeat}"), name)
            if one is not None and any(step["name"] == name for step in one["op_desc"]):
                made.append(one)
    return made


class Oracle(unittest.TestCase):
    def check(self, *options):
        made = random_operators()
        done, lines = evaluated(made, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(lines), len(made), done.stdout)
        kinds, finite, all_values = set(), 0, 0
        for operator, line in zip(made, lines):
            self.assertEqual(oracle.differences(operator, line), [], f"seed {SEED}: {json.dumps(operator)}")
            kinds |= {step["name"] for step in operator["op_desc"]}
            for values in line["results"].values():
                all_values += len(values)
                finite += sum(not isinstance(value, str) for value in values)
        self.assertEqual(kinds, set(operators.KINDS))
        self.assertGreater(len(made), 200)
        self.assertGreater(finite, 0.9 * all_values)

    def test_every_kind_computes_what_its_definition_says(self):
        self.check()

    def test_groups_of_statements_compute_the_same(self):
        self.check("--groups")

    def test_the_oracle_sees_a_wrong_element(self):
        made = random_operators()[:1]
        _, lines = evaluated(made)
        name, values = next(iter(lines[0]["results"].items()))
        values[0] = 1e9
        self.assertEqual(len(oracle.differences(made[0], lines[0])), 1, name)


class Command(unittest.TestCase):
    FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators")

    def run_it(self, *arguments):
        return subprocess.run([SEARCH, "fused", *arguments], capture_output=True, text=True, timeout=60)

    def test_says_what_an_operator_computes(self):
        done = self.run_it("check", os.path.join(self.FOLDER, "sum_of_squares.json"), "--evaluate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("  ReduceSum_2: s[i] = sum(j) m[i, j]    i < 8, j < 15\n", done.stdout)
        self.assertRegex(done.stdout, r"  s: 8 elements from \S+ to \S+, 0 not finite, tolerated up to \S+\n")

    def test_groups_are_one_statement(self):
        done = self.run_it("check", os.path.join(self.FOLDER, "sum_of_squares.json"), "--groups")
        self.assertTrue(done.stdout.endswith(
            "statements\n  ReduceSum_2: s[i] = sum(j) f32(x[i, j]) * f32(x[i, j])    i < 8, j < 15\n"), done.stdout)

    def test_mistakes_have_their_place_and_an_exit_code(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"op_desc": [{"name": "Custom"}], "output_desc": 3}')
            file.flush()
            done = self.run_it("check", file.name)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"{file.name}: op_desc[0].name: Custom, a function that is written elsewhere, is not "
                                      f"supported inside of a fused operator\n{file.name}: output_desc: must be a list, not 3\n")

    def test_a_batch_goes_on(self):
        with open(os.path.join(self.FOLDER, "updates.json"), encoding="utf-8") as file:
            good = json.dumps({"network": "lenet", "file": "a.info", "operator": json.load(file)})
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(f'{good}\n{{"network": "vgg16", "operator": {{"op_desc": []}}}}\n\nno JSON\n{good}')
            file.flush()
            done = self.run_it("check", file.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("line 2 vgg16: operator.op_desc: an operator needs an operation\n", done.stdout)
        self.assertIn("line 4: no JSON: line 1, column 2: ", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^all +4 +2 +2 +0 +2$")

    def test_slips_of_the_command_line(self):
        self.assertIn("or a sub-command: check, explain, search, replay\n", self.run_it().stderr)
        self.assertEqual(self.run_it("check").stderr,
                         "search: check which operators? search fused check FILE.json\n")
        self.assertEqual(self.run_it("check", "nowhere.json").stderr, "search: cannot read 'nowhere.json': No such file or directory\n")
        self.assertEqual(self.run_it("check", "x.json", "--values", "y").stderr,
                         "search: --values has what --evaluate yields: it needs that\n")


def elements(operator):
    return sum(math.prod(one["shape"]) for step in operator["op_desc"] for group in step["input_desc"] or []
               for one in group) + sum(math.prod(one["shape"]) for one in operator["output_desc"])


def check_file(path, most):
    """Prints how many operators of a batch differ. Returns whether none does."""
    with open(path, encoding="utf-8") as batch:
        lines = [json.loads(line) for line in batch]
    taken, wrong = 0, 0
    for line in lines:
        operator = line.get("operator", line)
        if elements(operator) > most:
            continue
        _, found = evaluated([line])
        if not found:
            continue
        taken += 1
        texts = oracle.differences(operator, found[0])
        if texts:
            wrong += 1
            print(operator["op"], texts[0])
    print(f"{len(lines)} operators, {taken} of at most {most} elements compared, {wrong} differ")
    return wrong == 0


if __name__ == "__main__":
    SEARCH = sys.argv.pop(1)
    if len(sys.argv) > 2 and sys.argv[1] == "--operators":
        sys.exit(not check_file(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 100000))
    unittest.main()
