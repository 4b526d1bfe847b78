# SPDX-License-Identifier: MIT
"""What `./exh bench reductions` compares itself with: torch, torch.compile, CUB, cuDNN.

A process that answers: each line of its input is a case as JSON, each line of its output the times
of the peers. It is one process because torch starts slowly, and of its own because a peer may
crash.

    {"op": "sum", "type": "f32", "shape": [64, 768], "axes": [0], "states": ["warm", "cold"]}
    {"subgraph": 3, "states": ["warm"]}
    {"peers": {"warm": {"torch": {"us": 2.1, "median_us": 2.2, "ok": true}, ...}}}

Before that it says `{"notes": [...]}`: which peers are not there, and why.

On a GPU a time is the fastest mean of a batch, as of our searches: launches back to back, replayed
from a CUDA graph. With cold L2 each launch has a copy of the inputs that is older than two L2s."""

import argparse
import ctypes
import json
import math
import os
import sys
import time

from cub_library import CubLibrary

NAMES = ("torch", "inductor", "cub", "cudnn")
HERE = os.path.dirname(os.path.abspath(__file__))
BATCH_S = 2e-3
BATCHES = 20
MOST_NODES = 50
MOST_COPIES = 1024

try:
    import torch
except ImportError:
    torch = None

OPERATORS = {"sum": 0, "prod": 1, "min": 2, "max": 3}
CUB_TYPES = {"f64": 0, "f32": 1, "f16": 2, "i64": 3, "i32": 4}
CUDNN_TYPES = {"f32": 0, "f64": 1, "f16": 2}


def torch_type(name):
    return {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
            "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
            "bool": torch.bool}[name]


# ---- computations --------------------------------------------------------------------------------

# Inputs, what torch computes of them, the same in double precision, and the elements of a sum.
SUBGRAPHS = {
    1: (["f32 64 2"], lambda x: x.half().float().half().sum(), lambda x: x.half().double().sum(),
        128),
    2: (["f32 1280 21128"], lambda x: x.half().sum(0), lambda x: x.half().double().sum(0), 1280),
    3: (["f16 64 768"], lambda x: x.float().sum(0), lambda x: x.double().sum(0), 64),
    4: (["f32 1280 21128"] * 2, lambda a, b: (a * b).sum(1),
        lambda a, b: (a.double() * b.double()).sum(1), 21128),
    5: (["f32 1280"] * 2, lambda a, b: ((-a) * b).sum(),
        lambda a, b: (-a.double() * b.double()).sum(), 1280),
    6: (["f32 3072"] * 3, lambda a, b, c: (a * b * c).sum(),
        lambda a, b, c: (a.double() * b.double() * c.double()).sum(), 3072),
    7: (["f32 64 128 768"] * 3, lambda a, b, c: ((a + b) * c).sum((0, 1)),
        lambda a, b, c: ((a.double() + b.double()) * c.double()).sum((0, 1)), 8192),
    8: (["f32 64 128 768"] * 3, lambda a, b, c: both(a + b, c), lambda a, b, c:
        both(a.double() + b.double(), c.double()), 8192),
    9: (["f32 8192 768"] * 2, lambda a, b: (a.sum(0), b.sum(0)),
        lambda a, b: (a.double().sum(0), b.double().sum(0)), 8192),
    10: (["f16 64 128 12 64"], lambda x: x.float().sum((0, 1)), lambda x: x.double().sum((0, 1)),
         8192),
    11: (["f16 64 128 768"], lambda x: x.float().sum((0, 1)), lambda x: x.double().sum((0, 1)),
         8192),
    12: (["f16 64 20"], lambda x: x.sum(0), lambda x: x.double().sum(0), 64),
}


def both(t, c):
    return t.sum((0, 1)), (t * c).sum((0, 1))


def reduction(op, axes, kind=None):
    """What torch computes; with a type the result has it."""
    axes = tuple(axes)

    def prod(x):
        for axis in reversed(axes):
            x = torch.prod(x, axis, dtype=kind)
        return x

    return {"sum": lambda x: torch.sum(x, axes, dtype=kind), "prod": prod,
            "min": lambda x: torch.amin(x, axes), "max": lambda x: torch.amax(x, axes),
            "any": lambda x: torch.any(x, axes), "all": lambda x: torch.all(x, axes)}[op]


