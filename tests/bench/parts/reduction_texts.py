# SPDX-License-Identifier: MIT
"""What `./exh bench reductions` computes without a device: shapes, their kernels, classes, steps of
sub-graphs, decisions of a log, means, tables."""
import collections
import csv
import math

TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "i64",
         "int32": "i32", "bool": "bool"}
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "bool": 1}
OPERATORS = ("sum", "prod", "min", "max", "any", "all")
FORMS = ("all", "x", "y", "rpr", "prp")
MB = 1 << 20
CLASSES = ("< 1 MB", "1 to 64 MB", "> 64 MB")
ACROSS = "across_blocks"
VALUES = ("NOT_ACROSS", "ATOMIC_CAS", "ATOMIC_RED", "ATOMIC_VECTOR", "LAST_BLOCK", "SECOND_LAUNCH", "CLUSTER")
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"


# ---- shapes --------------------------------------------------------------------------------------


class Case(collections.namedtuple("Case", "op type shape axes")):
    """One reduction: `op` and `type` as the kernel `reduce` has them, `axes` are those that go."""

    @property
    def key(self):
        return (f"{self.op} {self.type} {'x'.join(map(str, self.shape))} "
                f"[{' '.join(map(str, self.axes))}]")

    @property
    def kept(self):
        return [axis for axis in range(len(self.shape)) if axis not in self.axes]

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def results(self):
        return math.prod(self.shape[axis] for axis in self.kept)

    @property
    def bytes(self):
        """That are read and written at least."""
        result = "i32" if self.op == "argmax" else self.type
        return self.elements * BYTES[self.type] + self.results * BYTES[result]

    @property
    def runs(self):
        """Axes that go and axes that stay in turn, (letter, steps): those of one step are left out,
        and neighbours are one."""
        found = []
        for axis, steps in enumerate(self.shape):
            letter = "r" if axis in self.axes else "p"
            if steps > 1 and found and found[-1][0] == letter:
                found[-1] = (letter, found[-1][1] * steps)
            elif steps > 1:
                found.append((letter, steps))
        return found

    @property
    def form(self):
        """Which of these go: all of them, the last (x), the first (y), first and last (rpr), one
        between others (prp)."""
        word = "".join(letter for letter, _ in self.runs)
        return {"": "all", "r": "all", "p": "x", "pr": "x", "rp": "y"}.get(word, word)

    @property
    def extents(self):
        """The sizes a, b, c and d of the kernel `reduce`; None where it has too few."""
        steps = [steps for _, steps in self.runs]
        if self.runs and self.runs[0][0] == "p":
            steps.insert(0, 1)
        return steps + [1] * (4 - len(steps)) if len(steps) <= 4 else None

    @property
    def size_class(self):
        if self.bytes < MB:
            return CLASSES[0]
        return CLASSES[1] if self.bytes <= 64 * MB else CLASSES[2]

    def segments(self):
        """How many neighbouring segments of one length it reduces; 0: all; None: it is no such."""
        return {"all": 0, "x": self.results}.get(self.form)


def case_of(row):
    """The reduction that a row of the shapes file says."""
    op, dtype = row["op"], row["dtype"]
    name = op.removeprefix("Reduce").lower()
    if name not in OPERATORS:
        raise ValueError(f"unknown operator '{op}'; legal: Reduce{{Sum,Prod,Min,Max,Any,All}}")
    if dtype not in TYPES:
        raise ValueError(f"unknown type '{dtype}'; legal: {', '.join(TYPES)}")
    shape = tuple(int(word) for word in row["shape"].split("x"))
    axes = tuple(sorted({int(word) % len(shape) for word in row["axes"].split()}))
    case = Case(name, TYPES[dtype], shape, axes)
    if case.extents is None:
        raise ValueError(f"{case.key}: its axes go and stay {len(case.runs)} times in turn; the "
                         "kernel `reduce` has a, b, c and d")
    return case


