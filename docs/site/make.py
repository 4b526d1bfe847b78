# SPDX-License-Identifier: MIT
"""Makes the site of the book: make.py ROOT OUT. Whatever is wrong with a page, a link or an anchor is printed, and then there is no
site. All pages are read each time: what Sphinx keeps between builds would hide what it warned of before."""

import argparse
import pathlib
import shutil
import sys
import tempfile

from sphinx.cmd import build

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="the tree whose book it is")
    parser.add_argument("out", type=pathlib.Path, help="folder of the site")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as kept:
        failed = build.main(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-d", kept, "-c", str(HERE),
                             str(arguments.root), str(arguments.out)])
    if failed:
        shutil.rmtree(arguments.out, ignore_errors=True)
        sys.exit(1)
    shutil.rmtree(arguments.out / ".doctrees", ignore_errors=True)
    shutil.copy(arguments.out / "README.html", arguments.out / "index.html")


if __name__ == "__main__":
    main()
