// SPDX-License-Identifier: MIT
//
// A hundred computations as text: what users write. They are searched on no device here; tests draw
// random implementations of each, and hold them against the reference that follows from the text.
#pragma once

#include <span>
#include <string_view>

#include "kernels/library/kernel.h"

namespace exh::kernels::testing {

struct Computation {
  std::string_view name;  ///< Letters, digits and '_'.
  /// Statements (kernels/notation/compute.h), or a kernel; empty: the library's of that name.
  std::string_view text;
  /// Of statements and the library: "i=12,j=10". They divide into tiles, but not only.
  std::string_view sizes;
  std::string_view type = "f32";  ///< Of the arrays of statements.
  /// Of the library's, where the name is another: the kernel, and options, which stay as they are.
  std::string_view kernel = {}, options = {};
};

std::span<const Computation> Computations();

/// The kernel, which lives as long as the program.
const Kernel& KernelOf(const Computation& computation);

/// Its sizes, each so many times as large as in the list.
Parameters SizesOf(const Computation& computation, std::int64_t times);

}  // namespace exh::kernels::testing
