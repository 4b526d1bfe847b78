#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs and runs what ./exh release makes, in bare systems that mmdebstrap makes: Debian 11, 12 and 13 for
the archive and the package, and the container's own. What an application needs of glibc is read from the ELF
files: it decides for all other systems. Needs root and Debian's packages.

usage: roots_test.py PACKAGES [--roots FOLDER] [unittest arguments]
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import elf

PACKAGES = ROOTS = pathlib.Path()
ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
SUITES = {"bullseye": "11", "bookworm": "12", "trixie": "13"}
MATMUL = ("--kernel", "matmul", "--size", "m=64,n=64,k=64", "--budget", "evals=4", "--seed", "1")


def run(*command, timeout=600, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=timeout, **options)


def need(done):
    if done.returncode != 0:
        raise AssertionError(f"{done.args}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


class System:
    """A copy of a bare system; commands run in it with a /proc and a /dev of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    @classmethod
    def of(cls, suite, folder):
        """Debian's minimal system, with no compiler; it is fetched once."""
        ROOTS.mkdir(parents=True, exist_ok=True)
        kept = ROOTS / f"{suite}.tar"
        if not kept.exists():
            aside = ROOTS / f"{suite}.aside.tar"
            need(run("mmdebstrap", "--quiet", "--variant=minbase", suite, aside, *mirror(suite)))
            os.replace(aside, kept)
        folder.mkdir()
        need(run("tar", "-C", folder, "-xf", kept))
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        return cls(folder)

    def run(self, *words, **environment):
        variables = [f"{name}={value}" for name, value in
                     {"HOME": "/root", "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **environment}.items()]
        inside = ('mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs none "$1/dev/shm" || exit 99; '
                  'root=$1; shift; exec chroot "$root" /usr/bin/env -i "$@"')
        return run("unshare", "--mount", "--pid", "--fork", "--", "sh", "-c", inside, "sh", self.folder, *variables, *words)

    def apt(self, *words):
        return self.run("apt-get", "-q", "-y", *words, DEBIAN_FRONTEND="noninteractive")


def commands(heading):
    """The commands below a heading of docs/install.md, for a shell, root and a short search."""
    text = (ROOT / "docs/install.md").read_text()
    block = re.search(rf"^## {re.escape(heading)}\n.*?^```sh\n(.*?)^```", text, re.M | re.S)[1]
    block = block.replace("sudo ", "").replace("apt install ", "apt-get -q -y install ")
    short, found = re.subn(r"--budget 20s", "--size m=64,n=64,k=64 --budget evals=4 --seed 1 --out /tmp/run", block)
    assert found == 1, block
    return short


def mirror(suite):
    named = os.environ.get(f"EXH_DEBIAN_{SUITES[suite]}")
    return [named] if named else []


def only(pattern):
    found = sorted(PACKAGES.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{PACKAGES}/{pattern}: {found}")
    return found[0]


class InSystems(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="exh-roots-"))
        self.addCleanup(shutil.rmtree, self.home)

    def in_each(self, check):
        """check(system) in each of Debian's."""
        for suite in SUITES:
            with self.subTest(suite):
                check(System.of(suite, self.home / suite))

    def is_ours(self, done, name="search"):
        version = re.search(r"-(\d+\.\d+\.\d+)-linux", only("exhaust-[0-9]*.tar.gz").name)[1]
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], f"{name} {version}")

    def has_searched(self, system, done):
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr)
        log = (system.folder / "tmp/run/log.jsonl").read_text()
        self.assertIn('"verdict":"correct"', log, done.stdout)
        shutil.rmtree(system.folder / "tmp/run")

    def runs_the_page(self, system, heading):
        """As docs/install.md says it, in the folder with the files."""
        self.has_searched(system, system.run("sh", "-ec", f"cd /tmp\n{commands(heading)}", DEBIAN_FRONTEND="noninteractive"))


