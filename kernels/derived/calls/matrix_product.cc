// SPDX-License-Identifier: MIT
#include "kernels/derived/calls/matrix_product.h"

#include <algorithm>

namespace exh::kernels::derived {
namespace {

struct Kinds {
  std::vector<int> batch, rows, columns, summed;
};

std::optional<Kinds> KindsOf(const std::vector<int>& axes, const std::vector<int>& reduced,
                             const StridedAccess& a, const StridedAccess& b) {
  Kinds kinds;
  for (const int axis : axes) {
    const bool in_a = a.Has(axis), in_b = b.Has(axis);
    if (!in_a && !in_b) return std::nullopt;
    (in_a && in_b ? kinds.batch : in_a ? kinds.rows : kinds.columns).push_back(axis);
  }
  for (const int axis : reduced) {
    if (!a.Has(axis) || !b.Has(axis)) return std::nullopt;
    kinds.summed.push_back(axis);
  }
  return kinds;
}

/// The axis that moves farthest in c goes to the batch: there, only one factor moves with it.
void MoveOutermost(const StridedAccess& c, std::vector<int>& from, std::vector<int>& batch) {
  const auto outermost =
      std::ranges::max_element(from, {}, [&](int axis) { return c.StrideOf(axis); });
  batch.push_back(*outermost);
  from.erase(outermost);
}

struct Folded {
  FoldedAxes batch, rows, columns, summed;
};

std::optional<Folded> FoldAll(const Expression& e, Kinds kinds, const StridedAccess& a,
                              const StridedAccess& b, const StridedAccess& c) {
  auto rows = Fold(e, kinds.rows, {&a, &c});
  if (!rows && kinds.batch.empty()) {
    MoveOutermost(c, kinds.rows, kinds.batch);
    rows = Fold(e, kinds.rows, {&a, &c});
  }
  auto columns = Fold(e, kinds.columns, {&b, &c});
  if (!columns && kinds.batch.empty()) {
    MoveOutermost(c, kinds.columns, kinds.batch);
    columns = Fold(e, kinds.columns, {&b, &c});
  }
  auto batch = Fold(e, kinds.batch, {&a, &b, &c}), summed = Fold(e, kinds.summed, {&a, &b});
  if (!rows || !columns || !batch || !summed) return std::nullopt;
  return Folded{*batch, *rows, *columns, *summed};
}

MatrixProduct Assemble(const Kinds& kinds, const Folded& f, const StridedAccess& a,
                       const StridedAccess& b, const StridedAccess& c) {
  MatrixProduct p;
  p.m = f.rows.total;
  p.n = f.columns.total;
  p.k = f.summed.total;
  p.batch = f.batch.total;
  p.is_vector = kinds.columns.empty();
  p.a = {a.array, f.rows.strides[0], f.summed.strides[0], f.batch.strides[0]};
  p.b = {b.array, f.summed.strides[1], f.columns.strides[0], f.batch.strides[1]};
  p.c = {c.array, f.rows.strides[1], f.columns.strides[1], f.batch.strides[2]};
  // Of a kind without axes there is one; any step will do, and these are those of full matrices.
  if (kinds.summed.empty()) {
    p.a.column = kinds.rows.empty() ? 1 : p.a.row;
    p.b.row = kinds.columns.empty() ? 1 : p.b.column * p.n;
  }
  if (kinds.rows.empty()) {
    p.a.row = p.a.column * p.k;
    p.c.row = kinds.columns.empty() ? 1 : p.c.column * p.n;
  }
  if (kinds.columns.empty()) {
    p.b.column = p.b.row;
    p.c.column = p.c.row;
  }
  return p;
}

std::optional<MatrixProduct> InThisOrder(const Expression& e, const std::vector<int>& axes,
                                         const std::vector<int>& reduced, const StridedAccess& a,
                                         const StridedAccess& b, const StridedAccess& c) {
  const std::optional<Kinds> kinds = KindsOf(axes, reduced, a, b);
  if (!kinds || c.strides.size() != axes.size()) return std::nullopt;
  // Without a sum, only the product of a column and a row is one.
  const bool is_outer = kinds->batch.empty() && !kinds->rows.empty() && !kinds->columns.empty();
  if (kinds->summed.empty() && !is_outer) return std::nullopt;
  const std::optional<Folded> folded = FoldAll(e, *kinds, a, b, c);
  if (!folded) return std::nullopt;
  return Assemble(*kinds, *folded, a, b, c);
}

}  // namespace

bool StridedAccess::Has(int axis) const {
  return std::ranges::any_of(strides, [&](const auto& s) { return s.first == axis; });
}

StridedAccess AccessOf(const Expression::Node& node) {
  return {node, static_cast<int>(node.array.index())};
}

bool LiesAs(const Expression& expression, const Expression::Node& load,
            const Expression::Node& store) {
  return std::ranges::all_of(store.axes, [&](int axis) {
    return expression.axis(axis).total == 1 || load.StrideOf(axis) == store.StrideOf(axis);
  });
}

StridedAccess RowMajor(const Expression& expression, const std::vector<int>& axes, int array) {
  StridedAccess access{{}, array};
  std::int64_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    access.strides.insert(access.strides.begin(), {*axis, stride});
    stride *= expression.axis(*axis).total;
  }
  return access;
}

