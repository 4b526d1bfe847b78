# SPDX-License-Identifier: MIT
"""The best of a run as a function: `search install-kernel`, a compiler, and the library that comes out.

The library has a C interface, and beside it a module that calls it with ctypes, for NumPy and PyTorch
(docs/application.md of Exhaust). Arrays of other libraries are seen by that through NumPy or PyTorch, in place.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import keyword
import os
import pathlib
import re
import shutil
import subprocess
import sys
from types import ModuleType
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _find
from .errors import Error, UsageError

LIBRARY = "libtuned.so"
BUILT = "build"
DLPACK_CPU = (1, 3, 11, 13, 14)  # kDLCPU, and memory of the host that a GPU may see.


class NotBuilt(Error):
    """The library of an operator could not be built."""


def _command(words: Sequence[str], folder: pathlib.Path) -> None:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              cwd=folder, check=False)
    except OSError as error:
        raise NotBuilt(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise NotBuilt(f"{' '.join(words)} failed:\n{(done.stdout + done.stderr).strip()[-4000:]}", done.returncode)


def _build_with_cmake(folder: pathlib.Path, build: pathlib.Path) -> None:
    _command(["cmake", "-S", str(folder), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"], folder)
    _command(["cmake", "--build", str(build)], folder)


def _build_alone(folder: pathlib.Path, build: pathlib.Path) -> None:
    """Without CMake: what its file says, for the one kernel of a processor that is in the folder."""
    sources = sorted(folder.glob("kernels/*.cc"))
    if len(sources) != 1 or not (folder / "tuned.cc").is_file():
        raise NotBuilt("to build a library for a GPU needs CMake 3.18 and nvcc")
    unit = json.loads((folder / "wisdom.jsonl").read_text(encoding="utf-8").splitlines()[0])
    build.mkdir(exist_ok=True)
    compiler = os.environ.get("CXX", "g++")
    common = [compiler, "-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "-I", str(folder)]
    _command([*common, *unit["flags"], "-c", str(sources[0]), "-o", str(build / "kernel.o")], folder)
    _command([*common, "-c", str(folder / "tuned.cc"), "-o", str(build / "tuned.o")], folder)
    _command([compiler, "-shared", "-fopenmp", str(build / "kernel.o"), str(build / "tuned.o"), "-o", str(build / LIBRARY)],
             folder)


def _build(folder: pathlib.Path) -> pathlib.Path:
    build = folder / BUILT
    (_build_with_cmake if shutil.which("cmake") else _build_alone)(folder, build)
    if not (build / LIBRARY).is_file():
        raise NotBuilt(f"the build left no {LIBRARY} in {build}")
    return build / LIBRARY


def _module(folder: pathlib.Path, library: pathlib.Path) -> ModuleType:
    """The module of the library. Several of them may be there, each under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"_exhaust_tuned_{abs(hash(str(folder.resolve())))}", folder / "tuned.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._load = lambda: ctypes.CDLL(str(library))  # type: ignore[attr-defined]
    return module


def _is_of(value: Any, module: str) -> bool:
    return any(each.__module__.split(".")[0] == module for each in type(value).__mro__)


def _is_on_processor(array: Any) -> bool:
    if hasattr(array, "__cuda_array_interface__"):
        return False
    device = getattr(array, "__dlpack_device__", None)
    return device is None or int(device()[0]) in DLPACK_CPU


def as_array(array: Any, name: str = "an argument") -> Any:
    """What the module of a library takes, in the same memory: NumPy's and PyTorch's arrays as they are, others
    through __dlpack__, __cuda_array_interface__ or __array_interface__."""
    if (_is_of(array, "torch") and hasattr(array, "data_ptr")) or (_is_of(array, "numpy") and hasattr(array, "ctypes")):
        return array
    if not any(hasattr(array, each) for each in ("__dlpack__", "__cuda_array_interface__", "__array_interface__")):
        raise TypeError(f"{name} is an array of NumPy or PyTorch, or has __dlpack__, __array_interface__ or "
                        f"__cuda_array_interface__; it is {type(array).__name__}")
    if _is_on_processor(array):
        import numpy
        if hasattr(array, "__array_interface__"):
            return numpy.asarray(array)
        if not hasattr(numpy, "from_dlpack"):
            raise TypeError(f"{name} has __dlpack__, which NumPy {numpy.__version__} does not read: 1.22 or later does")
        return numpy.from_dlpack(array)
    try:
        import torch
    except ImportError as error:
        raise TypeError(f"{name} is in the memory of a GPU: PyTorch is needed to call a kernel there") from error
    if hasattr(array, "__dlpack__"):
        return torch.from_dlpack(array)
    return torch.as_tensor(array, device="cuda")


