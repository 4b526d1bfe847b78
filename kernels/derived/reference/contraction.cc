// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/contraction.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace exh::kernels::derived {
namespace {

using Array = Eigen::Map<Eigen::ArrayXd>;

/// The largest sum of squares along the depth; what is not finite is left out.
double LargestSquares(const Factor& factor, std::int64_t depth) {
  std::vector<double> squares(At(factor.side), 0.0);
  for (std::int64_t i = 0; i < factor.side * depth; ++i) {
    const double value = factor.values[At(i)];
    squares[At(factor.depth_is_last ? i / depth : i % factor.side)] += value * value;
  }
  double largest = 0;
  for (const double one : squares) {
    if (std::isfinite(one)) largest = std::max(largest, one);
  }
  return largest;
}

/// Eigen's sums begin with 0: those of nothing but -0 should be -0.
void KeepNegativeZeros(const MatrixView& a, const MatrixView& b, double* values) {
  for (Eigen::Index i = 0; i < a.rows * b.columns; ++i) {
    if (values[i] != 0) continue;
    const Eigen::Index row = i / b.columns, column = i % b.columns;
    bool is_negative = true;
    for (Eigen::Index k = 0; k < a.columns && is_negative; ++k) {
      const double term = a.data[a.by_rows ? row * a.columns + k : k * a.rows + row] *
                          b.data[b.by_rows ? k * b.columns + column : column * b.rows + k];
      is_negative = term == 0 && std::signbit(term);
    }
    if (is_negative) values[i] = -0.0;
  }
}

/// Of a factor the element at `i` of its side and `k` of the depth.
std::size_t PlaceOf(const Factor& factor, std::int64_t depth, std::int64_t i, std::int64_t k) {
  return At(factor.depth_is_last ? i * depth + k : k * factor.side + i);
}

/// Calls `open(i, j)` where some element of `other` at (j, k) is not finite, and that of `factor`
/// at (i, k) errs around 0: what their product is, is open.
template <typename Open>
void ForOpenProducts(const Factor& factor, const Factor& other, std::int64_t depth,
                     const Open& open) {
  if (factor.errors == nullptr) return;
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t j = 0; j < other.side; ++j) {
      if (std::isfinite(other.values[PlaceOf(other, depth, j, k)])) continue;
      for (std::int64_t i = 0; i < factor.side; ++i) {
        const std::size_t at = PlaceOf(factor, depth, i, k);
        if (ErrsAroundZero(factor.values[at], factor.errors[at])) open(i, j);
      }
    }
  }
}

}  // namespace

std::optional<Contraction> ContractionOf(const Expression& expression,
                                         const Expression::Node& node) {
  constexpr std::uint64_t kSmall = 4;
  if (!node.is_reduction() || !Reduction(node.op, node.computes).of_products) return {};
  if (node.inputs[0].is_number() || node.inputs[1].is_number()) return {};
  const Axes& left = expression.node(node.inputs[0].node).axes;
  const Axes& right = expression.node(node.inputs[1].node).axes;
  Contraction plan;
  plan.depth = node.reduced;
  for (const int axis : node.reduced) {
    if (!Contains(left, axis) || !Contains(right, axis)) return {};
  }
  for (const int axis : node.axes) {
    const bool in_left = Contains(left, axis), in_right = Contains(right, axis);
    if (!in_left && !in_right) return {};
    (in_left && in_right ? plan.batch : in_left ? plan.rows : plan.columns).push_back(axis);
  }
  if (expression.AccumulatesRunning(node)) return {};
  const std::uint64_t least =
      std::min({expression.Points(plan.rows), expression.Points(plan.columns),
                expression.Points(plan.depth)});
  if (least < kSmall) return {};
  // Its readers mostly go along the last axis.
  if (Contains(plan.rows, node.axes.back())) {
    std::swap(plan.left, plan.right);
    std::swap(plan.rows, plan.columns);
  }
  return plan;
}

bool Products::Compute(Factor& left, Factor& right) {
  std::vector<std::int64_t> open;
  if (errors != nullptr) {
    ForOpenProducts(left, right, depth, [&](std::int64_t row, std::int64_t column) {
      open.push_back(row * right.side + column);
    });
    ForOpenProducts(right, left, depth, [&](std::int64_t column, std::int64_t row) {
      open.push_back(row * right.side + column);
    });
  }
  if (!ComputeSums(left, right)) return false;
  for (const std::int64_t element : open) errors[element] = HUGE_VAL;
  return true;
}

bool Products::ComputeSums(Factor& left, Factor& right) {
  const auto of_left = [&](const Doubles& data) -> MatrixView {
    return {data.get(), left.side, depth, left.depth_is_last};
  };
  const auto of_right = [&](const Doubles& data) -> MatrixView {
    return {data.get(), depth, right.side, !right.depth_is_last};
  };
  if (!product(of_left(left.values), of_right(right.values), values)) return false;
  if (keeps_negative_zeros) {
    KeepNegativeZeros(of_left(left.values), of_right(right.values), values);
  }
  const bool left_errs = left.errors != nullptr, right_errs = right.errors != nullptr;
  if (left_errs || right_errs || squares != terms + 1) {  // Cauchy and Schwarz.
    const double sum = std::sqrt(LargestSquares(left, depth) * LargestSquares(right, depth));
    if (std::isfinite(sum)) largest = std::max(largest, sum);
  }
  if (errors == nullptr) return true;
  const auto array = [&](const Factor& factor, const Doubles& data) {
    return Array(data.get(), factor.side * depth);
  };
  Array left_values = array(left, left.values), right_values = array(right, right.values);
  left_values = left_values.square();
  right_values = right_values.square();
  if (!left_errs && !right_errs) {
    left_values *= squares;
    return product(of_left(left.values), of_right(right.values), errors);
  }
  if (!left_errs) {
    array(right, right.errors) += squares * right_values;
    return product(of_left(left.values), of_right(right.errors), errors);
  }
  array(left, left.errors) += squares * left_values;
  if (!product(of_left(left.errors), of_right(right.values), errors)) return false;
  if (!right_errs) return true;
  const std::int64_t elements = left.side * right.side;
  const Doubles more = Uninitialized(elements);
  if (!product(of_left(left.values), of_right(right.errors), more.get())) return false;
  Array(errors, elements) += Array(more.get(), elements);
  return true;
}

bool ToSlots(const Reduction& reduction, double largest, std::int64_t count, NodeTensor& tensor) {
  constexpr double kExact = 0x1p53;
  if (reduction.is_whole && !(largest < kExact)) return false;
  // Below, something of a square of a double is missing.
  constexpr double kLeastSquare = 0x1p-900;
  for (std::int64_t i = 0; i < count; ++i) {
    double& value = tensor.values[At(i)];
    if (reduction.is_whole) {
      value = SlotOfWhole(reduction.type, static_cast<std::int64_t>(value));
    } else if (HasRoots(reduction.type) && tensor.errors) {
      double& error = tensor.errors[At(i)];
      const bool has_square = error >= kLeastSquare ? std::isfinite(error) : value == 0;
      if (std::isfinite(value) && !has_square) return false;
      error = std::sqrt(error);
    }
  }
  return true;
}

}  // namespace exh::kernels::derived
