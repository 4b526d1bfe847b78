// SPDX-License-Identifier: MIT
//
// What is known of a kernel at given sizes and options: functions of resolve.h that only ask.
#include <algorithm>

#include "kernels/notation/resolve.h"
#include "kernels/notation/words.h"

namespace exh::kernels::notation {

ir::Type TypeOf(const Name& type, const ResolvedKernel& resolution, ir::Type otherwise) {
  const auto open = resolution.open_types.find(type.text);
  return open != resolution.open_types.end() ? open->second : TypeOfName(type, otherwise);
}

bool IsOfSizes(const Expr& expr, const ResolvedKernel& resolution) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return expr.integer.has_value();
    case Expr::Kind::kName:
      return resolution.sizes.count(expr.text) != 0 && resolution.reads.count(&expr) == 0 &&
             resolution.numbers.count(&expr) == 0;
    case Expr::Kind::kCall:
      return std::ranges::all_of(expr.args,
                                 [&](const Expr& arg) { return IsOfSizes(arg, resolution); });
    default:
      return false;
  }
}

std::int64_t DefaultOf(const SizeDecl& size) {
  constexpr std::int64_t kUsual = 512;
  if (size.default_value) return *size.default_value;
  return std::clamp(kUsual, size.min.value_or(1),
                    std::max(size.min.value_or(1), size.max.value_or(kUsual)));
}

}  // namespace exh::kernels::notation