def read_shapes(path):
    """The reductions of a file, each once."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(case_of(row) for row in csv.DictReader(file)))


def spread(cases, step=1):
    """Every `step`-th of them, even over forms and sizes; in an order in which the first few are
    even as well, for runs that are stopped."""
    known = {form: number for number, form in enumerate(FORMS)}
    cases = sorted(cases, key=lambda c: (known.get(c.form, len(known)), c.bytes, c.key))[::step]
    golden = (math.sqrt(5) - 1) / 2
    places = sorted(range(len(cases)), key=lambda place: place * golden % 1)
    order = sorted(range(len(cases)), key=lambda place: places[place])
    return [cases[place] for place in order]


def small(cases, count):
    """At most so many of the cases below a megabyte, even over forms and sizes."""
    those = [case for case in cases if case.size_class == CLASSES[0]]
    return spread(those, max(1, len(those) // count))[:count]


# ---- kernels -------------------------------------------------------------------------------------


def kernel_words(case):
    """The words of a command line that name the kernel of a reduction, the library's `reduce`."""
    sizes = ",".join(f"{name}={steps}" for name, steps in zip("abcd", case.extents))
    return ["--kernel", "reduce", "--size", f"{sizes},op={case.op}", "--type", case.type]


# any and all are of bools, all else is of numbers.
NUMBERS = ("f64", "f32", "f16", "i64", "i32")
LENGTHS = (1, 31, 33, 1000, 1023, 1025, 4099)  # 2^k - 1 and 2^k + 1; primes: 31, 4099.


