// SPDX-License-Identifier: MIT
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/builder.h"
#include "tests/kernels/derived/cases.h"

namespace exh::kernels::derived::testing {
namespace {

using ir::ArrayId, ir::AxisRef, ir::Builder, ir::InRegisters, ir::Literal, ir::MayStage, ir::Op;
using ir::ScalarArg, ir::Type, ir::Value;

/// c = a * b of matrices, added up in `sums`.
void TypedProduct(Builder& b, Type inputs, Type sums, Type output) {
  const ArrayId a = b.InputArray("a", 5 * 11, inputs), bb = b.InputArray("b", 11 * 7, inputs);
  const ArrayId c = b.OutputArray("c", 35, output);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {}), k = b.Axis("k", 11, {});
  const Value load_a = b.Load("load_a", a, {{m, 11}, {k, 1}});
  const Value load_b = b.Load("load_b", bb, {{k, 7}, {n, 1}});
  const Value init = b.Compute("init", Op::kConst, {m, n}, {Literal(0)}, sums);
  const Value sum =
      b.Reduce("sum", Op::kMad, {m, n, k}, {k}, init, {MayStage(load_a), MayStage(load_b)}, sums);
  b.Store("store", c, {{m, 7}, {n, 1}}, InRegisters(sum));
}

/// y = (alpha * x + x) * x in one type, of which there is a scalar.
void TypedElementwise(Builder& b, Type type) {
  const ArrayId x = b.InputArray("x", 9, type), y = b.OutputArray("y", 9, type);
  b.Scalar("alpha", ir::IsFloat(type) ? 3.25 : 3, type);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value mad =
      b.Compute("mad", Op::kMad, {n}, {ScalarArg("alpha"), MayStage(load), MayStage(load)});
  const Value product = b.Compute("product", Op::kMul, {n}, {InRegisters(mad), MayStage(load)});
  b.Store("store", y, {{n, 1}}, InRegisters(product));
}

/// Functions in double precision.
void DoubleFunctions(Builder& b) {
  const ArrayId x = b.InputArray("x", 9, Type::kF64), y = b.OutputArray("y", 9, Type::kF64);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value exp = b.Compute("exp", Op::kExp, {n}, {MayStage(load)});
  const Value root = b.Compute("root", Op::kRsqrt, {n}, {InRegisters(exp)});
  const Value tanh = b.Compute("tanh", Op::kTanh, {n}, {MayStage(load)});
  const Value abs = b.Compute("abs", Op::kAbs, {n}, {InRegisters(tanh)});
  const Value quotient = b.Compute("quotient", Op::kDiv, {n}, {InRegisters(root), Literal(0.3)});
  const Value result =
      b.Compute("result", Op::kMax, {n}, {InRegisters(abs), InRegisters(quotient)});
  b.Store("store", y, {{n, 1}}, InRegisters(result));
}

/// y = max(|x| ^ 1.5, tanh(x)), or, of a base that is rounded, with |tanh(x)| ^ 1.5.
void Powers(Builder& b, bool is_exact) {
  const ArrayId x = b.InputArray("x", 9, Type::kF64), y = b.OutputArray("y", 9, Type::kF64);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value bent = b.Compute("bent", Op::kTanh, {n}, {MayStage(load)});
  const Value abs =
      b.Compute("abs", Op::kAbs, {n}, {is_exact ? MayStage(load) : InRegisters(bent)});
  const Value power = b.Compute("power", Op::kPow, {n}, {InRegisters(abs), Literal(1.5)});
  const Value result = b.Compute("result", Op::kMax, {n}, {InRegisters(power), InRegisters(bent)});
  b.Store("store", y, {{n, 1}}, InRegisters(result));
}

/// y = ((|x| / 3 - (x & 6)) ^ ~z) | min(x, 2)
void IntegerOperators(Builder& b, Type type) {
  const ArrayId x = b.InputArray("x", 9, type), z = b.InputArray("z", 9, type);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}}), load_z = b.Load("load_z", z, {{n, 1}});
  const ArrayId y = b.OutputArray("y", 9, b.TypeOf(load_x));
  const Value abs = b.Compute("abs", Op::kAbs, {n}, {MayStage(load_x)});
  const Value third = b.Compute("third", Op::kDiv, {n}, {InRegisters(abs), Literal(3)});
  const Value masked = b.Compute("masked", Op::kAnd, {n}, {MayStage(load_x), Literal(6)});
  const Value sum = b.Compute("sum", Op::kAdd, {n}, {InRegisters(third), InRegisters(masked)});
  const Value inverse = b.Compute("inverse", Op::kNot, {n}, {MayStage(load_z)});
  const Value mixed = b.Compute("mixed", Op::kXor, {n}, {InRegisters(sum), InRegisters(inverse)});
  const Value least = b.Compute("least", Op::kMin, {n}, {MayStage(load_x), Literal(2)});
  const Value result = b.Compute("result", Op::kOr, {n}, {InRegisters(mixed), InRegisters(least)});
  b.Store("store", y, {{n, 1}}, InRegisters(result));
}

