# SPDX-License-Identifier: MIT
"""Spaces of huge numbers: whatever `search solve` says of them is held against brute force in numbers of any size.

Terms read three and more decisions, long ones and counters. A space may be refused, with exit code 2 and the term; what is not refused
must be true: that there is no solution, all solutions, how many there are, and what is drawn of them.
"""
import fractions
import itertools
import json
import os
import subprocess

SHORT, LONG = 60, 2000
DEVICES = ("cpu", "cuda")  # Nothing of it runs on either.

LARGE = (65535, 65536, 65537, 1 << 20, 2147483647, 2147483648, 2147483649, 3000000000, 4294967291, 4294967294, 4294967295)


def number(random):
    return random.choice((random.randrange(8), random.randrange(1 << 32), random.randrange(100000), random.choice(LARGE)))


def leaf(random, names):
    if random.random() < 0.8:
        return random.choice(names) + "()"
    return str(random.choice((random.randrange(1, 10), min(number(random), 1 << 31))))


def term(random, names, depth):
    """A text, and whether it has a fraction. The text is that of the space and, but for operators, of Python."""
    if depth == 0 or random.random() < 0.12:
        return leaf(random, names), False
    if random.random() < 0.08:
        text, is_fraction = term(random, names, depth - 1)
        return f"(-{text})", is_fraction
    op = random.choice(("*", "*", "*", "+", "-", "%", "div", "/", "min", "max"))
    (left, left_fraction), (right, right_fraction) = (term(random, names, depth - 1) for _ in range(2))
    if op in ("%", "div", "/") and (right_fraction or "()" not in right or (op != "/" and left_fraction)):
        op = "+"  # Whole numbers alone are divided by, and a 0 that is known is a mistake of its own.
    if op in ("min", "max"):
        return f"{op}({left}, {right})", left_fraction or right_fraction
    return f"({left} {op} {right})", op == "/" or left_fraction or right_fraction


class Space:
    """A random space as a text, and its solutions."""

    def __init__(self, random):
        self.names = list("abcd"[:random.randrange(3, 5)])
        self.values, self.counter, clauses = {}, None, []
        is_long = random.random() < 0.2
        for name in self.names:
            if is_long and name == "a":
                first = number(random) // 2
                self.values[name] = list(range(first, first + 66))
            else:
                self.values[name] = sorted({number(random) for _ in range(random.randrange(1, 4 if is_long else 5))})
        names = list(self.names)
        text = "".join(f"choice integer {name}(): {' | '.join(map(str, values))} end\n" for name, values in self.values.items())
        if random.random() < 0.3:
            weight, is_fraction = term(random, self.names, 2)
            if not is_fraction and any(name + "()" in weight for name in names):
                self.counter = (random.choice(("sum", "mul")), random.randrange(0, 1 << 31), weight)
                text += "choice counter n():\n  base {1}\n  {0} {2} when:\nend\n".format(*self.counter)
                names.append("n")
        for label in range(random.randrange(1, 4)):
            parts = []
            for _ in range(random.randrange(1, 3)):
                left = "1"
                while not any(name + "()" in left for name in names):
                    left, _ = term(random, names, random.randrange(1, 4))
                right, _ = term(random, names, random.randrange(0, 3))
                comparison = f"{left} {random.choice(('==', '!=', '<', '<=', '>', '>='))} {right}"
                parts.append((random.random() < 0.2, comparison))
            clauses.append(parts)
            text += f"require r{label}: " + " || ".join(f"not ({each})" if negated else each for negated, each in parts) + "\n"
        self.text, self.clauses = text, clauses

    def solutions(self):
        """Every point that satisfies all clauses, in order."""
        python = [[(negated, compile(f"evaluate({tree(each)})", each, "eval")) for negated, each in parts] for parts in self.clauses]
        weight = self.counter and compile(f"evaluate({tree(self.counter[2])})", "weight", "eval")
        found = []
        for point in itertools.product(*(self.values[name] for name in self.names)):
            values = {name: fractions.Fraction(value) for name, value in zip(self.names, point)}
            known = {"evaluate": lambda each, values=values: evaluate(each, values)}
            if self.counter:
                amount = eval(weight, known)
                values["n"] = None if amount is None else amount + self.counter[1] if self.counter[0] == "sum" else amount * self.counter[1]
            if all(any((eval(each, known) is True) != negated for negated, each in parts) for parts in python):
                found.append(dict(zip(self.names, point)))
        return found


