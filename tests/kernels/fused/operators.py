# SPDX-License-Identifier: MIT
"""Fused operators of every kind, small and at random, in the public JSON."""

import math

FLOATS = ("float32", "float16", "float64", "bfloat16")
NUMBERS = (*FLOATS, "int32", "int64", "int8", "uint32")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Writer:
    """Writes an operator: each method adds an operation, and returns its output."""

    def __init__(self, random, name):
        self.random, self.name = random, name
        self.inputs, self.operations, self.tensors, self.outputs = [], [], [], []
        self.assigned = set()

    def tensor(self, kind, shape):
        """One of the tensors that there are, or a new input."""
        found = [one for one in self.tensors if one["data_type"] == kind and one["shape"] == list(shape)]
        if found and self.random.random() < 0.7:
            return self.random.choice(found)
        one = {"data_type": kind, "format": "DefaultFormat", "shape": list(shape),
               "tensor_name": f"input_{len(self.inputs)}"}
        self.inputs.append(one)
        self.tensors.append(one)
        return one

    def operand(self, kind, shape):
        """A tensor that is broadcast to the shape, or now and then a number."""
        random = self.random
        if random.random() < 0.2:
            value = random.choice((0, 1)) if kind == "bool" else random.randint(1, 5)
            if kind in FLOATS and random.random() < 0.5:
                value = random.choice((0.1, 0.5, 1.5, -2.25))
            return {"data_type": kind, "format": "DefaultFormat", "shape": [1], "name": "input_1",
                    "tensor_name": "input_1", "value": value}
        own = list(shape)
        if random.random() < 0.4:
            own = own[random.randrange(len(own) + 1):] or [1]
            own = [1 if random.random() < 0.3 else extent for extent in own]
        return self.tensor(kind, own)

    def apply(self, name, operands, kind, shape, groups=None, /, **attributes):
        output = {"data_type": kind, "format": "DefaultFormat", "shape": list(shape),
                  "tensor_name": f"output_0_{len(self.operations)}"}
        described = [{"name": f"input_{i}", **one} for i, one in enumerate(operands)]
        kinds = {bool: "bool", int: "int", str: "str", list: "listInt", float: "float"}
        self.operations.append({
            "attr": [{"name": key, "value": value, "data_type": kinds[type(value)]}
                     for key, value in attributes.items()] or None,
            "impl_path": "", "input_desc": groups or [[one] for one in described], "name": name,
            "output_desc": [{"name": "output_0", **output}]})
        self.tensors.append(output)
        self.outputs.append(output)
        return output

    def operator(self):
        read = {one["tensor_name"] for operation in self.operations
                for group in operation["input_desc"] for one in group}
        outputs = [one for one in self.outputs
                   if one["tensor_name"] not in read or self.random.random() < 0.3]
        return {"composite": True, "op": self.name, "platform": "AKG", "process": "cuda",
                "input_desc": [[one] for one in self.inputs] or None, "op_desc": self.operations,
                "output_desc": outputs or self.outputs[-1:]}


def shape_of(random, most=4):
    return [random.choice((1, 2, 3, 4, 5, 6)) for _ in range(random.randint(1, most))]


def elementwise(writer, name):
    random = writer.random
    shape = shape_of(random)
    kinds = FLOATS if name in ("Exp", "Log", "Sqrt", "Rsqrt", "Reciprocal", "Tanh", "RealDiv", "Pow") else NUMBERS
    if name in ("Mul", "Square"):
        kinds = [kind for kind in NUMBERS if kind != "int64"]  # Doubles do not hold large ones.
    if name.startswith("Logical"):
        kinds = ("bool",)
    kind = random.choice(kinds)
    result = "bool" if name in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual") else kind
    if name == "Select":
        condition = writer.tensor("bool", random.choice((shape, [1] * len(shape))))
        return writer.apply(name, [condition, writer.tensor(kind, shape), writer.operand(kind, shape)],
                            kind, shape)
    if name == "AddN":
        operands = [writer.tensor(kind, shape) for _ in range(random.randint(1, 5))]
        return writer.apply(name, operands, kind, shape, [operands], n=len(operands),
                            dyn_input_sizes=[len(operands)])
    if name == "Cast":
        to = random.choice((*NUMBERS, "bool"))
        source = writer.tensor(random.choice((*NUMBERS, "bool")), shape)
        return writer.apply(name, [source], to, shape, dst_type=to, is_backed_cast=False)
    if name in ("Abs", "Neg", "Exp", "Log", "Sqrt", "Rsqrt", "Reciprocal", "Tanh", "Square", "LogicalNot"):
        return writer.apply(name, [writer.tensor(kind, shape)], result, shape)
    operands = [writer.tensor(kind, shape), writer.operand(kind, shape)]
    if random.random() < 0.5:
        operands.reverse()
    return writer.apply(name, operands, result, shape)