std::optional<DenseMatrix> DenseMatrixOf(const MatrixPlace& place, std::int64_t rows,
                                         std::int64_t columns) {
  if (place.column > 0 && place.row == columns * place.column)
    return DenseMatrix{false, place.column};
  if (place.row > 0 && place.column == rows * place.row) return DenseMatrix{true, place.row};
  // No step is made over a single row, or column.
  if (rows == 1 && place.column > 0) return DenseMatrix{false, place.column};
  if (columns == 1 && place.row > 0) return DenseMatrix{false, place.row};
  return std::nullopt;
}

std::optional<FoldedAxes> Fold(const Expression& expression, std::vector<int> axes,
                               const std::vector<const StridedAccess*>& values) {
  FoldedAxes folded{1, std::vector<std::int64_t>(values.size(), 0)};
  const auto total = [&](int axis) { return std::int64_t{expression.axis(axis).total}; };
  if (axes.size() > 1) {
    std::erase_if(axes, [&](int axis) { return total(axis) == 1 && axis != axes.front(); });
    if (axes.size() > 1 && total(axes.front()) == 1) axes.erase(axes.begin());
  }
  if (axes.empty()) return folded;
  std::ranges::stable_sort(axes, std::ranges::greater{},
                           [&](int axis) { return values.back()->StrideOf(axis); });
  for (std::size_t value = 0; value < values.size(); ++value) {
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      const std::int64_t outer = values[value]->StrideOf(axes[i]);
      if (outer != values[value]->StrideOf(axes[i + 1]) * total(axes[i + 1])) return std::nullopt;
    }
    folded.strides[value] = values[value]->StrideOf(axes.back());
  }
  for (const int axis : axes) folded.total *= total(axis);
  return folded;
}

std::optional<MatrixProduct> MatrixProductOf(const Expression& expression,
                                             const std::vector<int>& axes,
                                             const std::vector<int>& reduced,
                                             const StridedAccess& a, const StridedAccess& b,
                                             const StridedAccess& c) {
  const auto straight = InThisOrder(expression, axes, reduced, a, b, c);
  if (straight && straight->is_vector) return straight;
  const auto swapped = InThisOrder(expression, axes, reduced, b, a, c);
  if (swapped && swapped->is_vector) return swapped;
  const auto is_row_major = [](const std::optional<MatrixProduct>& p) {
    return p && p->c.column == 1 && p->c.row == p->n;
  };
  return is_row_major(swapped) && !is_row_major(straight) ? swapped : straight;
}

}  // namespace exh::kernels::derived
