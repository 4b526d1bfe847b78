# SPDX-License-Identifier: MIT
"""What `./exh bench conv` makes of logs, programs and peers."""

import argparse
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import conv  # noqa: E402
import parts  # noqa: E402


def reference(name, ms, **more):
    return {"name": name, "verdict": "correct", "best_ns": ms * 1e6, **more}


def part(*references, **more):
    return {"result": {"references": list(references), **more}}


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bench = conv.Bench(argparse.Namespace(device="cpu", layout="nhwc", state=self.folder.name,
                                                   results=parts.results_of("conv")))

    def test_each_device_and_layout_has_its_file(self):
        self.assertTrue(self.bench.options.results.endswith("docs/results/parts/conv-cpu-nhwc.json"))
        self.assertTrue(self.bench.path("layer-0").endswith("cpu-nhwc/layer-0.json"))

    def test_ratios_and_their_geometric_mean(self):
        state = {"layer-24": part(reference("winner", 10), reference("naive", 400),
                                  reference("eigen", 20, workspace_bytes=3612672), temporary_bytes=2000),
                 "layer-2": part(reference("winner", 100), reference("naive", 100),
                                 reference("eigen", 50, workspace_bytes=115605504))}
        heads, second, last, mean = self.bench.rows(state)
        self.assertEqual(heads[5:], ("ours : naive", "its MB", "ours : im2col + Eigen", "its MB"))
        self.assertEqual(second, ("2: 64, 224 x 224, 64", "3.699", "100 ms", "37", "0", "1.00", "0", "0.50", "116"))
        self.assertEqual(last, ("24: 512, 14 x 14, 512", "0.925", "10 ms", "92.5", "0.002", "40.00", "0", "2.00", "3.61"))
        self.assertEqual(mean, ("geometric mean of the layers", "", "", "", "", "6.32", "", "1.00", ""))

    def test_what_was_not_measured_is_no_number(self):
        state = {"layer-0": part(reference("winner", 10), {"name": "eigen", "verdict": "stopped", "best_ns": 0},
                                 peers={"torch": {"us": 5000, "workspace_bytes": 0}, "inductor": {"note": "it failed"}})}
        rows = self.bench.rows(state)
        self.assertEqual(rows[0][5:], ("ours : im2col + Eigen", "its MB", "ours : torch", "its MB", "ours : torch.compile", "its MB"))
        self.assertEqual(rows[1][5:], ("-", "0", "0.50", "0", "-", "-"))
        self.assertEqual(rows[2][5:], ("-", "", "0.50", "", "-", ""))

    def test_operations_are_those_of_the_paper(self):
        self.assertEqual([round(conv.flops(f"layer-{layer}") / 1e9, 3) for layer in conv.LAYERS],
                         [0.173, 3.699, 1.850, 3.699, 1.850, 3.699, 1.850, 3.699, 0.925])

    def test_other_layers_and_ablations_follow_the_layers(self):
        state = {"without-unit": part(reference("winner", 30)), "other-stride-2": part(reference("winner", 20)),
                 "layer-10": part(reference("winner", 10), peers={"cudnn": {"us": 40000, "workspace_bytes": 100, "name": "nhwc gemm"}})}
        rows = self.bench.rows(state)
        self.assertEqual(rows[0][5:], ("ours : cuDNN without Winograd", "its MB"))
        self.assertEqual([row[0] for row in rows[1:]], [
            "10: 128, 56 x 56, 256", "without-unit (3 x 3, stride 1): 128, 56 x 56, 256",
            "other-stride-2 (3 x 3, stride 2): 128, 56 x 56, 256", "geometric mean of the layers"])
        self.assertEqual((rows[1][1], rows[3][1]), ("1.850", "0.462"))
        self.assertEqual(rows[-1][5], "4.00")

    def test_the_front_has_what_no_other_one_beats_in_both(self):
        def run(us, verdict="correct", **more):
            return {"t": "eval", "verdict": verdict, "best_ns": us * 1e3, **more}
        evals = [run(50), run(40, workspace_bytes=8), run(45, workspace_bytes=8), run(60), run(41, workspace_bytes=16),
                 run(1, "wrong_result"), run(30, workspace_bytes=32)]
        self.assertEqual(conv.front_of(evals), [[0, 50], [8, 40], [32, 30]])

    def test_each_algorithm_has_a_row(self):
        algorithms = {"nhwc gemm": {"us": 40, "workspace_bytes": 2000000}, "nchw fft": {"note": "not supported"}}
        state = {"layer-10": part(reference("winner", 0.02), peers={"algorithms": algorithms})}
        self.assertEqual(self.bench.algorithms(state)[1:], [("layer-10", "nhwc gemm", "40.0", "2", "2.00")])
        self.assertIn("| layer-10 | nhwc gemm          | 40.0 |", self.bench.table(state))
        self.assertNotIn("algorithm", self.bench.table({"layer-10": part(reference("winner", 1))}))

    def test_temporaries_count_for_each_thread(self):
        text = ("  alignas(64) static float parts_of_mad[100];\n  alignas(64) float tmp_x[10];  // SHARED\n"
                "  alignas(64) static thread_local float tmp_w[20];  // GLOBAL\n")
        self.assertEqual(conv.temporary_bytes(text, 2), 4 * (100 + 2 * 10 + 2 * 20))


if __name__ == "__main__":
    unittest.main()