_registered: Dict[str, str] = {}  # Of torch.ops.tuned: the library of each name.


class Operator:
    """A tuned kernel as a function of arrays: c = op(a, b). `inputs`, `outputs` and `options` are its names."""

    def __init__(self, name: str, folder: pathlib.Path, library: pathlib.Path) -> None:
        self.folder = str(folder)  #: The library: tuned.h, sources, tuned.py.
        self.library = str(library)
        self.module = _module(folder, library)
        kernels: Dict[str, Any] = self.module.KERNELS  # type: ignore[attr-defined]
        self.name = name if name in kernels else next(iter(kernels))
        self._kernel = kernels[self.name]
        self._call = self.module._functions[next(  # type: ignore[attr-defined]
            each for each in self.module._functions if each.rstrip("_") == self.name.rstrip("_"))]  # type: ignore[attr-defined]
        self.inputs: List[str] = [each["name"] for each in self._kernel["arrays"] if not each["output"]]
        self.outputs: List[str] = [each["name"] for each in self._kernel["arrays"] if each["output"]]
        self.options: List[str] = [each["name"] for each in self._kernel["sizes"] + self._kernel["scalars"]]
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = f"{self.signature}: {self._kernel['summary']}"

    @property
    def shapes(self) -> Dict[str, Tuple[str, Optional[Tuple[int, ...]]]]:
        """Each array by its name: its type ("f32") and shape (None: any of so many elements)."""
        arrays = self._kernel["units"][0]["arrays"]
        return {each["name"]: (array["type"], tuple(array["shape"]) if array["shape"] is not None else None)
                for each, array in zip(self._kernel["arrays"], arrays)}

    @property
    def signature(self) -> str:
        """mm(a: f32[512, 512], b: f32[512, 512]) -> c: f32[512, 512]"""
        shapes = self.shapes

        def text(name: str) -> str:
            word, shape = shapes[name]
            return f"{name}: {word}" + (str(list(shape)) if shape is not None else "")

        return f"{self.name}({', '.join(map(text, self.inputs))}) -> {', '.join(map(text, self.outputs))}"

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Arrays that are read, in the order of `inputs`, then options and scalars by name, and `fallback`: a function
        of the same that computes what is not tuned. Returns what is written, several as a tuple."""
        names = [*self.inputs, *[""] * len(arrays)]
        seen = [as_array(array, f"{self.name}: {name}") for array, name in zip(arrays, names)]
        if any(_is_of(array, "torch") for array in seen):
            self.register()
        return self._call(*seen, **options)

    def register(self) -> None:
        """Makes it torch.ops.tuned.NAME, where PyTorch is there and has torch.library.custom_op (2.4 or later).
        One name is one kernel: raises UsageError when another has it. A call with tensors does this by itself,
        and so does Result.operator when PyTorch was imported before."""
        torch = sys.modules.get("torch")
        if torch is None or not hasattr(getattr(torch, "library", None), "custom_op"):
            return
        before = _registered.setdefault(self.name, self.library)
        if before != self.library:
            raise UsageError(f"torch.ops.tuned.{self.name} is another kernel already, {before}: give this one "
                             "another name, r.operator(\"NAME\")")
        self.module.operator(self.name)  # type: ignore[attr-defined]

    @property
    def torch(self) -> Any:
        """torch.ops.tuned.NAME, a custom operator that torch.compile traces. Needs PyTorch 2.4 or later."""
        import torch
        del torch  # It is needed, and register() looks whether it is there.
        self.register()
        return self.module.operator(self.name)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<exhaust.Operator {self.signature}>"


def make(result: Any, name: Optional[str], record: int, folder: Union[str, "os.PathLike[str]", None],
         rebuild: bool) -> Operator:
    """Result.operator()."""
    if name is not None and (not re.fullmatch(r"[A-Za-z_]\w*", name) or keyword.iskeyword(name)):
        raise UsageError(f"'{name}' is no name of a function")
    if folder is None:
        folder = os.path.join(result.run, "operators", f"{name or result.kernel or 'kernel'}-{record}")
    place = pathlib.Path(folder).resolve()
    library = place / BUILT / LIBRARY
    if rebuild or not library.is_file() or not (place / "tuned.py").is_file():
        called = ["--name", name] if name is not None else []
        _find.run(result.search, "install-kernel", f"{result.run}@{record}", "--out", str(place), *called)
        shutil.rmtree(place / BUILT, ignore_errors=True)
        library = _build(place)
    operator = Operator(name or "", place, library)
    operator.register()
    return operator
