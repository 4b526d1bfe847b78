#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for Nsight Compute: runs the program that it is given, and writes a table of the counters that were asked for, each with a value made of
its name. FAKE_NCU says what goes wrong instead: forbidden, unknown, nothing."""

import json
import os
import pathlib
import re
import subprocess
import sys

words = sys.argv[1:]
options = {}
while words and words[0].startswith("--"):
    name = words.pop(0)
    options[name] = True if name == "--csv" else words.pop(0)
fault = os.environ.get("FAKE_NCU", "")
log = pathlib.Path(options["--log-file"])
with open(os.environ["FAKE_NCU_CALLS"], "a", encoding="utf-8") as calls:
    print(json.dumps(options), file=calls)
metrics = options["--metrics"].split(",")
if fault == "unknown" and "lts__t_bytes.sum" in metrics:
    log.write_text("==ERROR== Failed to find metric lts__t_bytes.sum\n")
    sys.exit(1)
code = subprocess.call(words)
if fault == "forbidden":
    log.write_text("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
                   "Performance Counters on the target device 0.\n")
    sys.exit(1)
if fault == "nothing":
    log.write_text("==WARNING== No kernels were profiled.\n")
    sys.exit(0)
kernels = re.fullmatch(r"regex:\^\((.*)\)\$", options["--kernel-name"])[1].split("|")
columns = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name"]
lines = ["==PROF== Connected to process 1", ",".join(f'"{name}"' for name in columns + metrics), ",".join(['""'] * (len(columns) + len(metrics)))]
for number in range(int(options["--launch-count"])):
    values = [f"{1000 * len(metric):,}" for metric in metrics]
    lines.append(",".join(f'"{value}"' for value in [number, 1, "search", "host", kernels[number % len(kernels)], *values]))
log.write_text("\n".join(lines) + "\n")
sys.exit(code)
