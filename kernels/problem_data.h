// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/elements.h"
#include "kernels/named_map.h"

namespace exh::kernels {

using ir::Elements;

/// One array of a problem.
struct ArrayData {
  Elements values;  ///< Inputs: the data. Outputs: empty.
  /// Outputs: the exact result, rounded to the type of the array unless that is f32 …
  std::vector<double> reference;
  /// … of an i64, which a double has no place for, exactly; else empty …
  std::vector<std::int64_t> whole;
  /// … and the largest difference per element that is correct (kernels/cpu/compare.h says how NaN,
  /// infinities and zeros compare).
  std::vector<double> tolerance;
  /// Outputs: the largest root mean square, over all elements, of difference / tolerance that is
  /// correct (tolerance.h). 1: nothing beyond what each element must satisfy.
  double rms_limit = 1;
  /// Outputs: on the way to any element no sum of absolute values of terms is larger; 0: not known.
  /// Whole numbers below 2^24 are added without rounding, and a result that is known to be exact is
  /// tolerated no error. Where this is 0, tolerances that are SumTolerance() say it, too.
  double largest_sum = 0;
  /// Outputs: is it known of each element what must come of it? Not where roundings decide whether
  /// it is a number.
  bool is_known = true;
};
struct ArrayText {
  static constexpr const char* kWhat = "array";
};
/// By array name.
struct ProblemData : NamedMap<ArrayText, ArrayData> {
  using NamedMap::NamedMap;

  /// Of the backbone, in its order; empty: those that it says.
  std::vector<ir::Number> scalars = {};
  /// Is the reference one with `scalars`? Kernels that say theirs in C++ may know one value alone.
  bool has_scalars = false;
};

}  // namespace exh::kernels
