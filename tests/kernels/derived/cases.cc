// SPDX-License-Identifier: MIT
#include "tests/kernels/derived/cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "kernels/derived/tolerance.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/ops.h"
#include "tests/kernels/oracle/kernels.h"

namespace exh::kernels::derived::testing {
namespace {

using ir::ArrayId, ir::AxisRef, ir::Builder, ir::InRegisters, ir::Literal, ir::MayStage, ir::Op;
using ir::Input, ir::ScalarArg, ir::Type, ir::Value;

Case OfKernel(std::unique_ptr<Kernel> kernel, const Parameters& given) {
  Case c;
  for (const Parameter& p : kernel->parameters()) c.sizes[p.name] = p.default_value;
  c.name = kernel->name();
  for (const auto& [name, value] : given) {
    c.sizes.at(name) = value;
    c.name += " " + name + "=" + std::to_string(value);
  }
  Builder builder(c.function);
  kernel->Build(builder, c.sizes);
  builder.Finish();
  c.kernel = std::move(kernel);
  return c;
}

/// sum over `reduce` of the product of two values, which begins with 0.
Value Product(Builder& b, const std::string& name, const std::vector<AxisRef>& axes,
              const std::vector<AxisRef>& reduce, Value left, Value right) {
  std::vector<AxisRef> kept;
  for (const AxisRef axis : axes) {
    const bool is_reduced =
        std::ranges::any_of(reduce, [&](const AxisRef other) { return other.index == axis.index; });
    if (!is_reduced) kept.push_back(axis);
  }
  const Value init = b.Compute(name + "_init", Op::kConst, kept, {Literal(0)});
  return b.Reduce(name, Op::kMad, axes, reduce, init, {MayStage(left), MayStage(right)});
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void RowMax(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 7), y = b.OutputArray("y", 5);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  const Value init = b.Compute("init", Op::kConst, {m}, {Literal(-kInfinity)});
  const Value max = b.Reduce("largest", Op::kMax, {m, n}, {n}, init, {MayStage(load)});
  b.Store("store", y, {{m, 1}}, InRegisters(max));
}

/// The largest of some products: it has errors, those of the one that is chosen at most.
void MaxOfProducts(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 7), w = b.InputArray("w", 7), y = b.OutputArray("y", 5);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load_x = b.Load("load_x", x, {{m, 7}, {n, 1}}),
              load_w = b.Load("load_w", w, {{n, 1}});
  const Value mul = b.Compute("mul", Op::kMul, {m, n}, {MayStage(load_x), MayStage(load_w)});
  const Value init = b.Compute("init", Op::kConst, {m}, {Literal(0)});
  const Value max = b.Reduce("largest", Op::kMax, {m, n}, {n}, init, {MayStage(mul)});
  b.Store("store", y, {{m, 1}}, InRegisters(max));
}

void Transposition(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 7), y = b.OutputArray("y", 5 * 7);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  b.Store("store", y, {{m, 1}, {n, 5}}, MayStage(load));
}

void OuterProduct(Builder& b) {
  const ArrayId x = b.InputArray("x", 5), y = b.InputArray("y", 7), c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load_x = b.Load("load_x", x, {{m, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
  const Value mul = b.Compute("mul", Op::kMul, {m, n}, {MayStage(load_y), MayStage(load_x)});
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(mul));
}

/// c = relu(2 * a * b + d)
void ProductPlusMatrix(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), bb = b.InputArray("b", 11 * 7);
  const ArrayId d = b.InputArray("d", 35), c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  const Value load_d = b.Load("load_d", d, {{m, 7}, {n, 1}});
  const Value ab = Product(b, "ab", {m, n, k}, {k}, load_a, load_b);
  const Value sum =
      b.Compute("sum", Op::kMad, {m, n}, {Literal(2), InRegisters(ab), MayStage(load_d)});
  const Value relu = b.Compute("relu", Op::kMax, {m, n}, {Literal(0), InRegisters(sum)});
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(relu));
}