def form_shape(form, length, kept):
    """A shape and the axes that go, about `length` elements for each of `kept` results."""
    if form == "rpr":
        return (3, kept, max(1, length // 3) if length % 3 == 0 else length), (0, 2)
    return {"all": ((length,), (0,)), "x": ((kept, length), (1,)), "y": ((length, kept), (0,)),
            "prp": ((kept, length, 5), (1,))}[form]


def correct_cases():
    """7 operators x 7 types x 5 forms x lengths, those that make sense."""
    pairs = [(op, kind) for op in ("sum", "prod", "min", "max", "argmax") for kind in NUMBERS]
    pairs += [("any", "bool"), ("all", "bool")]
    kept = (3, 32, 17, 64)
    cases = []
    for op, kind in pairs:
        for form in FORMS:
            for length in LENGTHS:
                shape, axes = form_shape(form, length, kept[len(cases) % len(kept)])
                cases.append(Case(op, kind, shape, axes))
    return cases


# ---- sub-graphs ----------------------------------------------------------------------------------

# Statements of one operation, and the type of what it reads.
ELEMENTWISE = {"cast16": ("y: f16[i] = cast(f16, x[i])", "f32"),
               "cast32": ("y: f32[i] = cast(f32, x[i])", "f16"),
               "neg": ("y[i] = -x[i]", "f32"),
               "mul": ("y[i] = a[i] * b[i]", "f32"),
               "add": ("y[i] = a[i] + b[i]", "f32")}
ROWS = Case("sum", "f32", (64, 128, 768), (0, 1))
# What each of subgraphs/*.kernel is made of: operations on elements, and reductions behind them.
OPERATIONS = {1: (("cast16", "cast32", "cast16"), [Case("sum", "f16", (64, 2), (0, 1))]),
              2: (("cast16",), [Case("sum", "f16", (1280, 21128), (0,))]),
              3: (("cast32",), [Case("sum", "f32", (64, 768), (0,))]),
              4: (("mul",), [Case("sum", "f32", (1280, 21128), (1,))]),
              5: (("neg", "mul"), [Case("sum", "f32", (1280,), (0,))]),
              6: (("mul", "mul"), [Case("sum", "f32", (3072,), (0,))]),
              7: (("add", "mul"), [ROWS]),
              8: (("add", "mul"), [ROWS, ROWS]),
              9: ((), [ROWS, ROWS]),
              10: (("cast32",), [ROWS]),
              11: (("cast32",), [ROWS]),
              12: ((), [Case("sum", "f16", (64, 20), (0,))])}


def steps_of(number):
    """The kernels that compute a sub-graph one operation after the other, each as words of a
    command line."""
    operations, reductions = OPERATIONS[number]
    size = f"i={reductions[0].elements}"
    steps = [["--compute", ELEMENTWISE[name][0], "--type", ELEMENTWISE[name][1], "--size", size]
             for name in operations]
    return steps + [kernel_words(case) for case in reductions]


def step_key(step):
    return "step " + " ".join(word for word in step if not word.startswith("--"))


# ---- logs ----------------------------------------------------------------------------------------


def choices_of(records):
    return {r["i"]: r for r in records if r["t"] == "choice"}


def decided(choices, vector, name):
    """{objects: value} of the decisions with this name that take part in an implementation."""
    found = {}
    for number, choice in choices.items():
        if choice["name"] != name or number >= len(vector) or vector[number] in ".?":
            continue
        value = DIGITS.index(vector[number])
        if value < len(choice["domain"]):
            found[tuple(choice["args"])] = str(choice["domain"][value])
    return found


def across_of(record):
    """How the blocks of an evaluation divide its reductions, as the log says."""
    return record.get("across") or "NOT_ACROSS"


def kinds_of(choices, vector):
    """The dims that an implementation has of reduced axes, as words: a reduction has axes that the
    store has not. Loops of one step are left out."""
    kinds = {dim: kind for (dim,), kind in decided(choices, vector, "dim_kind").items()}
    sizes = {dim: size for (dim,), size in decided(choices, vector, "size").items()}
    axes = collections.defaultdict(set)
    for dim in kinds:
        instruction, _, axis = dim.partition(".")
        axes[instruction].add(axis.rstrip("0123456789"))
    stored = set().union(*(axes[name] for name in axes if name.startswith("store_")))
    words = []
    for dim in sorted(kinds):
        instruction, _, axis = dim.partition(".")
        reduces = instruction.split("_")[0] in ("sum", "mad", "prod", "min", "max")
        if reduces and axis.rstrip("0123456789") not in stored and sizes.get(dim) != "1":
            words.append(f"{axis}={kinds[dim]}{':' + sizes[dim] if dim in sizes else ''}")
    return " ".join(words)


# ---- numbers -------------------------------------------------------------------------------------


def geometric_mean(values):
    """Of those that are there; None of none."""
    there = [value for value in values if value]
    return math.exp(sum(map(math.log, there)) / len(there)) if there else None


def best_peer(peers):
    """(name, microseconds) of the fastest right one, or None."""
    right = [(peer["us"], name) for name, peer in peers.items() if peer.get("us") and peer["ok"]]
    return min(right)[::-1] if right else None


def ratios(lines, state):
    """For each line with our time: (form, class, {"best": .., peer: ..}), how many times as fast as
    a peer we are."""
    found = []
    for line in lines:
        ours = line.get("ours", {}).get(state, {}).get("us")
        peers = line.get("peers", {}).get(state, {})
        if not ours:
            continue
        by = {name: peer["us"] / ours for name, peer in peers.items()
              if peer.get("us") and peer["ok"]}
        best = best_peer(peers)
        if best:
            by["best"] = best[1] / ours
        if line.get("ours", {}).get(state, {}).get("copy_share"):
            by["copy"] = line["ours"][state]["copy_share"]
        found.append((line["form"], line["class"], by))
    return found


def means(lines, state):
    """Geometric means, (group, shapes, {"best": mean, peer: mean}, share at least as fast)."""
    every = ratios(lines, state)
    groups = [("all", every)]
    groups += [(name, [r for r in every if r[1] == name]) for name in CLASSES]
    forms = list(FORMS) + sorted({r[0] for r in every} - set(FORMS))
    groups += [(f"form {name}", [r for r in every if r[0] == name]) for name in forms]
    rows = []
    for name, members in groups:
        if not members:
            continue
        peers = sorted({peer for _, _, by in members for peer in by})
        against = [by["best"] for _, _, by in members if "best" in by]
        rows.append((name, len(members),
                     {p: geometric_mean(by.get(p) for _, _, by in members) for p in peers},
                     sum(r >= 1 for r in against) / len(against) if against else None))
    return rows


def table(rows):
    """A table of Markdown; the first row is its head."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |"
             for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


def words(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)
