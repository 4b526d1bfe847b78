// SPDX-License-Identifier: MIT
//
// A record of a run on a GPU as a CUDA program of one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace exh::search {

/// The program for a record of a run, or for its best
/// (kernels/devices/cuda/standalone/standalone_cuda.h). Its comment says where it comes from:
/// kernel, sizes and machine, times with their interval and those of the yardsticks, resources, and
/// the decisions as a decision file has them. Throws UsageError: no such run or record, one that
/// was not correct, or one of a device that is no GPU.
std::string ExportCuda(const std::string& run, std::optional<std::uint64_t> record);

}  // namespace exh::search