/// c = a * b + bias, one for each column
void ProductPlusRow(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), bb = b.InputArray("b", 11 * 7);
  const ArrayId d = b.InputArray("bias", 7), c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  const Value load_d = b.Load("load_bias", d, {{n, 1}});
  const Value ab = Product(b, "ab", {m, n, k}, {k}, load_a, load_b);
  const Value sum = b.Compute("sum", Op::kAdd, {m, n}, {InRegisters(ab), MayStage(load_d)});
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(sum));
}

/// c[m, n] = sum over k and l of a[m, k, l] b[k, l, n]; b with its axes exchanged has none of the
/// strides of a matrix.
void TwoSums(Builder& b, bool exchanged) {
  const ArrayId a = b.InputArray("a", 5 * 3 * 4), bb = b.InputArray("b", 3 * 4 * 7);
  const ArrayId c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const AxisRef k = b.Axis("k", 3, {}), l = b.Axis("l", 4, {});
  const Value load_a = b.Load("load_a", a, {{m, 12}, {k, 4}, {l, 1}});
  const Value load_b =
      b.Load("load_b", bb, {{k, exchanged ? 7 : 28}, {l, exchanged ? 21 : 7}, {n, 1}});
  const Value ab = Product(b, "ab", {m, n, k, l}, {k, l}, load_a, load_b);
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(ab));
}

/// c is stored transposed: its rows are the columns of b.
void TransposedResult(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), bb = b.InputArray("b", 11 * 7);
  const ArrayId c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  b.Store("store", c, {{m, 1}, {n, 5}},
          InRegisters(Product(b, "ab", {m, n, k}, {k}, load_a, load_b)));
}

/// A row times a matrix.
void RowTimesMatrix(Builder& b) {
  const ArrayId x = b.InputArray("x", 11), a = b.InputArray("a", 11 * 7);
  const ArrayId y = b.OutputArray("y", 7);
  const AxisRef n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_x = b.Load("load_x", x, {{k, 1}}),
              load_a = b.Load("load_a", a, {{k, 7}, {n, 1}});
  b.Store("store", y, {{n, 1}}, InRegisters(Product(b, "sum", {n, k}, {k}, load_x, load_a)));
}

void DotProduct(Builder& b) {
  const ArrayId x = b.InputArray("x", 11), y = b.InputArray("y", 22), z = b.OutputArray("z", 1);
  const AxisRef k = b.Axis("k", 11, {});
  const Value load_x = b.Load("load_x", x, {{k, 1}}), load_y = b.Load("load_y", y, {{k, 2}});
  b.Store("store", z, {}, InRegisters(Product(b, "sum", {k}, {k}, load_x, load_y)));
}

/// e = relu(a * b) * c: the first product is a factor of the second, and is not less than 0.
void TwoLayers(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), bb = b.InputArray("b", 11 * 7);
  const ArrayId c = b.InputArray("c", 7 * 3), e = b.OutputArray("e", 15);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const AxisRef p = b.Axis("p", 3, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  const Value load_c = b.Load("load_c", c, {{n, 3}, {p, 1}});
  const Value ab = Product(b, "ab", {m, n, k}, {k}, load_a, load_b);
  const Value relu = b.Compute("relu", Op::kMax, {m, n}, {Literal(0), InRegisters(ab)});
  const Value result = Product(b, "abc", {m, p, n}, {n}, relu, load_c);
  b.Store("store", e, {{m, 3}, {p, 1}}, InRegisters(result));
}

/// z = x + y and w = -1.5 * (x * y): the outputs share their loops, and names are taken already.
void TwoOutputs(Builder& b) {
  const ArrayId x = b.InputArray("x", 9), y = b.InputArray("n", 9);
  const ArrayId z = b.OutputArray("z", 9), w = b.OutputArray("w", 9);
  b.Scalar("float", -1.5f);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
  const Value add = b.Compute("add", Op::kAdd, {n}, {MayStage(load_x), MayStage(load_y)});
  const Value mul = b.Compute("mul", Op::kMul, {n}, {MayStage(load_x), MayStage(load_y)});
  const Value scaled = b.Compute("scaled", Op::kMul, {n}, {ScalarArg("float"), InRegisters(mul)});
  b.Store("store_z", z, {{n, 1}}, InRegisters(add));
  b.Store("store_w", w, {{n, 1}}, InRegisters(scaled));
}

