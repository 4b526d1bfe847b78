#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a wheel that holds the program search and what it reads: no network, nothing but Python.

    python3 python/build_wheel.py --search build/release/bin/search
    pip install exhaust-*.whl

A wheel is a zip with the package, METADATA, WHEEL, and RECORD, which has the checksum of each file. One tree
makes the same wheel each time, byte for byte. `pip install ./python` builds with this file, too (pyproject.toml): the
package alone, or with the program (--config-settings search=FILE).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from typing import Any, Dict, List, Mapping, Optional

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
WHEN = (1980, 1, 1, 0, 0, 0)  # The first moment that a zip can say.
# Beside the program as `cmake --install` has it (cmake/Install.cmake): what is read of the tree.
SHARED = (("kernels/devices", "devices", "*.json"), ("kernels/replays", "replays", "*.txt"),
          ("kernels/spaces", "spaces", "*.exh"))
PAGE = "build/report-assets/report.html"
SCRIPTS = "[console_scripts]\nexhaust = exhaust.__main__:command\n"


def version() -> str:
    """That of the package, which must be the program's."""
    text = (HERE / "exhaust/_version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found is not None
    return found[1]


# glibc of a manylinux tag, and the last GLIBCXX_3.4.N of the libstdc++ that such systems have.
STDCXX = ((17, 19), (24, 22), (27, 24), (28, 25), (31, 28), (34, 29), (35, 30), (38, 32), (39, 33))


def glibc_of(program: pathlib.Path) -> Optional[int]:
    """The N of the oldest systems of glibc 2.N that have what the program asks for; None: not known."""
    text = program.read_bytes()
    glibc = max((int(each) for each in re.findall(rb"GLIBC_2\.(\d+)(?![\d])", text)), default=17)
    stdcxx = max((int(each) for each in re.findall(rb"GLIBCXX_3\.4\.(\d+)(?![\d])", text)), default=0)
    enough = [system for system, has in STDCXX if has >= stdcxx]
    return max(glibc, enough[0]) if enough else None


def needs_of(program: pathlib.Path) -> List[str]:
    """The shared libraries that it is linked with; [] where nobody can say."""
    if shutil.which("readelf") is None:
        return []
    text = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=False).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text)


# What every system of a manylinux tag has (PEP 600), of what programs of ours may be linked with.
EVERYWHERE = re.compile(r"(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*\.so\.\d+)$")


def platform_tag(program: pathlib.Path) -> str:
    """manylinux where its glibc and libraries are those of such systems, else linux."""
    machine = platform.machine()
    needs = needs_of(program)
    minor = glibc_of(program)
    if minor is None or not needs or not all(EVERYWHERE.match(each) for each in needs):
        return f"linux_{machine}"
    return f"manylinux_2_{minor}_{machine}"


def metadata() -> str:
    """METADATA, with README.md as the description."""
    return (f"Metadata-Version: 2.1\nName: exhaust\nVersion: {version()}\n"
            "Summary: Searches for fast implementations of computations, and calls what it found\n"
            "License: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n"
            "Provides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\n"
            "Provides-Extra: torch\nRequires-Dist: torch>=2.4; extra == 'torch'\n"
            "Provides-Extra: tables\nRequires-Dist: pandas; extra == 'tables'\n\n"
            + (HERE / "README.md").read_text(encoding="utf-8"))


def stripped(program: pathlib.Path, folder: str) -> bytes:
    """The program without debugging information, where there is a tool for that."""
    copy = pathlib.Path(folder) / "search"
    shutil.copy(program, copy)
    if shutil.which("strip") is not None:
        subprocess.run(["strip", str(copy)], check=True)
    return copy.read_bytes()


