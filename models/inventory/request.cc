// SPDX-License-Identifier: MIT
#include "models/inventory/request.h"

#include <algorithm>
#include <cmath>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

constexpr double kLargestPiece = 128;  ///< Elements, of a line: steps beyond it never share one.

bool Divides(double a, double b) {
  return std::fmod(b, a) == 0;
}

/// Of `span` consecutive positions of an axis, how many can differ in nothing but the levels of
/// `together`? `is_aligned`: they begin at a multiple of `span`.
double TogetherOf(const std::vector<ir::DimId>& dims, const Domains& domains, double span,
                  DimKindDomain together, bool is_aligned) {
  // Of each run of `length` positions, as far as the levels looked at so far go, `count` are
  // together.
  double length = 1, count = 1;
  for (const ir::DimId id : dims) {
    const DimDomain& dim = domains.dims[id.index()];
    if (dim.min != dim.max) return span;
    const double size = dim.max, longer = length * size;
    const bool is_together = dim.may_be(together);
    if (longer >= span) {
      if (!is_together) {
        return std::min(span, is_aligned && Divides(span, longer) ? count : 2 * count);
      }
      const bool fits = is_aligned && Divides(length, span);
      const double runs = fits ? span / length : std::ceil((span - 1) / length) + 1;
      return std::min(span, count * std::min(size, runs));
    }
    length = longer;
    if (is_together) count *= size;
  }
  return count;
}

}  // namespace

Request::Request(const ir::Function& function, const ir::Instruction& inst) : inst_(inst.id) {
  for (const ir::AccessAxis& access : inst.access) {
    const double stride = std::abs(static_cast<double>(access.stride));
    if (stride == 0) continue;
    strides_.push_back(stride);
    if (stride >= kLargestPiece) continue;
    Axis axis{stride, function.logical(access.logical).dims};
    std::reverse(axis.dims.begin(), axis.dims.end());
    axes_.push_back(std::move(axis));
  }
}

double Request::Together(const Domains& domains, double elements) const {
  DimKindDomain together = DimKind::THREAD | DimKind::VECTOR | DimKind::TENSOR;
  if (domains.insts[inst_.index()].max_width > 1) together |= DimKind::UNROLL;
  double all = 1;
  for (const Axis& axis : axes_) {
    if (axis.stride >= elements) continue;
    // Where a step of another axis does not lead to the begin of a piece, nor a step of this one
    // through it, pieces begin anywhere.
    bool is_aligned = Divides(axis.stride, elements);
    for (const double stride : strides_) {
      is_aligned &= stride == axis.stride || Divides(elements, stride);
    }
    const double span = std::ceil(elements / axis.stride);
    all *= TogetherOf(axis.dims, domains, span, together, is_aligned);
  }
  return std::min(all, elements);
}

}  // namespace exh::models