class Work:
    """A computation: how its inputs are made, how torch computes it, and its exact results."""

    def __init__(self, case, device):
        self.case, self.device = case, device
        if "subgraph" in case:
            inputs, self.function, self.exact, self.count = SUBGRAPHS[case["subgraph"]]
            self.inputs = [(line.split()[0], [int(w) for w in line.split()[1:]]) for line in inputs]
            self.is_sum = True
            return
        op, kind = case["op"], case["type"]
        self.inputs = [(kind, case["shape"])]
        self.function = reduction(op, case["axes"], torch_type(kind) if op == "sum" else None)
        wide = {"f": torch.float64, "b": torch.bool}.get(kind[0], torch.int64)
        exact = reduction(op, case["axes"], wide if op in ("sum", "prod") else None)
        self.exact = lambda x: exact(x.to(wide))
        self.count = math.prod(case["shape"][axis] for axis in case["axes"])
        self.is_sum = op in ("sum", "prod")

    def make(self):
        made = []
        for kind, shape in self.inputs:
            if kind == "bool":
                made.append(torch.rand(shape, device=self.device) < 0.5)
            elif kind[0] == "i":
                made.append(torch.randint(-8, 9, shape, device=self.device, dtype=torch_type(kind)))
            else:
                x = torch.rand(shape, device=self.device, dtype=torch.float32) * 2 - 1
                made.append(x.to(torch_type(kind)))
        return made

    def bytes(self):
        return sum(math.prod(shape) * torch_type(kind).itemsize for kind, shape in self.inputs)

    def problem(self, results, expected):
        """Why the results are wrong, or ""."""
        results, expected = [r if isinstance(r, (tuple, list)) else (r,)
                             for r in (results, expected)]
        for result, want in zip(results, expected):
            if result.numel() != want.numel():
                return f"{result.numel()} results, {want.numel()} expected"
            share = {torch.float16: 1e-3, torch.bfloat16: 1e-2}.get(result.dtype, 1e-5)
            got, want = result.reshape(-1).double(), want.reshape(-1).double()
            allowed = share * want.abs() + (1e-5 * math.sqrt(self.count) if self.is_sum else 0)
            wrong = ~((got - want).abs() <= allowed)
            if bool(wrong.any()):
                at = int(wrong.nonzero()[0])
                return f"element {at} is {float(got[at])}, expected {float(want[at])}"
        return ""


# ---- times ---------------------------------------------------------------------------------------