/// The sums of rows and of columns of a product: all of it is kept.
void SumsOfRowsAndColumns(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), bb = b.InputArray("b", 11 * 7);
  const ArrayId rows = b.OutputArray("rows", 5), columns = b.OutputArray("columns", 7);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  const Value ab = Product(b, "ab", {m, n, k}, {k}, load_a, load_b);
  const Value zero_m = b.Compute("zero_m", Op::kConst, {m}, {Literal(0)});
  const Value zero_n = b.Compute("zero_n", Op::kConst, {n}, {Literal(0)});
  const Value over_n = b.Reduce("over_n", Op::kAdd, {m, n}, {n}, zero_m, {MayStage(ab)});
  const Value over_m = b.Reduce("over_m", Op::kAdd, {n, m}, {m}, zero_n, {MayStage(ab)});
  b.Store("store_rows", rows, {{m, 1}}, InRegisters(over_n));
  b.Store("store_columns", columns, {{n, 1}}, InRegisters(over_m));
}

/// y[m, n] = x - mean of the row, times the sum of the squares of that, and 0.5: sums of two levels
/// at one place, and an elementwise value that is read twice.
void Centered(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 7), y = b.OutputArray("y", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  const Value half = b.Compute("half", Op::kConst, {m}, {Literal(0.5f)});
  const Value sum = b.Reduce("sum", Op::kAdd, {m, n}, {n}, half, {MayStage(load)});
  const Value mean = b.Compute("mean", Op::kMul, {m}, {Literal(-1.0f / 7), InRegisters(sum)});
  const Value centered = b.Compute("centered", Op::kAdd, {m, n}, {MayStage(load), MayStage(mean)});
  const Value zero = b.Compute("zero", Op::kConst, {m}, {Literal(0)});
  const Value squares =
      b.Reduce("squares", Op::kMad, {m, n}, {n}, zero, {MayStage(centered), MayStage(centered)});
  const Value result =
      b.Compute("result", Op::kMul, {m, n}, {MayStage(centered), MayStage(squares)});
  b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(result));
}

/// o[i, d] = sum over j of relu(q[i] . k[j]) v[j, d], and beside it the largest of them.
void Attention(Builder& b) {
  const ArrayId q = b.InputArray("q", 5 * 4), k = b.InputArray("k", 6 * 4);
  const ArrayId v = b.InputArray("v", 6 * 3), o = b.OutputArray("o", 15);
  const AxisRef i = b.Axis("i", 5, {}), j = b.Axis("j", 6, {}), e = b.Axis("k", 4, {});
  const AxisRef d = b.Axis("d", 3, {});
  const Value load_q = b.Load("load_q", q, {{i, 4}, {e, 1}});
  const Value load_k = b.Load("load_k", k, {{j, 4}, {e, 1}});
  const Value load_v = b.Load("load_v", v, {{j, 3}, {d, 1}});
  const Value s = Product(b, "s", {i, j, e}, {e}, load_q, load_k);
  const Value lowest = b.Compute("lowest", Op::kConst, {i}, {Literal(-kInfinity)});
  const Value largest = b.Reduce("largest", Op::kMax, {i, j}, {j}, lowest, {MayStage(s)});
  const Value shifted = b.Compute("shifted", Op::kAdd, {i, j}, {MayStage(s), MayStage(largest)});
  const Value relu = b.Compute("relu", Op::kMax, {i, j}, {InRegisters(shifted), Literal(0)});
  const Value result = Product(b, "result", {i, d, j}, {j}, relu, load_v);
  b.Store("store", o, {{i, 3}, {d, 1}}, InRegisters(result));
}

/// Rows of the input overlap.
void Convolution(Builder& b) {
  const ArrayId x = b.InputArray("x", 9 + 3), w = b.InputArray("w", 4), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {}), k = b.Axis("k", 4, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}, {k, 1}}),
              load_w = b.Load("load_w", w, {{k, 1}});
  b.Store("store", y, {{n, 1}}, InRegisters(Product(b, "sum", {n, k}, {k}, load_x, load_w)));
}

