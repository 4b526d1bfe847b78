# SPDX-License-Identifier: MIT
"""A tree for tests: pages and records as copies, which a test may change; the rest is that of the repository."""
import pathlib
import shutil
import tempfile

import records
import results


def copied_tree(test):
    """Its root; it goes when the test ends."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="exh results "))
    test.addCleanup(shutil.rmtree, root)
    shutil.copytree(results.ROOT / records.FOLDER, root / records.FOLDER)
    for name in ("README.md", "exh", "docs/results.schema.json"):
        shutil.copy(results.ROOT / name, root / name)
    for name in ("tests", "kernels", "examples"):
        (root / name).symlink_to(results.ROOT / name)
    return root
