#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""FlashInfer Trace both ways: definitions become kernels, the kernels are searched, and the best of them a solution, whose
sources are compiled here with stand-ins for TVM-FFI and called. What comes out is compared with what the definition's
reference computes, run as it stands: `torch` is NumPy here.

usage: flashinfer_test.py SEARCH CXX FAKE_DRIVER FAKE_NVRTC [unittest arguments]
"""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

SEARCH, CXX, DRIVER, NVRTC = "", "", "", ""
HERE = pathlib.Path(__file__).resolve().parent


def torch_of(np):
    """A module with what the references below use. Numbers are doubles: what is left are the roundings of a kernel."""

    class Tensor:
        def __init__(self, array, dtype="float32"):
            self.array, self.dtype = np.asarray(array), dtype

        shape = property(lambda self: self.array.shape)
        T = property(lambda self: Tensor(self.array.T))
        device = "cpu"

        def __getitem__(self, items):
            items = items if isinstance(items, tuple) else (items,)
            return Tensor(self.array[tuple(item.array if isinstance(item, Tensor) else item for item in items)])

        def to(self, dtype):
            return Tensor(self.array, dtype)

        def float(self):
            return Tensor(self.array)

        def mean(self, dim, keepdim=False):
            return Tensor(self.array.mean(axis=dim, keepdims=keepdim))

        def sum(self, dim, keepdim=False):
            return Tensor(self.array.sum(axis=dim, keepdims=keepdim))

        def max(self, dim, keepdim=False):
            return types.SimpleNamespace(values=Tensor(self.array.max(axis=dim, keepdims=keepdim)))

        def pow(self, exponent):
            return Tensor(self.array ** exponent)

        def transpose(self, a, b):
            return Tensor(np.swapaxes(self.array, a, b))

        def chunk(self, count, dim):
            return [Tensor(part) for part in np.split(self.array, count, axis=dim)]

        def repeat_interleave(self, times, dim):
            return Tensor(np.repeat(self.array, times, axis=dim))

        def masked_fill(self, mask, value):
            return Tensor(np.where(mask.array, value, self.array))

        def __invert__(self):
            return Tensor(~self.array)

        def __neg__(self):
            return Tensor(-self.array)

    def binary(name):
        def apply(self, other):
            return Tensor(getattr(self.array, name)(other.array if isinstance(other, Tensor) else other))
        return apply

    for each in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "matmul", "le", "lt"):
        setattr(Tensor, f"__{each}__", binary(f"__{each}__"))

    def of(function):
        return lambda tensor, *rest, **options: Tensor(function(tensor.array, *rest, **options))

    def softmax(array, dim):
        e = np.exp(array - array.max(axis=dim, keepdims=True))
        return e / e.sum(axis=dim, keepdims=True)

    def layer_norm(x, shape, weight, bias, eps):
        away = x.array - x.array.mean(axis=-1, keepdims=True)
        return Tensor(away / np.sqrt((away ** 2).mean(axis=-1, keepdims=True) + eps) * weight.array + bias.array)

    torch = types.ModuleType("torch")
    torch.Tensor = Tensor
    for name in ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64"):
        setattr(torch, name, name)
    torch.no_grad = lambda: lambda function: function
    torch.rsqrt, torch.sqrt = of(lambda x: 1 / np.sqrt(x)), of(np.sqrt)
    torch.exp, torch.softmax = of(np.exp), of(softmax)
    torch.sigmoid = of(lambda x: 1 / (1 + np.exp(-x)))
    torch.matmul = torch.bmm = lambda a, b: Tensor(a.array @ b.array)
    torch.einsum = lambda text, *tensors: Tensor(np.einsum(text, *(tensor.array for tensor in tensors)))
    torch.arange = lambda n, device=None: Tensor(np.arange(n))
    torch.logsumexp = of(lambda x, dim: np.log(np.exp(x).sum(axis=dim)))
    torch.nn = types.ModuleType("torch.nn")
    torch.nn.functional = types.ModuleType("torch.nn.functional")
    torch.nn.functional.silu = of(lambda x: x / (1 + np.exp(-x)))
    torch.nn.functional.layer_norm = layer_norm
    return torch


def definition(name, op_type, axes, inputs, outputs, reference, constraints=None):
    """As the published files have it. Axes without a number are variable; a tensor is (shape, dtype)."""
    return {
        "name": name, "op_type": op_type, "description": "made for a test", "tags": ["status:draft"],
        "axes": {axis: {"type": "const", "value": value} if value else {"type": "var"} for axis, value in axes.items()},
        **({"constraints": constraints} if constraints else {}),
        "inputs": {key: {"shape": shape, "dtype": dtype} for key, (shape, dtype) in inputs.items()},
        "outputs": {key: {"shape": shape, "dtype": dtype} for key, (shape, dtype) in outputs.items()},
        "reference": reference,
    }


ROWS, HIDDEN = ["b", "h"], ["h"]
# (definition, sizes of the variable axes)
DEFINITIONS = [
    (definition("gemm_n24_k40", "gemm", {"M": None, "N": 24, "K": 40}, {"A": (["M", "K"], "float16"), "B": (["N", "K"], "float16")},
                {"C": (["M", "N"], "float16")}, "import torch\n\ndef run(A, B):\n    C = torch.matmul(A, B.T)\n    return C"), {"M": 33}),
    (definition("scaled_gemm_n24_k40", "gemm", {"M": None, "N": 24, "K": 40},
                {"A": (["M", "K"], "float8_e4m3fn"), "B": (["N", "K"], "float8_e5m2"), "A_scale": (["M"], "float32")}, {"C": (["M", "N"], "bfloat16")},
                "import torch\n\ndef run(A, B, A_scale):\n    a = A.to(torch.float32) * A_scale[:, None]\n"
                "    C = torch.matmul(a, B.to(torch.float32).T)\n    return C.to(torch.bfloat16)"), {"M": 33}),
    (definition("fused_add_rmsnorm_h48", "rmsnorm", {"b": None, "h": 48},
                {"x": (ROWS, "bfloat16"), "residual": (ROWS, "bfloat16"), "weight": (HIDDEN, "bfloat16")}, {"output": (ROWS, "bfloat16")},
                "import torch\n\n@torch.no_grad()\ndef run(x, residual, weight):\n    _, h = x.shape\n    # Check constants\n"
                "    assert h == 48\n\n    EPS = 1e-5\n\n    x = x.to(torch.float32) + residual.to(torch.float32)\n"
                "    inv_rms = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + EPS)\n"
                "    y = (x * inv_rms) * weight.to(torch.float32)\n    return y.to(torch.bfloat16)"), {"b": 9}),
    (definition("softmax_h33", "softmax", {"b": None, "h": 33}, {"input": (ROWS, "float32"), "temperature": (None, "float32")},
                {"output": (ROWS, "float32")},
                "import torch\ndef run(input, temperature):\n    x = input / temperature\n    x = x - x.max(dim=-1, keepdim=True).values\n"
                "    e = torch.exp(x)\n    return e / e.sum(dim=-1, keepdim=True)"), {"b": 7}),
    (definition("layernorm_h64", "layernorm", {"b": None, "h": 64}, {"x": (ROWS, "float32"), "w": (HIDDEN, "float32"), "s": (HIDDEN, "float32")},
                {"y": (ROWS, "float32")},
                "import torch\nimport torch.nn.functional as F\ndef run(x, w, s):\n    return F.layer_norm(x, (64,), weight=w, bias=s, eps=1e-5)"),
     {"b": 5}),
    (definition("silu_and_mul_h24", "activation", {"b": None, "h": 24, "two_h": 48}, {"x": (["b", "two_h"], "float16")}, {"output": (ROWS, "float16")},
                "import torch\nfrom torch.nn import functional as F\ndef run(x):\n    gate, up = x.float().chunk(2, dim=-1)\n"
                "    return (F.silu(gate) * up).to(torch.float16)"), {"b": 6}),
    (definition("embedding_v50_h32", "embedding", {"b": None, "v": 50, "h": 32}, {"ids": (["b"], "int64"), "weight": (["v", "h"], "float32")},
                {"output": (ROWS, "float32")}, "import torch\ndef run(ids, weight):\n    return weight[ids]"), {"b": 11}),
    (definition("gqa_h4_kv2_d16", "gqa", {"B": None, "Q": None, "KV": None, "H_qo": None, "H_kv": None, "D": 16},
                {"q": (["B", "Q", "H_qo", "D"], "float32"), "k": (["B", "KV", "H_kv", "D"], "float32"),
                 "v": (["B", "KV", "H_kv", "D"], "float32"), "sm_scale": (None, "float32")},
                {"out": (["B", "Q", "H_qo", "D"], "float32"), "lse": (["B", "Q", "H_qo"], "float32")}, """