/// Windows of an image with channels, whose border is outside.
void PaddedImage(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 6 * 3), w = b.InputArray("w", 3 * 3 * 3 * 4);
  const ArrayId y = b.OutputArray("y", 5 * 6 * 4);
  const AxisRef i = b.Axis("i", 5, {}), j = b.Axis("j", 6, {}), m = b.Axis("m", 4, {});
  const AxisRef r = b.Axis("r", 3, {}), s = b.Axis("s", 3, {}), c = b.Axis("c", 3, {});
  const Value load_x = b.Load("load_x", x, {{i, 18}, {r, 18}, {j, 3}, {s, 3}, {c, 1}}, -18 - 3,
                              {{-1, {{i, 1}, {r, 1}}, 5}, {-1, {{j, 1}, {s, 1}}, 6}});
  const Value load_w = b.Load("load_w", w, {{r, 36}, {s, 12}, {c, 4}, {m, 1}});
  b.Store("store", y, {{i, 24}, {j, 4}, {m, 1}},
          InRegisters(Product(b, "sum", {i, j, m, r, s, c}, {r, s, c}, load_x, load_w)));
}

/// Windows of several images, a plane for each channel.
void Planes(Builder& b) {
  const ArrayId x = b.InputArray("x", 2 * 90), w = b.InputArray("w", 4 * 12);
  const ArrayId y = b.OutputArray("y", 2 * 4 * 6);
  const AxisRef n = b.Axis("n", 2, {}), m = b.Axis("m", 4, {});
  const AxisRef i = b.Axis("i", 2, {}), j = b.Axis("j", 3, {});
  const AxisRef c = b.Axis("c", 3, {}), r = b.Axis("r", 2, {}), s = b.Axis("s", 2, {});
  const Value load_x = b.Load("load_x", x, {{n, 90}, {c, 30}, {i, 12}, {r, 6}, {j, 2}, {s, 1}});
  const Value load_w = b.Load("load_w", w, {{m, 12}, {c, 4}, {r, 2}, {s, 1}});
  b.Store("store", y, {{n, 24}, {m, 6}, {i, 3}, {j, 1}},
          InRegisters(Product(b, "sum", {n, m, i, j, c, r, s}, {c, r, s}, load_x, load_w)));
}

/// Both factors are the same array.
void Gram(Builder& b) {
  const ArrayId a = b.InputArray("a", 5 * 11), c = b.OutputArray("c", 25);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 5, {}), k = b.Axis("k", 11, {});
  const Value rows = b.Load("rows", a, {{m, 11}, {k, 1}});
  const Value columns = b.Load("columns", a, {{n, 11}, {k, 1}});
  b.Store("store", c, {{m, 5}, {n, 1}},
          InRegisters(Product(b, "aa", {m, n, k}, {k}, rows, columns)));
}

void BatchOfVectors(Builder& b) {
  const ArrayId a = b.InputArray("a", 3 * 5 * 11), x = b.InputArray("x", 3 * 11);
  const ArrayId y = b.OutputArray("y", 3 * 5);
  const AxisRef i = b.Axis("i", 3, {}), m = b.Axis("m", 5, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{i, 55}, {m, 11}, {k, 1}});
  const Value load_x = b.Load("load_x", x, {{i, 11}, {k, 1}});
  b.Store("store", y, {{i, 5}, {m, 1}},
          InRegisters(Product(b, "ax", {i, m, k}, {k}, load_a, load_x)));
}

/// Rows of the results take turns: the vendor's calls have no distance of rows.
void InterleavedBatch(Builder& b) {
  const ArrayId a = b.InputArray("a", 3 * 5 * 11), bb = b.InputArray("b", 3 * 11 * 7);
  const ArrayId c = b.OutputArray("c", 3 * 35);
  const AxisRef i = b.Axis("i", 3, {}), m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const AxisRef k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{i, 55}, {m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{i, 77}, {k, 7}, {n, 1}});
  b.Store("store", c, {{m, 21}, {i, 7}, {n, 1}},
          InRegisters(Product(b, "ab", {i, m, n, k}, {k}, load_a, load_b)));
}