/// y = mask and not (x < z) or x == z
void Conditions(Builder& b) {
  const ArrayId x = b.InputArray("x", 35), z = b.InputArray("z", 7);
  const ArrayId mask = b.InputArray("mask", 35, Type::kBool);
  const ArrayId y = b.OutputArray("y", 35, Type::kBool);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load_x = b.Load("load_x", x, {{m, 7}, {n, 1}}),
              load_z = b.Load("load_z", z, {{n, 1}});
  const Value load_mask = b.Load("load_mask", mask, {{m, 7}, {n, 1}});
  const Value less = b.Compute("less", Op::kLess, {m, n}, {MayStage(load_x), MayStage(load_z)});
  const Value is_not = b.Compute("is_not", Op::kNot, {m, n}, {InRegisters(less)});
  const Value both =
      b.Compute("both", Op::kAnd, {m, n}, {MayStage(load_mask), InRegisters(is_not)});
  const Value equal = b.Compute("equal", Op::kEqual, {m, n}, {MayStage(load_x), MayStage(load_z)});
  const Value any = b.Compute("any", Op::kOr, {m, n}, {InRegisters(both), InRegisters(equal)});
  b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(any));
}

/// How many of a row's elements are true.
void Count(Builder& b) {
  const ArrayId mask = b.InputArray("mask", 35, Type::kBool);
  const ArrayId y = b.OutputArray("y", 5, Type::kI32);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load", mask, {{m, 7}, {n, 1}});
  const Value zero = b.Compute("zero", Op::kConst, {m}, {Literal(0)}, Type::kI32);
  const Value sum = b.Reduce("sum", Op::kAdd, {m, n}, {n}, zero, {MayStage(load)}, Type::kI32);
  b.Store("store", y, {{m, 1}}, InRegisters(sum));
}

/// Twice the sum of five points; outside of the array they are 0.
void Border(Builder& b, Type type) {
  const std::int64_t rows = 5, columns = 7;
  const ArrayId x = b.InputArray("x", 35, type), y = b.OutputArray("y", 35, type);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  Value sum;
  int number = 0;
  for (const auto& [down, right] : {std::pair(0, 0), {-1, 0}, {1, 0}, {0, -1}, {0, 2}}) {
    const std::string name = std::to_string(number);
    const std::vector<ir::Guard> guards = {{down, {{m, 1}}, rows}, {right, {{n, 1}}, columns}};
    const Value load =
        b.Load("load" + name, x, {{m, columns}, {n, 1}}, down * columns + right, guards);
    sum = number++ == 0
              ? load
              : b.Compute("sum" + name, Op::kAdd, {m, n}, {InRegisters(sum), MayStage(load)});
  }
  const Value twice = b.Compute("twice", Op::kMul, {m, n}, {InRegisters(sum), Literal(2)});
  b.Store("store", y, {{m, columns}, {n, 1}}, InRegisters(twice));
}

