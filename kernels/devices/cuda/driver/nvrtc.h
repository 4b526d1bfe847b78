// SPDX-License-Identifier: MIT
//
// The run-time compiler of CUDA C++, as a table of functions that is filled when the program runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels::cuda {

// As in nvrtc.h.
using nvrtcResult = int;
using nvrtcProgram = struct NvrtcProgram*;

/// The functions of nvrtc_functions.inc.
struct NvrtcFunctions {
#define EXH_NVRTC_FUNCTION(name, ...) nvrtcResult (*name)(__VA_ARGS__) = nullptr;
#include "kernels/devices/cuda/driver/nvrtc_functions.inc"
#undef EXH_NVRTC_FUNCTION
};

/// What the assembler says of a kernel.
struct KernelResources {
  int registers = 0;     ///< Of a thread.
  int spill_bytes = 0;   ///< Stored to memory because registers did not suffice, of a thread.
  int shared_bytes = 0;  ///< Static, of a block.
  int local_bytes = 0;   ///< Stack of a thread: spills, and arrays that do not fit registers.
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

/// A compiled text, or what is wrong with it.
struct Cubin {
  std::string bytes;          ///< Empty when the text does not compile.
  std::string log;            ///< What compiler and assembler printed.
  KernelResources resources;  ///< Of exh_kernel, or of the first kernel if none has that name.
  /// Not empty: it failed, and not for what the text says (an unknown option, no memory).
  std::string trouble;
  bool ok() const { return !bytes.empty(); }
};

/// How much time a compilation may take.
enum class Optimization {
  kFull,   ///< What there is: for what is timed.
  kQuick,  ///< Less, where the compiler can: for a look at whether a kernel ends in time.
};

struct NvrtcOrProblem;

/// NVRTC, loaded. Copies share it. It may be called from one thread at a time: it locks anyway.
class Nvrtc {
 public:
  /// Where its library is looked for: by name, then in the folder of the toolkit.
  static std::vector<std::string> LibraryNames();
  /// Loads the first library of `names` that is there. Version 12 or later is needed.
  static NvrtcOrProblem Load(std::span<const std::string> names);

  /// "libnvrtc.so.13: version 13.0".
  const std::string& description() const { return description_; }
  /// Compiles CUDA C++ for one architecture, "sm_90", with what only this one has where the text
  /// needs it (architecture.h). A text that is wrong is a result like another.
  Cubin Compile(const std::string& source, const std::string& architecture,
                std::span<const std::string> options = {},
                Optimization optimization = Optimization::kFull) const;

 private:
  NvrtcFunctions functions_;
  std::string description_;
  bool has_cache_ = false;  ///< It keeps what it compiled, and knows the option that forbids it.
  bool can_be_quick_ = false;
};

/// NVRTC, or in one sentence why it cannot be used and what would help.
struct NvrtcOrProblem {
  std::optional<Nvrtc> nvrtc;
  std::string problem;
};

/// What the assembler's verbose log says of the kernel `entry` and the functions that it calls, or
/// of the first kernel in it if none has that name.
KernelResources ReadResources(std::string_view log, std::string_view entry = "exh_kernel");

}  // namespace exh::kernels::cuda
