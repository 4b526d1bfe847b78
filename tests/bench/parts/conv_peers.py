# SPDX-License-Identifier: MIT
"""What `./exh bench conv --device cuda` compares itself with, as a line of JSON for each layer.

    conv_peers.py --layer 64,56,128,3,1 --layout nhwc      channels, rows and columns, channels of the result, kernel, stride
    {"torch": {"us": 81.2, "median_us": 81.9, "workspace_bytes": 0}, "inductor": {...}, "im2col": {...},
     "cudnn": {"name": "nchw implicit_gemm", ...}, "winograd": {...}, "algorithms": {"nchw implicit_gemm": {...}, ...}}

torch asks cuDNN, which tries its algorithms and takes the fastest: Winograd's too, which torch does not leave out. `algorithms` are all
of cuDNN's in both layouts (conv_cudnn.py), `cudnn` the fastest that is not Winograd's and `winograd` the fastest that is. im2col is
torch's unfold and a product by cuBLAS. All are f32 without TF32. Bytes are what torch allocates at most meanwhile, beside image, filter
and result. Times are taken as those of reduction_peers.py. Each result is compared with double precision."""

import argparse
import json
import sys

import conv_cudnn
import reduction_peers as peers
from reduction_peers import torch


PEERS = ("torch", "inductor", "im2col", "cudnn")


def layer_of(text):
    return [int(word) for word in text.split(",")]


def calls_of(image, filters, stride):
    """Name and function of each peer."""
    pad = filters.shape[-1] // 2
    matrix = filters.reshape(filters.shape[0], -1)

    def direct(x, w):
        return torch.nn.functional.conv2d(x, w, padding=pad, stride=stride)

    def explicit(x, _):
        columns = torch.nn.functional.unfold(x, filters.shape[-2:], padding=pad, stride=stride)
        rows = (x.shape[-2] + 2 * pad - filters.shape[-2]) // stride + 1
        return (matrix @ columns).reshape(1, matrix.shape[0], rows, -1)

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


def measure(layer, options):
    channels, side, results, kernel, stride = layer
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    order = torch.channels_last if options.layout == "nhwc" else torch.contiguous_format
    image = torch.randn(1, channels, side, side, device="cuda").to(memory_format=order)
    filters = torch.randn(results, channels, kernel, kernel, device="cuda").to(memory_format=order)
    want = torch.nn.functional.conv2d(image.double(), filters.double(), padding=kernel // 2, stride=stride)
    timer = peers.GpuTimer()
    answer = {}
    for name, call in calls_of(image, filters, stride).items():
        if name not in options.peers:
            continue
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
    if "cudnn" not in options.peers:
        return answer
    try:
        answer["algorithms"] = conv_cudnn.measure(image, filters, want, timer, stride)
        answer["cudnn"] = conv_cudnn.fastest(answer["algorithms"], False)
        answer["winograd"] = conv_cudnn.fastest(answer["algorithms"], True)
    except OSError as error:
        answer["cudnn"] = {"note": f"libcudnn: {error}"}
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layer", type=layer_of, action="append", required=True, help="may be repeated")
    parser.add_argument("--layout", choices=("nhwc", "nchw"), default="nhwc")
    parser.add_argument("--peers", type=lambda text: text.split(","), default=list(PEERS), help="torch.compile may take a minute each")
    parser.add_argument("--gpu", type=int, default=0)
    options = parser.parse_args()
    if torch is None or not torch.cuda.is_available():
        print(json.dumps({"note": "torch is not installed or sees no GPU: there are no peers"}))
        return 0
    torch.cuda.set_device(options.gpu)
    for layer in options.layer:
        print(json.dumps(measure(layer, options)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