/// c[m, n] = sum over k of x[k] a[k, n], plus d[m, n]: the product has fewer axes than the result.
void BroadcastProduct(Builder& b) {
  const ArrayId a = b.InputArray("a", 11 * 7), x = b.InputArray("x", 11);
  const ArrayId d = b.InputArray("d", 35), c = b.OutputArray("c", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{k, 7}, {n, 1}});
  const Value load_x = b.Load("load_x", x, {{k, 1}}),
              load_d = b.Load("load_d", d, {{m, 7}, {n, 1}});
  const Value xa = Product(b, "xa", {n, k}, {k}, load_x, load_a);
  const Value sum = b.Compute("sum", Op::kAdd, {m, n}, {MayStage(xa), MayStage(load_d)});
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(sum));
}

/// y[n] = x[2 n + 1] - w[8 - n]
void ShiftedAndReversed(Builder& b) {
  const ArrayId x = b.InputArray("x", 20), w = b.InputArray("w", 9), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load_x = b.Load("load_x", x, {{n, 2}}, 1), load_w = b.Load("load_w", w, {{n, -1}}, 8);
  const Value sub = b.Compute("sub", Op::kSub, {n}, {MayStage(load_x), MayStage(load_w)});
  b.Store("store", y, {{n, 1}}, InRegisters(sub));
}

/// y[n] = x[n + 1] + w[n]
void Shifted(Builder& b) {
  const ArrayId x = b.InputArray("x", 10), w = b.InputArray("w", 9), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}}, 1), load_w = b.Load("load_w", w, {{n, 1}});
  const Value add = b.Compute("add", Op::kAdd, {n}, {MayStage(load_x), MayStage(load_w)});
  b.Store("store", y, {{n, 1}}, InRegisters(add));
}

/// Two reductions of a row, the second over what reads the first.
void Softmax(Builder& b) {
  const ArrayId x = b.InputArray("x", 5 * 7), y = b.OutputArray("y", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  const Value lowest = b.Compute("lowest", Op::kConst, {m}, {Literal(-kInfinity)});
  const Value max = b.Reduce("max", Op::kMax, {m, n}, {n}, lowest, {MayStage(load)});
  const Value shifted = b.Compute("shifted", Op::kSub, {m, n}, {MayStage(load), MayStage(max)});
  const Value exp = b.Compute("exp", Op::kExp, {m, n}, {InRegisters(shifted)});
  const Value zero = b.Compute("zero", Op::kConst, {m}, {Literal(0)});
  const Value sum = b.Reduce("sum", Op::kAdd, {m, n}, {n}, zero, {MayStage(exp)});
  const Value result = b.Compute("result", Op::kDiv, {m, n}, {MayStage(exp), MayStage(sum)});
  b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(result));
}

/// y = x < 0 ? -|x| : 1 / sqrt(x), and not below -0.5
void Choices(Builder& b) {
  const ArrayId x = b.InputArray("x", 9), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value is_negative = b.Compute("less", Op::kLess, {n}, {MayStage(load), Literal(0)});
  const Value abs = b.Compute("abs", Op::kAbs, {n}, {MayStage(load)});
  const Value neg = b.Compute("neg", Op::kNeg, {n}, {InRegisters(abs)});
  const Value root = b.Compute("root", Op::kRsqrt, {n}, {InRegisters(abs)});
  const Value chosen = b.Compute("chosen", Op::kSelect, {n},
                                 {InRegisters(is_negative), InRegisters(neg), InRegisters(root)});
  const Value result = b.Compute("result", Op::kMax, {n}, {InRegisters(chosen), Literal(-0.5f)});
  b.Store("store", y, {{n, 1}}, InRegisters(result));
}

class Evaluator {
 public:
  Evaluator(const ir::Function& function, const Data& data)
      : function_(function), data_(data), e_(ExpressionOf(function)), at_(e_.axes.size(), 0) {}

