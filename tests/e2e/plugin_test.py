#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exhaust as a package: installs what is built, and does what docs/plugins.md prints, file by file and
command by command, where nothing but what packages.txt installs can be used. Then more plugins, and
what is wrong with them.

usage: plugin_test.py CMAKE BUILD_FOLDER COMPILER COMPILER_FLAGS [unittest arguments]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CMAKE, BUILD, COMPILER, FLAGS = "", "", "", ""

# Beside the example: kernels in the space that comes with Exhaust, one whose reference is not what it
# computes, one with a name that is taken, one with many faults, and a `search` of one's own.
MORE = """cmake_minimum_required(VERSION 3.25)
project(more LANGUAGES CXX)
find_package(Exhaust 0.1 REQUIRED)
foreach(name doubled tripled axpy faulty)
  exh_add_kernel(${name} SOURCES ${name}.cc)
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/my_search.cc [[
#include "search/main.h"
int main(int argc, char** argv) { return exh::search::SearchMain(argc, argv); }
]])
add_executable(my_search ${CMAKE_BINARY_DIR}/my_search.cc)
target_link_libraries(my_search PRIVATE Exhaust::search_main)
"""

# What the kernel `faulty` does wrong: by the value of EXH_FAULT, at a place of the example's text.
FAULTS = (
    ("ScaledCopy() {\n", {"the maker throws": "throw 42;", "the maker crashes": "std::abort();",
                          "no kernel": "return nullptr;"}),
    ("name() const override { ", {"a bad name": 'return "two words";', "the name exits": "std::exit(3);"}),
    ("parameters() const override {\n", {"bad default": 'return {{"n", 9, 1, 8, ""}};',
                                         "two sizes": 'return {{"n", 1, 1, 8, ""}, {"n", 1, 1, 8, ""}};'}),
    ("uint32_t>(sizes.at(\"n\"));\n", {"Build crashes": "std::abort();", "Build throws": "throw 42;",
                              "operands": 'b.Compute("sum", ir::Op::kAdd, {}, {ir::Literal(1)});'}),
    ("ProblemData& data) const override {\n", {"Reference exits": "std::exit(0);",
                                               "wrong array": 'data.at("w");',
                                               "too long": 'data.at("y").reference.push_back(0);'}),
)

# Shared objects that are no plugin, or one for another program. Two members of PluginV1 are enough.
PLUGIN = ("struct Plugin {{ const char* stamp; unsigned library; void* rest[2]; }};"
          'extern "C" const Plugin* exh_plugin_v1()'
          '{{ static const Plugin plugin = {{"{}", {}, {{}}}}; return &plugin; }}')


