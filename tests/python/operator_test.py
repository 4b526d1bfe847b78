#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators on the processor: what a run found, called on arrays of NumPy and of whoever has the same memory,
against NumPy itself.

usage: operator_test.py SEARCH [unittest arguments]
"""

import ctypes
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import support

support.with_numpy()

import exhaust
from exhaust import _operator, inductor

if not support.has_numpy():
    print("skipped: NumPy is not there")
    sys.exit(77)
import numpy

HAS_TORCH = _operator.importlib.util.find_spec("torch") is not None


class Interface:
    """An array of another library that has __array_interface__ alone."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__


class Exchange:
    """The same with __dlpack__ alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="exh-python-")
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        cls.product = exhaust.tune("c[i,j] = sum(k) a[i,k] * b[k,j]", i=32, j=48, k=16, budget="evals=3", out="product")
        cls.mm = cls.product.operator("mm")
        rng = numpy.random.default_rng(1)
        cls.a = rng.standard_normal((32, 16)).astype("float32")
        cls.b = rng.standard_normal((16, 48)).astype("float32")

    def test_a_product_is_that_of_numpy(self):
        c = self.mm(self.a, self.b)
        self.assertEqual((c.shape, c.dtype), ((32, 48), numpy.float32))
        numpy.testing.assert_allclose(c, self.a @ self.b, rtol=1e-5, atol=1e-5)
        # Not by chance: other numbers, other results.
        numpy.testing.assert_allclose(self.mm(2 * self.a, self.b), 2 * c, rtol=1e-5)
        self.assertEqual(self.mm.signature, "mm(a: f32[32, 16], b: f32[16, 48]) -> c: f32[32, 48]")
        self.assertEqual((self.mm.inputs, self.mm.outputs), (["a", "b"], ["c"]))
        self.assertIn("mm", self.mm.__doc__)

    def test_arrays_of_others(self):
        expected = self.a @ self.b
        for other in [Interface] + [Exchange] * hasattr(numpy, "from_dlpack"):
            numpy.testing.assert_allclose(self.mm(other(self.a), other(self.b)), expected, rtol=1e-5, atol=1e-5)
            seen = _operator.as_array(other(self.a))
            self.assertEqual(seen.ctypes.data, self.a.ctypes.data, "nothing is copied")

        class OnGpu:
            __cuda_array_interface__ = {}
        for wrong in ([1.0], None, ctypes.c_float(1)):
            with self.assertRaisesRegex(TypeError, "mm: a is an array"):
                self.mm(wrong, self.b)
        if not HAS_TORCH:
            with self.assertRaisesRegex(TypeError, "PyTorch is needed"):
                self.mm(OnGpu(), self.b)

    def test_what_does_not_fit_is_refused(self):
        for a, words in ((self.a[:16], "is not tuned for"), (self.a.astype("float64"), "f64"), (self.a.T, "is not tuned for")):
            with self.assertRaisesRegex(self.mm.module.NotTuned, words):
                self.mm(a, self.b)
        numpy.testing.assert_array_equal(self.mm(self.a[:16], self.b, fallback=numpy.matmul), self.a[:16] @ self.b)
        with self.assertRaises(TypeError):
            self.mm(self.a)
        with self.assertRaises(TypeError):
            self.mm(self.a, self.b, nope=1)

    def test_scalars_options_and_several_outputs(self):
        r = exhaust.tune("axpy", n=4096, budget="evals=1", out="axpy")
        axpy = r.operator()
        x, y = (numpy.arange(4096, dtype="float32") % 7 for _ in range(2))
        numpy.testing.assert_allclose(axpy(x, y, alpha=2.5), 2.5 * x + y)
        self.assertEqual((axpy.name, axpy.options), ("axpy", ["n", "alpha"]))
        r = exhaust.tune("t[i] = sum(j) x[i,j]; q[i] = sum(j) x[i,j] * x[i,j]", i=32, j=64, budget="evals=1", out="moments")
        x = numpy.ones((32, 64), "float32") * 3
        total, squares = r.operator("moments")(x)
        numpy.testing.assert_allclose(total, x.sum(1))
        numpy.testing.assert_allclose(squares, (x * x).sum(1))
        r = exhaust.tune("reduce", b=16, c=64, op="max", budget="evals=1", out="reduce")
        x = numpy.random.default_rng(2).standard_normal(tuple(r.operator().shapes["x"][1])).astype("float32")
        self.assertEqual(r.sizes["op"], "max")
        numpy.testing.assert_allclose(r.operator()(x, op="max").ravel().max(), x.max())

    def test_it_is_built_once(self):
        before = os.stat(self.mm.library).st_mtime_ns
        again = exhaust.load("product").operator("mm")
        self.assertEqual(os.stat(again.library).st_mtime_ns, before)
        self.assertIs(self.product.operator("mm"), self.mm)
        other = self.product.operator("other", folder="elsewhere")
        self.assertTrue(os.path.exists("elsewhere/tuned.h"))
        numpy.testing.assert_array_equal(other(self.a, self.b), self.mm(self.a, self.b))
        for name in ("no name", "class", "1st"):
            with self.assertRaises(exhaust.UsageError):
                self.product.operator(name)

    def test_without_cmake(self):
        with mock.patch.object(_operator.shutil, "which", lambda name: None):
            alone = self.product.operator("alone")
        numpy.testing.assert_array_equal(alone(self.a, self.b), self.mm(self.a, self.b))
        with mock.patch.dict(os.environ, {"CXX": "/bin/false"}), mock.patch.object(_operator.shutil, "which", lambda name: None):
            with self.assertRaisesRegex(exhaust.NotBuilt, "/bin/false"):
                self.product.operator("broken")

    def test_one_name_of_torch_is_one_kernel(self):
        torch = types.SimpleNamespace(library=types.SimpleNamespace(custom_op=None))
        made = []
        with mock.patch.dict(sys.modules, {"torch": torch}), mock.patch.dict(_operator._registered, clear=True):
            for name, library in (("mm", "a"), ("mm", "a"), ("mm", "b")):
                operator = object.__new__(exhaust.Operator)
                operator.name, operator.library = name, library
                operator.module = types.SimpleNamespace(operator=made.append)
                if library == "b":
                    with self.assertRaisesRegex(exhaust.UsageError, "another name"):
                        operator.register()
                else:
                    operator.register()
        self.assertEqual(made, ["mm", "mm"])

    @unittest.skipIf(HAS_TORCH, "PyTorch is there")
    def test_an_offer_is_one_candidate_more(self):
        """With a stand-in for what is used of PyTorch."""
        selected = []

        class Selector:
            def __call__(self, name, choices, input_nodes, layout, *more, **named):
                selected.append((name, list(choices), more, named))

        class Extern:
            names = set()

            def __init__(self, kernel, cpp_kernel=None, *, name=None, has_out_variant=True):
                assert name not in self.names and not has_out_variant
                self.names.add(name)
                self.name, self.kernel = name, kernel

            def bind(self, input_nodes, layout):
                return self.name, input_nodes, layout

        def layout(size, stride, dtype="float32", offset=0):
            return types.SimpleNamespace(size=size, stride=stride, dtype=kind if dtype == "float32" else types.SimpleNamespace(itemsize=2),
                                         device=types.SimpleNamespace(type="cpu"), offset=offset)

        kind = types.SimpleNamespace(itemsize=4)
        config = types.SimpleNamespace(max_autotune=False, fx_graph_cache=True)
        algorithms = types.SimpleNamespace(AlgorithmSelectorCache=Selector, ExternKernelChoice=Extern)
        package = types.SimpleNamespace(config=config, select_algorithm=algorithms)
        library = types.SimpleNamespace(custom_op=lambda name, run, **options: types.SimpleNamespace(register_fake=lambda fake: None))
        torch = types.SimpleNamespace(float32=kind, _inductor=package, library=library, __version__="2.6")
        node = [types.SimpleNamespace(get_layout=lambda size=size, stride=stride: layout(size, stride))
                for size, stride in (((32, 16), (16, 1)), ((16, 48), (48, 1)))]
        out = layout((32, 48), (48, 1))
        modules = {"torch": torch, "torch._inductor": package, "torch._inductor.config": config,
                   "torch._inductor.select_algorithm": algorithms}
        mm = types.SimpleNamespace(_qualified_op_name="aten::mm")
        with mock.patch.dict(sys.modules, modules), mock.patch.dict(_operator._registered, clear=True):
            result = exhaust.load("product")
            offer = inductor.offer(mm, result)
            again = inductor.offer(types.SimpleNamespace(overloadpacket=mm), result)
            again.withdraw()
            self.assertFalse(config.fx_graph_cache)
            Selector()("mm", [1], node, out, 7, key=8)
            config.max_autotune = True
            Selector()("mm", [1], node, out, 7, key=8)
            for name, nodes, layouts in (("bmm", node, out), ("mm", node[:1], out), ("mm", node[::-1], out), ("mm", node, layout((32, 48), (1, 32))),
                                         ("mm", node, layout(("s0", 48), (48, 1))), ("mm", node, layout((32, 48), (48, 1), "other"))):
                Selector()(name, [1], nodes, layouts)
            self.assertEqual([len(choices) for _, choices, _, _ in selected], [1, 2, 1, 1, 1, 1, 1, 1])
            self.assertEqual(selected[1][1][1], (offer.operator.name, tuple(node), out))
            self.assertEqual((selected[1][2:], offer.taken), (((7,), {"key": 8}), 1))
            with self.assertRaisesRegex(inductor.Unsupported, "aten.mm, aten.bmm"):
                inductor.offer(types.SimpleNamespace(_qualified_op_name="aten::add"), result)
            offer.withdraw()
            self.assertTrue(config.fx_graph_cache)
            Selector()("mm", [1], node, out)
            self.assertEqual(len(selected[-1][1]), 1)

    @unittest.skipUnless(HAS_TORCH, "PyTorch is not there")
    def test_tensors(self):
        import torch
        a, b = torch.from_numpy(self.a), torch.from_numpy(self.b)
        torch.testing.assert_close(self.mm(a, b), a @ b)
        torch.testing.assert_close(torch.ops.tuned.mm(a, b), a @ b)
        torch.library.opcheck(self.mm.torch, (a, b))

    @unittest.skipIf(HAS_TORCH, "PyTorch is there")
    def test_without_torch_nothing_is_offered(self):
        with self.assertRaisesRegex(inductor.Unsupported, "PyTorch is not installed"):
            inductor.offer(None, self.product)
        with self.assertRaises(ImportError):
            print(self.mm.torch)


if __name__ == "__main__":
    support.main()