/// A window over a row whose ends are 0: the guard is of an index that two axes make.
void PaddedConvolution(Builder& b) {
  const ArrayId x = b.InputArray("x", 9), w = b.InputArray("w", 4), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {}), k = b.Axis("k", 4, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}, {k, 1}}, -2, {{-2, {{n, 1}, {k, 1}}, 9}});
  const Value load_w = b.Load("load_w", w, {{k, 1}});
  const Value init = b.Compute("init", Op::kConst, {n}, {Literal(0)});
  const Value sum =
      b.Reduce("sum", Op::kMad, {n, k}, {k}, init, {MayStage(load_x), MayStage(load_w)});
  b.Store("store", y, {{n, 1}}, InRegisters(sum));
}

/// y[m, n] = n < m + 1 ? x[m, n] : 0.5 * n
void Triangle(Builder& b) {
  const ArrayId x = b.InputArray("x", 35), y = b.OutputArray("y", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  const Value row = b.Index("row", {{m, 1}}, 1), column = b.Index("column", {{n, 1}});
  const Value below =
      b.Compute("below", Op::kLess, {m, n}, {InRegisters(column), InRegisters(row)});
  const Value number = b.Compute("number", Op::kConst, {n}, {InRegisters(column)}, Type::kF32);
  const Value half = b.Compute("half", Op::kMul, {n}, {Literal(0.5), InRegisters(number)});
  const Value result = b.Compute("result", Op::kSelect, {m, n},
                                 {InRegisters(below), MayStage(load), InRegisters(half)});
  b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(result));
}

/// y[m, n] = 10 m - 2 n + 3
void Numbers(Builder& b) {
  const ArrayId y = b.OutputArray("y", 35, Type::kI64);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value index = b.Index("index", {{m, 10}, {n, -2}}, 3);
  b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(index));
}

/// y = z + x * z, which was rounded to half precision.
void Casts(Builder& b, Type narrow) {
  const ArrayId x = b.InputArray("x", 9), z = b.InputArray("z", 9), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}}), load_z = b.Load("load_z", z, {{n, 1}});
  const Value mul = b.Compute("mul", Op::kMul, {n}, {MayStage(load_x), MayStage(load_z)});
  const Value cast = b.Compute("cast", Op::kConst, {n}, {InRegisters(mul)}, narrow);
  const Value sum = b.Compute("sum", Op::kAdd, {n}, {InRegisters(cast), MayStage(load_z)});
  b.Store("store", y, {{n, 1}}, InRegisters(sum));
}

/// The type of the input becomes that of the output, by a cast to a third one.
void CastBetween(Builder& b, Type input, Type cast, Type output) {
  const ArrayId x = b.InputArray("x", 9, input), y = b.OutputArray("y", 9, output);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value value = b.Compute("value", Op::kConst, {n}, {MayStage(load)}, cast);
  b.Store("store", y, {{n, 1}}, InRegisters(value));
}

/// y = 8 * (whole part of x) + 1
void WholeParts(Builder& b) {
  const ArrayId x = b.InputArray("x", 9), y = b.OutputArray("y", 9);
  const AxisRef n = b.Axis("n", 9, {});
  const Value load = b.Load("load_x", x, {{n, 1}});
  const Value whole = b.Compute("whole", Op::kConst, {n}, {MayStage(load)}, Type::kI32);
  const Value more = b.Compute("more", Op::kMad, {n}, {InRegisters(whole), Literal(8), Literal(1)});
  const Value result = b.Compute("result", Op::kConst, {n}, {InRegisters(more)}, Type::kF32);
  b.Store("store", y, {{n, 1}}, InRegisters(result));
}

}  // namespace

