// SPDX-License-Identifier: MIT
//
// The parts of a stand-alone program, for standalone_cuda.cc, and what they share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/task.h"

namespace exh::kernels::standalone {

/// Names of what the kernel takes, as identifiers that clash with nothing in the program.
struct Names {
  explicit Names(const ir::Function& function);
  std::string kernel;                ///< "matmul": before "_launch" and "_kernel".
  std::vector<std::string> arrays;   ///< By number.
  std::vector<std::string> scalars;  ///< Likewise.
};

/// `text` with every $NAME$ replaced.
std::string Fill(std::string text, const std::map<std::string, std::string>& values);

/// `before` + "a, b, c" + `after`, broken into lines of 100 columns where it is longer; those are
/// indented by four more than the first.
std::string Listed(const std::string& before, const std::vector<std::string>& items,
                   const std::string& after);

inline bool IsOutput(const ir::Array& array) {
  return array.role == ir::ArrayRole::kOutput;
}

/// What a kernel of the printed source is called in the program: "matmul_fill" for "exh_fill".
std::string KernelName(const Names& names, const SideLaunch& launch);

/// A line of comment that begins a part.
std::string Heading(const std::string& title);

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
