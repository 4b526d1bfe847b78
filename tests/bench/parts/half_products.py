#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shapes for `search tune`: so many of the 1,000 products of half-precision matrices whose m, n and k are each one of ten sizes, as CUDA-L2
has them. The same number yields the same shapes; those with the least work come first.

usage: half_products.py COUNT
"""

import itertools
import json
import math
import random
import sys

SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384)


def shapes(count):
    every = list(itertools.product(SIZES, repeat=3))
    return sorted(random.Random(1000).sample(every, min(count, len(every))), key=math.prod)


if __name__ == "__main__":
    for m, n, k in shapes(int(sys.argv[1])):
        print(json.dumps({"kernel": "matmul", "sizes": {"m": m, "n": n, "k": k}, "type": "f16"}))
