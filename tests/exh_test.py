# SPDX-License-Identifier: MIT
"""Drives the wrapper `exh` in a small tree of its own, in a folder with blanks in its name, with
package managers that only write down how they were called."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import tree

CMAKE = """\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
add_executable(search main.cc)
add_executable(search-kernels main.cc)
add_executable(worker main.cc)
if(NOT EXH_TESTS STREQUAL "OFF")
  enable_testing()
  file(STRINGS tests.txt tests)
  foreach(test IN LISTS tests)
    string(REGEX REPLACE " .*" "" name "${test}")
    add_test(NAME ${name} COMMAND sh -c "${test}")
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  file(GLOB broken CONFIGURE_DEPENDS broken)
  if(broken)
    add_test(NAME never_built COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/never_built)
  endif()
endif()
"""
MAIN = """\
#include <cstdio>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
}
"""
PACKAGES = "# comment\ng++ run compiles\nlibsecret-dev run never there\nlibtest-dev test only tests\n"
# dpkg-query, as far as exh asks it: the packages named in $EXH_INSTALLED are installed.
DPKG = '#!/bin/sh\nfor name in $EXH_INSTALLED; do echo "installed $name"; done\n'
APT = '#!/bin/sh\necho "$@" >>"$EXH_APT_LOG"\n'


class Wrapper(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="exh wrapper "))
        self.addCleanup(shutil.rmtree, self.home)
        self.root = self.home / "a tree"
        (self.root / "bin").mkdir(parents=True)
        for name in ("exh", "CMakePresets.json"):
            shutil.copy(tree.ROOT / name, self.root)
        self.write("CMakeLists.txt", CMAKE)
        self.write("main.cc", MAIN)
        self.write("packages.txt", PACKAGES)
        self.write("tests.txt", "true # passes\n")
        for name, text in (("dpkg-query", DPKG), ("apt-get", APT)):
            self.write(f"bin/{name}", text)
            (self.root / "bin" / name).chmod(0o755)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def exh(self, *arguments, installed="g++ libsecret-dev libtest-dev", cwd="/"):
        environment = dict(os.environ, EXH_INSTALLED=installed,
                           PATH=f"{self.root / 'bin'}:{os.environ['PATH']}",
                           EXH_APT_LOG=str(self.home / "apt.log"))
        return subprocess.run([self.root / "exh", *arguments], env=environment, cwd=cwd, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_runs_a_program_with_its_arguments_from_anywhere(self):
        run = self.exh("search", "--kernel", "two words", cwd=self.home)
        self.assertEqual((run.returncode, run.stdout), (0, "[--kernel][two words]"), run.stderr)
        self.assertIn("configuring release", run.stderr)
        self.assertIn("built release", self.exh("worker").stderr, "a program is built when it is asked for")
        run = self.exh("worker", "again")
        self.assertEqual((run.returncode, run.stdout), (0, "[again]"), run.stderr)
        self.assertEqual(run.stderr, "", "the second call has nothing to say and nothing to do")

    def test_a_call_with_nothing_to_do_asks_nobody(self):
        self.assertEqual(self.exh("search").returncode, 0)
        for name in ("ninja", "cmake", "dpkg-query"):
            self.write(f"bin/{name}", f"#!/bin/sh\necho {name} >>{shlex.quote(str(self.home / 'asked'))}; exit 1\n")
            (self.root / "bin" / name).chmod(0o755)
        (self.root / "runs/mine").mkdir(parents=True)
        for path in (self.root, *(self.root / "bin").iterdir(), self.root / "bin"):
            os.utime(path, (1e9, 1e9))  # Nothing but what lies in runs is new.
        run = self.exh("search", "x")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "[x]", ""))
        self.assertFalse((self.home / "asked").exists())
        self.write("new.h", "")
        self.assertEqual(self.exh("search", "x").returncode, 1)
        self.assertIn("ninja", (self.home / "asked").read_text(), "a new file may be part of it")

    def test_install_kernel_is_a_command_of_search(self):
        run = self.exh("install-kernel", "runs/mm", "--out", "two words", cwd=self.home)
        self.assertEqual((run.returncode, run.stdout), (0, "[install-kernel][runs/mm][--out][two words]"), run.stderr)

    def test_builds_again_what_changed_and_configures_again_when_presets_or_place_did(self):
        self.assertEqual(self.exh("build").returncode, 0)
        self.write("main.cc", MAIN.replace("[%s]", "<%s>"))
        self.assertEqual(self.exh("search", "x").stdout, "<x>")
        presets = self.root / "CMakePresets.json"
        later = presets.stat().st_mtime + 3600
        os.utime(presets, (later, later))
        self.assertIn("configuring release", self.exh("search").stderr)
        moved = self.home / "moved"
        self.root.rename(moved)
        self.root = moved
        run = self.exh("search", "x")
        self.assertEqual((run.returncode, run.stdout), (0, "<x>"), run.stderr)

    def test_all_of_search_is_built_when_it_is_needed(self):
        self.write("CMakeLists.txt", CMAKE.replace("(search-kernels main.cc)", "(search-kernels kernels.cc)"))
        # It serves "x" and hands over everything else.
        self.write("kernels.cc", """\
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
int main(int argc, char** argv) {
  if (std::string(argv[1]) == "x") return std::printf("kernels of %s", argv[0]) < 0;
  const char* const whole = std::getenv("EXH_WHOLE");
  execl(whole, whole, "--whole", "a reason", argv[1], argv[2], nullptr);
}
""")
        built = self.root / "build/release/bin"
        run = self.exh("search", "x")
        self.assertRegex(run.stdout, "^kernels of .*exh search$")
        self.assertEqual([path.name for path in built.iterdir()], ["search-kernels"])
        run = self.exh("search", "fused", "a b")
        self.assertEqual((run.returncode, run.stdout), (0, "[fused][a b]"), run.stderr)
        self.assertIn("exh: a reason: building all of search, which takes some minutes once\n", run.stderr)
        run = self.exh("search", "x")
        self.assertEqual((run.returncode, run.stdout), (0, "[x]"), "from then on it is all of search")
        self.assertNotIn("building", run.stderr)

    def test_shows_what_does_not_compile(self):
        self.write("main.cc", "int main() { return nonsense; }\n")
        run = self.exh("search")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"main.cc:1:.*error.*nonsense")
        self.assertIn("building release failed", run.stderr)
        self.assertNotIn("built release", run.stderr)

    def test_shows_what_cannot_be_configured(self):
        self.write("CMakeLists.txt", CMAKE + 'message(FATAL_ERROR "no parser generator")\n')
        run = self.exh("search")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no parser generator", run.stderr)
        self.assertIn("configuring release failed", run.stderr)

    def test_installs(self):
        self.write("CMakeLists.txt", CMAKE + "install(TARGETS search)\n")
        for prefix in ("new folder/in it", str(self.home / "absolute")):
            run = self.exh("install", prefix, cwd=self.home)
            folder = self.home / prefix
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"exh: installed {folder}/bin/exhc and {folder}/bin/search\n", run.stderr)
            shown = str(folder).replace(" ", "\\ ")
            self.assertIn(f"-DCMAKE_PREFIX_PATH={shown}\n", run.stderr)
            program = subprocess.run([folder / "bin/search", "x"], stdout=subprocess.PIPE, check=True)
            self.assertEqual(program.stdout, b"[x]")

    def test_refuses_to_install_before_it_builds(self):
        file = self.home / "a file"
        file.write_text("")
        for arguments, code, message in (
                ((), 2, "install takes one folder, got 0; for example ./exh install "),
                (("a", "b"), 2, "install takes one folder, got 2; "),
                (("--prefix",), 2, "install takes a folder and no options, got '--prefix'"),
                ((file,), 1, f"cannot install to '{file}': it is a file; name a folder"),
                (("/proc/nope",), 1, "cannot install to '/proc/nope': it may not be written; ")):
            run = self.exh("install", *arguments)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (code, 1), run.stderr)
            self.assertIn(message, run.stderr)
        self.assertFalse((self.root / "build").exists())

    def test_unknown_names(self):
        for arguments, message in ((["serch"], "unknown command 'serch'; did you mean 'search'?"),
                                   (["workers"], "unknown command 'workers'; did you mean 'worker'?"),
                                   (["build", "rel"], "unknown preset 'rel'; did you mean 'release'?")):
            run = self.exh(*arguments)
            self.assertEqual((run.returncode, run.stderr), (2, f"exh: {message}\n"))
        self.assertEqual(self.exh().returncode, 2)

    def test_missing_packages(self):
        run = self.exh("build", installed="")
        log = self.home / "apt.log"
        # g++ is there without a package; a test package is not asked for by a release build.
        if os.geteuid() == 0:
            self.assertIn("exh: installing libsecret-dev\n", run.stderr)
            self.assertRegex(log.read_text(), r"(?m)install --no-install-recommends libsecret-dev$")
            self.exh("build", "dev", installed="libsecret-dev")
            self.assertRegex(log.read_text(), r"(?m)install --no-install-recommends libtest-dev$")
        else:
            self.assertEqual(run.returncode, 1)
            self.assertIn("sudo apt-get install --no-install-recommends libsecret-dev\n", run.stderr)
            self.assertFalse(log.exists())

    def test_packages_that_one_may_want(self):
        if os.geteuid() != 0:
            self.skipTest("only root installs")
        self.write("packages.txt", PACKAGES + "libfast-dev may nice\nlibfar-dev may not on this system\n")
        self.write("bin/apt-cache", '#!/bin/sh\n[ "$2" != libfar-dev ]\n')
        (self.root / "bin/apt-cache").chmod(0o755)
        self.exh("build", installed="")
        log = self.home / "apt.log"
        self.assertRegex(log.read_text(), r"(?m)install --no-install-recommends libsecret-dev libfast-dev$")
        log.unlink()
        self.exh("build", installed="libsecret-dev")
        self.assertFalse(log.exists(), "nothing waits for what one may want")

    def make_page(self, node=20, npm='mkdir -p node_modules; echo "$@" >>../npm.log'):
        """A page to make, with a Node.js of this version that only writes down what it is asked for."""
        self.write("page/package-lock.json", "{}\n")
        self.write("page/build.mjs", "")
        self.write("packages.txt", PACKAGES + "npm page never installed by others\n")
        for name, text in (("node", f'if [ "$1" = -p ]; then echo {node}; else mkdir -p "${{2%/*}}"; echo "$1" >"$2"; fi'),
                           ("npm", npm)):
            self.write(f"bin/{name}", f"#!/bin/sh\n{text}\n")
            (self.root / "bin" / name).chmod(0o755)

    def test_report_assets(self):
        self.make_page()
        npm, page = self.root / "build/npm.log", self.root / "build/report-assets/report.html"
        run = self.exh("report-assets")
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        self.assertEqual((npm.read_text(), page.read_text()), ("ci --no-audit --no-fund\n", "build.mjs\n"))
        self.assertFalse((self.root / "page/node_modules").exists(), "the tree stays as it is")
        self.assertEqual(self.exh("report-assets", "--test").returncode, 0)
        self.assertEqual(npm.read_text(), "ci --no-audit --no-fund\n--silent test\n", "installed once")
        self.write("page/package-lock.json", "{ }\n")
        self.exh("report-assets")
        self.assertEqual(npm.read_text().count("ci --no-audit"), 2, "the lock file changed")
        run = self.exh("report-assets", "--tset")
        self.assertEqual((run.returncode, run.stderr), (2, "exh: report-assets takes --test or nothing, got '--tset'\n"))

    def test_report_assets_that_cannot_be_made(self):
        self.make_page(node=16)
        run = self.exh("report-assets")
        self.assertEqual((run.returncode, run.stderr), (1, "exh: node is of version 16: 18 or newer is needed\n"))
        self.make_page(npm="echo npm error: no network; exit 1")
        run = self.exh("report-assets")
        self.assertEqual(run.returncode, 1)
        self.assertIn("npm error: no network\nexh: npm could not install it; the whole log is", run.stderr)
        self.assertFalse((self.root / "build/report-assets").exists())

    def make_release(self, packing='mkdir -p "$1/packages"; echo "$2" >"$1/packages/it.deb"'):
        self.make_page()
        for name, text in (("glibc_2_31.sh", 'mkdir -p "$1"; echo fetched >>"$1/libc.so"'), ("packages.sh", packing)):
            self.write(f"cmake/release/{name}", f"#!/bin/sh\nset -e\n{text}\n")
            (self.root / "cmake/release" / name).chmod(0o755)
        self.write("tests/e2e/release/roots_test.py", "import sys\nprint('tested', *sys.argv[1:])\n")

    def test_release_links_with_an_older_glibc_and_packs(self):
        self.make_release()
        for _ in range(2):
            run = self.exh("release")
            self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
            self.assertRegex(run.stderr, r"\d\S*\tit\.deb\n$")
        self.assertRegex((self.root / "build/release/packages/it.deb").read_text(), r"^\S.* <\S+@\S+>\n$")
        glibc = self.root / "build/glibc-2.31"
        self.assertEqual((glibc / "libc.so").read_text(), "fetched\n", "once")
        self.assertIn(f"={glibc}\n", (self.root / "build/release/CMakeCache.txt").read_text())
        run = self.exh("release", "--test")
        self.assertEqual((run.returncode, run.stdout), (0, f"tested {self.root}/build/release/packages\n"), run.stderr)

    def test_a_release_that_cannot_be_made(self):
        run = self.exh("release", "--tset")
        self.assertEqual((run.returncode, run.stderr), (2, "exh: release takes --test or nothing, got '--tset'\n"))
        self.make_release(packing="echo E: exhaust: no-copyright-file; exit 1")
        run = self.exh("release")
        self.assertEqual(run.returncode, 1)
        self.assertIn("E: exhaust: no-copyright-file\nexh: packing failed; the whole log is", run.stderr)

    def test_only_the_page_needs_its_packages(self):
        self.make_page()
        self.write("packages.txt", PACKAGES + "libpage-dev page never there\n")
        self.assertEqual(self.exh("build", "dev").stderr.count("installing"), 0)
        run = self.exh("report-assets")
        wanted = "installing libpage-dev" if os.geteuid() == 0 else "install --no-install-recommends libpage-dev"
        self.assertIn(wanted, run.stderr)

    def test_docs(self):
        self.write("packages.txt", PACKAGES + "libsite-dev docs never there\n")
        self.write("docs/site/make.py", "raise SystemExit('page.md:3: broken')\n")
        run = self.exh("docs")
        wanted = "installing libsite-dev" if os.geteuid() == 0 else "install --no-install-recommends libsite-dev"
        self.assertIn(wanted, run.stderr)
        self.assertEqual(self.exh("build", "dev", installed="g++ libsecret-dev libtest-dev").stderr.count("libsite"), 0)
        # A Python that has whatever it is asked for.
        self.write("bin/python3", f'#!/bin/sh\n[ "$1" = -c ] || exec {shlex.quote(sys.executable)} "$@"\n')
        (self.root / "bin/python3").chmod(0o755)
        run = self.exh("docs", installed="libsite-dev")
        self.assertEqual((run.returncode, run.stderr),
                         (1, "page.md:3: broken\nexh: the site could not be made: what is above is wrong\n"))
        self.write("docs/site/make.py", "import sys\nprint(sys.argv[1:])\n")
        run = self.exh("docs", installed="libsite-dev")
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        self.assertIn(f"exh: made {self.root}/build/docs/index.html\n", run.stderr)
        run = self.exh("docs", "--open")
        self.assertEqual((run.returncode, run.stderr), (2, "exh: docs takes nothing, got '--open'\n"))

    def test_an_installation_that_fails_is_shown(self):
        if os.geteuid() != 0:
            self.skipTest("only root installs")
        self.write("bin/apt-get", "#!/bin/sh\necho E: no such package\nexit 100\n")
        run = self.exh("build", installed="")
        self.assertEqual(run.returncode, 1)
        self.assertIn("E: no such package", run.stderr)

    def test_a_machine_without_apt(self):
        # A PATH that holds what exh calls, and no package manager.
        only = self.home / "only"
        only.mkdir()
        for name in ("bash", "env", "awk", "sed", "grep", "find", "dirname", "readlink", "cat", "tr"):
            (only / name).symlink_to(shutil.which(name))
        run = subprocess.run([self.root / "exh", "build"], env={"PATH": str(only)}, text=True,
                             stderr=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"(?m)^ +g\+\+ +compiles$")
        self.assertRegex(run.stderr, r"(?m)^ +libsecret-dev +never there$")
        self.assertNotIn("libtest-dev", run.stderr)

    def closing_line(self, *arguments):
        run = self.exh("test", *arguments)
        return run.returncode, run.stdout.splitlines()[-1]

    def test_closing_line_of_the_tests(self):
        self.write("tests.txt", "true # passes\n: passes too\n")
        self.assertEqual(self.closing_line(), (0, "2 passed, 0 failed"))
        self.assertEqual(self.closing_line("-R", "true"), (0, "1 passed, 0 failed"))
        self.assertEqual(self.closing_line("-R", "no_such_test"), (1, "0 passed, 0 failed"))

    def test_closing_line_when_tests_fail_or_skip_or_are_not_built(self):
        self.write("tests.txt", "true # passes\nfalse # fails\nexit 77\n")
        self.assertEqual(self.closing_line(), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertEqual(self.closing_line("-R", "exit"), (1, "0 passed, 0 failed, 1 skipped"))
        self.write("broken", "")
        self.assertEqual(self.closing_line(), (1, "1 passed, 2 failed, 1 skipped"))

    def test_closing_line_counts_the_cases_that_a_test_program_skips(self):
        for name, cases in (("two", ("A.b", "A.c")), ("one", ("B.d",))):
            count = f"{len(cases)} test" + ("s" if len(cases) > 1 else "")
            self.write(f"{name}.txt", "a long text\n" * 2000 + "[  SKIPPED ] A.b (0 ms)\n"
                       f"[  SKIPPED ] {count}, listed below:\n"
                       + "".join(f"[  SKIPPED ] {case}\n" for case in cases) + "the end\n")
        self.write("tests.txt", "true # passes\ncat ../../two.txt\nsed -n p ../../one.txt && false\n"
                                "echo 'OK (skipped=3)' >&2\ntail ../../one.txt && exit 77\n")
        run = self.exh("test")
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]),
                         (1, "3 passed, 1 failed, 7 skipped"), run.stdout)
        said = [line for line in run.stdout.splitlines() if line.startswith("skipped: ")]
        self.assertEqual(said, ["skipped: cat: A.b", "skipped: cat: A.c", "skipped: sed: B.d",
                                "skipped: echo: 3 cases", "skipped: tail"])

    def test_what_failed_is_said_again_at_the_end(self):
        self.write("bad.txt", "a long text\n" * 2000 + "a_test.cc:7: Failure\nExpected: a < b & \"c\"\n[  FAILED  ] A.b\n"
                   + "more text\n" * 2000)
        self.write("tests.txt", "true # passes\ncat ../../bad.txt && false\n")
        said = self.exh("test").stdout.splitlines()
        said = said[said.index("---- cat"):]
        self.assertEqual(said[:4], ["---- cat", "a_test.cc:7: Failure", 'Expected: a < b & "c"', "[  FAILED  ] A.b"])
        self.assertLess(len(said), 20)
        self.assertEqual(said[-1], "1 passed, 1 failed")

    def test_lists_the_programs_there_are(self):
        for arguments, stream in ((("help",), "stdout"), ((), "stderr")):
            self.assertTrue(getattr(self.exh(*arguments), stream).endswith("Programs: worker \n"))
        self.write("CMakeLists.txt", CMAKE.replace("worker", "Small::worker ALIAS"))
        self.assertNotIn("Programs:", self.exh("help").stdout)

    def test_benchmarks(self):
        self.write("tests/bench/dead-ends.sh", '#!/bin/sh\n# SPDX-License-Identifier: MIT\n#\n'
                                               '# Counts dead ends\n# and more: a.b. Then stops.\necho "ran $*"\n')
        for name in ("speed", "speed_helper"):
            self.write(f"tests/bench/{name}.cc", "// SPDX-License-Identifier: MIT\n// How fast: [--times N]\n// More.\n")
        self.write("tests/bench/CMakeLists.txt", "add_executable(bench_speed speed.cc speed_helper.cc)\n")
        run = self.exh("bench")
        self.assertTrue(re.fullmatch(r"dead-ends +Counts dead ends and more: a\.b\.\nspeed +How fast: \[--times N\]\n",
                                     run.stdout), run.stdout)
        run = self.exh("bench", "dead_ends", "--fast")
        self.assertEqual((run.returncode, run.stdout), (0, "ran --fast\n"), run.stderr)
        run = self.exh("bench", "dead")
        self.assertEqual(run.returncode, 2)
        self.assertIn("unknown benchmark 'dead'; did you mean 'dead-ends'?", run.stderr)


if __name__ == "__main__":
    unittest.main()
