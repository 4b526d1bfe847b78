# SPDX-License-Identifier: MIT
"""Keywords of Python as a command line: options of the program by their names, all others are sizes."""

from __future__ import annotations

import json
import keyword
import numbers
import os
import tempfile
from typing import Any, Dict, FrozenSet, List, Mapping, Optional

# What has a time or a count as its value, and is seconds when it is a bare number.
IN_SECONDS = frozenset({"budget", "silence"})


class Files:
    """Files that a command reads and that exist as values of Python only. They go with this object."""

    def __init__(self) -> None:
        self._folder: Optional[tempfile.TemporaryDirectory] = None

    def write(self, name: str, text: str) -> str:
        """The path of a new file with this text."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="exhaust-")
        path = os.path.join(self._folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def remove(self) -> None:
        """Takes all of them away."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def option_name(name: str) -> str:
    """budget -> "budget", max_threads -> "max-threads", lambda_ -> "lambda"."""
    return name.rstrip("_").replace("_", "-")


def size_name(name: str) -> str:
    """A size that is a word of Python has an underscore behind it: class_."""
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def text_of(value: Any) -> str:
    """A value as the program reads it: True is 1, 4.0 is 4."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(int(value)) if float(value).is_integer() else repr(float(value))
    return os.fspath(value) if hasattr(value, "__fspath__") else str(value)


def _one(name: str, value: Any) -> str:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return text_of(value) + ("s" if is_number and name in IN_SECONDS else "")


def _option(name: str, value: Any, files: Files) -> List[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{name}"]
    if name == "data" and not isinstance(value, (str, os.PathLike)):
        return ["--data", files.write("data.json", json.dumps(value))]
    if name == "space" and isinstance(value, str) and "\n" in value:
        return ["--space", files.write("space.exh", value)]
    if isinstance(value, Mapping):
        value = [f"{key}={text_of(each)}" for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [word for each in value for word in (f"--{name}", _one(name, each))]
    return [f"--{name}", _one(name, value)]


def arguments_of(keywords: Mapping[str, Any], known: FrozenSet[str], files: Files,
                 sizes: Optional[Mapping[str, Any]] = None) -> List[str]:
    """The words of a command line. `known`: names of options. What is none of them is a size, and so is
    all of `sizes`; what the program thinks of it is the program's message."""
    words: List[str] = []
    all_sizes: Dict[str, Any] = {}
    for name, value in keywords.items():
        if name == "size" and isinstance(value, Mapping):
            all_sizes.update(value)
        elif option_name(name) in known:
            words += _option(option_name(name), value, files)
        elif value is not None:
            all_sizes[size_name(name)] = value
    all_sizes.update(sizes or {})
    if all_sizes:
        words += ["--size", ",".join(f"{name}={text_of(value)}" for name, value in all_sizes.items())]
    return words