def reduction(writer, name):
    random = writer.random
    shape = shape_of(random)
    kinds = [kind for kind in NUMBERS if name != "ReduceProd" or kind != "int64"]
    kind = "bool" if name in ("ReduceAny", "ReduceAll") else random.choice(kinds)
    axes = sorted(random.sample(range(len(shape)), random.randint(0, len(shape))))
    keep = random.random() < 0.5
    gone = axes or range(len(shape))
    result = [1 if axis in gone else extent for axis, extent in enumerate(shape) if keep or axis not in gone]
    named = [axis - len(shape) if random.random() < 0.3 else axis for axis in axes]
    axis = named[0] if len(named) == 1 and random.random() < 0.5 else named
    return writer.apply(name, [writer.tensor(kind, shape)], kind, result or [1], axis=axis, keep_dims=keep,
                        enable_atomic_add=random.random() < 0.5)


def product(writer, name):
    random = writer.random
    kind = random.choice([kind for kind in NUMBERS if kind != "int64"])  # As those of Mul.
    if name == "Conv2D":
        return convolution(writer, kind)
    batch = [random.randint(1, 3) for _ in range(random.randint(0, 2))] if name == "BatchMatMul" else []
    rows, columns, depth = (random.randint(1, 6) for _ in range(3))
    of_a, of_b = (random.random() < 0.5 for _ in range(2))
    fitting = [one["shape"] for one in writer.tensors if one["data_type"] == kind and math.prod(one["shape"]) < 200
               and (len(one["shape"]) == 2 or (len(one["shape"]) > 2 and name == "BatchMatMul"))]
    if fitting and random.random() < 0.5:  # What is there already.
        *batch, rows, depth = random.choice(fitting)
        if of_a:
            rows, depth = depth, rows
    operands = [writer.tensor(kind, [*batch, *reversed(sides)] if is_turned else [*batch, *sides])
                for sides, is_turned in (((rows, depth), of_a), ((depth, columns), of_b))]
    attributes = {}
    for a, b in random.choice(((("a", "b"),), (("x1", "x2"),), (("a", "b"), ("x1", "x2")))):
        attributes.update({f"transpose_{a}": of_a, f"transpose_{b}": of_b})
    if not of_a and not of_b and random.random() < 0.3:
        attributes = {}
    if random.random() < 0.5:
        attributes.update(left_format="DefaultFormat", right_format="DefaultFormat", dst_type=kind, Akg=True)
    return writer.apply(name, operands, kind, [*batch, rows, columns], **attributes)


