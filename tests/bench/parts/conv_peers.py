# SPDX-License-Identifier: MIT
"""What `./exh bench conv --device cuda` compares itself with: one layer by torch, as a line of JSON.

    conv_peers.py --layer 64,56,128 --layout nhwc      channels, rows and columns, channels of the result
    {"torch": {"us": 81.2, "median_us": 81.9, "workspace_bytes": 0}, "inductor": {...}, "im2col": {...}}

torch asks cuDNN, which tries its algorithms and takes the fastest: Winograd's too, which torch does not leave out. im2col is
torch's unfold and a product by cuBLAS. All are f32 without TF32. Bytes are what torch allocates at most meanwhile, beside image, filter
and result. Times are taken as those of reduction_peers.py. Each result is compared with double precision."""

import argparse
import json
import sys

import reduction_peers as peers
from reduction_peers import torch


def layer_of(text):
    return [int(word) for word in text.split(",")]


def calls_of(image, filters):
    """Name and function of each peer."""
    pad = filters.shape[-1] // 2
    matrix = filters.reshape(filters.shape[0], -1)

    def direct(x, w):
        return torch.nn.functional.conv2d(x, w, padding=pad)

    def explicit(x, _):
        columns = torch.nn.functional.unfold(x, filters.shape[-2:], padding=pad)
        return (matrix @ columns).reshape(1, -1, *x.shape[-2:])

    compiled = torch.compile(direct, mode="max-autotune-no-cudagraphs")
    return {"torch": lambda: direct(image, filters), "inductor": lambda: compiled(image, filters),
            "im2col": lambda: explicit(image, filters)}


def workspace_of(call, result_bytes):
    """Bytes that torch allocates at most in one call, less the result."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    return max(0, torch.cuda.max_memory_allocated() - before - result_bytes)


def measure(options):
    channels, side, results = options.layer
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    order = torch.channels_last if options.layout == "nhwc" else torch.contiguous_format
    image = torch.randn(1, channels, side, side, device="cuda").to(memory_format=order)
    filters = torch.randn(results, channels, 3, 3, device="cuda").to(memory_format=order)
    want = torch.nn.functional.conv2d(image.double(), filters.double(), padding=1)
    timer = peers.GpuTimer()
    answer = {}
    for name, call in calls_of(image, filters).items():
        try:
            with timer.context():
                got = call()
                wrong = (got.double() - want).abs().max() / want.abs().max()
            if float(wrong) > 1e-4:
                answer[name] = {"note": f"wrong by {float(wrong):.1e} of the largest"}
                continue
            size = got.numel() * got.element_size()
            del got
            answer[name] = {**timer.measure([call]), "workspace_bytes": workspace_of(call, size)}
        except Exception as error:  # pylint: disable=broad-except  # A peer that fails is none.
            answer[name] = {"note": f"{type(error).__name__}: {str(error)[:200]}"}
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layer", type=layer_of, required=True)
    parser.add_argument("--layout", choices=("nhwc", "nchw"), default="nhwc")
    parser.add_argument("--gpu", type=int, default=0)
    options = parser.parse_args()
    if torch is None or not torch.cuda.is_available():
        print(json.dumps({"note": "torch is not installed or sees no GPU: there are no peers"}))
        return 0
    torch.cuda.set_device(options.gpu)
    print(json.dumps(measure(options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
