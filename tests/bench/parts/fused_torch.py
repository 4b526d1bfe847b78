# SPDX-License-Identifier: MIT
"""Times torch.compile on the fused operators that `search fused --batch` ran on a GPU, beside our times.

    fused_torch.py OPERATORS.jsonl ROWS.jsonl [--most N] [--seconds S] [--out FILE.jsonl] [--jobs N] [--gpu N]

Each operator of the log ROWS that has a time "searched" becomes a Python function of torch's operations, which torch.compile compiles as it
does by default. What writes in place is functional here: each result is a tensor of its own, contiguous, in the shape that the operator says.
What the compiled function computes is compared loosely with the same function run eagerly. It is then timed as our kernels are: calls back to
back, up to 50 of them in a CUDA graph, inputs warm in L2, replayed for at least 5 ms; the fastest of five batches counts.

Compiling takes far longer than timing. So processes compile first, at once, into a folder of torch's, and nothing is timed meanwhile. What they
found out about speed while they were in each other's way is forgotten. --seconds is all of that; --out gets a line of JSON for each operator.
"""
import argparse
import collections
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import reduction_peers as peers
from parts import conditions, recorder
from reduction_peers import torch

NAMES = ("searched", "influenced", "isl default")
FAR_OFF = 0.05  # Of the norm, or of the elements, where one is NaN or infinite and the other is not.
COMPILING = 0.45  # Of the seconds.
WHOLE = ("int8", "int32", "int64", "uint32")

# Of texts, operands as torch's tensors or as numbers.
INFIX = {"Add": "+", "Sub": "-", "Mul": "*", "RealDiv": "/", "Pow": "**", "Greater": ">", "GreaterEqual": ">=", "Less": "<",
         "LessEqual": "<=", "Equal": "==", "NotEqual": "!="}
CALLS = {"Abs": "torch.abs", "Neg": "torch.neg", "Exp": "torch.exp", "Log": "torch.log", "Sqrt": "torch.sqrt", "Rsqrt": "torch.rsqrt",
         "Reciprocal": "torch.reciprocal", "Tanh": "torch.tanh", "Square": "torch.square", "Maximum": "torch.maximum",
         "Minimum": "torch.minimum", "LogicalNot": "torch.logical_not", "LogicalAnd": "torch.logical_and",
         "LogicalOr": "torch.logical_or", "Select": "torch.where"}
REDUCTIONS = {"ReduceSum": "torch.sum", "ReduceProd": "torch.prod", "ReduceMax": "torch.amax", "ReduceMin": "torch.amin",
              "ReduceAny": "torch.any", "ReduceAll": "torch.all"}
VIEWS = ("Reshape", "Squeeze", "ExpandDims", "BroadcastTo", "Transpose", "UnPadAkg")


# ---- operators as Python -------------------------------------------------------------------------


def number_of(described):
    """The constant as text."""
    value, kind = described["value"], described["data_type"]
    value = bool(value) if kind == "bool" else int(value) if kind in WHOLE else float(value)
    text = repr(value) if isinstance(value, int) or math.isfinite(value) else f"float('{value}')"
    return f"({text})" if text.startswith("-") else text


def constant(described):
    return f"torch.full({described['shape']}, {number_of(described)}, dtype=torch.{described['data_type']}, device=DEVICE)"


def infix(name, described, texts):
    """Constants are numbers where that changes neither type nor shape: then torch sees what someone would have written."""
    texts = list(texts)
    for own, other in ((0, 1), (1, 0)):
        single = "value" in described[own] and math.prod(described[own]["shape"]) == 1
        if single and "value" not in described[other] and len(described[own]["shape"]) <= max(1, len(described[other]["shape"])):
            texts[own] = number_of(described[own])
    return f"{texts[0]} {INFIX[name]} {texts[1]}"


def total(kind, texts):
    """What is summed up is rounded once."""
    if kind not in ("float16", "bfloat16"):
        return " + ".join(texts)
    return "(" + " + ".join(f"{text}.to(torch.float32)" for text in texts) + f").to(torch.{kind})"


