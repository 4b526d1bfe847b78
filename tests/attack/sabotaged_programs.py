# SPDX-License-Identifier: MIT
"""Programs of fused operators and of functional programs that are wrong in one small thing each, as `sabotage` has kernels:
what remembers a result, elements that are wrong now and then, half a percent, NaN that are lost, integers of 16 bits."""
import sabotage

SHORT, LONG = 16, 100_000  # So many at most: there are about 60 on the cpu, 100 on a GPU.
DEVICES = ("cpu", "cuda")


def run(scene, count):
    yield from sabotage.attempts(scene, count, ["--programs"], every=6)