import math
import torch

def run(q, k, v, sm_scale):
    kk = k.repeat_interleave(2, dim=2)
    vv = v.repeat_interleave(2, dim=2)
    logits = torch.einsum('bihd,bjhd->bhij', q, kk) * sm_scale
    mask = torch.arange(k.shape[1])[None, :] <= torch.arange(q.shape[1])[:, None]
    logits = logits.masked_fill(~mask, float('-inf'))
    lse = (torch.logsumexp(logits, dim=-1) / math.log(2.0)).transpose(1, 2)
    out = torch.einsum('bhij,bjhd->bihd', torch.softmax(logits, dim=-1), vv)
    return out, lse
""", ["H_qo == H_kv * 2"]), {"B": 2, "Q": 5, "KV": 6, "H_qo": 4, "H_kv": 2}),
]

CODES = {"float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "int64": (0, 64), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8)}
ALLOWED = {"float32": 2e-5, "float16": 2e-3, "bfloat16": 2e-2}


def f8_values(np, dtype):
    """What the 256 patterns of bits mean."""
    bits = np.arange(256)
    fraction, bias, largest = (3, 7, 0x7e) if dtype == "float8_e4m3fn" else (2, 15, 0x7b)
    size = bits & 0x7f
    exponent, rest = size >> fraction, size & ((1 << fraction) - 1)
    values = np.where(exponent == 0, rest, rest + (1 << fraction)) * 2.0 ** (np.maximum(exponent, 1) - bias - fraction)
    return np.where(size > largest, np.nan, np.where(bits < 128, values, -values))


class Argument(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.c_int64 * 8), ("dims", ctypes.c_int32), ("device", ctypes.c_int32),
                ("code", ctypes.c_int32), ("bits", ctypes.c_int32), ("has_gaps", ctypes.c_int32), ("number", ctypes.c_double)]


class FlashInfer(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exh-flashinfer-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def search(self, *words, code=0, env=None):
        done = subprocess.run([SEARCH, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False, env=env)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout + done.stderr

    def solution(self, what, sizes):
        """Imports, searches and exports."""
        self.folder.joinpath("definition.json").write_text(json.dumps(what))
        self.search("import", "flashinfer", "definition.json", "--out", "d.kernel")
        names = re.findall(r"size (\w+) = \d+$", self.folder.joinpath("d.kernel").read_text(), re.MULTILINE)
        said = ",".join(f"{name}={sizes[name]}" for name in names)
        self.search("--kernel", "d.kernel", "--size", said, "--budget", "evals=3", "--seed", "1", "--threads", "1", "--winners", "none", "--out", "run")
        self.search("export", "run", "--format", "flashinfer", "--definition", "definition.json", "--out", "solution.json")
        return json.loads(self.folder.joinpath("solution.json").read_text())

    def library(self, solution):
        """As a builder of solutions does it, with stand-ins for its headers."""
        sources = self.folder / "sources"
        files = []
        for source in solution["sources"]:
            path = sources / source["path"]
            self.assertFalse(pathlib.PurePath(source["path"]).is_absolute() or ".." in path.parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source["content"])
            files += [str(path)] if path.suffix == ".cc" else []
        out = sources / "solution.so"
        done = subprocess.run([CXX, "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-I", str(HERE / "tvm_stand_in"), "-I", str(sources), *files,
                               "-o", str(out)], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = ctypes.CDLL(str(out)).stand_in_run
        run.restype = ctypes.c_char_p
        return run

    def check(self, what, sizes):
        import numpy as np
        torch = torch_of(np)
        solution = self.solution(what, sizes)
        self.check_schema(what, solution)
        run = self.library(solution)
        extents = {axis: about.get("value") or sizes[axis] for axis, about in what["axes"].items()}
        random = np.random.default_rng(3)

        def stored(values, dtype):
            if dtype == "bfloat16":
                bits = np.asarray(values, "float32").view("uint32")
                return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype("uint16")
            if dtype.startswith("float8"):
                return np.nanargmin(np.abs(np.asarray(values)[..., None] - f8_values(np, dtype)), axis=-1).astype("uint8")
            return np.asarray(values, dtype)

        def loaded(array, dtype):
            if dtype.startswith("float8"):
                return f8_values(np, dtype)[array]
            return (array.astype("uint32") << 16).view("float32").astype("float64") if dtype == "bfloat16" else array.astype(
                "int64" if dtype == "int64" else "float64")

        arrays, given, arguments = {}, [], []
        for name, about in {**what["inputs"], **what["outputs"]}.items():
            if about["shape"] is None:
                given.append(0.5)
                arguments.append(Argument(None, (ctypes.c_int64 * 8)(), 0, 0, 0, 0, 0, 0.5))
                continue
            shape = [extents[axis] for axis in about["shape"]]
            is_input = name in what["inputs"]
            values = random.integers(0, extents.get("v", 2), shape) if about["dtype"] == "int64" else random.uniform(-1, 1, shape)
            arrays[name] = np.ascontiguousarray(stored(values if is_input else np.full(shape, 77), about["dtype"]))
            if is_input:
                given.append(torch.Tensor(loaded(arrays[name], about["dtype"])))
            code, bits = CODES[about["dtype"]]
            arguments.append(Argument(arrays[name].ctypes.data, (ctypes.c_int64 * 8)(*shape), len(shape), 1, code, bits, 0, 0))
        listed = (Argument * len(arguments))(*arguments)
        self.assertEqual(run(listed, len(arguments)), b"")

        scope = {}
        modules = {"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional}
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            exec(what["reference"], scope)
            expected = scope["run"](*given)
        finally:
            for name, module in before.items():
                sys.modules.pop(name) if module is None else sys.modules.__setitem__(name, module)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for (name, about), tensor in zip(what["outputs"].items(), expected):
            found = loaded(arrays[name], about["dtype"])
            self.assertEqual(found.shape, tensor.array.shape)
            worst = np.max(np.abs(found - tensor.array) / (1 + np.abs(tensor.array)))
            self.assertLess(worst, ALLOWED[about["dtype"]], name)
        self.check_refusals(run, listed, arguments)

    def check_schema(self, what, solution):
        self.assertEqual(set(solution), {"name", "definition", "description", "author", "spec", "sources"})
        self.assertEqual((solution["definition"], solution["author"]), (what["name"], "exhaust"))
        spec = solution["spec"]
        self.assertEqual((spec["language"], spec["binding"], spec["destination_passing_style"]), ("cpp", "tvm-ffi", True))
        self.assertEqual(spec["target_hardware"], ["cpu"])
        entry, symbol = spec["entry_point"].split("::")
        self.assertEqual(symbol, "run")
        paths = [source["path"] for source in solution["sources"]]
        self.assertIn(entry, paths)
        self.assertEqual(len(paths), len(set(paths)))
        self.assertTrue(all(source["content"] for source in solution["sources"]))

    def check_refusals(self, run, listed, arguments):
        """What is not as the definition says is refused, and nothing is computed."""
        first = next(i for i, argument in enumerate(arguments) if argument.dims)

        def changed(**fields):
            copy = (Argument * len(arguments))(*arguments)
            for name, value in fields.items():
                setattr(copy[first], name, value)
            return run(copy, len(arguments)).decode()

        self.assertIn("another device", changed(device=2))
        self.assertIn("another type", changed(bits=8))
        self.assertIn("dimensions", changed(dims=arguments[first].dims + 1))
        self.assertIn("gaps", changed(has_gaps=1))
        shape = (ctypes.c_int64 * 8)(*listed[first].shape)
        shape[0] += 1
        self.assertNotEqual(changed(shape=shape), "")


for _what, _sizes in DEFINITIONS:
    setattr(FlashInfer, f"test_{_what['name']}", lambda self, what=_what, sizes=_sizes: self.check(what, sizes))


class Mistakes(FlashInfer):
    def test_what_does_not_belong_together(self):
        what, sizes = DEFINITIONS[0]
        self.solution(what, sizes)
        other = dict(DEFINITIONS[5][0])
        self.folder.joinpath("other.json").write_text(json.dumps(other))
        for words, why in [
                (["run", "--format", "flashinfer"], "--definition DEFINITION.json"),
                (["run", "--format", "flashinfer", "--definition", "other.json"], "of another kernel than the definition"),
                (["run", "--format", "flashinfer", "--definition", "none.json"], "none.json"),
                (["run", "--format", "flashinfer", "--definition", "definition.json", "--record", "1"], "RUN@N"),
                (["run", "run", "--format", "cc"], "several runs are for --format flashinfer")]:
            self.assertIn(why, self.search("export", *words, code=2))
        named = self.search("export", "run@1", "--format", "flashinfer", "--definition", "definition.json", "--name", "mine", "--author", "me")
        solution = json.loads(named)
        self.assertEqual((solution["name"], solution["author"]), ("mine", "me"))

    def test_a_solution_for_a_gpu(self):
        """Of a run on a fake GPU, which knows one kernel. Its binding is compiled, and not run."""
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(DRIVER)
        (libraries / "libnvrtc.so.13").symlink_to(NVRTC)
        env = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "EXH_FAKE_N": "256", "XDG_CACHE_HOME": str(self.folder / "cache")}
        vector = (["n"], "float32")
        what = definition("scaled_add", "add", {"n": None}, {"x": vector, "y": vector, "alpha": (None, "float32")}, {"z": vector},
                          "def run(x, y, alpha):\n    return alpha * x + y")
        self.folder.joinpath("definition.json").write_text(json.dumps(what))
        self.search("import", "flashinfer", "definition.json", "--out", "d.kernel")
        self.search("--kernel", "d.kernel", "--size", "n=256", "--device", "h200", "--budget", "evals=2", "--seed", "1", "--policy", "random",
                    "--winners", "none", "--out", "run", env=env)
        self.search("export", "run", "--format", "flashinfer", "--definition", "definition.json", "--out", "solution.json", env=env)
        solution = json.loads(self.folder.joinpath("solution.json").read_text())
        self.assertEqual((solution["spec"]["language"], solution["spec"]["entry_point"], solution["spec"]["target_hardware"]),
                         ("cuda", "binding.cu::run", ["Fake_GPU"]))
        self.assertTrue(all(source["path"].endswith((".cu", ".h")) for source in solution["sources"]))
        for name in ("binding.cu", "tuned.h"):
            text, = (source["content"] for source in solution["sources"] if source["path"] == name)
            self.folder.joinpath(name).write_text(text)
        done = subprocess.run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", str(HERE / "tvm_stand_in"), "-I", str(self.folder),
                               "-x", "c++", "binding.cu"], cwd=self.folder, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_several_shapes_are_one_solution(self):
        what, _ = DEFINITIONS[0]
        self.folder.joinpath("definition.json").write_text(json.dumps(what))
        self.folder.joinpath("w.jsonl").write_text("".join(
            json.dumps({"definition": what["name"], "workload": {"uuid": str(m), "axes": {"M": m}, "inputs": {}}}) + "\n" for m in (8, 16)))
        self.search("import", "flashinfer", "definition.json", "--out", "d.kernel", "--workloads", "w.jsonl", "--shapes", "s.jsonl")
        self.search("tune", "s.jsonl", "--budget", "evals=2", "--threads", "1", "--out", "fleet")
        runs = sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("fleet/*") if (path / "log.jsonl").exists())
        self.assertEqual(len(runs), 2)
        self.search("export", *runs, "--format", "flashinfer", "--definition", "definition.json", "--out", "solution.json")
        solution = json.loads(self.folder.joinpath("solution.json").read_text())
        self.assertEqual(sum(source["path"].startswith("kernels/") for source in solution["sources"]), 2)
        self.library(solution)


for _name in [name for name in dir(Mistakes) if name.startswith("test_") and name not in Mistakes.__dict__]:
    setattr(Mistakes, _name, None)

if __name__ == "__main__":
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: NumPy is not there")
        sys.exit(77)
    SEARCH, CXX, DRIVER, NVRTC = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3], sys.argv[4]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
