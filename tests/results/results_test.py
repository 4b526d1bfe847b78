# SPDX-License-Identifier: MIT
"""Figures, ratios and tables of records, and what taking over new ones does."""
import pathlib
import subprocess
import sys
import unittest
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import copied_tree
import pages
import picture
import records
import results


class Figures(unittest.TestCase):
    def test_digits_stay_as_they_were_measured(self):
        for path in sorted((results.ROOT / records.FOLDER).glob("*.json")):
            with self.subTest(path.name):
                self.assertEqual(records.file_text(records.read(path)), path.read_text(encoding="utf-8"))

    def test_what_is_printed(self):
        for figure, words in (({"value": Decimal("25.80"), "unit": "us"}, "25.80 us"), ({"value": 5455}, "5,455"),
                              ({"value": [Decimal("37.1"), Decimal("38.7")], "unit": "us"}, "37.1, 38.7 us"),
                              ({"value": 702, "from": 662, "to": 728, "unit": "us"}, "702 us (662 to 728)"),
                              ({"from": Decimal("9.4"), "to": Decimal("10.5")}, "9.4 to 10.5"),
                              ({"before": Decimal("19.8"), "value": Decimal("2.6"), "unit": "s"}, "19.8 → 2.6 s"),
                              ({"text": "none"}, "none"), (None, "")):
            with self.subTest(words):
                self.assertEqual(records.shown(figure), words)

    def test_ratios(self):
        of_times = {"ours": {"value": [Decimal("2.0"), Decimal("2.5")], "unit": "us"},
                    "ratios": {"CUB": {"value": [Decimal("1.2"), Decimal("1.1")]}},
                    "peers": {"CUB": {"value": 9, "unit": "us"}, "torch": {"value": Decimal("0.01"), "unit": "ms"}}}
        self.assertEqual([(peer, words) for peer, _, words in records.ratios_of(of_times)], [("CUB", "1.1"), ("torch", "4.00")])
        of_rates = {"ours": {"value": 3256, "unit": "descents/s"}, "peers": {"Gecode": {"value": Decimal("2.04"), "unit": "descents/s"}}}
        self.assertEqual([words for _, _, words in records.ratios_of(of_rates)], ["1,596"])
        self.assertEqual(records.ratios_of({"ours": {"value": 1, "unit": "us"}, "peers": {"a": {"value": 1, "unit": "MB"}}}), [])


def record(subject, ratio, **more):
    return {"table": "norms", "subject": subject, "command": "none", "commit": "unknown", "date": "2026-11-30", "device": "one GPU",
            "ratios": {"torch": {"value": ratio}}, **more}


class Tables(unittest.TestCase):
    def content(self, *lines):
        return {"kind": "rows", "title": "rows", "place": 1, "page": "rows.md", "rank": {"by": "ratio", "better": "more", "tables": ["norms"]},
                "tables": [{"name": "norms", "columns": [["kernel", "what"], ["torch = 1", "ratios.torch"]]}], "records": list(lines)}

    def test_what_rows_do_not_share_is_a_column(self):
        text = pages.table(self.content(record("a", 2), record("b", Decimal("0.5"), device="another", command="./exh search")), "norms")
        self.assertEqual(text, "30 November 2026.\n\n| kernel | torch = 1 | device | command |\n|---|---|---|---|\n"
                               "| a | 2 | one GPU | no command |\n| b | **0.5** | another | `./exh search` |\n")

    def test_the_best_and_the_worst(self):
        content = self.content(record("a", 2), record("b", Decimal("0.5")), record("mean", Decimal("0.1"), of=2))
        self.assertEqual(pages.best_and_worst({"rows": content}).splitlines()[2],
                         "| rows | 2 | a: 2 x torch | b: 0.5 x torch | one GPU |")

    def test_the_picture_has_a_dot_for_each_row_that_counts(self):
        content = self.content(record("a", 2), record("b", Decimal("0.5")), record("mean", Decimal("0.1"), of=2), record("far", 100))
        engine = {**self.content(record("far", 100)), "kind": "engine"}
        self.assertEqual(picture.rows({"rows": content, "engine": engine}), [("rows", [100.0, 2.0, 0.5])])
        drawn = picture.drawn({"rows": content, "engine": engine})
        self.assertEqual((drawn.count('class="faster"'), drawn.count('class="slower"')), (2, 1))
        self.assertIn(f'cx="{picture.place(8):.1f}"', drawn, "what lies beyond the scale stands at its end")

    def test_days(self):
        self.assertEqual(pages.days(["2026-11-30", "unknown", "2026-11-24"]), "24 to 30 November 2026")
        self.assertEqual(pages.days(["2026-11-30", "2026-12-01"]), "30 November 2026 to 1 December 2026")
        self.assertEqual(pages.days(["unknown"]), "day unknown")


class Command(unittest.TestCase):
    def test_the_wrapper_has_it(self):
        run = subprocess.run([results.ROOT / "exh", "results", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, "the pages are as the records say\n"), run.stderr)


class Added(unittest.TestCase):
    def setUp(self):
        self.root = copied_tree.copied_tree(self)

    def of(self, kind):
        return records.read(self.root / records.FOLDER / f"{kind}.json")["records"]

    def test_a_newer_record_takes_the_place_of_the_earlier_one(self):
        at, old = next((i, each) for i, each in enumerate(self.of("rows")) if each["table"] == "rows")
        new = {**old, "date": "2026-12-01", "ours": {"value": Decimal("5.00"), "unit": "us"}}
        self.assertEqual(results.add(self.root, {"rows": [new]}), 1)
        self.assertEqual(self.of("rows")[at], new)
        self.assertEqual(self.of("history")[0], {**old, "table": "rows/" + old["table"]})
        results.write(self.root)
        self.assertIn("5.00 us", (self.root / "docs/results/rows.md").read_text(encoding="utf-8"))
        self.assertIn(records.shown(old["ours"]), (self.root / "docs/results/history.md").read_text(encoding="utf-8"))
        self.assertEqual(results.check_results.check(self.root), [])

    def test_what_was_not_there_stands_behind_its_table(self):
        new = {**self.of("rows")[0], "subject": "softmax of another kind"}
        self.assertEqual(results.add(self.root, {"rows": [new]}), 0)
        after = self.of("rows")
        self.assertEqual(after[max(i for i, each in enumerate(after) if each["table"] == new["table"])], new)

    def test_what_is_wrong_changes_nothing(self):
        before = self.of("rows")
        for new, words in (({"rows": [{**before[0], "table": "gone"}]}, "has no table 'gone'"), ({"gone": []}, "there is no docs/results/gone.json")):
            with self.assertRaisesRegex(pages.PageError, words):
                results.add(self.root, new)
        self.assertEqual(self.of("rows"), before)


if __name__ == "__main__":
    unittest.main()