def package_files() -> Dict[str, bytes]:
    """The package by its names in the wheel."""
    return {f"exhaust/{path.name}": path.read_bytes()
            for path in sorted((HERE / "exhaust").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}


def program_files(program: pathlib.Path, keep_debug: bool) -> Dict[str, bytes]:
    """The program, and what it reads beside it."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"exhaust/bin/search": program.read_bytes() if keep_debug else stripped(program, folder)}
    for source, name, pattern in SHARED:
        for path in sorted((ROOT / source).rglob(pattern)):
            files[f"exhaust/share/exhaust/{name}/{path.relative_to(ROOT / source).as_posix()}"] = path.read_bytes()
    if (ROOT / PAGE).is_file():
        files["exhaust/share/exhaust/report/report.html"] = (ROOT / PAGE).read_bytes()
    return files


def record(files: Dict[str, bytes]) -> str:
    """RECORD: each file with its SHA-256 and its size, itself with neither."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join(lines) + f"exhaust-{version()}.dist-info/RECORD,,\n"


def write(files: Dict[str, bytes], out: pathlib.Path, tag: str) -> pathlib.Path:
    """Writes the wheel into a folder, whole or not at all. Returns its path."""
    info = f"exhaust-{version()}.dist-info"
    files = {**files, f"{info}/METADATA": metadata().encode(),
             f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: exhaust build_wheel.py\n"
                               f"Root-Is-Purelib: {'true' if tag == 'any' else 'false'}\nTag: py3-none-{tag}\n").encode(),
             f"{info}/entry_points.txt": SCRIPTS.encode(), f"{info}/top_level.txt": b"exhaust\n"}
    files[f"{info}/RECORD"] = record(files).encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"exhaust-{version()}-py3-none-{tag}.whl"
    aside = path.with_suffix(".part")
    with zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: it has the bits of who may run a file.
            entry.external_attr = (0o100755 if name == "exhaust/bin/search" else 0o100644) << 16
            archive.writestr(entry, data)
    os.replace(aside, path)
    return path


def build(program: pathlib.Path, out: pathlib.Path, tag: Optional[str] = None, keep_debug: bool = False) -> pathlib.Path:
    """A wheel with the program in it. Returns its path."""
    said = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout.partition("\n")[0]
    if said != f"search {version()}":
        raise SystemExit(f"the package is {version()}, and {program} says '{said}': both of one version make a wheel")
    return write({**package_files(), **program_files(program, keep_debug)}, out, tag or platform_tag(program))


# ---- What pip asks (PEP 517, PEP 660) --------------------------------------------------------------


def build_wheel(wheel_directory: str, config_settings: Optional[Mapping[str, Any]] = None,
                metadata_directory: Optional[str] = None) -> str:
    """pip install ./python. Returns the name of the wheel."""
    del metadata_directory  # Nothing was prepared.
    search = (config_settings or {}).get("search")
    out = pathlib.Path(wheel_directory)
    # pip calls this in the folder of this file, and people name the program from that of the checkout.
    places = [ROOT / search, pathlib.Path(search)] if search else []
    program = next((place.resolve() for place in places if place.is_file()), None)
    if search and program is None:
        raise SystemExit(f"search={search}: there is no such file, from {ROOT} on")
    return (build(program, out) if program else write(package_files(), out, "any")).name


def build_editable(wheel_directory: str, config_settings: Optional[Mapping[str, Any]] = None,
                   metadata_directory: Optional[str] = None) -> str:
    """pip install -e ./python: the package stays where it is."""
    del config_settings, metadata_directory
    return write({"exhaust.pth": f"{HERE}\n".encode()}, pathlib.Path(wheel_directory), "any").name


def build_sdist(sdist_directory: str, config_settings: Optional[Mapping[str, Any]] = None) -> str:
    """The sources of the package as an archive."""
    del config_settings
    name = f"exhaust-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in [HERE / "README.md", HERE / "pyproject.toml", HERE / "build_wheel.py",
                     *(HERE / each for each in package_files())]:
            archive.add(path, f"{name}/{path.relative_to(HERE)}")
    return f"{name}.tar.gz"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="A wheel of the package with the program search in it.")
    parser.add_argument("--search", type=pathlib.Path, required=True, help="the program, of the preset release")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="the folder for the wheel (default: this)")
    parser.add_argument("--platform", help="the platform tag (default: by the libraries that the program needs)")
    parser.add_argument("--keep-debug", action="store_true", help="keep debugging information")
    arguments = parser.parse_args()
    if not arguments.search.is_file():
        parser.error(f"'{arguments.search}' is no file: './exh build release' makes build/release/bin/search")
    path = build(arguments.search.resolve(), arguments.out, arguments.platform, arguments.keep_debug)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
