// SPDX-License-Identifier: MIT
//
// Affine: an offset and strides along variables, such as the element that a load reads at a point.
// Flat, for those who make many of them or look at many points; where something is divided, or
// ranges matter for what it is, an Index says it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace exh::kernels::ir {

/// offset + sum of stride * variable.
template <typename Variable>
struct Affine {
  using Strides = std::vector<std::pair<Variable, std::int64_t>>;

  std::int64_t offset = 0;
  Strides strides;  ///< No variable twice.

  /// Adds a variable, times `stride`. What has no stride any more is gone.
  void Add(const Variable& variable, std::int64_t stride) {
    if (stride == 0) return;
    const auto found = std::ranges::find(strides, variable, &Strides::value_type::first);
    if (found == strides.end()) {
      strides.emplace_back(variable, stride);
    } else if ((found->second += stride) == 0) {
      strides.erase(found);
    }
  }
  /// 0: it does not have the variable.
  std::int64_t StrideOf(const Variable& variable) const {
    for (const auto& [of, stride] : strides) {
      if (of == variable) return stride;
    }
    return 0;
  }
  /// Where `value_of` says the value of each variable.
  template <typename ValueOf>
  std::int64_t At(const ValueOf& value_of) const {
    std::int64_t sum = offset;
    for (const auto& [variable, stride] : strides) sum += stride * value_of(variable);
    return sum;
  }
  /// The least and the largest value, where `range_of` says those of each variable.
  template <typename RangeOf>
  auto Range(const RangeOf& range_of) const {
    std::pair range(offset, offset);
    for (const auto& [variable, stride] : strides) {
      const auto [first, last] = range_of(variable);
      range.first += (stride < 0 ? last : first) * stride;
      range.second += (stride < 0 ? first : last) * stride;
    }
    return range;
  }
};

}  // namespace exh::kernels::ir