def convolution(writer, kind):
    random = writer.random
    images, channels, filters = (random.randint(1, 3) for _ in range(3))
    ranges = ((1, 6), (1, 3), (1, 3), (1, 2), (0, 2), (0, 2))
    sides, taps, stride, dilation, heads, tails = ([random.randint(*one) for _ in range(2)] for one in ranges)
    if random.random() < 0.4:
        heads = tails = [0, 0]
    extents = []
    for i in range(2):
        around = heads[i] + sides[i] + tails[i]
        taps[i] = min(taps[i], (around - 1) // dilation[i] + 1)
        extents.append((around - (taps[i] - 1) * dilation[i] - 1) // stride[i] + 1)
    is_first = random.random() < 0.5

    def lying(count, sides, channels):
        return [count, channels, *sides] if is_first else [count, *sides, channels]

    attributes = {}
    for name, (row, column) in (("stride", stride), ("dilation", dilation)):
        ways = [[row, column], [1, 1, row, column]] + ([[1, row, column, 1]] if row != 1 else [])
        if (row, column) != (1, 1) or random.random() < 0.5:
            attributes[name] = random.choice(ways)
    pads = [heads[0], tails[0], heads[1], tails[1]]
    if any(pads) or random.random() < 0.5:
        attributes["pad_list"] = pads
        if random.random() < 0.5:
            attributes["pad"] = attributes.pop("pad_list")
        elif random.random() < 0.5:
            attributes["pad"] = [0, 1, 2, 0]  # What a user said, and was made a pad_list of.
    if random.random() < 0.5:
        attributes.update(groups=1, group=1, format="NCHW", pad_mode="valid", kernel_size=taps, mode=1,
                          out_channel=filters, dst_type=kind)
    operands = [writer.tensor(kind, lying(count, extents_of, channels))
                for count, extents_of in ((images, sides), (filters, taps))]
    return writer.apply("Conv2D", operands, kind, lying(images, extents, filters), **attributes)


def movement(writer, name):
    random = writer.random
    shape = shape_of(random, 3)
    kind = random.choice((*NUMBERS, "bool"))
    source = writer.tensor(kind, shape)
    if name == "Reshape":
        factors = [extent for extent in shape for extent in ([2, extent // 2] if extent in (4, 6) else [extent])]
        random.shuffle(factors)
        result = factors[:1] or [1]
        for factor in factors[1:]:
            if random.random() < 0.5 or len(result) > 5:
                result[-1] *= factor
            else:
                result.append(factor)
        if random.random() < 0.3:
            return writer.apply(name, [source], kind, result)
        named = list(result)
        if random.random() < 0.3:
            named[random.randrange(len(named))] = -1
        return writer.apply(name, [source], kind, result, shape=named)
    if name == "Squeeze":
        result = [extent for extent in shape if extent != 1]
        return writer.apply(name, [source], kind, result or [1])
    if name == "ExpandDims":
        axis = random.randint(-len(shape) - 1, len(shape))
        result = list(shape)
        result.insert(axis % (len(shape) + 1), 1)
        return writer.apply(name, [source], kind, result, axis=axis)
    if name == "BroadcastTo":
        result = [extent if extent != 1 else random.randint(1, 4) for extent in shape]
        result = shape_of(random, 2) + result if random.random() < 0.5 else result
        if random.random() < 0.3:
            source = {"data_type": kind, "format": "DefaultFormat", "shape": [1], "tensor_name": "", "value": 1}
            result = shape
        return writer.apply(name, [source], kind, result, shape=result)
    if name == "Transpose":
        perm = list(range(len(shape)))
        random.shuffle(perm)
        return writer.apply(name, [source], kind, [shape[axis] for axis in perm],
                            perm=[axis - len(shape) if random.random() < 0.2 else axis for axis in perm])
    if name == "Tile":
        multiples = [random.randint(1, 3) for _ in range(len(shape) + random.randint(0, 1))]
        own = [1] * (len(multiples) - len(shape)) + shape
        return writer.apply(name, [source], kind, [a * b for a, b in zip(own, multiples)], multiples=multiples)
    if name == "PadAkg":
        head, tail = ([random.randint(0, 2) for _ in shape] for _ in range(2))
        value = random.choice((0, 1)) if kind == "bool" else random.randint(0, 3)
        return writer.apply(name, [source], kind, [sum(three) for three in zip(shape, head, tail)],
                            head=head, tail=tail, pad_val=value)
    if name == "UnPadAkg":
        tail = [random.randint(0, extent - 1) for extent in shape]
        return writer.apply(name, [source], kind, [a - b for a, b in zip(shape, tail)], tail=tail)
    depth, axis = random.randint(1, 6), random.randint(-1, len(shape))
    positions = writer.tensor(random.choice(("int32", "int64")), shape)
    kind = random.choice(NUMBERS)
    values = [{"data_type": kind, "format": "DefaultFormat", "shape": [1], "tensor_name": "", "value": value}
              for value in (3, 1)]
    result = list(shape)
    result.insert(len(shape) if axis == -1 else axis, depth)
    return writer.apply("OneHot", [positions, *values], kind, result, depth=depth, axis=axis)


def assignment(writer, name):
    random = writer.random
    free = [one for one in writer.inputs if one["tensor_name"] not in writer.assigned]
    target = random.choice(free) if free else writer.tensor("float32", shape_of(random))
    if target["tensor_name"] in writer.assigned or target["tensor_name"].startswith("output"):
        return None
    value = writer.tensor(target["data_type"], target["shape"])
    writer.assigned.add(target["tensor_name"])
    if name == "Assign":
        return writer.apply(name, [target, value], target["data_type"], target["shape"], side_effect_mem=True)
    other = random.choice(writer.tensors)
    return writer.apply(name, [target, value, other], other["data_type"], other["shape"],
                        fake_output=random.random() < 0.5)


KINDS = {
    **{name: elementwise for name in
       "Abs Add AddN Cast Equal Exp Greater GreaterEqual Less LessEqual Log LogicalAnd LogicalNot LogicalOr Maximum "
       "Minimum Mul Neg NotEqual Pow RealDiv Reciprocal Rsqrt Select Sqrt Square Sub Tanh".split()},
    **{name: reduction for name in "ReduceAll ReduceAny ReduceMax ReduceMin ReduceProd ReduceSum".split()},
    **{name: product for name in "BatchMatMul Conv2D MatMul".split()},
    **{name: movement for name in
       "BroadcastTo ExpandDims OneHot PadAkg Reshape Squeeze Tile Transpose UnPadAkg".split()},
    **{name: assignment for name in "Assign InplaceAssign".split()},
}


def random_operator(random, name):
    """Some operations, the last of them of this kind."""
    writer = Writer(random, f"Fused_{name}")
    for kind in (*random.choices(sorted(KINDS), k=random.randint(0, 5)), name):
        size = max([math.prod(one["shape"]) for one in writer.tensors], default=1)
        if size < 5000:
            KINDS[kind](writer, kind)
    return writer.operator() if writer.operations else None
