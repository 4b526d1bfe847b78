# SPDX-License-Identifier: MIT
"""cuDNN's algorithms for a convolution, each by its name, as torch does not let one choose them. All compute with f32 multiply-adds
(CUDNN_FMA_MATH: no TF32)."""

import ctypes

import reduction_peers as peers
from reduction_peers import torch

ALGORITHMS = ("implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling", "winograd", "winograd_nonfused")
FORMATS = {"nchw": 0, "nhwc": 1}
FLOAT, CROSS_CORRELATION, FMA_MATH = 0, 1, 3


class Convolution(peers.Cudnn):
    """One convolution in one layout; both arguments lie in it, too (the filter as mcrs or mrsc). Raises OSError where there is no
    libcudnn."""

    def __init__(self, layout, image, filters, stride=1):
        super().__init__()
        order = torch.channels_last if layout == "nhwc" else torch.contiguous_format
        self.image, self.filters = (t.to(memory_format=order) for t in (image, filters))
        pad = filters.shape[-1] // 2
        self.x, self.w, self.y, self.how = (ctypes.c_void_p() for _ in range(4))
        shape = [image.shape[0], filters.shape[0], *((side + 2 * pad - filters.shape[-1]) // stride + 1 for side in image.shape[2:])]
        self.result = torch.empty(shape, device=image.device).to(memory_format=order)
        call = self.library
        for made, sizes in ((self.x, image.shape), (self.y, shape)):
            self.check(call.cudnnCreateTensorDescriptor(ctypes.byref(made)))
            self.check(call.cudnnSetTensor4dDescriptor(made, FORMATS[layout], FLOAT, *sizes))
        self.check(call.cudnnCreateFilterDescriptor(ctypes.byref(self.w)))
        self.check(call.cudnnSetFilter4dDescriptor(self.w, FLOAT, FORMATS[layout], *filters.shape))
        self.check(call.cudnnCreateConvolutionDescriptor(ctypes.byref(self.how)))
        self.check(call.cudnnSetConvolution2dDescriptor(self.how, pad, pad, stride, stride, 1, 1, CROSS_CORRELATION, FLOAT))
        self.check(call.cudnnSetConvolutionMathType(self.how, FMA_MATH))

    def bind_algorithm(self, name):
        """A function that launches it, and the bytes of its workspace. Raises RuntimeError where the algorithm does not do it."""
        number = ALGORITHMS.index(name)
        size = ctypes.c_size_t(0)
        self.check(self.library.cudnnGetConvolutionForwardWorkspaceSize(
            self.handle, self.x, self.w, self.how, self.y, number, ctypes.byref(size)))
        space = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")
        one, zero = ctypes.c_float(1), ctypes.c_float(0)

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self.check(self.library.cudnnSetStream(self.handle, stream))
            self.check(self.library.cudnnConvolutionForward(
                self.handle, ctypes.byref(one), self.x, ctypes.c_void_p(self.image.data_ptr()), self.w,
                ctypes.c_void_p(self.filters.data_ptr()), self.how, number, ctypes.c_void_p(space.data_ptr()), size,
                ctypes.byref(zero), self.y, ctypes.c_void_p(self.result.data_ptr())))
            return self.result

        return launch, size.value


def measure(image, filters, want, timer, stride=1):
    """{"nchw implicit_gemm": {"us": ..., "workspace_bytes": ...}, ...}: of each layout every algorithm, or why there is no time."""
    answer = {}
    for layout in FORMATS:
        convolution = Convolution(layout, image, filters, stride)
        for name in ALGORITHMS:
            try:
                launch, size = convolution.bind_algorithm(name)
                with timer.context():
                    convolution.result.fill_(float("nan"))
                    wrong = float((launch().double() - want).abs().max() / want.abs().max())
                # A product of transforms is less exact than sums of products.
                if not wrong <= 1e-3:
                    answer[f"{layout} {name}"] = {"note": f"wrong by {wrong:.1e} of the largest"}
                    continue
                answer[f"{layout} {name}"] = {**timer.measure([launch]), "workspace_bytes": size, "wrong": wrong}
            except Exception as error:  # pylint: disable=broad-except  # An algorithm that fails is none.
                answer[f"{layout} {name}"] = {"note": f"{type(error).__name__}: {str(error)[:200]}"}
    return answer


def fastest(algorithms, is_winograd):
    """The fastest of those that are Winograd's, or of the others: with its name; {} if none has a time."""
    found = [(entry["us"], name) for name, entry in algorithms.items() if "us" in entry and ("winograd" in name) == is_winograd]
    return {**algorithms[min(found)[1]], "name": min(found)[1]} if found else {}