def reduction(name, described, axes, output):
    text, before = described
    rank = len(before)
    axes = sorted({axis % rank for axis in (axes if isinstance(axes, list) else [axes])} or range(rank))
    if name == "ReduceProd":
        for axis in reversed(axes):
            text = f"torch.prod({text}, {axis}, dtype=torch.{output['data_type']})"
    else:
        kind = f", dtype=torch.{output['data_type']}" if name == "ReduceSum" else ""
        text = f"{REDUCTIONS[name]}({text}, {axes}{kind})"
    kept = [extent for axis, extent in enumerate(before) if axis not in axes]
    return text if kept == output["shape"] else f"{text}.reshape({output['shape']})"


def matrix_product(attributes, texts):
    texts = list(texts)
    for own, names in enumerate((("transpose_a", "transpose_x1"), ("transpose_b", "transpose_x2"))):
        if any(attributes.get(name) for name in names):
            texts[own] += ".transpose(-1, -2)"
    return f"torch.matmul({texts[0]}, {texts[1]})"


def convolution(attributes, shapes, texts, output):
    """torch's has channels first: what has them last is seen so, and lies as torch's channels_last."""
    sides = {}
    for name in ("stride", "dilation"):
        numbers = attributes.get(name) or [1, 1]
        around = len(numbers) == 4 and numbers[1] != 1  # As NHWC has them, ones around.
        sides[name] = numbers[1:3] if around else numbers[-2:]
    pads = attributes.get("pad_list") or attributes.get("pad") or [0, 0, 0, 0]

    def result(channels, rows):
        image, filters = shapes
        extents = [image[0]] * 4
        extents[channels] = filters[0]
        for i, (stride, dilation) in enumerate(zip(sides["stride"], sides["dilation"])):
            reach = (filters[rows + i] - 1) * dilation + 1
            extents[rows + i] = (image[rows + i] + pads[2 * i] + pads[2 * i + 1] - reach) // stride + 1
        return extents if image[channels] == filters[channels] else None

    is_last = result(3, 1) == output["shape"]
    image, filters = (f"{text}.permute([0, 3, 1, 2])" if is_last else text for text in texts)
    padding = [pads[0], pads[2]]
    if padding != [pads[1], pads[3]]:
        image, padding = f"torch.nn.functional.pad({image}, {[*pads[2:], *pads[:2]]})", [0, 0]
    text = (f"torch.nn.functional.conv2d({image}, {filters}, stride={sides['stride']}, padding={padding}, "
            f"dilation={sides['dilation']})")
    return f"{text}.permute([0, 2, 3, 1])" if is_last else text


def expression(operation, described, texts):
    """What one operation that assigns to nothing computes, of the texts of its operands."""
    name, output = operation["name"], operation["output_desc"][0]
    attributes = {one["name"]: one["value"] for one in operation.get("attr") or []}
    kind, shape = output["data_type"], output["shape"]
    if name in INFIX:
        return infix(name, described, texts)
    if name in CALLS:
        return f"{CALLS[name]}({', '.join(texts)})"
    if name in REDUCTIONS:
        return reduction(name, (texts[0], described[0]["shape"]), attributes["axis"], output)
    if name in ("MatMul", "BatchMatMul"):
        return matrix_product(attributes, texts)
    if name == "Conv2D":
        return convolution(attributes, [one["shape"] for one in described], texts, output)
    if name == "AddN":
        return total(kind, texts)
    if name == "Cast":
        return f"{texts[0]}.to(torch.{kind})"
    if name in ("Reshape", "Squeeze", "ExpandDims"):
        return f"{texts[0]}.reshape({shape})"
    if name == "BroadcastTo":
        return f"{texts[0]}.expand({shape})"
    if name == "Transpose":
        return f"{texts[0]}.permute({attributes['perm']})"
    if name == "Tile":
        multiples = attributes["multiples"]
        return f"{texts[0]}.tile({multiples if isinstance(multiples, list) else [multiples]})"
    if name == "PadAkg":
        sides = [side for pair in zip(reversed(attributes["head"]), reversed(attributes["tail"])) for side in pair]
        filler = number_of({"value": attributes.get("pad_val", 0), "data_type": kind})
        return f"torch.nn.functional.pad({texts[0]}, {sides}, value={filler})"
    if name == "UnPadAkg":
        heads = attributes.get("head", [0] * len(shape))
        return f"{texts[0]}[{', '.join(f'{head}:{head + extent}' for head, extent in zip(heads, shape))}]"
    if name == "OneHot":
        axis = attributes.get("axis", -1) % len(shape)
        steps = [-1 if dim == axis else 1 for dim in range(len(shape))]
        positions = f"torch.arange({shape[axis]}, device=DEVICE).reshape({steps})"
        on, off = (f"{text}.reshape([])" for text in texts[1:])
        return f"torch.where({texts[0]}.unsqueeze({axis}) == {positions}, {on}, {off})"
    raise NotImplementedError(f"operation {name}")


