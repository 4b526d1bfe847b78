// SPDX-License-Identifier: MIT
//
// The parts of a stand-alone program, for standalone_cuda.cc, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/standalone/interface.h"
#include "kernels/devices/standalone/names.h"
#include "kernels/devices/standalone/text.h"
#include "kernels/ir/function.h"
#include "kernels/task.h"

namespace exh::kernels::standalone {

/// What a kernel of the printed source is called in the program: "matmul_fill" for "exh_fill".
std::string KernelName(const Names& names, const SideLaunch& launch);

/// The place of the printed source, $SOURCE$, where its kernels have names of the program's own. It
/// is to be filled last: nothing in the source is ours to replace.
std::string PlaceOfSource(const Launch& launch, const Names& names);

/// The lines at the top, of all that the kernels and the launcher need.
std::string Includes(const Launch& launch);

/// The function that makes the tensor maps of a launch; empty where it has none.
std::string MapsFunction(const Launch& launch, const Names& names);
/// Its call in the launcher, for the pointers there, between `status` and the launches: `maps` has
/// them then. Empty where there are none.
std::string MakeMaps(const Launch& launch, const Names& names);

/// The comment above <kernel>_launch(): what it returns, and what it is given.
std::string Contract(const Task& task, const Launch& launch, const Names& names);

/// The parameters of <kernel>_launch(), as C has them but for std::size_t.
std::vector<std::string> LauncherParameters(const Task& task, const Launch& launch,
                                            const Names& names);

/// <kernel>_workspace_bytes() and <kernel>_launch().
std::string Launcher(const Task& task, const Source& source, const Names& names);

/// The tools of `main` for arrays of these types; opens EXHAUST_NO_MAIN and a namespace without a
/// name, which SelfTest() closes. A type in the program is HostName().
std::string TestTools(const std::vector<ir::Array>& arrays);

/// What an element is to the processor: the name of C++, or one of TestTools() for halves, which
/// have the bits that the kernel has and are numbers where one is wanted.
std::string_view HostName(ir::Type type);

/// `main` and what it needs. NoSelfTest() is empty.
std::string SelfTest(const Task& task, const Source& source, const Names& names);

}  // namespace exh::kernels::standalone
