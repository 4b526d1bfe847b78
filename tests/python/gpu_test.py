#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators on a GPU with PyTorch: a product in halves that was tuned there, as a function of tensors, as a custom operator of
torch.library, in torch.compile, and as one more candidate of Inductor. Skipped where PyTorch or the GPU is missing.

usage: gpu_test.py SEARCH [unittest arguments]
"""

import importlib.util
import os
import sys
import tempfile
import unittest

import support

import exhaust
from exhaust import inductor

if importlib.util.find_spec("torch") is None:
    print("skipped: PyTorch is not there")
    sys.exit(77)
import torch

if not torch.cuda.is_available():
    print("skipped: PyTorch sees no GPU")
    sys.exit(77)

M, N, K = 512, 384, 256


class OnGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="exh-python-")
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        cls.result = exhaust.tune("c[i,j] = sum(k) a[i,k] * b[k,j]", i=M, j=N, k=K, type="f16", device="cuda", budget="8s", out="product")
        torch.manual_seed(1)
        cls.a = torch.randn(M, K, device="cuda", dtype=torch.float16)
        cls.b = torch.randn(K, N, device="cuda", dtype=torch.float16)
        cls.expected = cls.a @ cls.b

    def near(self, c):
        self.assertEqual((tuple(c.shape), c.dtype, c.device.type), ((M, N), torch.float16, "cuda"))
        torch.testing.assert_close(c, self.expected, rtol=1e-2, atol=5e-2)

    def test_an_operator_of_tensors(self):
        mm = self.result.operator("mm")
        self.near(mm(self.a, self.b))
        self.near(torch.ops.tuned.mm(self.a, self.b))
        torch.testing.assert_close(mm(2 * self.a, self.b), 2 * self.expected, rtol=1e-2, atol=1e-1)
        torch.library.opcheck(mm.torch, (self.a, self.b))
        # On another stream, behind what is enqueued there.
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            late = torch.zeros_like(self.a)
            torch.cuda._sleep(20_000_000)
            late.copy_(self.a)
            c = mm(late, self.b)
        stream.synchronize()
        self.near(c)
        with self.assertRaisesRegex(mm.module.NotTuned, "is not tuned for"):
            mm(self.a[: M // 2], self.b)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = mm(self.a, self.b)
        captured.zero_()
        graph.replay()
        self.near(captured)

    def test_what_torch_compile_traces(self):
        mm = self.result.operator("mm").torch
        compiled = torch.compile(lambda a, b: torch.relu(mm(a, b)) + 1, fullgraph=True)
        torch.testing.assert_close(compiled(self.a, self.b), torch.relu(self.expected) + 1, rtol=1e-2, atol=5e-2)

    def test_one_more_candidate_of_inductor(self):
        from torch._inductor import config
        offer = inductor.offer(torch.ops.aten.mm, self.result)
        self.addCleanup(offer.withdraw)
        self.near(torch.compile(lambda a, b: torch.mm(a, b))(self.a, self.b))
        self.assertEqual(offer.taken, 0, "without max-autotune nothing changes")
        with config.patch(max_autotune_gemm_backends="ATEN"):  # Triton's take minutes to compile.
            torch._dynamo.reset()
            fast = torch.compile(lambda a, b: torch.mm(a, b), mode="max-autotune-no-cudagraphs")
            self.near(fast(self.a, self.b))
            self.assertEqual(offer.taken, 1)
            torch._dynamo.reset()
            self.assertEqual(tuple(torch.compile(lambda a, b: torch.mm(a, b), mode="max-autotune-no-cudagraphs")(self.a[:64], self.b).shape), (64, N))
            self.assertEqual(offer.taken, 1, "of other shapes it is none")


if __name__ == "__main__":
    support.main()