class Program:
    """An operator as a Python function `fused`: its text, type and shape of each input, and the names of its results. It has one step for
    each operation."""

    def __init__(self, operator):
        self.inputs, self.lines, self.known = [], [], {}  # By name of a tensor: its text, and which tensor it is a view of.
        for group in operator.get("input_desc") or []:
            for one in group:
                if "value" not in one and one["tensor_name"] not in self.known:
                    text = f"x{len(self.inputs)}"
                    self.known[one["tensor_name"]] = (text, text)
                    self.inputs.append((one["data_type"], one["shape"]))
        parameters = [text for text, _ in self.known.values()]
        results, fakes = {}, set()
        for operation in operator["op_desc"]:
            self.step(operation, results, fakes)
        names = [one["tensor_name"] for one in operator["output_desc"]]
        results.update({name: self.known[name] for name in names if name not in fakes})
        self.results, taken, returned = list(results), set(parameters), []
        for text, origin in results.values():  # Each result is written: no view of an input, or of another one.
            returned.append(f"{text}.clone(memory_format=torch.contiguous_format)" if origin in taken else f"{text}.contiguous()")
            taken.add(origin)
        self.text = "\n    ".join([f"def fused({', '.join(parameters)}):", *self.lines, f"return ({', '.join(returned)},)"]) + "\n"

    def step(self, operation, results, fakes):
        described = [one for group in operation["input_desc"] for one in group]
        operands = [(constant(one), "") if "value" in one else self.known[one["tensor_name"]] for one in described]
        output = operation["output_desc"][0]
        if operation["name"] in ("Assign", "InplaceAssign"):
            attributes = {one["name"]: one["value"] for one in operation.get("attr") or []}
            target = described[0]["tensor_name"]
            assigned, stands_for = self.named(operands[1]), self.named(operands[-1]) if len(operands) > 2 else None
            self.known[target] = results[target] = assigned
            self.known[output["tensor_name"]] = stands_for or assigned
            if operation["name"] == "Assign" or attributes.get("fake_output", False):
                fakes.add(output["tensor_name"])
            return
        value = expression(operation, described, [text for text, _ in operands])
        text, _ = self.named((value, ""))
        same = operation["name"] in VIEWS or (operation["name"] == "AddN" and len(described) == 1) or (
            operation["name"] == "Cast" and described[0]["data_type"] == output["data_type"])
        self.known[output["tensor_name"]] = (text, operands[0][1] if same and operands[0][1] else text)

    def named(self, operand):
        """A variable for what has none yet."""
        text, origin = operand
        if origin:
            return operand
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name, name

    def function(self, device):
        space = {"torch": torch, "DEVICE": device}
        exec(compile(self.text, "<fused operator>", "exec"), space)  # pylint: disable=exec-used
        return space["fused"]

    def make_inputs(self, device, seed):
        """Floats around 1; whole numbers small and not negative."""
        torch.manual_seed(seed)
        made = []
        for kind, shape in self.inputs:
            kind = getattr(torch, kind)
            if kind.is_floating_point:
                made.append((torch.rand(shape, device=device) + 0.5).to(kind))
            else:
                made.append(torch.randint(0, 2 if kind == torch.bool else 4, shape, device=device).to(kind))
        return made


# ---- what is compared ----------------------------------------------------------------------------


