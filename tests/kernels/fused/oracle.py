# SPDX-License-Identifier: MIT
"""Fused operators once more, from the definitions of their operations alone: plain lists of numbers, an
element at a time. Nothing of this is shared with kernels/fused.

Numbers are in double precision; those of types narrower than float32 are rounded wherever a tensor has
such a type, integers wrap, bools are 0 or 1."""

import itertools
import math
import struct

WHOLE = {"int8": (8, True), "int32": (32, True), "int64": (64, True), "uint32": (32, False)}
FLOAT32_MOST = 3.4028234663852886e38


def to_float32(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_float16(value):
    value = to_float32(value)
    try:
        return struct.unpack("e", struct.pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_bfloat16(value):
    bits = struct.unpack("I", struct.pack("f", to_float32(value)))[0]
    if math.isnan(value):
        return value
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("f", struct.pack("I", bits >> 16 << 16))[0]


def hold(kind, value):
    """What an operation leaves in a tensor of the type."""
    if kind == "bool":
        return 1 if value != 0 else 0
    if kind in WHOLE:
        bits, signed = WHOLE[kind]
        whole = int(value) & ((1 << bits) - 1)
        return whole - (1 << bits) if signed and whole >> (bits - 1) else whole
    if kind == "float16":
        return to_float16(value)
    if kind == "bfloat16":
        return to_bfloat16(value)
    if kind == "float32" and abs(value) > FLOAT32_MOST:
        return math.copysign(math.inf, value)
    return value


def convert(value, kind):
    if kind == "float32":
        return to_float32(value)
    if kind in WHOLE and math.isnan(value):
        return 0
    return hold(kind, value)


def quotient(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def power(a, b):
    try:
        return math.pow(a, b)
    except ValueError:
        return math.inf if a == 0 else math.nan
    except OverflowError:
        return math.inf if a > 0 or b % 2 == 0 else -math.inf


def of_positive(function):
    def of(x):
        if x == 0:
            return function(x) if function is math.sqrt else -math.inf
        return math.nan if x < 0 or math.isnan(x) else function(x)
    return of


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


UNARY = {
    "Abs": abs, "Neg": lambda x: -x, "Exp": exponential, "Log": of_positive(math.log),
    "Sqrt": of_positive(math.sqrt), "Rsqrt": lambda x: quotient(1, of_positive(math.sqrt)(x)),
    "Reciprocal": lambda x: quotient(1, x), "Tanh": math.tanh, "Square": lambda x: x * x,
    "LogicalNot": lambda x: 1 - x,
}
BINARY = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
    "RealDiv": quotient, "Pow": power,
    "Maximum": lambda a, b: a if a != a or a > b else b, "Minimum": lambda a, b: a if a != a or a < b else b,
    "Greater": lambda a, b: a > b, "GreaterEqual": lambda a, b: a >= b,
    "Less": lambda a, b: a < b, "LessEqual": lambda a, b: a <= b,
    "Equal": lambda a, b: a == b, "NotEqual": lambda a, b: a != b,
    "LogicalAnd": lambda a, b: a and b, "LogicalOr": lambda a, b: a or b,
}
REDUCTIONS = {
    "ReduceSum": (0, lambda a, b: a + b), "ReduceProd": (1, lambda a, b: a * b),
    "ReduceMax": (-math.inf, lambda a, b: b if b != b or b > a else a),
    "ReduceMin": (math.inf, lambda a, b: b if b != b or b < a else a),
    "ReduceAny": (0, lambda a, b: 1 if a or b else 0), "ReduceAll": (1, lambda a, b: 1 if a and b else 0),
}


class Tensor:
    def __init__(self, kind, shape, values):
        self.kind, self.shape, self.values = kind, tuple(shape), list(values)

    def at(self, index):
        place = 0
        for position, extent in zip(index, self.shape):
            assert 0 <= position < extent
            place = place * extent + position
        return self.values[place]

    def spread(self, index):
        """The element at an index of something that this is broadcast to."""
        own = index[len(index) - len(self.shape):]
        return self.at(tuple(0 if extent == 1 else i for i, extent in zip(own, self.shape)))


def indices(shape):
    return itertools.product(*(range(extent) for extent in shape))


def made(kind, shape, of):
    return Tensor(kind, shape, (hold(kind, of(index)) for index in indices(shape)))


def matrix_product(attributes, kind, shape, a, b):
    """Of matrices, or of as many of both; what is summed up is rounded once."""
    of_a, of_b = (attributes.get(f"transpose_{own}", attributes.get(f"transpose_{other}", False))
                  for own, other in (("a", "x1"), ("b", "x2")))
    depth = a.shape[-2 if of_a else -1]

    def total(index):
        *batch, i, j = index
        return sum(a.at((*batch, k, i) if of_a else (*batch, i, k)) *
                   b.at((*batch, j, k) if of_b else (*batch, k, j)) for k in range(depth))

    return made(kind, shape, total)


def rows_and_columns(numbers):
    """Of two numbers, or of four with ones for images and channels."""
    if len(numbers) == 2:
        return numbers
    return numbers[1:3] if numbers[1] != 1 else numbers[2:]


def convolution(attributes, kind, shape, image, filters):
    """Images are NHWC and filters KRSC, or NCHW and KCRS: the first of both that the shapes fit."""
    stride, dilation = (rows_and_columns(attributes.get(name, [1, 1])) for name in ("stride", "dilation"))
    top, bottom, left, right = attributes.get("pad_list", attributes.get("pad", [0, 0, 0, 0]))
    heads, zeros = (top, left), (top + bottom, left + right)

    def result(channels, rows):
        """The shape, if these are the dimensions of channels and of rows; columns are behind rows."""
        if image.shape[channels] != filters.shape[channels]:
            return None
        extents = [image.shape[0]] * 4
        extents[channels] = filters.shape[0]
        for i in range(2):
            reach = (filters.shape[rows + i] - 1) * dilation[i] + 1
            extents[rows + i] = (image.shape[rows + i] + zeros[i] - reach) // stride[i] + 1
        return tuple(extents)

    channels, rows = next(layout for layout in ((3, 1), (1, 2)) if result(*layout) == shape)

    def total(index):
        value = 0
        for tap in indices(filters.shape[1:]):
            place = [index[0], *tap]
            for i in range(rows, rows + 2):
                place[i] = index[i] * stride[i - rows] + place[i] * dilation[i - rows] - heads[i - rows]
            inside = all(0 <= position < extent for position, extent in zip(place, image.shape))
            value += (image.at(place) if inside else 0) * filters.at((index[channels], *tap))
        return value

    return made(kind, shape, total)


def compute(operation, inputs):
    """The output of an operation that assigns to nothing."""
    name = operation["name"]
    attributes = {one["name"]: one["value"] for one in operation.get("attr") or []}
    described = operation["output_desc"][0]
    kind, shape = described["data_type"], tuple(described["shape"])
    first = inputs[0]
    if name in UNARY:
        return made(kind, shape, lambda i: UNARY[name](first.at(i)))
    if name in BINARY:
        return made(kind, shape, lambda i: BINARY[name](first.spread(i), inputs[1].spread(i)))
    if name == "AddN":
        def total(index):
            terms = [one.spread(index) for one in inputs]
            value = terms[0]
            for term in terms[1:]:
                value += term
            return value
        return made(kind, shape, total)
    if name == "Select":
        return made(kind, shape, lambda i: (inputs[1] if first.spread(i) else inputs[2]).spread(i))
    if name == "Cast":
        return Tensor(kind, shape, (convert(value, kind) for value in first.values))
    if name in REDUCTIONS:
        rank = len(first.shape)
        axes = attributes["axis"]
        axes = [axis % rank for axis in (axes if isinstance(axes, list) else [axes])] or list(range(rank))
        begin, step = REDUCTIONS[name]
        sums = {}
        for index in indices(first.shape):
            kept = tuple(position for axis, position in enumerate(index) if axis not in axes)
            value = step(sums.get(kept, begin), first.at(index))
            sums[kept] = hold(kind, value) if kind in WHOLE else value
        return Tensor(kind, shape, (hold(kind, value) for _, value in sorted(sums.items())))
    if name in ("MatMul", "BatchMatMul"):
        return matrix_product(attributes, kind, shape, *inputs)
    if name == "Conv2D":
        return convolution(attributes, kind, shape, *inputs)
    if name in ("Reshape", "Squeeze", "ExpandDims"):
        return Tensor(kind, shape, first.values)
    if name == "BroadcastTo":
        return made(kind, shape, first.spread)
    if name == "Transpose":
        perm = [axis % len(shape) for axis in attributes["perm"]]
        def moved(index):
            source = [0] * len(index)
            for position, axis in zip(index, perm):
                source[axis] = position
            return first.at(source)
        return made(kind, shape, moved)
    if name == "Tile":
        def repeated(index):
            own = index[len(index) - len(first.shape):]
            return first.at([i % extent for i, extent in zip(own, first.shape)])
        return made(kind, shape, repeated)
    if name == "PadAkg":
        def padded(index):
            source = [i - head for i, head in zip(index, attributes["head"])]
            inside = all(0 <= i < extent for i, extent in zip(source, first.shape))
            return first.at(source) if inside else convert(attributes.get("pad_val", 0), kind)
        return made(kind, shape, padded)
    if name == "UnPadAkg":
        head = attributes.get("head", [0] * len(shape))
        return made(kind, shape, lambda i: first.at([a + b for a, b in zip(i, head)]))
    if name == "OneHot":
        axis = attributes.get("axis", -1) % (len(first.shape) + 1)
        on, off = inputs[1].values[0], inputs[2].values[0]
        return made(kind, shape,
                    lambda i: on if first.at(i[:axis] + i[axis + 1:]) == i[axis] else off)
    raise NotImplementedError(name)


def evaluate(operator, values):
    """By name, the results of an operator: outputs, and inputs that it writes into. `values`: of inputs."""
    tensors = {}
    for group in operator.get("input_desc") or []:
        for one in group:
            given = values[one["tensor_name"]] if one["tensor_name"] in values else None
            tensors[one["tensor_name"]] = given and Tensor(one["data_type"], one["shape"], given)
    results, fakes = {}, set()
    for operation in operator["op_desc"]:
        inputs = []
        for group in operation["input_desc"]:
            for one in group:
                if "value" in one:
                    size = math.prod(one["shape"])
                    inputs.append(Tensor(one["data_type"], one["shape"],
                                         [convert(one["value"], one["data_type"])] * size))
                else:
                    inputs.append(tensors[one["tensor_name"]])
        output = operation["output_desc"][0]["tensor_name"]
        if operation["name"] in ("Assign", "InplaceAssign"):
            target = operation["input_desc"][0][0]["tensor_name"]
            tensors[target] = results[target] = inputs[1]
            attributes = {one["name"]: one["value"] for one in operation.get("attr") or []}
            if operation["name"] == "Assign" or attributes.get("fake_output", False):
                fakes.add(output)
            tensors[output] = inputs[-1]
        else:
            tensors[output] = compute(operation, inputs)
    for one in operator["output_desc"]:
        if one["tensor_name"] not in fakes:
            results[one["tensor_name"]] = tensors[one["tensor_name"]]
    return {name: tensor.values for name, tensor in results.items()}


def number(value):
    return float(value) if isinstance(value, str) else value


def differences(operator, line):
    """What `search fused check --values` says otherwise: texts."""
    inputs = {name: [number(value) for value in values] for name, values in line["inputs"].items()}
    expected = evaluate(operator, inputs)
    if set(expected) != set(line["results"]):
        return [f"results {sorted(expected)}, not {sorted(line['results'])}"]
    texts = []
    for name, values in expected.items():
        found = [number(value) for value in line["results"][name]]
        if len(found) != len(values):
            texts.append(f"{name} has {len(found)} elements, not {len(values)}")
            continue
        for place, (a, b) in enumerate(zip(found, values)):
            same = a == b or (math.isnan(a) and math.isnan(b))
            near = math.isfinite(a) and math.isfinite(b) and abs(a - b) <= 1e-12 * max(1, abs(b))
            if not same and not near:
                texts.append(f"{name}[{place}] is {a}, not {b}")
                break
    return texts
