// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/task.h"

namespace exh::kernels {

/// What a printed source is compiled with, where it is measured; without those that make a shared
/// object.
std::vector<std::string> CpuKernelFlags();

/// C++ of one file around an implementation, for people to read and take elsewhere. It needs
/// nothing but g++ with OpenMP. In this order:
///   `about` as a comment, and how to build the file;
///   the kernel, in the text of `source`, which EmitSource() printed;
///   <kernel>_run(), which checks its arguments and runs it.
std::string StandaloneCpu(const Task& task, const Source& source, const std::string& about);

/// The header of such a file, for C and C++.
std::string StandaloneCpuHeader(const Task& task, const Source& source, const std::string& about);

}  // namespace exh::kernels