def tree(text):
    """A comparison or a term as nested tuples, written in Python: what stands in parentheses is one operation."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    # "(-x)" has its sign at what follows.
    tokens = [part for token in tokens for part in (("-", token[1:]) if len(token) > 1 and token[0] == "-" else (token,))]
    at = 0

    def operand():
        nonlocal at
        token = tokens[at]
        at += 1
        if token == "(":
            if tokens[at] == "-":
                at += 1
                made = ("negate", operand())
            else:
                left = operand()
                op = tokens[at]
                at += 1
                made = (op, left, operand())
            assert tokens[at] == ")", text
            at += 1
            return made
        if token in ("min", "max"):
            at += 1
            left = operand()
            assert tokens[at] == ",", text
            at += 1
            made = (token, left, operand())
            at += 1
            return made
        if token.isdigit():
            return ("number", int(token))
        at += 2  # "()"
        return ("name", token)

    left = operand()
    if at == len(tokens):
        return repr(left)
    op = tokens[at]
    at += 1
    return repr((op, left, operand()))


def evaluate(node, values):
    """None: it divides by 0 somewhere."""
    kind = node[0]
    if kind == "number":
        return fractions.Fraction(node[1])
    if kind == "name":
        return values[node[1]]
    operands = [evaluate(each, values) for each in node[1:]]
    if None in operands:
        return None
    if kind == "negate":
        return -operands[0]
    a, b = operands
    if kind in ("/", "div", "%") and b == 0:
        return None
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "div": lambda: fractions.Fraction(a // b),
            "%": lambda: a - b * (a // b), "min": lambda: min(a, b), "max": lambda: max(a, b), "==": lambda: a == b,
            "!=": lambda: a != b, "<": lambda: a < b, "<=": lambda: a <= b, ">": lambda: a > b, ">=": lambda: a >= b}[kind]()


def failure_of(search, path, space, seed):
    def solve(*how):
        return subprocess.run([search, "solve", "--space", path, "--format", "json", *how], capture_output=True, text=True, timeout=300)

    expected = space.solutions()
    done = solve("--all")
    if done.returncode == 2:
        # The last of them: what numbers alone come to (E0108).
        reasons = (": list smaller numbers", "may be negative", "may divide by 0", "this number does not fit 64 bits")
        return None if any(reason in done.stderr for reason in reasons) else f"refused without a reason: {done.stderr}"
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1] != {"solutions": str(len(expected)), "complete": True}:
        return f"{len(expected)} solutions, and it says {done.stdout[-300:]}{done.stderr}"
    if done.returncode != (0 if expected else 3):
        return f"exit code {done.returncode}"
    key = lambda point: sorted(point.items())
    if sorted(lines[:-1], key=key) != sorted(expected, key=key):
        return "the solutions are other ones"
    counted = solve("--count")
    if expected and json.loads(counted.stdout)["solutions"] != str(len(expected)):
        return f"{len(expected)} solutions, counted {counted.stdout}"
    for line in solve("--sample", "2", "--seed", str(seed)).stdout.splitlines() if expected else []:
        if json.loads(line) not in expected:
            return f"drawn {line}"
    return None


def run(scene, count):
    path = os.path.join(scene.folder, "huge.exh")
    for attempt in range(count):
        space = Space(scene.random)
        with open(path, "w", encoding="utf-8") as file:
            file.write(space.text)
        failure = failure_of(scene.search, path, space, attempt)
        yield f"space {attempt}", failure and f"{failure}\n{space.text}"
