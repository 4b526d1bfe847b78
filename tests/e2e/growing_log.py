# SPDX-License-Identifier: MIT
"""Logs of runs that nobody has made: lines with their numbers and checksums (docs/log.md), whole, in halves, and fast."""

import ctypes
import json
import pathlib
import subprocess
import tempfile

TABLE = []
for value in range(256):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    TABLE.append(value)

SOURCE = """
unsigned crc32c(const unsigned char* text, unsigned long size) {
  static unsigned table[256];
  unsigned crc = ~0u;
  if (table[1] == 0) {
    for (unsigned i = 0; i < 256; ++i) {
      unsigned value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
      table[i] = value;
    }
  }
  while (size-- > 0) crc = crc >> 8 ^ table[(crc ^ *text++) & 255];
  return ~crc;
}
"""


def crc32c(text):
    """The checksum of the bytes."""
    crc = 0xFFFFFFFF
    for byte in text:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def compiled_crc32c():
    """The same, some hundred times as fast, where there is a C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "crc.c")
        source.write_text(SOURCE)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", f"{folder}/crc.so"], check=True)
        function = ctypes.CDLL(f"{folder}/crc.so").crc32c
    function.restype = ctypes.c_uint
    return lambda text: function(text, len(text))


class GrowingLog:
    """Writes a log at a path, line after line."""

    def __init__(self, path, checksum=crc32c):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.checksum = checksum
        self.begin()

    def begin(self):
        """From the first line on, in a file that is new or empty."""
        self.line = 0
        self.after = 0
        self.file = open(self.path, "wb", buffering=0)

    def sealed(self, record):
        """The record as the next line."""
        self.line += 1
        text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)[:-1]
        body = f'{text},"line":{self.line},"after":"{self.after:08x}"'.encode("utf-8", "surrogateescape")
        self.after = self.checksum(body)
        return body + f',"crc":"{self.after:08x}"}}\n'.encode()

    def write(self, *records):
        """At once, as one write."""
        self.file.write(b"".join(self.sealed(record) for record in records))


def header(version=2, kernel="matmul", conditions="2 threads", **more):
    """The first record of a run that no program can build again."""
    return {"t": "run", "v": version, "tool": "search 0.1.0", "started": "2026-01-31T12:00:00Z",
            "space": {"name": "toy", "fingerprint": "f00d", "decisions": "default"}, "kernel": {"name": kernel, "sizes": {"m": 512}, "flops": 2e9},
            "device": {"name": "cpu", "threads": 2}, "conditions": conditions, "seed": 7, "argv": ["./exh search"], "order": ["size"],
            "policy": {"name": "random"}, **more}


def choice(index, name="size", domain=("2", "4", "8"), args=("a",)):
    return {"t": "choice", "i": index, "name": name, "args": list(args), "domain": list(domain)}


def evaluation(n, vector="01", **more):
    """An evaluation that is correct, and gets faster now and then."""
    ns = 900 + 50 * (n % 7) - n % 100
    return {"t": "eval", "n": n, "dt": round(0.005 * n, 3), "verdict": "correct", "best_ns": ns, "runtimes_ns": [ns], "compile_ms": 80, "check_ms": 1,
            "err": {"max_abs": 0, "ratio": 0}, "h": f"{n:016x}", "code": f"{n:016x}", "vector": vector,
            "path": [[decision, "0123456789".find(value)] for decision, value in enumerate(vector) if value != "."], **more}


def best(n, ns, **more):
    return {"t": "best", "n": n, "dt": round(0.005 * n, 3), "ns": ns, "h": f"{n:016x}", **more}


def end(n, why="budget:evals"):
    return {"t": "end", "dt": round(0.005 * n, 3), "why": why, "evaluations": n, "descents": n, "duplicates": 0, "best": 1, "verdicts": {"correct": n},
            "dead_ends": {}}