std::vector<Case> TypedCases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const std::function<void(Builder&)>& build) {
    cases.push_back(Built(name, build));
  };
  const auto add_product = [&](const char* name, Type inputs, Type sums, Type output) {
    add(name, [=](Builder& b) { TypedProduct(b, inputs, sums, output); });
  };
  add_product("product f64", Type::kF64, Type::kF64, Type::kF64);
  add_product("product f16", Type::kF16, Type::kF32, Type::kF16);
  add_product("product bf16", Type::kBf16, Type::kF32, Type::kBf16);
  add_product("product f8e4m3", Type::kF8E4M3, Type::kF32, Type::kF8E4M3);
  add_product("product f8e5m2 f32", Type::kF8E5M2, Type::kF32, Type::kF32);
  add_product("product f16 f32", Type::kF16, Type::kF32, Type::kF32);
  add_product("product f32 f64", Type::kF32, Type::kF64, Type::kF32);
  add_product("product i8", Type::kI8, Type::kI32, Type::kI32);
  add_product("product i32", Type::kI32, Type::kI32, Type::kI32);
  add_product("product i32 i64", Type::kI32, Type::kI64, Type::kI64);
  add_product("product u32", Type::kU32, Type::kU32, Type::kU32);
  for (const Type type : {Type::kF64, Type::kF16, Type::kBf16, Type::kF8E4M3, Type::kF8E5M2,
                          Type::kI64, Type::kI32, Type::kI8}) {
    add("elementwise " + std::string(ir::WordOf(type)),
        [=](Builder& b) { TypedElementwise(b, type); });
  }
  add("double functions", DoubleFunctions);
  add("powers of elements", [](Builder& b) { Powers(b, true); });
  add("powers of what is rounded", [](Builder& b) { Powers(b, false); });
  add("operators i32", [](Builder& b) { IntegerOperators(b, Type::kI32); });
  add("operators i64", [](Builder& b) { IntegerOperators(b, Type::kI64); });
  add("operators u32", [](Builder& b) { IntegerOperators(b, Type::kU32); });
  add("conditions", Conditions);
  add("count", Count);
  add("border", [](Builder& b) { Border(b, Type::kF32); });
  add("border f16", [](Builder& b) { Border(b, Type::kF16); });
  add("border i32", [](Builder& b) { Border(b, Type::kI32); });
  add("padded convolution", PaddedConvolution);
  add("triangle", Triangle);
  add("numbers", Numbers);
  add("casts f16", [](Builder& b) { Casts(b, Type::kF16); });
  add("casts f8e4m3", [](Builder& b) { Casts(b, Type::kF8E4M3); });
  add("casts f8e5m2", [](Builder& b) { Casts(b, Type::kF8E5M2); });
  add("casts bf16", [](Builder& b) { Casts(b, Type::kBf16); });
  add("f64 f32 f32", [](Builder& b) { CastBetween(b, Type::kF64, Type::kF32, Type::kF32); });
  add("f16 f32 bf16", [](Builder& b) { CastBetween(b, Type::kF16, Type::kF32, Type::kBf16); });
  add("casts f16 f8e4m3 f32",
      [](Builder& b) { CastBetween(b, Type::kF16, Type::kF8E4M3, Type::kF32); });
  add("casts f32 f8e5m2 f8e4m3",
      [](Builder& b) { CastBetween(b, Type::kF32, Type::kF8E5M2, Type::kF8E4M3); });
  add("i32 f32 f32", [](Builder& b) { CastBetween(b, Type::kI32, Type::kF32, Type::kF32); });
  add("i32 i8 i64", [](Builder& b) { CastBetween(b, Type::kI32, Type::kI8, Type::kI64); });
  add("f32 bool i8", [](Builder& b) { CastBetween(b, Type::kF32, Type::kBool, Type::kI8); });
  add("f64 i64 f16", [](Builder& b) { CastBetween(b, Type::kF64, Type::kI64, Type::kF16); });
  add("whole parts", WholeParts);
  return cases;
}

}  // namespace exh::kernels::derived::testing
