# SPDX-License-Identifier: MIT
"""What tests/bench/parts/fused_torch.py makes of operators, logs and times: all that needs no torch."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import fused_torch as bench  # noqa: E402


def tensor(name, shape=(4, 6), kind="float32"):
    return {"tensor_name": name, "data_type": kind, "shape": list(shape)}


def number(value, kind="float32"):
    return {"value": value, "data_type": kind, "shape": [1]}


def step(name, operands, output, **attributes):
    return {"name": name, "input_desc": [[one] for one in operands], "output_desc": [output],
            "attr": [{"name": key, "value": value} for key, value in attributes.items()] or None}


def steps(inputs, operations, outputs):
    """The lines of the function behind its head."""
    program = bench.Program({"op": "it", "input_desc": [[one] for one in inputs], "op_desc": operations, "output_desc": outputs})
    compile(program.text, "text", "exec")
    return [line.strip() for line in program.text.splitlines()[1:]], program


class Steps(unittest.TestCase):
    def one(self, name, operands, output, **attributes):
        inputs = [one for one in operands if "value" not in one]
        return steps(inputs, [step(name, operands, output, **attributes)], [output])[0][0]

    def test_constants_are_numbers_beside_tensors_and_tensors_elsewhere(self):
        self.assertEqual(self.one("Sub", [number(1.0), tensor("a")], tensor("b")), "t0 = 1.0 - x0")
        self.assertEqual(self.one("Pow", [number(-2.0), tensor("a")], tensor("b")), "t0 = (-2.0) ** x0")
        self.assertEqual(self.one("Equal", [tensor("a", kind="bool"), number(1, "bool")], tensor("b", kind="bool")), "t0 = x0 == True")
        full = "torch.full([1], 0.5, dtype=torch.float32, device=DEVICE)"
        self.assertEqual(self.one("Maximum", [tensor("a"), number(0.5)], tensor("b")), f"t0 = torch.maximum(x0, {full})")
        self.assertEqual(self.one("Mul", [number(0.5), number(2.0)], tensor("b", [1])),
                         f"t0 = {full} * torch.full([1], 2.0, dtype=torch.float32, device=DEVICE)")

    def test_reductions_have_their_axes_types_and_shapes(self):
        half = tensor("a", kind="float16")
        self.assertEqual(self.one("ReduceSum", [half], tensor("b", [4], "float16"), axis=-1), "t0 = torch.sum(x0, [1], dtype=torch.float16)")
        self.assertEqual(self.one("ReduceMax", [tensor("a")], tensor("b", [1]), axis=[]), "t0 = torch.amax(x0, [0, 1]).reshape([1])")
        self.assertEqual(self.one("ReduceProd", [tensor("a")], tensor("b", [1, 1]), axis=[0, 1], keep_dims=True),
                         "t0 = torch.prod(torch.prod(x0, 1, dtype=torch.float32), 0, dtype=torch.float32).reshape([1, 1])")

    def test_what_moves_elements(self):
        self.assertEqual(self.one("PadAkg", [tensor("a")], tensor("b", [7, 6]), head=[1, 0], tail=[2, 0], pad_val=3),
                         "t0 = torch.nn.functional.pad(x0, [0, 0, 1, 2], value=3.0)")
        self.assertEqual(self.one("UnPadAkg", [tensor("a")], tensor("b", [3, 4]), head=[1, 0], tail=[0, 2]), "t0 = x0[1:4, 0:4]")
        self.assertEqual(self.one("Tile", [tensor("a")], tensor("b", [4, 12]), multiples=[1, 2]), "t0 = x0.tile([1, 2])")

    def test_products_of_matrices_may_be_transposed(self):
        a, b, c = tensor("a", [4, 6]), tensor("b", [6, 5]), tensor("c", [4, 5])
        self.assertEqual(self.one("MatMul", [a, b], c, transpose_a=False, dst_type="float32"), "t0 = torch.matmul(x0, x1)")
        self.assertEqual(self.one("MatMul", [tensor("a", [6, 4]), b], c, transpose_a=True, transpose_x1=True, transpose_b=False),
                         "t0 = torch.matmul(x0.transpose(-1, -2), x1)")
        self.assertEqual(self.one("BatchMatMul", [tensor("a", [2, 4, 6]), tensor("b", [2, 5, 6])], tensor("c", [2, 4, 5]), transpose_x2=True),
                         "t0 = torch.matmul(x0, x1.transpose(-1, -2))")

    def test_convolutions_have_channels_first(self):
        last = [tensor("a", [2, 7, 9, 3]), tensor("b", [4, 3, 3, 3])]
        seen = "x0.permute([0, 3, 1, 2]), x1.permute([0, 3, 1, 2])"
        self.assertEqual(self.one("Conv2D", last, tensor("c", [2, 3, 4, 4]), stride=[1, 1, 2, 2], pad_list=[0, 0, 0, 0]),
                         f"t0 = torch.nn.functional.conv2d({seen}, stride=[2, 2], padding=[0, 0], dilation=[1, 1]).permute([0, 2, 3, 1])")
        self.assertEqual(self.one("Conv2D", last, tensor("c", [2, 3, 9, 4]), stride=[1, 2, 1, 1], pad=[0, 0, 1, 1]),
                         f"t0 = torch.nn.functional.conv2d({seen}, stride=[2, 1], padding=[0, 1], dilation=[1, 1]).permute([0, 2, 3, 1])")
        first = [tensor("a", [1, 3, 6, 5]), tensor("b", [4, 3, 3, 2])]
        self.assertEqual(self.one("Conv2D", first, tensor("c", [1, 4, 5, 7]), dilation=[2, 1], pad_list=[2, 1, 0, 3], pad=[0, 0, 0, 0]),
                         "t0 = torch.nn.functional.conv2d(torch.nn.functional.pad(x0, [0, 3, 2, 1]), x1, stride=[1, 1], padding=[0, 0], "
                         "dilation=[2, 1])")

    def test_a_convolution_that_both_layouts_fit_has_channels_last(self):
        operands = [tensor("a", [1, 3, 3, 3]), tensor("b", [1, 3, 3, 3])]
        self.assertIn("permute", self.one("Conv2D", operands, tensor("c", [1, 1, 1, 1])))

    def test_halves_are_summed_up_in_single_precision(self):
        a, b, c = (tensor(name, kind="float16") for name in "abc")
        self.assertEqual(self.one("AddN", [a, b], c), "t0 = (x0.to(torch.float32) + x1.to(torch.float32)).to(torch.float16)")

    def test_every_result_is_written(self):
        a, b, c = tensor("a"), tensor("b", [6, 4]), tensor("c")
        lines, _ = steps([a], [step("Transpose", [a], b, perm=[1, 0])], [b])
        self.assertEqual(lines[-1], "return (t0.clone(memory_format=torch.contiguous_format),)")
        lines, _ = steps([a], [step("Neg", [a], c), step("Transpose", [c], b, perm=[1, 0])], [b])
        self.assertEqual(lines[-1], "return (t1.contiguous(),)")
        lines, _ = steps([a], [step("Neg", [a], c), step("Reshape", [c], b)], [c, b])
        self.assertEqual(lines[-1], "return (t0.contiguous(), t1.clone(memory_format=torch.contiguous_format),)")

    def test_updates_are_functional(self):
        a, b, c, d, e = (tensor(name) for name in "abcde")
        updates = [step("Neg", [a], c), step("InplaceAssign", [b, c, c], d, fake_output=True), step("Abs", [b], e)]
        lines, program = steps([a, b], updates, [d, e])
        self.assertEqual(lines, ["t0 = torch.neg(x0)", "t1 = torch.abs(t0)", "return (t0.contiguous(), t1.contiguous(),)"])
        self.assertEqual(program.results, ["b", "e"])
        lines, program = steps([a, b], [step("Assign", [b, a], c)], [c])
        self.assertEqual((lines, program.results), (["return (x0.clone(memory_format=torch.contiguous_format),)"], ["b"]))

    def test_what_is_not_known_is_named(self):
        with self.assertRaisesRegex(NotImplementedError, "operation Custom"):
            self.one("Custom", [tensor("a"), tensor("b")], tensor("c"))
        self.assertEqual(bench.attempt(lambda: self.one("Custom", [tensor("a")], tensor("c"))),
                         {"failed": "NotImplementedError: operation Custom"})


class Logs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = [str(pathlib.Path(folder.name) / name) for name in ("operators.jsonl", "rows.jsonl")]

    def write(self, *texts):
        for file, lines in zip(self.files, texts):
            pathlib.Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def record(self, line, op, *rows):
        return {"line": line, "op": op, "network": "n", "transposes": False, "bytes": 8,
                "rows": [{"name": name, "ns": ns, "verdict": verdict} for name, ns, verdict in rows]}

    def test_only_what_was_timed_in_the_order_of_the_log(self):
        self.write([{"op": "one"}, {"operator": {"op": "two"}}, {"op": "three"}],
                   [{"fused": 1}, self.record(3, "three", ("searched", 5, "correct"), ("influenced", 9, "wrong")), self.record(1, "one"),
                    self.record(2, "two", ("searched", 7, "correct"))])
        cases = bench.cases_of(*self.files, None)
        self.assertEqual([(said["op"], said["ours"], operator["op"]) for said, operator in cases],
                         [("three", {"searched": 5}, "three"), ("two", {"searched": 7}, "two")])
        self.assertEqual(len(bench.cases_of(*self.files, 1)), 1)

    def test_a_log_of_another_file_is_refused(self):
        self.write([{"op": "other"}], [self.record(1, "one", ("searched", 5, "correct"))])
        with self.assertRaisesRegex(SystemExit, "line 1 of .* is another operator"):
            bench.cases_of(*self.files, None)


class Summary(unittest.TestCase):
    def line(self, number, torch_ns, transposes=False, **ours):
        return {"line": number, "op": f"op{number}", "network": "n", "transposes": transposes, "torch_ns": torch_ns,
                "ours": {name.replace("_", " "): ns for name, ns in ours.items()}}

    def test_means_quantiles_and_the_farthest(self):
        lines = [self.line(1, 2000, searched=1000, influenced=2000, isl_default=4000),
                 self.line(2, 8000, True, searched=1000, influenced=4000),
                 {"line": 3, "failed": "wrong"}, {"line": 4, "failed": "wrong"}, {"line": 5, "failed": "slow"}]
        text = bench.summary(lines)
        self.assertIn("operators compared: 2, failed: 3\n  2 x wrong\n  1 x slow\n", text)
        self.assertIn("  all (2): searched 4.000, influenced 1.414, isl default 0.500\n", text)
        self.assertIn("  with a transpose (1): searched 8.000, influenced 2.000\n", text)
        self.assertIn("10 % 2.60, 25 % 3.50, 50 % 5.00, 75 % 6.50, 90 % 7.40", text)
        ranks = [row.split()[-1] for row in text.splitlines() if row.split()[-1] in ("op1", "op2")]
        self.assertEqual(ranks, ["op1", "op2", "op2", "op1"])

    def test_one_operator_is_all_of_its_quantiles(self):
        self.assertIn("10 % 2.00, 25 % 2.00, 50 % 2.00, 75 % 2.00, 90 % 2.00", bench.summary([self.line(1, 2000, searched=1000)]))

    def test_nothing_compared_has_no_means(self):
        self.assertEqual(bench.summary([{"line": 1, "failed": "wrong"}]), "operators compared: 0, failed: 1\n  1 x wrong")


if __name__ == "__main__":
    unittest.main()
