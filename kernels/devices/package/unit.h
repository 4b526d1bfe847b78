// SPDX-License-Identifier: MIT
//
// Unit: one implementation of a tuned library, as plain data. It says what a caller must know, and
// holds a file of its own with one function. Libraries are written from units alone, so that one
// can be written again when runs and kernels are gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/task.h"

namespace exh::kernels::package {

struct UnitArray {
  std::string name, type;  ///< The type as in kernels: "f32".
  bool is_output = false;
  std::uint64_t elements = 0;
  std::uint32_t alignment = 1;  ///< Bytes.
  bool has_shape = false;       ///< Kernels that are C++ know elements alone.
  std::vector<std::int64_t> extents, strides;
};

struct UnitScalar {
  std::string name, type;
  kernels::ir::Number value = 1.0;  ///< Where nobody says another one.
};

/// A size or an option that says what is computed.
struct UnitSize {
  std::string name;
  std::int64_t value = 0;
  std::int64_t default_value = 0;
  bool is_option = false;
  std::vector<std::string> words = {};  ///< Of an option whose values have names: 0, 1, ….
};

struct Unit {
  std::string kernel;   ///< An identifier: "matmul".
  std::string summary;  ///< "C = A * B".
  std::string meaning;  ///< Hash of the kernel's text: units with one name must agree in it.
  std::vector<UnitSize> sizes;
  std::string language;              ///< Of the backend.
  std::string device, architecture;  ///< "NVIDIA H200", "sm_90".
  std::vector<UnitArray> arrays;
  std::vector<UnitScalar> scalars;
  std::uint64_t workspace_bytes = 0;  ///< Of a run, in the device's memory.
  std::uint64_t zero_bytes = 0;       ///< Of these so many are 0 before the first run.
  bool one_at_a_time = false;         ///< Its runs share memory of their own.
  std::uint32_t threads = 1;          ///< Host threads that it was measured with.
  std::vector<std::string> flags;     ///< Of the compiler.
  std::string symbol;                 ///< The function: "exh_matmul_0123456789ab".
  std::string text;                   ///< The file.
};

/// All but device, architecture, symbol, text, and what a kind of device has by itself. `name`:
/// what the kernel is called in the library; empty: as it is called.
Unit UnitOf(const Task& task, const std::string& name);

/// Sets the symbol: other sizes, devices and texts have others. `source`: what is printed.
void NameUnit(const std::string& source, Unit& unit);

}  // namespace exh::kernels::package
