// SPDX-License-Identifier: MIT
#pragma once

namespace exh::search {

/// Prints what a search on a GPU would find on this machine: driver, GPUs, NVRTC, cuBLAS; and of
/// what is missing, how to get it. None of it is a failure: a machine without a GPU is well.
void ReportCuda();

}  // namespace exh::search