def run(*arguments, timeout=300, **options):
    return subprocess.run([str(argument) for argument in arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, check=False, **options)


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="exh plugin "))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.prefix, cls.project, more = (cls.home / part for part in ("prefix", "mine", "more"))
        # The page's user has no blank in the name of the home, as its commands have no quotes.
        user = pathlib.Path(tempfile.mkdtemp(prefix="exh-user-"))
        cls.addClassCleanup(shutil.rmtree, user)
        cls.succeed(CMAKE, "--install", BUILD, "--prefix", user / "elsewhere")
        cls.follow_the_document(user)
        (user / ".local").rename(cls.prefix)
        (user / "mine").rename(cls.project)
        cls.plugin = cls.project / "build/scaled_copy.so"
        cls.build = cls.home / "out"
        more.mkdir()
        (more / "CMakeLists.txt").write_text(MORE)
        example = (cls.project / "scaled_copy.cc").read_text().replace("small_code", "linalg")
        for name in ("doubled", "tripled", "axpy", "faulty"):
            text = example.replace("scaled_copy", name)
            if name == "tripled":
                text = text.replace("2.0 * value", "3.0 * value")
            if name == "faulty":
                text = cls.with_faults(text)
            (more / f"{name}.cc").write_text(text)
        cls.succeed(*cls.configure(more, cls.build))
        cls.succeed(CMAKE, "--build", cls.build)

    @classmethod
    def follow_the_document(cls, user):
        """Writes the files that the page shows, and runs the commands that it prints, in their order.
        What packages.txt does not install fails, and `./exh install` installs what was built."""
        project, programs = user / "mine", user / "bin"
        programs.mkdir()
        for name in ("make", "gmake"):
            (programs / name).write_text("#!/bin/sh\necho there is no make here\nexit 1\n")
            (programs / name).chmod(0o755)
        project.mkdir()
        (project / "exh").write_text('#!/bin/sh -e\n[ "$1" = install ]\n'
                                     'mv ../elsewhere "$2"\n')  # A package may be moved.
        (project / "exh").chmod(0o755)
        environment = dict(os.environ, HOME=str(user), CXX=COMPILER, CXXFLAGS=FLAGS,
                           PATH=f"{programs}:{os.environ['PATH']}")
        environment.pop("CMAKE_GENERATOR", None)
        document = (HERE.parent.parent / "docs/plugins.md").read_text()
        cls.files, cls.printed = [], []
        before = ""
        for number, part in enumerate(document.split("```")):
            if number % 2 == 0:
                before = part.strip().rsplit("\n\n", 1)[-1]
                continue
            language, _, text = part.partition("\n")
            if before.startswith("`"):
                cls.files.append(before[1:].partition("`")[0])
                (project / cls.files[-1]).write_text(text)
                continue
            assert language == "", f"what is this block of {language} for?"
            done = run("sh", "-e", "-c", text, cwd=project, env=environment)
            if done.returncode != 0:
                raise AssertionError(f"{text}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
            cls.printed.append(done.stdout)

    @staticmethod
    def with_faults(text):
        for place, faults in FAULTS:
            assert text.count(place) == 1, place
            text = text.replace(place, place + "".join(
                f'if (Fault("{fault}")) {{ {code} }}\n' for fault, code in faults.items()))
        return text.replace("namespace {\n", """#include <cstdlib>
namespace {
bool Fault(const std::string& name) {
  const char* const wanted = std::getenv("EXH_FAULT");
  return wanted != nullptr && name == wanted;
}
""", 1)

    @classmethod
    def succeed(cls, *arguments):
        done = run(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")

    @classmethod
    def configure(cls, source, build):
        return (CMAKE, "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS={FLAGS}",
                "-DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON")

    def search(self, *arguments, program=None, fault=""):
        return run(program or self.prefix / "bin/search", *arguments, cwd=self.home,
                   env=dict(os.environ, EXH_FAULT=fault))

    def refuse(self, file, *parts, fault=""):
        done = self.search("list", "--plugin", file, fault=fault)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in (f"plugin '{file}'", *parts):
            self.assertIn(part, done.stderr)
        return done.stderr

    def shared_object(self, name, text):
        file = self.home / f"{name}.so"
        file.with_suffix(".cc").write_text(text)
        self.succeed(COMPILER, "-shared", "-fPIC", file.with_suffix(".cc"), "-o", file)
        return file

    # ---- the package ----

    def test_the_document_leads_to_a_result(self):
        self.assertEqual(self.files, ["CMakeLists.txt", "small_code.exh", "scaled_copy.cc"])
        self.assertEqual(len(self.printed), 2)
        self.assertRegex(self.printed[1], r"(?m)^scaled_copy +y = 2 x\n  from the plugin "
                                          r"build/scaled_copy.so, space small_code$")
        self.assertRegex(self.printed[1], r"(?m)^best: ")

    def test_programs_run_from_where_they_are_installed(self):
        device = self.prefix / "share/exhaust/devices/host.json"
        text = device.read_text()
        device.write_text(text.replace('"max_unroll": 128', '"max_unroll": 77'))
        self.addCleanup(device.write_text, text)
        self.assertRegex(self.search("devices").stdout, r"max_unroll +77\n")
        done = run(self.prefix / "bin/exhc", "check", "-I", self.prefix / "share/exhaust/spaces",
                   self.project / "small_code.exh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_package_names_no_folder_of_the_build(self):
        for file in (self.prefix / "lib/cmake/Exhaust").iterdir():
            for folder in (self.home, BUILD, HERE.parent.parent):
                self.assertNotIn(str(folder), file.read_text(), file.name)

    def test_a_program_may_have_the_search_built_in(self):
        done = self.search("list", program=self.build / "my_search")
        self.assertEqual(done.stdout, self.search("list").stdout)
        self.assertIn("matmul", done.stdout)

    def test_a_plugin_shows_one_function(self):
        done = run("nm", "-D", "--defined-only", self.plugin)
        self.assertRegex(done.stdout, r"^\S+ T exh_plugin_v1\n$")

    def test_mistakes_in_cmake(self):
        for call, message in (("exh_add_space(s)", "exh_add_space(s): SOURCE file.exh is missing"),
                              ("exh_add_space(s SOURCE s.exh BACKBON x)", "unknown 'BACKBON;x'"),
                              ("exh_add_kernel(k SPACE s)", "exh_add_kernel(k): SOURCES"),
                              ("exh_add_kernel(k SOURCES k.cc SPACE s)", "there is no space 's'")):
            with self.subTest(call=call):
                folder = self.home / "mistakes"
                folder.mkdir(exist_ok=True)
                (folder / "CMakeLists.txt").write_text(
                    "cmake_minimum_required(VERSION 3.25)\nproject(mistakes LANGUAGES CXX)\n"
                    f"find_package(Exhaust 0.1 REQUIRED)\n{call}\n")
                done = run(*self.configure(folder, folder / "out"))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, re.sub(r"\s+", " ", done.stderr))

    # ---- plugins that work ----

    def test_list_says_where_a_kernel_is_from(self):
        for arguments in (("--plugin", self.plugin, "list"), ("list", "--plugin", self.plugin)):
            done = self.search(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"(?m)^scaled_copy +y = 2 x\n  from the plugin "
                             rf"{re.escape(str(self.plugin))}, space small_code$")
            self.assertIn("\nmatmul ", done.stdout)
            self.assertEqual(done.stdout.count("from the plugin"), 1)

    def test_several_plugins_and_one_twice(self):
        done = self.search("--plugin", self.plugin, "list", "--plugin", self.build / "doubled.so",
                           "--plugin", self.build / "../out/doubled.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("scaled_copy  "), 1)
        self.assertEqual(done.stdout.count("\ndoubled "), 1)
        self.assertIn("doubled.so, space linalg\n", done.stdout)

    def find(self, plugin, kernel):
        """Searches, and returns the records of the log: the run's first, then the evaluations."""
        out = self.home / f"run of {kernel}"
        done = self.search("--kernel", kernel, "--plugin", plugin, "--size", "n=4096", "--budget",
                           "evals=6", "--seed", "3", "--out", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("against the yardsticks", done.stdout)
        lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
        evaluations = [line for line in lines if line["t"] == "eval"]
        self.assertTrue(any(line["verdict"] == "correct" for line in evaluations))
        self.assertFalse(any(line["verdict"] == "wrong" for line in evaluations))
        return out, done.stdout, lines

    def test_search_in_a_space_of_its_own(self):
        out, text, lines = self.find(self.plugin, "scaled_copy")
        self.assertEqual(lines[0]["space"]["name"], "small_code")
        self.assertNotRegex(text, r"(?m)^ +unroll ")
        self.assertNotIn("UNROLL,", (out / "best.cc").read_text())

        # What it prints to go on with works as it stands, blanks in the plugin's path included.
        command = re.search(r"(?m)^  replay  (.*)$", text)[1].replace(
            str(self.prefix / "bin/search"), f"'{self.prefix / 'bin/search'}'").replace(
            str(out), f"'{out}'")
        self.assertIn(f"--plugin '{self.plugin}'", command)
        done = run("sh", "-c", command, cwd=self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("correct: ", done.stdout)
        done = self.search("replay", out, "--best")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown kernel 'scaled_copy'", done.stderr)

    def test_results_are_checked_against_the_reference_of_the_plugin(self):
        done = self.search("--kernel", "tripled", "--plugin", self.build / "tripled.so", "--size",
                           "n=64", "--budget", "evals=2", "--out", self.home / "run of tripled")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("2 evaluations", done.stdout)
        self.assertIn("(wrong 2)", done.stdout)
        self.assertIn("no implementation was found to be correct", done.stdout)

    def test_the_requirement_of_the_space_holds_and_no_other_space_has_it(self):
        for plugin, kernel, kept in ((self.plugin, "scaled_copy", False),
                                     (self.build / "doubled.so", "doubled", True)):
            decisions = self.home / "decisions.txt"
            decisions.write_text("size(load_x.n1) = 2\ndim_kind(load_x.n1) = UNROLL\n")
            done = self.search("replay", "--plugin", plugin, "--kernel", kernel, "--size", "n=4096",
                               decisions)
            self.assertEqual(done.returncode == 0, kept, done.stdout + done.stderr)
            if not kept:
                self.assertIn("decisions.txt:2", done.stderr)

    def test_an_error_of_a_kernel_is_one_line(self):
        done = self.search("--kernel", "scaled_copy", "--plugin", self.plugin, "--size", "n=77")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "search: kernel 'scaled_copy': n must be even, got 77\n"))

    def test_what_goes_wrong_in_a_kernel_names_it(self):
        for fault, message in (
                ("Build throws", "Build throws something that is no std::exception"),
                ("operands", "value 'sum': kAdd takes 2 operands, got 1"),
                ("Build crashes", "Build ended the program: Aborted"),
                ("Reference exits", "Reference ended the program: it calls exit()"),
                ("wrong array", "Reference: there is no array 'w'; there are: x, y"),
                ("too long", "Reference: array 'y' has 64 elements, its reference 65")):
            with self.subTest(fault=fault):
                done = self.search("--kernel", "faulty", "--plugin", self.build / "faulty.so", "--size",
                                   "n=64", "--budget", "evals=1", "--out",
                                   self.home / f"run of {fault}", fault=fault)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"kernel 'faulty': {message}\n", done.stderr)

    # ---- plugins that do not ----

    def test_files_that_are_no_plugin(self):
        self.refuse(self.home / "nope.so", "No such file", "path of a shared object")
        self.refuse(self.home, "it is no file")
        self.refuse(self.project / "small_code.exh", "cannot be loaded", "exh_add_kernel")
        self.refuse(self.shared_object("empty", "int nothing;"), "exports no exh_plugin_v1",
                    "EXH_PLUGIN")
        self.refuse(self.shared_object("null", 'extern "C" void* exh_plugin_v1() { return 0; }'),
                    "returns nothing")
        self.refuse(self.shared_object("lacking", 'extern "C" void nowhere();'
                                       'extern "C" void* exh_plugin_v1() { nowhere(); return 0; }'),
                    "undefined symbol: nowhere")

    def test_plugins_that_end_or_hold_up_the_program(self):
        for name, text, parts in (
                ("throws", "struct A { A() { throw 42; } } a;", ("it throws something that is no std::exception",)),
                ("crashes", "#include <csignal>\nstruct A { A() { raise(SIGSEGV); } } a;",
                 ("it crashes while it is loaded: signal 11",)),
                ("exits", "#include <cstdlib>\nstruct A { A() { std::exit(0); } } a;",
                 ("it ends the program, with exit code 0, while it is loaded",)),
                ("hangs", "#include <unistd.h>\nstruct A { A() { for (;;) pause(); } } a;",
                 ("it took more than 10 s while it is loaded",)),
                ("talks", '#include <cstdio>\n#include <cstdlib>\nextern "C" void* exh_plugin_v1()'
                          '{ std::puts("fine"); std::fputs("no idea\\n", stderr); std::abort(); }',
                 ("it crashes in exh_plugin_v1: signal 6",))):
            with self.subTest(name=name):
                self.refuse(self.shared_object(name, text), *parts)

    def test_a_file_that_was_copied_in_part(self):
        whole = self.plugin.read_bytes()
        for share in (0.0, 0.001, 0.1, 0.5, 0.9, 0.99):
            part = self.home / f"part {share}.so"
            part.write_bytes(whole[:int(len(whole) * share)])
            with self.subTest(share=share):
                done = self.search("list", "--plugin", part)
                if done.returncode == 0:  # Nothing but what is there for debuggers was cut off.
                    self.assertGreaterEqual(share, 0.5)
                    continue
                self.refuse(part, "it cannot be loaded" if "cannot" in done.stderr else "it crashes")

    def test_kernels_that_cannot_be_added(self):
        faulty = self.build / "faulty.so"
        self.assertEqual(self.search("list", "--plugin", faulty).returncode, 0)
        for fault, message in (
                ("the maker throws", "what one of its makers throws is no std::exception"),
                ("the maker crashes", "it crashes while its kernels are made: signal 6"),
                ("no kernel", "one of its makers returns no kernel"),
                ("a bad name", "one of its kernels is called 'two words': a name is made of"),
                ("the name exits",
                 "it ends the program, with exit code 3, when a kernel of it says its name"),
                ("bad default", "the size 'n' of its kernel 'faulty' is 9 unless it is said, and may be "
                                "1 to 8"),
                ("two sizes", "a size of its kernel 'faulty' is called 'n'")):
            with self.subTest(fault=fault):
                self.refuse(faulty, message, fault=fault)

    def test_plugins_for_another_program(self):
        self.refuse(self.shared_object("v2", 'extern "C" void* exh_plugin_v2() { return 0; }'),
                    "exports exh_plugin_v2", "loads exh_plugin_v1", "again")
        old = self.shared_object("old", PLUGIN.format("0.0.9 0123456789abcdef", 1))
        message = self.refuse(old, "built with Exhaust 0.0.9 0123456789abcdef", "again")
        stamp = re.search(r"this program is of (\S+ [0-9a-f]{16});", message)[1]
        self.refuse(self.shared_object("debug", PLUGIN.format(stamp, 3)), "_GLIBCXX_")
        self.refuse(self.shared_object("empty_table", PLUGIN.format(stamp, 1)),
                    "leaves its space or its kernels out")

    def test_names_that_are_taken(self):
        self.refuse(self.build / "axpy.so", "'axpy' is taken by one that comes with Exhaust")
        copy = self.home / "copy.so"
        shutil.copy(self.plugin, copy)
        done = self.search("list", "--plugin", self.plugin, "--plugin", copy)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"plugin '{copy}': the name of its kernel 'scaled_copy' is taken by "
                      f"{self.plugin}; give it another", done.stderr)


if __name__ == "__main__":
    CMAKE, BUILD, COMPILER, FLAGS = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
