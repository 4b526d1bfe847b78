#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a release stands on, without making one: programs say what they are, ask no newer glibc than a release
has, and run from wherever they are installed. roots_test.py installs what ./exh release makes.

usage: release_test.py SEARCH CMAKE BUILD [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import elf

SEARCH, CMAKE, BUILD = "", "", ""
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OURS = ROOT / "cmake/release/older_glibc.cc"

# Where docs/versions.md says that a number stands, and how it looks there.
NUMBERS = {"CMakeLists.txt": r"^project\(exhaust VERSION (\S+) ", "search/log/log_records.h": r"  int version = (\d+);",
           "search/tune/fleet_folder.h": r"kFleetFormat = (\d+);", "search/learn/prior.h": r"kVersion = (\d+);",
           "search/install/wisdom.h": r"kWisdomVersion = (\d+);", "search/install/tuned_library.h": r"kTunedInterface = (\d+);",
           "generator/emit/emit_ir.h": r"kIrVersion = (\d+);", "kernels/plugin.h": r'kPluginSymbol = "exh_plugin_v(\d+)";'}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300, **options)


def version():
    return re.search(NUMBERS["CMakeLists.txt"], (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


class Numbers(unittest.TestCase):
    def test_the_page_has_the_numbers_of_the_source(self):
        rows = re.findall(r"^\|.*\| (\S+) \| `(\S+)` \|.*\|$", (ROOT / "docs/versions.md").read_text(), re.M)
        self.assertEqual({place for _, place in rows}, set(NUMBERS))
        for number, place in rows:
            found = re.findall(NUMBERS[place], (ROOT / place).read_text(), re.M)
            self.assertEqual(found, [number], place)

    def test_the_version_is_in_the_list_of_changes(self):
        headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual(headings[0], "Unreleased")
        self.assertRegex(headings[1], rf"^{re.escape(version())} \(\d{{4}}-\d\d-\d\d\)$")

    def test_the_page_of_installing_names_the_files_of_this_version(self):
        text = (ROOT / "docs/install.md").read_text()
        self.assertEqual(set(re.findall(r"exhaust(?:-dev)?[-_:](\d+\.\d+\.\d+)", text)), {version()})

    def test_search_says_the_numbers(self):
        text = run(SEARCH, "--version").stdout
        page = (ROOT / "docs/versions.md").read_text()
        for line in ("formats", "devices"):
            said = re.search(rf"^{line} .*$", text, re.M)[0]
            self.assertIn(f"\n{said}\n", page)


class Commit(unittest.TestCase):
    """cmake/Commit.cmake, in trees of its own."""

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="exh commit "))
        self.addCleanup(shutil.rmtree, self.home)
        self.tree = self.home / "a tree"
        (self.tree / "cmake").mkdir(parents=True)
        shutil.copy(ROOT / "cmake/archived_commit.txt", self.tree / "cmake")
        (self.tree / "file").write_text("text\n")

    def git(self, *words, tree=None):
        done = run("git", "-c", "user.name=A", "-c", "user.email=a@b", "-C", tree or self.tree, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def begin(self):
        if not shutil.which("git"):
            self.skipTest("git is not installed")
        shutil.copy(ROOT / ".gitattributes", self.tree)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "one")
        return self.git("rev-parse", "--short=10", "HEAD")

    def said(self, tree=None):
        out = self.home / "commit.cc"
        done = run(CMAKE, "-D", f"OUT={out}", "-D", f"ROOT={tree or self.tree}", "-P", ROOT / "cmake/Commit.cmake")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return re.search('return "(.*)";', out.read_text())[1]

    def test_a_commit_and_what_was_changed_since(self):
        commit = self.begin()
        self.assertEqual(self.said(), commit)
        (self.tree / "file").write_text("another\n")
        self.assertEqual(self.said(), f"{commit}, changed")
        (self.tree / "file").write_text("text\n")  # Another time, the same text.
        (self.tree / "not tracked").write_text("")
        self.assertEqual(self.said(), commit)

    def test_nothing_is_written_where_nothing_changed(self):
        self.begin()
        self.said()
        os.utime(self.home / "commit.cc", (1, 1))
        self.said()
        self.assertEqual((self.home / "commit.cc").stat().st_mtime, 1)

    def test_without_git_it_is_unknown(self):
        self.assertEqual(self.said(), "unknown")

    def test_a_folder_in_a_repository_of_somebody_else(self):
        self.begin()
        inner = self.tree / "vendor/exhaust"
        shutil.copytree(self.tree / "cmake", inner / "cmake")
        self.assertEqual(self.said(inner), "unknown")

    def test_an_archive_carries_it(self):
        commit = self.begin()
        self.git("archive", "-o", self.home / "a.tar", "HEAD")
        (self.home / "unpacked").mkdir()
        self.assertEqual(run("tar", "-C", self.home / "unpacked", "-xf", self.home / "a.tar").returncode, 0)
        self.assertEqual(self.said(self.home / "unpacked"), commit)