def cases_of(operators, rows, most):
    """Of each operator of the log that was timed: what the log says and the operator, in the order of the log."""
    with open(operators, encoding="utf-8") as file:
        lines = dict(enumerate(file, 1))
    cases = []
    with open(rows, encoding="utf-8") as file:
        for text in file:
            record = json.loads(text)
            ours = {row["name"]: row["ns"] for row in record.get("rows", []) if row["verdict"] == "correct"}
            if "searched" not in ours:
                continue
            found = json.loads(lines.get(record["line"], "{}"))
            operator = found.get("operator", found)
            if operator.get("op") != record["op"]:
                sys.exit(f"{rows}: line {record['line']} of {operators} is another operator: the log is of another file")
            said = {key: record[key] for key in ("line", "op", "network", "transposes", "bytes")}
            cases.append(({**said, "ours": ours}, operator))
    return cases[:most]


def error_of(got, want):
    """Relative, by the norm; where one is NaN or infinite and the other is not, the share of such elements."""
    got, want = got.double().reshape(-1), want.double().reshape(-1)
    finite = got.isfinite() & want.isfinite()
    strange = ~finite & (got != want) & ~(got.isnan() & want.isnan())
    got, want = got.where(finite, 0), want.where(finite, 0)
    scale = float(want.norm()) or 1.0
    return max(float(strange.double().mean()), float((got - want).norm()) / scale)


def compiled_of(operator, seed):
    """The compiled function as a call without arguments, and the worst error of its results."""
    torch._dynamo.reset()  # pylint: disable=protected-access
    program = Program(operator)
    eager = program.function("cuda")
    inputs = program.make_inputs("cuda", seed)
    compiled = torch.compile(eager, fullgraph=True, dynamic=False)
    return (lambda: compiled(*inputs)), max(map(error_of, compiled(*inputs), eager(*inputs)))


def measured(timer, operator, seed):
    with timer.context():
        call, error = compiled_of(operator, seed)
    if error > FAR_OFF:
        return {"failed": "wrong", "error": error}
    found = timer.measure([call])
    if "note" in found:
        return {"failed": found["note"]}
    return {"torch_ns": 1e3 * found["us"], "torch_median_ns": 1e3 * found["median_us"], "error": error}


def attempt(work):
    """What it returns, or why it failed."""
    try:
        return work()
    except Exception as error:  # pylint: disable=broad-except  # One operator is lost, whatever it was.
        return {"failed": f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:100]}"}


def compile_share(cases, place, jobs, until):
    """What one of several processes compiles: its share of the operators."""
    torch._inductor.config.compile_threads = 1  # pylint: disable=protected-access
    for said, operator in cases[place::jobs]:
        if time.monotonic() > until:
            break
        attempt(lambda operator=operator, said=said: compiled_of(operator, said["line"]))


def compile_ahead(options, folder):
    """All shares at once. How fast variants ran meanwhile says nothing: torch is to try them again."""
    command = [sys.executable, os.path.abspath(__file__), options.operators, options.rows, "--gpu", str(options.gpu),
               "--seconds", str(COMPILING * options.seconds)]
    command += ["--most", str(options.most)] if options.most is not None else []
    shares = [subprocess.Popen([*command, "--share", f"{place}/{options.jobs}"], stdout=subprocess.DEVNULL)
              for place in range(options.jobs)]
    for share in shares:
        share.wait()
    for file in glob.glob(os.path.join(folder, "**", "*.best_config"), recursive=True):
        os.remove(file)


# ---- the summary ---------------------------------------------------------------------------------


