// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/backend.h"

namespace exh::search {

/// The GPUs that --gpus means: "0-3", "0,2", "all"; the first of them is the one that a search
/// without it would use. Throws UsageError for what is no such list, for a GPU that is not there
/// (with those that are), and for one of another model than the first.
std::vector<int> ParseGpus(const std::string& text, const std::vector<kernels::GpuHere>& here);

/// The same, of those of a device. Throws UsageError when it is no GPU.
std::vector<int> ParseGpusOf(const std::string& text, const kernels::ir::Device& device);

}  // namespace exh::search