class GpuTimer:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.l2_bytes = getattr(properties, "L2_cache_size", 0) or 64 << 20

    def copies(self, size):
        """Of the inputs, so that each launch finds the L2 cold."""
        return min(max(2 * self.l2_bytes // max(size, 1) + 1, 3), MOST_COPIES)

    def seconds(self, work):
        self.begin.record(self.stream)
        work()
        self.end.record(self.stream)
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) / 1e3

    def measure(self, calls):
        """Microseconds of one call: the fastest and the median mean of a batch. Launches take the
        calls in turn."""
        note, graph = {}, None
        with torch.cuda.stream(self.stream):
            for call in calls[:3]:
                call()
            self.stream.synchronize()
            once = min(self.seconds(calls[0]) for _ in range(3))
            nodes = min(MOST_NODES, max(1, math.ceil(BATCH_S / once)))
            nodes = math.ceil(nodes / len(calls)) * len(calls)
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                for node in range(nodes):
                    calls[node % len(calls)]()
            run = graph.replay
        except RuntimeError as error:
            note = {"note": "no graph: " + str(error).splitlines()[0][:100]}
            torch.cuda.synchronize()

            def run():
                for node in range(nodes):
                    calls[node % len(calls)]()

        with torch.cuda.stream(self.stream):
            run()
            self.stream.synchronize()
            replays = max(1, math.ceil(BATCH_S / max(self.seconds(run), 1e-6)))

            def batch():
                for _ in range(replays):
                    run()

            times = sorted(self.seconds(batch) / (replays * nodes) for _ in range(BATCHES))
        del graph
        return {"us": 1e6 * times[0], "median_us": 1e6 * times[len(times) // 2], **note}

    def context(self):
        return torch.cuda.stream(self.stream)


class CpuTimer:
    """Loops of calls; the L2 is as it is."""

    def copies(self, size):
        return 1

    def measure(self, calls):
        calls[0]()
        begin = time.perf_counter()
        calls[0]()
        count = max(1, math.ceil(BATCH_S / max(time.perf_counter() - begin, 1e-7)))
        times = []
        for _ in range(BATCHES):
            begin = time.perf_counter()
            for _ in range(count):
                calls[0]()
            times.append((time.perf_counter() - begin) / count)
        times.sort()
        return {"us": 1e6 * times[0], "median_us": 1e6 * times[len(times) // 2]}

    def context(self):
        return torch.no_grad()


# ---- libraries -----------------------------------------------------------------------------------


class Cub(CubLibrary):
    """One library of reduction_cub.cu; `flag` says which. Raises OSError with the reason."""

    def __init__(self, flag, work, cccl):
        super().__init__("reduction_cub.cu", flag, work, cccl)

    def bind(self, case, segments, x, out):
        """A function that launches it on the current stream; None where it has no such thing."""
        temporary = None
        size = ctypes.c_size_t(0)
        op, kind = OPERATORS[case["op"]], CUB_TYPES[case["type"]]

        def call(space):
            stream = torch.cuda.current_stream().cuda_stream
            return self.library.exh_reduce(
                op, kind, ctypes.c_void_p(space), ctypes.byref(size),
                ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()),
                ctypes.c_longlong(x.numel()), ctypes.c_longlong(segments), ctypes.c_void_p(stream))

        if call(None):
            return None
        temporary = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")

        def launch():
            error = call(temporary.data_ptr())
            if error:
                raise RuntimeError(f"CUDA error {error}")
            return out

        return launch


class Cudnn:
    """cudnnReduceTensor. Raises OSError where there is no libcudnn."""

    def __init__(self):
        # Where torch has brought one, that is in this process already.
        names = [f"libcudnn{part}.so{end}" for end in (".9", ".8", "") for part in ("", "_ops")]
        folders = [os.path.join(path, "nvidia/cudnn/lib") for path in sys.path]
        names += [os.path.join(folder, name) for folder in folders for name in names]
        for name in names:
            try:
                library = ctypes.CDLL(name)
                library.cudnnReduceTensor.restype = ctypes.c_int
                self.library = library
                break
            except (OSError, AttributeError):
                continue
        else:
            raise OSError("not installed")
        self.library.cudnnGetVersion.restype = ctypes.c_size_t
        self.version = str(self.library.cudnnGetVersion())
        self.handle = ctypes.c_void_p()
        self.check(self.library.cudnnCreate(ctypes.byref(self.handle)))

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"cuDNN status {status}")

    def descriptor(self, kind, dims):
        made = ctypes.c_void_p()
        self.check(self.library.cudnnCreateTensorDescriptor(ctypes.byref(made)))
        strides = [math.prod(dims[i + 1:]) for i in range(len(dims))]
        array = ctypes.c_int * len(dims)
        self.check(self.library.cudnnSetTensorNdDescriptor(
            made, kind, len(dims), array(*dims), array(*strides)))
        return made

    def bind(self, case, x, out):
        kind = CUDNN_TYPES[case["type"]]
        # Neighbouring axes that go or stay together are one; there are at least four.
        dims = []
        for axis, steps in enumerate(case["shape"]):
            goes = axis in case["axes"]
            if dims and dims[-1][1] == goes:
                dims[-1][0] *= steps
            else:
                dims.append([steps, goes])
        dims += [[1, False]] * (4 - len(dims))
        before = self.descriptor(kind, [steps for steps, _ in dims])
        after = self.descriptor(kind, [1 if goes else steps for steps, goes in dims])
        how = ctypes.c_void_p()
        self.check(self.library.cudnnCreateReduceTensorDescriptor(ctypes.byref(how)))
        compute = CUDNN_TYPES["f64" if case["type"] == "f64" else "f32"]
        # It propagates NaN and wants no indices.
        self.check(self.library.cudnnSetReduceTensorDescriptor(
            how, OPERATORS[case["op"]], compute, 1, 0, 0))
        size = ctypes.c_size_t(0)
        self.check(self.library.cudnnGetReductionWorkspaceSize(
            self.handle, how, before, after, ctypes.byref(size)))
        space = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")
        number = ctypes.c_double if case["type"] == "f64" else ctypes.c_float
        one, zero = number(1), number(0)

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self.check(self.library.cudnnSetStream(self.handle, stream))
            self.check(self.library.cudnnReduceTensor(
                self.handle, how, None, ctypes.c_size_t(0), ctypes.c_void_p(space.data_ptr()),
                size, ctypes.byref(one), before, ctypes.c_void_p(x.data_ptr()), ctypes.byref(zero),
                after, ctypes.c_void_p(out.data_ptr())))
            return out

        return launch


# ---- the process ---------------------------------------------------------------------------------


class Peers:
    def __init__(self, options):
        self.notes = []
        self.device = "cpu" if options.device == "cpu" else "cuda"
        self.libraries = {}
        wanted = options.peers.split(",")
        if torch is None:
            self.notes = ["torch is not installed: there are no peers"]
            self.names = []
            return
        self.names = [name for name in wanted if name in ("torch", "inductor")]
        if self.device == "cpu":
            self.timer = CpuTimer()
            self.notes += [f"{name}: on a GPU only" for name in wanted if name not in self.names]
            return
        if not torch.cuda.is_available():
            self.notes, self.names = ["torch sees no GPU: there are no peers"], []
            return
        torch.cuda.set_device(options.gpu)
        self.timer = GpuTimer()
        self.notes.append(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
        if "cub" in wanted:
            for name, flag in (("cub", ""), ("cub_fixed", "EXH_FIXED_SEGMENTS"),
                               ("cub_atomic", "EXH_ATOMIC")):
                self.add(name, lambda f=flag: Cub(f, options.work, options.cccl))
        if "cudnn" in wanted:
            self.add("cudnn", Cudnn)

    def add(self, name, make):
        try:
            self.libraries[name] = make()
            self.notes.append(f"{name}: version {self.libraries[name].version}")
        except (OSError, RuntimeError) as error:
            self.notes.append(f"{name}: {error}")

    def binders(self, work):
        """{peer: a function that makes a call of inputs}"""
        found = {}
        if "torch" in self.names:
            found["torch"] = lambda inputs: lambda: work.function(*inputs)
        if "inductor" in self.names:
            compiled = []

            def inductor(inputs):
                if not compiled:
                    torch._dynamo.reset()
                    compiled.append(torch.compile(work.function, dynamic=False,
                                                  mode="max-autotune-no-cudagraphs"))
                return lambda: compiled[0](*inputs)

            found["inductor"] = inductor
        case = work.case
        if "subgraph" in case or case["op"] not in OPERATORS:
            return found
        results = math.prod(s for axis, s in enumerate(case["shape"]) if axis not in case["axes"])

        def out():
            return torch.empty(results, dtype=torch_type(case["type"]), device="cuda")

        for name, library in self.libraries.items():
            if name == "cudnn" and case["type"] in CUDNN_TYPES:
                found[name] = lambda inputs, peer=library: peer.bind(case, inputs[0], out())
            elif name != "cudnn" and case["type"] in CUB_TYPES and case["segments"] is not None:
                found[name] = lambda inputs, peer=library: peer.bind(
                    case, case["segments"], inputs[0], out())
        return found

    def answer(self, case):
        work = Work(case, self.device)
        torch.manual_seed(1)
        peers = {state: {} for state in case["states"]}
        with torch.no_grad():
            first = work.make()
            expected = work.exact(*first)
            several = [first]
            if "cold" in case["states"]:
                copies = self.timer.copies(work.bytes())
                several += [[x.clone() for x in first] for _ in range(copies - 1)]
            if self.device == "cuda":
                torch.cuda.synchronize()  # The timer has a stream of its own.
            for name, bind in self.binders(work).items():
                begin = time.monotonic()
                for state in case["states"]:
                    try:
                        with self.timer.context():
                            used = several[:1] if state == "warm" else several
                            calls = [bind(inputs) for inputs in used]
                            if calls[0] is None:
                                break
                            why = work.problem(calls[0](), expected)
                        peers[state][name] = {**self.timer.measure(calls), "ok": not why}
                        if why:
                            peers[state][name]["why"] = "wrong: " + why
                        del calls
                    except Exception as error:  # One peer is lost, whatever it was.
                        peers[state][name] = {"ok": False, "why": str(error)[:300]}
                        if "CUDA error" in str(error):
                            torch.cuda.synchronize()  # Where that fails as well, this process ends.
                if name in peers[case["states"][0]]:
                    peers[case["states"][0]][name]["seconds"] = round(time.monotonic() - begin, 1)
        del first, several
        if self.device == "cuda":
            torch.cuda.empty_cache()
        return {"peers": peers}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--peers", default=",".join(NAMES))
    parser.add_argument("--work", default=".", help="folder for compiled libraries")
    parser.add_argument("--cccl", default="", help="folder of a newer CCCL's headers")
    options = parser.parse_args()
    # What compilers print does not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peers = Peers(options)

    def say(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    say({"notes": peers.notes, "there": bool(peers.names or peers.libraries)})
    for line in sys.stdin:
        say(peers.answer(json.loads(line)))


if __name__ == "__main__":
    main()
