# SPDX-License-Identifier: MIT
"""CUB as a library of functions of C, compiled where it is compared with."""

import ctypes
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def include_folders(chosen):
    """Sets of folders with CCCL's headers that are newer than the toolkit's perhaps, newest first;
    the last is none, which is the toolkit's."""
    found = [[chosen]] if chosen else []
    if not chosen:
        for path in {p for p in sys.path if p and os.path.isdir(p)}:
            for pattern in ("nvidia/*/include/cccl", "cuda/cccl/headers/include"):
                found += [[folder] for folder in glob.glob(os.path.join(path, pattern))]
            cupy = os.path.join(path, "cupy/_core/include/cupy/_cccl")
            found.append([os.path.join(cupy, part) for part in ("cub", "thrust", "libcudacxx")])

    def version(folders):
        for folder in folders:
            for name in ("cuda/std/__cccl/version.h", "include/cuda/std/__cccl/version.h"):
                file = os.path.join(folder, name)
                if os.path.exists(file):
                    with open(file, encoding="utf-8") as text:
                        said = re.search(r"define CCCL_VERSION (\d+)", text.read())
                    return int(said[1]) if said else 0
        return 0

    found = [[f, os.path.join(f, "include")] if len(f) == 1 else
             f[:2] + [f[2], os.path.join(f[2], "include")] for f in found]
    return sorted((f for f in found if version(f)), key=version, reverse=True) + [[]]


class CubLibrary:
    """A library that nvcc makes of a file of this folder. `flag`: what is defined in it; `work`: the folder
    that it is kept in; `cccl`: the folder with CUB's headers, or empty. Raises OSError with the reason."""

    def __init__(self, name, flag, work, cccl):
        import torch  # pylint: disable=import-outside-toplevel

        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not os.path.exists(nvcc):
            raise OSError("there is no nvcc")
        source = os.path.join(HERE, name)
        major, minor = torch.cuda.get_device_capability()
        why = ""
        for folders in include_folders(cccl):
            command = [nvcc, "-O3", "-std=c++17", "-w", f"-arch=sm_{major}{minor}", "-shared",
                       "-Xcompiler", "-fPIC", *[f"-I{f}" for f in folders if os.path.isdir(f)],
                       *([f"-D{flag}"] if flag else []), source]
            with open(source, encoding="utf-8") as text:
                mark = hashlib.sha256(" ".join([*command, text.read()]).encode()).hexdigest()[:12]
            library = os.path.join(work, f"cub-{mark}.so")
            if not os.path.exists(library):
                new = f"{library}.{os.getpid()}.new"
                done = subprocess.run([*command, "-o", new], capture_output=True, text=True,
                                      check=False)
                if done.returncode:
                    errors = [line for line in (done.stderr + done.stdout).splitlines()
                              if "error" in line]
                    why = errors[0][:200] if errors else f"nvcc ended with {done.returncode}"
                    continue
                os.replace(new, library)
            self.library = ctypes.CDLL(library)
            version = self.library.exh_cccl_version()
            self.version = f"{version // 1000000}.{version // 1000 % 1000}.{version % 1000}"
            return
        raise OSError(f"does not compile: {why}")
