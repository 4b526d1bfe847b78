// SPDX-License-Identifier: MIT
//
// A kernel that a user wrote, its file unchanged: what it is called with, and how a configuration
// of its parameters is launched. What becomes of one is compared with what the default
// configuration computes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/own/own_type.h"
#include "kernels/evaluation.h"

namespace exh::kernels {

/// A parameter of the kernel.
struct OwnArgument {
  enum class Role : std::uint8_t { kScalar, kIn, kOut, kInOut };
  std::string name;
  OwnType type = ir::Type::kF32;
  Role role = Role::kScalar;
  std::uint64_t elements = 0;  ///< Of an array.
  /// What an array that is read holds: the bytes of this file …
  std::string file = {};
  std::optional<double> number = {};  ///< … or this number everywhere; neither: drawn numbers.

  bool is_array() const { return role != Role::kScalar; }
  bool is_read() const { return role == Role::kIn || role == Role::kInOut; }
  bool is_written() const { return role == Role::kOut || role == Role::kInOut; }
};

/// How one configuration is launched. Nothing says that a GPU can.
struct OwnLaunch {
  std::array<std::int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  std::int64_t shared = 0;      ///< Bytes of dynamic shared memory.
  std::vector<double> scalars;  ///< Values of the scalars, in their order.
};

/// All of it.
struct OwnKernelTask {
  std::string path;  ///< Of its file, as messages call it.
  std::string text;
  std::string entry;                 ///< The name of the kernel.
  std::vector<std::string> options;  ///< Of the compiler.
  std::vector<OwnArgument> arguments;
  /// Variables of the file, `__constant__` or `__device__`, that hold this when the kernel begins.
  std::vector<OwnArgument> constants;
  double tolerance = 1e-4;  ///< Of floats, as a share: see docs/own.md.
  /// The default configuration: lines of the preprocessor, and its launch.
  std::string reference_defines;
  OwnLaunch reference;
};

/// Compiles configurations of such a kernel, and has a program that measures them: the one of a
/// device. That program is asked by lines of JSON as programs of users are (docs/own.md); a
/// question has the path of the machine code as "cubin" in addition, and an OwnLaunch as "launch".
class OwnKernelBench {
 public:
  virtual ~OwnKernelBench() = default;

  /// The kernel behind lines of the preprocessor. From several threads at once.
  virtual Compiled Compile(const std::string& defines) = 0;
  /// Starts the program, as a shell takes it.
  virtual std::string command() const = 0;
  /// Nobody measures this again.
  virtual void Discard(const Compiled& compiled) const = 0;
};

}  // namespace exh::kernels