def summary(lines):
    """Of what was measured, as text."""
    done = [line for line in lines if "torch_ns" in line]
    failed = collections.Counter(line["failed"] for line in lines if "failed" in line)
    text = [f"operators compared: {len(done)}, failed: {failed.total()}"]
    text += [f"  {count} x {reason}" for reason, count in failed.most_common()]
    if not done:
        return "\n".join(text)
    groups = (("all", done), ("with a transpose", [line for line in done if line["transposes"]]))
    text.append("torch's time over ours, geometric means (above 1: ours is faster)")
    for title, chosen in groups:
        ratios = {name: [line["torch_ns"] / line["ours"][name] for line in chosen if name in line["ours"]] for name in NAMES}
        means = [f"{name} {statistics.geometric_mean(found):.3f}" for name, found in ratios.items() if found]
        text.append(f"  {title} ({len(chosen)}): {', '.join(means)}")
    ranked = sorted(done, key=lambda line: line["torch_ns"] / line["ours"]["searched"])
    ratios = [line["torch_ns"] / line["ours"]["searched"] for line in ranked]
    parts = statistics.quantiles(ratios * 2 if len(ratios) == 1 else ratios, n=100, method="inclusive")
    text.append("torch over searched, quantiles: " + ", ".join(f"{share} % {parts[share - 1]:.2f}" for share in (10, 25, 50, 75, 90)))
    text.append(f"torch is faster on {sum(ratio < 1 for ratio in ratios)}, ours on {sum(ratio > 1 for ratio in ratios)}")
    for title, chosen in (("torch is fastest against ours", ranked[:5]), ("ours is fastest against torch", ranked[:-6:-1])):
        text.append(f"{title}: ratio, torch's us, our us, line, network, operator")
        text += [f"  {line['torch_ns'] / line['ours']['searched']:6.2f} {line['torch_ns'] / 1e3:9.2f} {line['ours']['searched'] / 1e3:9.2f} "
                 f"{line['line']:5} {line['network']} {line['op'][:60]}" for line in chosen]
    return "\n".join(text)


def record(into, lines):
    """Geometric means beside torch.compile, of all and of those with a Transpose."""
    done = [line for line in lines if "torch_ns" in line]
    for name in NAMES:
        every = [line["torch_ns"] / line["ours"][name] for line in done if name in line["ours"]]
        with_transpose = [line["torch_ns"] / line["ours"][name] for line in done if line["transposes"] and name in line["ours"]]
        if every:
            into.add("fused", "torch", f"{name.removesuffix(' default')}, geometric mean", conditions(),
                     ratios={"torch.compile": recorder.figure(statistics.geometric_mean(every), digits=3)},
                     figures={"operators": recorder.figure(len(every), digits=0)} |
                     ({"with a Transpose": recorder.figure(statistics.geometric_mean(with_transpose), digits=3)} if with_transpose else {}))
    into.write()


def measure_all(options, cases, begin):
    folder = tempfile.mkdtemp(prefix="exh-fused-torch-")
    os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TRITON_CACHE_DIR=os.path.join(folder, "triton"))
    lines = []
    try:
        if options.jobs > 1:
            compile_ahead(options, folder)
        print(f"compiled ahead for {time.monotonic() - begin:.0f} s", flush=True)
        torch.cuda.set_device(options.gpu)
        print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
        peers.BATCH_S, peers.BATCHES = 5e-3, 5
        torch._inductor.config.compile_threads = max(1, (os.cpu_count() or 1) // 2)  # pylint: disable=protected-access
        timer = peers.GpuTimer()
        with torch.no_grad(), open(options.out or os.devnull, "w", encoding="utf-8") as out:
            for said, operator in cases:
                if time.monotonic() - begin > options.seconds:
                    break
                start = time.monotonic()
                found = attempt(lambda operator=operator, said=said: measured(timer, operator, said["line"]))
                lines.append({**said, **found, "seconds": round(time.monotonic() - start, 3)})
                out.write(json.dumps(lines[-1]) + "\n")
                out.flush()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return lines


def main():
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators")
    parser.add_argument("rows", help="what search fused --batch wrote with --log")
    parser.add_argument("--most", type=int, help="operators")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no operator is begun behind them")
    parser.add_argument("--out", help="a line of JSON for each operator")
    parser.add_argument("--jobs", type=int, default=max(1, min(12, (os.cpu_count() or 1) - 2)), help="processes that compile")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--record", default="", metavar="FILE", help="what was measured, for ./exh results --add FILE")
    parser.add_argument("--share", type=lambda text: [int(word) for word in text.split("/")], help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = cases_of(options.operators, options.rows, options.most)
    if torch is None or not torch.cuda.is_available():
        print("torch is not installed or sees no GPU: nothing is compared")
        return 0
    if options.share:
        torch.cuda.set_device(options.gpu)
        with torch.no_grad():
            compile_share(cases, *options.share, begin + options.seconds)
        return 0
    lines = measure_all(options, cases, begin)
    print(summary(lines))
    record(recorder.Recorder(options.record, "fused", ["FILE", "--torch"]), lines)
    if len(lines) < len(cases):
        print(f"{len(cases) - len(lines)} more of the log were not begun in {options.seconds:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