  std::map<int, std::vector<Exact>> All() {
    std::map<int, std::vector<Exact>> results;
    for (const int output : e_.outputs) {
      const Expression::Node& store = e_.node(output);
      std::vector<Exact>& result = results[static_cast<int>(store.array.index())];
      result.resize(function_.array(store.array).elements);
      ForEachPoint(store.axes, 0, [&] { result[Offset(store)] = Stored(store); });
    }
    return results;
  }

 private:
  void ForEachPoint(const std::vector<int>& axes, std::size_t from,
                    const std::function<void()>& visit) {
    if (from == axes.size()) return visit();
    std::int64_t& index = at_[static_cast<std::size_t>(axes[from])];
    const std::int64_t before = index;
    for (index = 0; index < e_.axis(axes[from]).total; ++index) {
      ForEachPoint(axes, from + 1, visit);
    }
    index = before;
  }

  std::int64_t ValueOf(const ir::Affine<int>& affine) const {
    return affine.At([&](int axis) { return at_[static_cast<std::size_t>(axis)]; });
  }
  std::size_t Offset(const Expression::Node& node) const {
    return static_cast<std::size_t>(ValueOf(node));
  }

  /// `own`: what a rounding of 1 is, as a square.
  static Exact Add(const Exact& a, const Exact& b, double own) {
    const double value = a.value + b.value;
    return {value, a.squares + b.squares + own * value * value, a.count + b.count + Count(own)};
  }
  static Exact Mul(const Exact& a, const Exact& b, double own) {
    const double value = a.value * b.value;
    return {value,
            a.value * a.value * b.squares + b.value * b.value * a.squares + own * value * value,
            a.count + b.count + Count(own)};
  }
  static double Count(double own) { return own == 0 ? 0 : 1; }
  static Exact Max(const Exact& a, const Exact& b) {
    const bool is_known = !std::isnan(a.count) && !std::isnan(b.count);
    return {a.value > b.value ? a.value : b.value, std::max(a.squares, b.squares),
            is_known ? std::max(a.count, b.count) : kUnknown};
  }

  /// Narrow floats are rounded, and what was not exact may become a neighbour.
  Exact Cast(Exact x, Type from, Type to) const {
    if (KeepsAll(from, to)) return x;
    const double before = x.value;
    x.value = Converted(to, x.value);
    if (x.count == 0 || x.squares == 0 || !ir::IsFloat(to)) return x;
    const LastPlace last = LastPlaceOf(to);
    x.slack = last.relative * std::abs(before) + last.absolute;
    return x;
  }

  Exact Stored(const Expression::Node& store) {
    return Cast(Of(store.inputs[0]), store.inputs[0].type, store.type);
  }

  Exact Of(const Expression::Input& input, Type as) {
    Exact x = Cast(Of(input), input.type, as);
    if (x.slack == 0) return x;
    return {x.value, x.squares + 0x1p48 * x.slack * x.slack, x.count + 1};
  }

