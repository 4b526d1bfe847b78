# SPDX-License-Identifier: MIT
"""What `./exh bench reductions` makes of rows, logs and times, and how its results go on."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import reduction_texts as texts  # noqa: E402
import reductions  # noqa: E402


def row(op, dtype, shape, axes):
    return texts.case_of({"op": op, "dtype": dtype, "shape": shape, "axes": axes})


class Rows(unittest.TestCase):
    def test_a_row_is_a_call_of_the_library(self):
        self.assertEqual(texts.kernel_words(row("ReduceSum", "float16", "8x20x27x27", "0 2 3")),
                         ["--kernel", "reduce", "--size", "a=8,b=20,c=729,d=1,op=sum",
                          "--type", "f16"])

    def test_axes_of_all_forms_are_those_of_the_library(self):
        for shape, axes, extents in (("8x15", "0 1", [120, 1, 1, 1]), ("1x1", "0", [1, 1, 1, 1]),
                                     ("8x15", "1", [1, 8, 15, 1]), ("8x15", "0", [8, 15, 1, 1]),
                                     ("8x4x5x5", "0 2 3", [8, 4, 25, 1]),
                                     ("8x39x80", "1", [1, 8, 39, 80]),
                                     ("2x3x4x5", "0 2", [2, 3, 4, 5])):
            self.assertEqual(row("ReduceSum", "float32", shape, axes).extents, extents, shape)

    def test_axes_count_from_the_end_as_well(self):
        self.assertEqual(row("ReduceSum", "float32", "8x15", "-1").axes, (1,))

    def test_what_is_not_known_is_named(self):
        with self.assertRaisesRegex(ValueError, "ReduceMean"):
            row("ReduceMean", "float32", "8", "0")
        with self.assertRaisesRegex(ValueError, "complex64"):
            row("ReduceSum", "complex64", "8", "0")
        with self.assertRaisesRegex(ValueError, "2x3x4x5.* 4 times in turn"):
            row("ReduceSum", "float32", "2x3x4x5", "1 3")

    def test_forms_leave_out_axes_of_one_step(self):
        for shape, axes, form in (("8x15", "0 1", "all"), ("32x1", "0", "all"), ("8x15", "1", "x"),
                                  ("1x128x64x64", "0 2 3", "x"), ("8x15", "0", "y"),
                                  ("32x1x1x24", "0 1 2", "y"), ("8x4x5x5", "0 2 3", "rpr"),
                                  ("8x39x80", "1", "prp"), ("2x3x4x5", "0 2", "rprp")):
            self.assertEqual(row("ReduceSum", "float32", shape, axes).form, form, shape)

    def test_segments_of_cub(self):
        self.assertEqual(row("ReduceSum", "float32", "8x15", "0 1").segments(), 0)
        self.assertEqual(row("ReduceSum", "float32", "4x8x15", "2").segments(), 32)
        self.assertIsNone(row("ReduceSum", "float32", "8x15", "0").segments())

    def test_classes_by_bytes(self):
        for shape, expected in (("1000", 0), ("1024x1024", 1), ("16x1024x1024", 2)):
            self.assertEqual(row("ReduceSum", "float32", shape, "0").size_class,
                             texts.CLASSES[expected], shape)

    def test_every_nth_keeps_all_forms_and_no_case_twice(self):
        cases = texts.correct_cases()
        picked = texts.spread(cases, 20)
        self.assertEqual(len(picked), len(set(picked)))
        self.assertEqual({case.form for case in picked}, set(texts.FORMS))
        self.assertEqual(set(texts.spread(cases)), set(cases))
        self.assertGreater(len({case.form for case in picked[:8]}), 2)

    def test_small_shapes_are_below_a_megabyte_and_of_all_forms(self):
        cases = [row("ReduceSum", "float32", f"{n}x64", axes) for n in (8, 16, 99, 1 << 20)
                 for axes in ("0", "1", "0 1")]
        found = texts.small(cases, 5)
        self.assertEqual(len(found), 5)
        self.assertEqual({case.form for case in found}, {"all", "x", "y"})
        self.assertTrue(all(case.bytes < texts.MB for case in found))

    def test_no_sums_of_bools(self):
        kinds = {(case.op, case.type) for case in texts.correct_cases()}
        self.assertEqual(len(kinds), 27)
        self.assertNotIn(("sum", "bool"), kinds)
        self.assertIn(("any", "bool"), kinds)


    def test_shapes_have_their_form(self):
        for form in texts.FORMS:
            shape, axes = texts.form_shape(form, 1000, 7)
            self.assertEqual(texts.Case("sum", "f32", shape, axes).form, form)


class Logs(unittest.TestCase):
    RECORDS = [
        {"t": "choice", "i": 0, "name": "dim_kind", "args": ["sum.a0"],
         "domain": ["LOOP", "UNROLL", "VECTOR", "THREAD", "BLOCK"]},
        {"t": "choice", "i": 1, "name": "dim_kind", "args": ["sum.b0"],
         "domain": ["LOOP", "UNROLL", "VECTOR", "THREAD", "BLOCK"]},
        {"t": "choice", "i": 2, "name": "dim_kind", "args": ["store_y.b0"],
         "domain": ["LOOP", "UNROLL", "VECTOR", "THREAD", "BLOCK"]},
        {"t": "choice", "i": 3, "name": "size", "args": ["sum.a0"], "domain": [1, 2, 64]},
        {"t": "choice", "i": 4, "name": "across_blocks", "args": ["sum"],
         "domain": list(texts.VALUES)},
    ]

    def test_decisions_of_a_record(self):
        choices = texts.choices_of(self.RECORDS)
        self.assertEqual(texts.kinds_of(choices, "43324"), "a0=BLOCK:64")
        self.assertEqual(texts.kinds_of(choices, "43304"), "")


def line(form, size_class, ours, **peers):
    return {"form": form, "class": size_class, "ours": {"warm": {"us": ours}},
            "peers": {"warm": {name: {"us": us, "ok": us > 0} for name, us in peers.items()}}}


class Means(unittest.TestCase):
    def test_geometric_mean(self):
        self.assertAlmostEqual(texts.geometric_mean([2, 8]), 4)
        self.assertAlmostEqual(texts.geometric_mean([None, 3]), 3)
        self.assertIsNone(texts.geometric_mean([None]))

    def test_groups(self):
        lines = [line("all", "< 1 MB", 1, torch=2, cub=4), line("x", "> 64 MB", 2, torch=16, cub=1),
                 line("x", "> 64 MB", 2, torch=0), {"form": "x", "class": "> 64 MB", "ours": {}}]
        rows = {group: (count, by, share) for group, count, by, share in texts.means(lines, "warm")}
        self.assertEqual(set(rows), {"all", "< 1 MB", "> 64 MB", "form all", "form x"})
        self.assertEqual(rows["all"][0], 3)
        self.assertAlmostEqual(rows["all"][1]["best"], 1)
        self.assertAlmostEqual(rows["all"][1]["torch"], 4)
        self.assertEqual(rows["all"][2], 0.5)
        self.assertAlmostEqual(rows["form x"][1]["cub"], 0.5)

    def test_a_wrong_peer_is_none(self):
        self.assertIsNone(texts.best_peer({"torch": {"us": 1, "ok": False}}))


class Files(unittest.TestCase):
    def test_results_go_on_after_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "out.jsonl")
            path.write_text(json.dumps({"key": "a"}) + "\n"
                            + json.dumps({"key": "b", "error": "none"}) + "\n" + '{"key": "c')
            results = reductions.Results(path)
            self.assertTrue(results.has("a"))
            self.assertFalse(results.has("b"))  # It is tried again.
            self.assertFalse(results.has("c"))
            results.add({"key": "c"})
            self.assertTrue(reductions.Results(path).has("c"))

    def test_shapes_are_read_once_each(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "shapes.csv")
            path.write_text("op,dtype,shape,axes,class\nReduceSum,float32,8x2,0 1,all\n"
                            "ReduceSum,float32,8x2,0 1,all\nReduceMax,float16,8x2,1,x\n")
            self.assertEqual([case.key for case in texts.read_shapes(path)],
                             ["sum f32 8x2 [0 1]", "max f16 8x2 [1]"])

    def test_what_is_wrong_fails(self):
        said = io.StringIO()
        whole = {"key": "k", "op": "sum", "type": "f32", "form": "x", "why": [], "violations": 0,
                 "counts": {"-": {"correct": 3}}}
        with contextlib.redirect_stdout(said):
            self.assertEqual(reductions.print_correct([whole]), 0)
            self.assertEqual(reductions.print_correct([{**whole, "violations": 1}]), 1)
            self.assertEqual(reductions.print_correct(
                [{**whole, "counts": {"LAST_BLOCK": {"wrong": 1}}, "why": ["y[0]"]}]), 1)
        self.assertIn("across_blocks LAST_BLOCK", said.getvalue())

    def test_sub_graphs_are_twelve(self):
        folder = pathlib.Path(__file__).resolve().parent / "subgraphs"
        self.assertEqual([int(file.stem) for file in sorted(folder.glob("*.kernel"))],
                         list(range(1, 13)))
        self.assertEqual(list(texts.OPERATIONS), list(range(1, 13)))

    def test_steps_of_a_sub_graph(self):
        self.assertEqual([texts.step_key(step) for step in texts.steps_of(7)],
                         ["step y[i] = a[i] + b[i] f32 i=6291456",
                          "step y[i] = a[i] * b[i] f32 i=6291456",
                          "step reduce a=8192,b=768,c=1,d=1,op=sum f32"])

    def test_a_free_search_agrees_where_it_is_as_fast_as_the_best_way(self):
        def line(key, us, forced):
            each = {value: {"warm": {"us": time}} for value, time in forced.items()}
            return {"key": "agree " + key, "each": each,
                    "ours": {"warm": {"us": us, "across": "ATOMIC_RED"}}}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            reductions.print_agreement([line("near", 1.04, {"NOT_ACROSS": 3.0, "ATOMIC_RED": 1.0}),
                                        line("far", 1.06, {"NOT_ACROSS": 1.0}),
                                        {"key": "agree failed", "ours": {"warm": {"error": "no"}},
                                         "each": {}}], "warm")
        self.assertIn("1 of 2 shapes", out.getvalue())
        self.assertRegex(out.getvalue(), r"far +\| 1.06")

    def test_what_the_paper_part_prints(self):
        case = reductions.SUMS[0]
        names = list(reductions.VARIANTS)
        atomic = {"us": 20.0, "across": "ATOMIC_RED",
                  "launches": {"results": 7, "us": [20.0, 22.0, 21.0]}}
        ordered = {"us": 25.0, "across": "LAST_BLOCK", "launches": {"results": 1, "us": [25.0] * 3}}
        lines = {f"{names[0]}: {case.key}": {"ours": {"warm": atomic}},
                 f"{names[1]}: {case.key}": {"ours": {"warm": ordered}},
                 "sub-graph 9": {"ours": {"warm": {"us": 5.0}},
                                 "peers": {"warm": {"torch": {"us": 15.0, "ok": True}}}}}
        lines.update((texts.step_key(step), {"ours": {"warm": {"us": 4.0}}})
                     for step in texts.steps_of(9))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            reductions.print_paper(lines, ["warm"])

        def cells(*begin):
            rows = [[cell.strip() for cell in line.split("|")[1:-1]]
                    for line in said.getvalue().splitlines()]
            return [row[len(begin):] for row in rows if tuple(row[:len(begin)]) == begin]

        self.assertEqual(cells(case.key, "20.00"), [["25.00", "-", "-", "-"]])
        self.assertEqual(cells(case.key, "ATOMIC_RED"), [["7", "20.00", "21.00", "22.00", "10.0%"]])
        self.assertEqual(cells(case.key, "LAST_BLOCK"), [["1", "25.00", "25.00", "25.00", "0.0%"]])
        self.assertEqual(cells("9"), [["5.00", "8.00", "15.00", "-", "1.60", "3.00", "-", "-"]])


if __name__ == "__main__":
    unittest.main()