class Glibc(unittest.TestCase):
    def test_what_is_newer_than_a_release_may_ask_is_known(self):
        ours = set(re.findall(r"(\w+)\([^()]*\) noexcept \{", OURS.read_text())) | {"__libc_single_threaded"}
        self.assertIn("arc4random", ours)
        lines = (HERE / "moved.txt").read_text().splitlines()
        moved = {name for line in lines if not line.startswith("#") for name in line.split()}
        unknown = {name: at for name, at in elf.newer(SEARCH).items() if name not in moved | ours}
        self.assertEqual(unknown, {}, f"glibc {elf.OLDEST} lacks these: do without, or write them in {OURS.name}")

    def test_a_function_that_is_too_new_would_be_found(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="exh-elf-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "new.cc").write_text("#include <spawn.h>\n#include <unistd.h>\nint main() { closefrom(3); }\n")
        done = run(os.environ.get("CXX", "c++"), folder / "new.cc", "-o", folder / "new")
        if done.returncode != 0:
            self.skipTest("this glibc has no closefrom()")
        self.assertEqual(elf.newer(folder / "new").get("closefrom"), (2, 34))
        self.assertEqual(elf.newer(folder / "new", (99, 0)), {})


class Installed(unittest.TestCase):
    """The programs, in a folder with blanks in its name."""

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="exh release "))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.prefix = cls.home / "a place"
        done = run(CMAKE, "--install", BUILD, "--component", "programs", "--prefix", cls.prefix, "--strip")
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def search(self, *words, **environment):
        return run(self.prefix / "bin/search", *words, cwd=self.home, env={**os.environ, **environment})

    def test_programs_and_what_they_read_are_there_and_nothing_else(self):
        found = {path.relative_to(self.prefix).as_posix() for path in self.prefix.rglob("*") if path.is_file()}
        self.assertTrue({"bin/search", "bin/exhc", "bin/exhc-lsp", "share/exhaust/spaces/linalg.exh",
                         "share/exhaust/devices/host.json"} <= found, found)
        strange = [path for path in found if not re.match(r"bin/(search|exhc|exhc-lsp)$|share/(exhaust|doc/exhaust|man/man1|lintian/overrides)/", path)]
        self.assertEqual(strange, [])

    def test_it_runs_from_there(self):
        done = self.search("devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cpu", done.stdout)
        done = run(self.prefix / "bin/exhc", "check", self.prefix / "share/exhaust/spaces/linalg.exh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_home_that_may_not_be_written(self):
        for home in ("/proc/nobody", "", "relative"):
            out = self.home / f"run{home.replace('/', '-')}"
            done = self.search("--kernel", "axpy", "--size", "n=4096", "--budget", "evals=2", "--seed", "1", "--out", out,
                               HOME=home, XDG_CACHE_HOME="")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue((out / "log.jsonl").is_file())

    def test_without_a_compiler(self):
        done = self.search("--kernel", "axpy", "--size", "n=64", "--budget", "evals=1", "--out", self.home / "none", PATH="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("g++", done.stderr)
        self.assertEqual(self.search("solve", "--space", "queens", "--count", PATH="/nowhere").returncode, 0)


if __name__ == "__main__":
    SEARCH, CMAKE, BUILD = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
