// SPDX-License-Identifier: MIT
#include "kernels/fused/element.h"

#include <algorithm>

namespace exh::kernels::fused {

using ir::Condition;
using ir::Index;
using ir::Relation;

Index ElementOf(const Access& access, const std::vector<std::int64_t>& shape,
                const std::vector<Index>& arguments) {
  Index element;
  std::int64_t pitch = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    element = element + access.rows[dimension].With(0, arguments) * pitch;
    pitch *= shape[dimension];
  }
  return element;
}

Condition GuardOf(const Access& access, const std::vector<std::int64_t>& shape,
                  const std::vector<Index>& arguments) {
  Condition guard;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    const Index index = access.rows[dimension].With(0, arguments);
    if (index.min() < 0) guard = guard && Condition(index, Relation::kAtLeast, 0);
    if (index.max() >= shape[dimension]) {
      guard = guard && Condition(index, Relation::kLess, shape[dimension]);
    }
  }
  return guard;
}

std::optional<std::int64_t> StrideAlong(const Index& element, const ir::IndexVariable& variable) {
  const std::int64_t stride = element.FactorOf(variable.number);
  const Index rest = element - Index(variable) * stride;
  return rest.Uses(variable.number) ? std::nullopt : std::optional(stride);
}

bool IsWide(const Index& element, const ir::IndexVariable& variable, int width) {
  const Index rest = element - Index(variable);
  return StrideAlong(element, variable) == 1 && rest.constant() % width == 0 &&
         std::ranges::all_of(rest.terms(),
                             [&](const Index::Term& term) { return term.factor % width == 0; });
}

}  // namespace exh::kernels::fused