class Archive(InSystems):
    def unpack(self, place):
        need(run("tar", "-C", place, "-xf", only("exhaust-[0-9]*.tar.gz")))
        return next(place.glob("exhaust-*"))

    def test_programs_ask_for_glibc_alone_and_for_no_newer_one(self):
        folder = self.unpack(self.home)
        self.assertTrue((folder / "share/exhaust/report/report.html").is_file())
        for name in ("search", "exhc", "exhc-lsp"):
            program = folder / "bin" / name
            self.assertEqual(elf.newer(program), {}, name)
            self.assertGreater(len(elf.versions(program)), 40)  # It was read.
            self.assertEqual([library for library in elf.libraries(program)
                              if not re.match(r"(ld-linux-x86-64|libc|libm|libdl|libpthread|librt)\.so\.", library)], [])

    def test_both_archives_are_one_folder(self):
        folder = self.unpack(self.home)
        need(run("tar", "-C", self.home, "-xf", only("exhaust-dev-*.tar.gz")))
        self.assertEqual([path.name for path in self.home.iterdir()], [folder.name])
        for path in ("lib/cmake/Exhaust/ExhaustConfig.cmake", "include/exhaust/kernels/plugin.h", "bin/search"):
            self.assertTrue((folder / path).is_file(), path)

    def test_it_runs_in_bare_systems(self):
        self.in_each(self.runs_without_a_compiler)

    def runs_without_a_compiler(self, system):
        place = system.folder / "opt/a place"
        place.mkdir()
        folder = self.unpack(place)
        inside = "/" + folder.relative_to(system.folder).as_posix()
        self.is_ours(system.run(f"{inside}/bin/search", "--version"))
        self.is_ours(system.run(f"{inside}/bin/exhc", "--version"), "exhc")
        self.assertEqual(system.run(f"{inside}/bin/exhc", "check", f"{inside}/share/exhaust/spaces/linalg.exh").returncode, 0)
        done = system.run(f"{inside}/bin/search", "solve", "--space", "queens", "--count")
        self.assertEqual(done.returncode, 0, done.stderr)
        # There is no compiler.
        done = system.run(f"{inside}/bin/search", *MATMUL, "--out", "/tmp/none")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("g++", done.stderr)


class Package(InSystems):
    def older(self, package):
        """The package as one of version 0.0.9."""
        tree = self.home / "older"
        need(run("dpkg-deb", "-R", package, tree))
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(r"(?m)^Version: .*$", "Version: 0.0.9", control.read_text()))
        (tree / "usr/share/doc/exhaust/old").write_text("gone in the newer one\n")
        need(run("dpkg-deb", "--root-owner-group", "-b", tree, self.home / "older.deb"))
        return self.home / "older.deb"

    def test_it_is_installed_used_and_removed(self):
        self.older_package = self.older(only("exhaust_*.deb"))
        self.in_each(self.installs)

    def installs(self, system):
        package = only("exhaust_*.deb")
        for path in (package, self.older_package):
            shutil.copy(path, system.folder / "tmp")
        need(system.apt("update"))
        before = need(system.run("dpkg-query", "-W", "-f", "${Package}\\n")).split()
        need(system.apt("install", "--no-install-recommends", "/tmp/older.deb"))
        after = need(system.run("dpkg-query", "-W", "-f", "${Package}\\n")).split()
        self.assertEqual(set(after) - set(before), {"exhaust"})
        # A newer one takes its place.
        need(system.apt("install", "--no-install-recommends", f"/tmp/{package.name}"))
        self.assertFalse((system.folder / "usr/share/doc/exhaust/old").exists())
        self.is_ours(system.run("search", "--version"))
        need(system.apt("remove", "exhaust"))
        self.assertFalse((system.folder / "usr/share/exhaust").exists())
        # The first installation brings a compiler, which the archive's programs then have, too.
        self.runs_the_page(system, "Debian and Ubuntu")
        shutil.copy(only("exhaust-[0-9]*.tar.gz"), system.folder / "tmp")
        self.runs_the_page(system, "Any other Linux")
        need(system.apt("remove", "exhaust"))
        self.assertEqual([path for path in ("usr/bin/search", "usr/bin/exhc", "usr/share/exhaust")
                          if (system.folder / path).exists()], [])

    def test_lintian_has_nothing_to_say(self):
        done = run("lintian", "--allow-root", "--fail-on", "error,warning,info", *sorted(PACKAGES.glob("*.deb")))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stdout + done.stderr)


class Container(InSystems):
    def test_it_searches_by_itself(self):
        layout = self.home / "layout"
        need(run("skopeo", "copy", "--quiet", f"oci-archive:{only('exhaust-*-oci.tar')}", f"oci:{layout}:it"))
        need(run("umoci", "unpack", "--image", f"{layout}:it", self.home / "bundle"))
        config = (self.home / "bundle/config.json").read_text()
        self.assertRegex(config, r'"args":\s*\[\s*"search"')
        self.assertRegex(config, r'"cwd":\s*"/work"')
        system = System(self.home / "bundle/rootfs")
        self.is_ours(system.run("search", "--version"))
        self.has_searched(system, system.run("search", *MATMUL, "--out", "/tmp/run"))


class Files(unittest.TestCase):
    def test_sums(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        self.assertEqual(len(lines), 5)
        for line in lines:
            digest, name = line.split()
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), digest, name)


def main():
    global PACKAGES, ROOTS
    words = sys.argv[1:]
    PACKAGES = pathlib.Path(words.pop(0)).resolve()
    ROOTS = ROOT / "build/roots"
    if words[:1] == ["--roots"]:
        ROOTS = pathlib.Path(words[1]).resolve()
        del words[:2]
    if os.geteuid() != 0:
        print("skipped: root makes systems to install into")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *words], verbosity=2)


if __name__ == "__main__":
    main()
