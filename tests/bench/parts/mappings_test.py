#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What mappings.py makes of logs, with a program in the place of `search`."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import mappings
import parts

SEARCH = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
if words[:2] == ["functional", "run"]:
    print("5 maps\\ncorrect, 0.649 ms")
    sys.exit()
out = words[words.index("--out") + 1]
os.makedirs(out)
ns = 1000.0 * (2 if "random" in words else 3 if "conv2d" in words else 1)
with open(os.path.join(out, "log.jsonl"), "w") as log:
    for record in ({"t": "eval", "verdict": "wrong", "best_ns": 1.0}, {"t": "eval", "verdict": "correct", "best_ns": ns}):
        log.write(json.dumps(record) + "\\n")
"""


class Mappings(unittest.TestCase):
    def test_records(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "search").write_text(SEARCH)
            os.chmod(folder / "search", 0o755)
            words = ["mappings.py", "kernel-5", "mapping-5", "--search", str(folder / "search"), "--state", str(folder / "state"),
                     "--results", str(folder / "none.json"), "--record", str(folder / "new.json"), "--device", "h200"]
            said = io.StringIO()
            with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said):
                parts.main(mappings.Bench, mappings.__doc__, [("--device", {}), ("--gpu", {"type": int, "default": 0}),
                                                              ("--budget", {"type": int, "default": 20}), ("--mapping-budget", {"type": int, "default": 30})])
            kernel, mapping = json.loads((folder / "new.json").read_text())["mappings"]
        self.assertIn("layer 5 as a kernel, 20 s", said.getvalue())
        self.assertEqual((kernel["table"], kernel["ours"], kernel["peers"], kernel["figures"]),
                         ("kernels", {"value": 1.0, "unit": "us"}, {"conv2d of the library": {"value": 3.0, "unit": "us"}},
                          {"kernel over conv2d": {"value": 0.33}}))
        self.assertEqual((mapping["table"], mapping["ours"], mapping["peers"]),
                         ("searched", {"value": [1.0, 1.0], "unit": "us"},
                          {"by hand": {"value": 649.0, "unit": "us"}, "the best of random mappings": {"value": [2.0, 2.0], "unit": "us"}}))
        self.assertEqual(kernel["command"], "./exh bench mappings kernel-5 mapping-5 --device h200")

    def test_a_mapping_that_is_not_right(self):
        self.assertIsNone(mappings.time_in("wrong: element 3\n"))
        self.assertEqual(mappings.time_in("correct, 1.5 ms\n"), 1.5e6)


if __name__ == "__main__":
    unittest.main()