  Exact Of(const Expression::Input& input) {
    if (input.is_number()) return {input.number, 0, 0};
    const Expression::Node& node = e_.node(input.node);
    if (node.op == Op::kLoad) return {Loaded(node), 0, 0};
    if (node.op == Op::kIndex) {
      return {static_cast<double>(ValueOf(node)), 0, 0};
    }
    if (node.op == Op::kConst) return Of(node.inputs[0], node.type);
    if (node.accumulates()) return Sum(node);
    const double own = RoundingSquares(ir::ComputeTypeOf(node.computes));
    std::vector<Exact> x;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      x.push_back(Of(node.inputs[i], Expression::OperandType(node, i)));
    }
    switch (node.op) {
      case Op::kAdd:
        return Add(x[0], x[1], own);
      case Op::kMul:
        return Mul(x[0], x[1], own);
      case Op::kMad:
        return Add(Mul(x[0], x[1], own), x[2], own);
      case Op::kMax:
        return Max(x[0], x[1]);
      case Op::kSub:
        return Add(x[0], {-x[1].value, x[1].squares, x[1].count}, own);
      default: {
        x.resize(3);
        const bool is_exact = own == 0 || ir::InfoOf(node.op).compares();
        // Of bools there are more operators than they are the values of.
        const Type computes =
            node.op == Op::kNot ? node.computes : ir::ComputeTypeOf(node.computes);
        return {ir::Evaluate(node.op, computes, x[0].value, x[1].value, x[2].value), 0,
                is_exact ? 0 : kUnknown};
      }
    }
  }

  double Loaded(const Expression::Node& load) const {
    for (const Expression::Guard& guard : load.guards) {
      const std::int64_t index = ValueOf(guard);
      if (index < 0 || index >= guard.extent) return 0;
    }
    return data_.arrays[load.array.index()][Offset(load)];
  }

  static Exact Negative(const Exact& a) { return {-a.value, a.squares, a.count}; }

  /// Of a scan the steps until the point.
  void ForEachTerm(const Expression::Node& node, const std::function<void()>& visit) {
    if (!node.is_scan()) return ForEachPoint(node.reduced, 0, visit);
    std::int64_t& index = at_[static_cast<std::size_t>(node.along)];
    const std::int64_t here = index, end = here + (node.keeps == ir::Keeps::kEach ? 1 : 0);
    for (index = 0; index < end; ++index) visit();
    index = here;
  }

  Exact Sum(const Expression::Node& node) {
    const double own = RoundingSquares(ir::ComputeTypeOf(node.computes));
    Exact result = Of(e_.InitOf(node), ir::ComputeTypeOf(node.computes));
    double squares = result.value * result.value, points = 0, count = 0;
    if (node.is_scan()) count = Of(node.inputs[0]).count;
    ForEachTerm(node, [&] {
      Exact term = Of(node.inputs[0], Expression::OperandType(node, 0));
      if (node.op == Op::kMad) {
        term = Mul(term, Of(node.inputs[1], Expression::OperandType(node, 1)), own);
      }
      if (node.op == Op::kMax) {
        result = Max(term, result);
        return;
      }
      if (node.op == Op::kMin) {
        result = Negative(Max(Negative(term), Negative(result)));
        return;
      }
      if (node.op == Op::kMul) {
        result = {result.value * term.value, 0, kUnknown};
        return;
      }
      result.value += term.value;
      result.squares += term.squares;
      count = term.count;
      squares += term.value * term.value;
      ++points;
    });
    if (node.op != Op::kAdd && node.op != Op::kMad) return result;
    squares += result.value * result.value;
    return {result.value,
            result.squares + AdditionSquares(own, points, Expression::AddsShort(node)) * squares,
            result.count + count + e_.Steps(node) * Count(own)};
  }

  const ir::Function& function_;
  const Data& data_;
  const Expression e_;
  std::vector<std::int64_t> at_;
};

}  // namespace

Case Built(const std::string& name, const std::function<void(Builder&)>& build) {
  Case c;
  c.name = name;
  Builder builder(c.function);
  build(builder);
  builder.Finish();
  return c;
}

std::vector<Case> LibraryCases() {
  std::vector<Case> cases;
  cases.push_back(OfKernel(MakeAxpy(), {{"n", 97}}));
  cases.push_back(OfKernel(MakeMv(), {{"m", 37}, {"n", 29}}));
  for (const std::int64_t transpose_a : {0, 1}) {
    for (const std::int64_t transpose_b : {0, 1}) {
      for (const std::int64_t stride : {1, 3}) {
        cases.push_back(OfKernel(MakeMatmul(), {{"m", 13},
                                                {"n", 7},
                                                {"k", 11},
                                                {"transpose_a", transpose_a},
                                                {"transpose_b", transpose_b},
                                                {"a_stride", stride},
                                                {"relu", transpose_a}}));
      }
      for (const std::int64_t reuse_b : {0, 1}) {
        cases.push_back(OfKernel(MakeBatchedMatmul(), {{"batch", 3},
                                                       {"m", 7},
                                                       {"n", 5},
                                                       {"k", 11},
                                                       {"transpose_a", transpose_a},
                                                       {"transpose_b", transpose_b},
                                                       {"reuse_b", reuse_b}}));
      }
    }
  }
  cases.push_back(OfKernel(MakeMatmul(), {{"m", 33}, {"n", 18}, {"k", 20}}));
  cases.push_back(OfKernel(MakeGesummv(), {{"m", 37}, {"n", 29}}));
  cases.push_back(OfKernel(MakeMatmul2(), {{"m", 7}, {"n", 5}, {"k", 11}, {"p", 13}}));
  // Single rows, columns and terms.
  cases.push_back(OfKernel(MakeMatmul(), {{"m", 1}, {"n", 7}, {"k", 11}}));
  cases.push_back(OfKernel(MakeMatmul(), {{"m", 13}, {"n", 1}, {"k", 11}}));
  cases.push_back(OfKernel(MakeMatmul(), {{"m", 13}, {"n", 7}, {"k", 1}}));
  cases.push_back(OfKernel(MakeBatchedMatmul(), {{"batch", 1}, {"m", 7}, {"n", 5}, {"k", 11}}));
  return cases;
}

