#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `./exh bench rows`, `./exh bench attention` and `./exh bench narrow` compare themselves with: torch, torch.compile, and CUB
for scans. Attention of bf16 is compared with two backends of torch, FlashAttention-2 and cuDNN; a product of bf16 and what comes behind
it with cublasLt, which has some of that as its own epilogue ("fused"); products of 8 bits with torch._int_mm and torch._scaled_mm, which
promotes its sums.

A case as JSON, {"kernel": "softmax", "sizes": {"m": 64, "n": 128}, "options": {}, "type": "f32"}; the answer is
{"torch": 12.3, "torch.compile": 11.0}, in us: the fastest mean of a batch of launches, replayed from a CUDA graph."""

import argparse
import ctypes
import json
import os

import torch

from cub_library import CubLibrary

BATCH, BATCHES = 10, 15


def timed(function, arguments):
    for _ in range(3):
        function(*arguments)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function(*arguments)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(BATCH):
            function(*arguments)
    best = float("inf")
    for _ in range(BATCHES):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) * 1e3 / BATCH)
    return best


def product(case):
    """The same of a product."""
    m, n, k = (case["sizes"][axis] for axis in "mnk")
    if case["type"] == "i8":
        a, b = (torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8) for shape in ((m, k), (n, k)))
        return lambda a, b: torch._int_mm(a, b.t()), [a, b]  # pylint: disable=protected-access
    kind = {"bf16": torch.bfloat16, "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}[case["type"]]
    if case["type"] != "bf16":
        a, b = (torch.randn(*shape, device="cuda").to(kind) for shape in ((m, k), (n, k)))
        one = torch.ones((), device="cuda")
        return lambda a, b: torch._scaled_mm(  # pylint: disable=protected-access
            a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=False), [a, b]
    a, b, r, bias = (torch.randn(*shape, device="cuda", dtype=kind) for shape in ((m, k), (k, n), (m, n), (n,)))
    if case["kernel"] == "bias_gelu":
        gelu = torch.nn.functional.gelu
        return lambda a, b, bias: gelu(a @ b + bias, approximate="tanh"), [a, b, bias]
    if case["kernel"] == "residual":
        return lambda a, b, r: r + a @ b, [a, b, r]
    return lambda a, b: a @ b, [a, b]


def fused(case):
    """A product whose library has what comes behind it."""
    if case["kernel"] == "bias_gelu":
        return lambda a, b, bias: torch._addmm_activation(bias, a, b, use_gelu=True)  # pylint: disable=protected-access
    return lambda a, b, r: torch.addmm(r, a, b)


def computation(case):
    """A function of torch, and its arguments."""
    if "k" in case["sizes"]:
        return product(case)
    of = torch.nn.functional
    sizes, kernel = case["sizes"], case["kernel"]
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}[case["type"]]

    def draw(*shape):
        return torch.randn(*shape, device="cuda", dtype=kind)

    if kernel == "attention":
        causal = bool(case["options"].get("causal"))
        arguments = [draw(1, sizes["h"], sizes[length], sizes["d"]) for length in ("m", "n", "n")]
        return lambda q, k, v: of.scaled_dot_product_attention(q, k, v, is_causal=causal), arguments
    m, n = sizes["m"], sizes["n"]
    x = draw(m, n)
    if kernel == "softmax":
        return lambda x: torch.softmax(x, 1), [x]
    if kernel == "rms_norm":
        return lambda x, g: of.rms_norm(x, (n,), g, 1e-5), [x, draw(n)]
    if kernel == "layer_norm":
        return lambda x, g, b: of.layer_norm(x, (n,), g, b, 1e-5), [x, draw(n), draw(n)]
    if kernel == "logsumexp":
        return lambda x: torch.logsumexp(x, 1), [x]
    if kernel == "cross_entropy":
        columns = torch.randint(0, n, (m,), device="cuda")
        return lambda x, c: of.cross_entropy(x, c, reduction="none"), [x, columns]
    return lambda x: torch.cumsum(x, 1), [x]


def cub_scan(case, arguments, work):
    """A function that launches CUB's scan of the rows. Raises OSError where there is none."""
    library = CubLibrary("scan_cub.cu", "", work, "").library
    x = arguments[0]
    y = torch.empty_like(x)
    size = ctypes.c_size_t(0)

    def call(space):
        stream = torch.cuda.current_stream().cuda_stream
        return library.exh_scan(ctypes.c_void_p(space), ctypes.byref(size), ctypes.c_void_p(x.data_ptr()),
                                ctypes.c_void_p(y.data_ptr()), ctypes.c_longlong(case["sizes"]["m"]),
                                ctypes.c_longlong(case["sizes"]["n"]), ctypes.c_void_p(stream))

    if call(None):
        raise OSError("it is too long for it")
    space = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")

    def launch(_):
        if call(space.data_ptr()):
            raise OSError("it does not run")
        return y

    error = (launch(x).double() - torch.cumsum(x.double(), 1)).abs().max().item()
    if error > 1e-3 * case["sizes"]["n"] ** 0.5:
        raise OSError(f"it is wrong by {error}")
    return launch


def by(backend, function):
    """Attention by one of torch's backends."""
    from torch.nn import attention  # pylint: disable=import-outside-toplevel

    def run(*arguments):
        with attention.sdpa_kernel(getattr(attention.SDPBackend, backend)):
            return function(*arguments)

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--work", default="runs", help="the folder for what is compiled")
    options = parser.parse_args()
    torch.cuda.set_device(options.gpu)
    torch.set_float32_matmul_precision("highest")
    case = json.loads(options.case)
    function, arguments = computation(case)
    peers = {"torch": lambda: function, "torch.compile": lambda: torch.compile(function)}
    if case["kernel"] == "scan" and case["type"] == "f32":
        os.makedirs(options.work, exist_ok=True)
        peers["CUB"] = lambda: cub_scan(case, arguments, options.work)
    if case["kernel"] == "attention" and case["type"] == "bf16":
        peers = {"flash": lambda: by("FLASH_ATTENTION", function), "cudnn": lambda: by("CUDNN_ATTENTION", function)}
    if "k" in case["sizes"]:
        peers = {"torch": lambda: function}
        if case["kernel"] != "matmul":
            peers = {"fused": lambda: fused(case), "torch.compile": lambda: torch.compile(function)}
    times = {}
    for name, peer in peers.items():
        try:
            times[name] = timed(peer(), arguments)
        except Exception:  # pylint: disable=broad-except
            continue  # A peer that cannot is none.
    print(json.dumps(times))


if __name__ == "__main__":
    main()
