// SPDX-License-Identifier: MIT
#include "kernels/notation/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/ir/tiling.h"
#include "kernels/ir/types.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;

constexpr std::int64_t kMostAlignment = 256;

class Shaper {
 public:
  Shaper(const ArrayDecl& decl, ir::Type type, Numbers& numbers, dsl::DiagnosticSink& sink)
      : decl_(decl), type_(type), numbers_(numbers), sink_(sink) {}

  std::optional<ArrayShape> Run() {
    const ArrayDecl& decl = decl_;
    ArrayShape shape;
    shape.decl = &decl;
    shape.type = type_;
    for (const Expr& extent : decl.extents) {
      const auto value = numbers_.Value(extent);
      if (!value) return std::nullopt;
      if (*value < 1 || *value > ir::kLargestExtent) {
        sink_.Report(*value < 1 ? Diag::kBadExtent : Diag::kTooLarge, extent.range,
                     fmt::format("this extent of '{}' is {} at these sizes; it must be 1 to {}",
                                 decl.name.text, *value, ir::kLargestExtentText));
        return std::nullopt;
      }
      shape.extents.push_back(*value);
    }
    if (!decl.strides.empty() && decl.strides.size() != decl.extents.size()) {
      sink_.Report(Diag::kBadStride, decl.strides.front().range,
                   fmt::format("'{}' has {} extent{} and {} stride{}", decl.name.text,
                               decl.extents.size(), decl.extents.size() == 1 ? "" : "s",
                               decl.strides.size(), decl.strides.size() == 1 ? "" : "s"));
      return std::nullopt;
    }
    __int128 product = 1;
    shape.strides.assign(shape.extents.size(), 1);
    for (std::size_t i = shape.extents.size(); i-- > 0;) {
      if (decl.strides.empty()) {
        shape.strides[i] = static_cast<std::int64_t>(product);
      } else {
        const auto value = numbers_.Value(decl.strides[i]);
        if (!value) return std::nullopt;
        if (*value < 0) {
          sink_.Report(Diag::kBadStride, decl.strides[i].range,
                       fmt::format("this stride is {}; it must not be negative", *value));
          return std::nullopt;
        }
        shape.strides[i] = *value;
      }
      product *= shape.extents[i];
      if (product > std::numeric_limits<std::int64_t>::max()) {
        TooLarge(decl);
        return std::nullopt;
      }
    }
    __int128 last = 0, longest = 1;
    for (std::size_t i = 0; i < shape.extents.size(); ++i) {
      const __int128 stride = shape.strides[i];
      last += stride * (shape.extents[i] - 1);
      longest = std::max(longest, stride * shape.extents[i]);
    }
    const __int128 elements = std::max(last + 1, longest);
    if (elements > std::numeric_limits<std::int64_t>::max() / 8) {
      TooLarge(decl);
      return std::nullopt;
    }
    shape.elements = static_cast<std::int64_t>(elements);
    if (decl.aligned && !ReadAlignment(shape)) return std::nullopt;
    if (decl.outside && !ReadOutside(*decl.outside, shape)) return std::nullopt;
    if (decl.is_output && !decl.strides.empty() && !CheckCovered(shape)) {
      return std::nullopt;
    }
    return shape;
  }

 private:
  bool ReadAlignment(ArrayShape& shape) {
    const auto value = numbers_.Value(*decl_.aligned);
    if (!value) return false;
    const std::int64_t least = ir::BytesOf(type_);
    if (*value < least || *value > kMostAlignment ||
        !std::has_single_bit(static_cast<std::uint64_t>(*value))) {
      sink_.Report(
          Diag::kBadAlignment, decl_.aligned->range,
          fmt::format("'{}' cannot be aligned to {} bytes: that is a power of two from {}, "
                      "the bytes of an element, to {}",
                      decl_.name.text, *value, least, kMostAlignment));
      return false;
    }
    shape.alignment = static_cast<std::uint32_t>(*value);
    return true;
  }

  /// A number, or a choice of numbers by options. Whether the array's type has it is said with
  /// other literals.
  bool ReadOutside(const Expr& expr, ArrayShape& shape) {
    if (expr.kind == Expr::Kind::kName && expr.text == "never") return true;
    if (expr.kind == Expr::Kind::kCall && expr.text == "?") {
      const auto condition = numbers_.Value(expr.args[0]);
      return condition && ReadOutside(expr.args[*condition != 0 ? 1 : 2], shape);
    }
    shape.outside = OutsideOf(expr);
    if (!shape.outside) {
      sink_.Report(
          Diag::kUnknownOutside, expr.range,
          "outside is 'zero', 'never', a number like -1.5 or -inf, or a choice of these by "
          "an option");
    } else if (decl_.is_output) {
      sink_.Report(Diag::kUnknownOutside, expr.range,
                   fmt::format("'{}' is an output, which nothing reads; what is outside matters of "
                               "inputs",
                               decl_.name.text));
    }
    return shape.outside && !decl_.is_output;
  }
  static std::optional<ir::Number> OutsideOf(const Expr& expr) {
    if (expr.kind == Expr::Kind::kNumber) return NumberOf(expr);
    if (expr.kind == Expr::Kind::kName && expr.text == "zero") return 0;
    if (expr.kind != Expr::Kind::kCall || expr.text != "neg") return std::nullopt;
    const auto value = OutsideOf(expr.args[0]);
    return value ? std::optional(FoldedLiteral(ir::Op::kNeg, {*value})) : std::nullopt;
  }

  /// The index of an output takes every value once if and only if the axes, sorted by stride, are
  /// the digits of a mixed radix number.
  bool CheckCovered(const ArrayShape& shape) {
    std::vector<std::pair<std::int64_t, std::int64_t>> digits;  // Stride and extent.
    for (std::size_t i = 0; i < shape.extents.size(); ++i) {
      if (shape.extents[i] > 1) digits.emplace_back(shape.strides[i], shape.extents[i]);
    }
    std::ranges::sort(digits);
    std::int64_t points = 1;
    bool overlaps = false;
    for (const auto& [stride, extent] : digits) {
      overlaps = overlaps || stride < points;
      if (!overlaps) points *= extent;
    }
    if (!overlaps && points == shape.elements) return true;
    sink_.Report(Diag::kNotCovered, shape.decl->strides.front().range,
                 overlaps
                     ? fmt::format("two elements of output '{}' would lie in one place at these "
                                   "sizes",
                                   shape.decl->name.text)
                     : fmt::format("output '{}' would have gaps at these sizes: {} elements in {} "
                                   "places",
                                   shape.decl->name.text, points, shape.elements));
    return false;
  }

  void TooLarge(const ArrayDecl& decl) {
    sink_.Report(Diag::kTooLarge, decl.name.range,
                 fmt::format("'{}' has more than 2^60 elements at these sizes", decl.name.text));
  }

  const ArrayDecl& decl_;
  const ir::Type type_;
  Numbers& numbers_;
  dsl::DiagnosticSink& sink_;
};

}  // namespace

std::optional<ArrayShape> ShapeOf(const ArrayDecl& decl, ir::Type type, Numbers& numbers,
                                  dsl::DiagnosticSink& sink) {
  return Shaper(decl, type, numbers, sink).Run();
}

}  // namespace exh::kernels::notation