std::vector<Case> OtherCases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, const std::function<void(Builder&)>& build) {
    cases.push_back(Built(name, build));
  };
  add("row max", RowMax);
  add("max of products", MaxOfProducts);
  add("transposition", Transposition);
  add("outer product", OuterProduct);
  add("product plus matrix", ProductPlusMatrix);
  add("product plus row", ProductPlusRow);
  add("two sums", [](Builder& b) { TwoSums(b, false); });
  add("two sums exchanged", [](Builder& b) { TwoSums(b, true); });
  add("transposed result", TransposedResult);
  add("row times matrix", RowTimesMatrix);
  add("dot product", DotProduct);
  add("two layers", TwoLayers);
  add("two outputs", TwoOutputs);
  add("sums of rows and columns", SumsOfRowsAndColumns);
  add("centered", Centered);
  add("attention", Attention);
  add("convolution", Convolution);
  add("padded image", PaddedImage);
  add("planes", Planes);
  add("shifted and reversed", ShiftedAndReversed);
  add("shifted", Shifted);
  add("softmax", Softmax);
  add("choices", Choices);
  add("gram", Gram);
  add("batch of vectors", BatchOfVectors);
  add("interleaved batch", InterleavedBatch);
  add("broadcast product", BroadcastProduct);
  return cases;
}

std::vector<Case> AllCases() {
  std::vector<Case> cases = LibraryCases();
  for (Case& c : OtherCases()) cases.push_back(std::move(c));
  return cases;
}

Data::Data(const ir::Function& function) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto drawn = [&](const ir::TypeInfo& type) -> double {
    if (type.type == Type::kF64) return static_cast<double>(uniform(random)) / 3;
    if (type.is_float) return static_cast<double>(uniform(random));
    if (type.type == Type::kBool) return static_cast<double>(random() % 2);
    return static_cast<double>(random() % 19) - (type.is_signed ? 9 : 0);
  };
  for (const ir::Array& array : function.arrays) {
    const ir::TypeInfo& type = ir::InfoOf(array.type);
    const bool is_input = array.role == ir::ArrayRole::kInput;
    const double wrong = type.is_float ? std::numeric_limits<double>::quiet_NaN() : type.largest;
    Elements& values = arrays.emplace_back(array.type, array.elements);
    for (std::uint64_t i = 0; i < array.elements; ++i) {
      values.Set(i, is_input ? drawn(type) : wrong);
    }
  }
  for (const ir::Scalar& scalar : function.scalars) {
    scalars.push_back(std::bit_cast<double>(scalar.value.Cell(scalar.type)));
  }
}

std::vector<void*> Data::pointers() {
  std::vector<void*> result;
  for (Elements& array : arrays) {
    ir::WithType(array.type(), [&]<typename T>(T) { result.push_back(array.As<T>().data()); });
  }
  return result;
}

double Exact::tolerance() const {
  if (std::isnan(count)) return 1e-5 * (1 + std::abs(value));
  return slack + (count == 0 ? 0 : SumTolerance(count, std::sqrt(squares / count)));
}

std::map<int, std::vector<Exact>> ExactResults(const ir::Function& function, const Data& data) {
  return Evaluator(function, data).All();
}

}  // namespace exh::kernels::derived::testing
