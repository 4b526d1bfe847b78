// SPDX-License-Identifier: MIT
//
// Backbones with scans.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/derived/cases.h"

namespace exh::kernels::derived::testing {
namespace {

using ir::ArrayId, ir::AxisRef, ir::Builder, ir::InRegisters, ir::Keeps, ir::Literal, ir::MayStage;
using ir::Op, ir::Type, ir::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x[5, 7] and y of the same shape.
struct Matrices {
  explicit Matrices(Builder& builder, Type type = Type::kF32)
      : b(builder),
        x(b.InputArray("x", 35, type)),
        y(b.OutputArray("y", 35, ir::ComputeTypeOf(type))),
        m(b.Axis("m", 5, {})),
        n(b.Axis("n", 7, {})),
        load(b.Load("load_x", x, {{m, 7}, {n, 1}})) {}

  Value Number(double number, const std::vector<AxisRef>& axes) const {
    const Type type = ir::ComputeTypeOf(b.TypeOf(load));
    return b.Compute("init", Op::kConst, axes, {Literal(number)}, type);
  }
  Value Scan(const std::string& name, Op op, AxisRef along, Keeps keeps, Value init,
             Value of) const {
    return b.Scan(name, op, {m, n}, along, keeps, init, MayStage(of),
                  ir::ComputeTypeOf(b.TypeOf(of)));
  }
  void Store(Value value) const { b.Store("store", y, {{m, 7}, {n, 1}}, InRegisters(value)); }

  Builder& b;
  ArrayId x, y;
  AxisRef m, n;
  Value load;
};

void Sums(Builder& b, Type type) {
  const Matrices of(b, type);
  of.Store(of.Scan("scan", Op::kAdd, of.n, Keeps::kEach, of.Number(0, {of.m}), of.load));
}

/// From the first of two axes, and from the elements of an array on.
void Down(Builder& b, Op op, Keeps keeps) {
  const Matrices of(b);
  const ArrayId c = b.InputArray("c", 7);
  const Value load_c = b.Load("load_c", c, {{of.n, 1}});
  of.Store(of.Scan("scan", op, of.m, keeps, load_c, of.load));
}

void Across(Builder& b, Op op, Keeps keeps, double init) {
  const Matrices of(b);
  of.Store(of.Scan("scan", op, of.n, keeps, of.Number(init, {of.m}), of.load));
}

/// Of what is rounded; and what comes of it is rounded.
void SumsOfProducts(Builder& b) {
  const Matrices of(b);
  const Value square =
      b.Compute("square", Op::kMul, {of.m, of.n}, {MayStage(of.load), MayStage(of.load)});
  const Value scan =
      of.Scan("scan", Op::kAdd, of.n, Keeps::kBefore, of.Number(0.25, {of.m}), square);
  of.Store(b.Compute("part", Op::kMul, {of.m, of.n}, {Literal(0.3f), InRegisters(scan)}));
}

void ScanOfAScan(Builder& b) {
  const Matrices of(b);
  const Value first =
      of.Scan("first", Op::kAdd, of.n, Keeps::kBefore, of.Number(0, {of.m}), of.load);
  const Value zero = b.Compute("zero", Op::kConst, {of.m}, {Literal(0)});
  of.Store(of.Scan("second", Op::kAdd, of.n, Keeps::kBefore, zero, first));
}

/// All elements that are neither below nor to the right.
void SumsOfRectangles(Builder& b) {
  const Matrices of(b);
  const Value rows = of.Scan("rows", Op::kAdd, of.n, Keeps::kEach, of.Number(0, {of.m}), of.load);
  const Value zero = b.Compute("zero", Op::kConst, {of.n}, {Literal(0)});
  of.Store(of.Scan("columns", Op::kAdd, of.m, Keeps::kEach, zero, rows));
}

/// One that has taken its step minus one of other numbers that has not.
void TwoScans(Builder& b) {
  const Matrices of(b);
  const Value init = of.Number(0, {of.m});
  const Value sum = of.Scan("sum", Op::kAdd, of.n, Keeps::kEach, init, of.load);
  const Value above =
      b.Compute("above", Op::kMax, {of.m, of.n}, {MayStage(of.load), Literal(0.1f)});
  const Value high = of.Scan("high", Op::kMax, of.n, Keeps::kBefore, init, above);
  of.Store(b.Compute("result", Op::kSub, {of.m, of.n}, {InRegisters(sum), InRegisters(high)}));
}

/// As parts of the sum of a row.
void Parts(Builder& b) {
  const Matrices of(b);
  const Value init = of.Number(0, {of.m});
  const Value all = b.Reduce("all", Op::kAdd, {of.m, of.n}, {of.n}, init, {MayStage(of.load)});
  const Value scan = of.Scan("scan", Op::kAdd, of.n, Keeps::kEach, init, of.load);
  of.Store(b.Compute("result", Op::kMul, {of.m, of.n}, {InRegisters(scan), InRegisters(all)}));
}

void AndItsLargest(Builder& b) {
  const Matrices of(b);
  const Value scan = of.Scan("scan", Op::kAdd, of.n, Keeps::kEach, of.Number(0, {of.m}), of.load);
  const Value low = b.Compute("low", Op::kConst, {of.m}, {Literal(-kInfinity)});
  const Value most = b.Reduce("most", Op::kMax, {of.m, of.n}, {of.n}, low, {MayStage(scan)});
  of.Store(b.Compute("result", Op::kMul, {of.m, of.n}, {InRegisters(scan), InRegisters(most)}));
}

void SumOfAScan(Builder& b) {
  const ArrayId x = b.InputArray("x", 35), y = b.OutputArray("y", 5);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, 1}});
  const Value zero = b.Compute("zero", Op::kConst, {m}, {Literal(0)});
  const Value scan = b.Scan("scan", Op::kAdd, {m, n}, n, Keeps::kEach, zero, MayStage(load));
  const Value sum = b.Reduce("sum", Op::kAdd, {m, n}, {n}, zero, {MayStage(scan)});
  b.Store("store", y, {{m, 1}}, InRegisters(sum));
}

/// y[n] = the sum of all rows until n.
void ScanOfSums(Builder& b) {
  const ArrayId x = b.InputArray("x", 35), y = b.OutputArray("y", 5);
  const AxisRef n = b.Axis("n", 5, {}), k = b.Axis("k", 7, {});
  const Value load = b.Load("load_x", x, {{n, 7}, {k, 1}});
  const Value zero = b.Compute("zero", Op::kConst, {n}, {Literal(0)});
  const Value sum = b.Reduce("sum", Op::kAdd, {n, k}, {k}, zero, {MayStage(load)});
  const Value begin = b.Compute("begin", Op::kConst, {}, {Literal(0)});
  const Value scan = b.Scan("scan", Op::kAdd, {n}, n, Keeps::kEach, begin, MayStage(sum));
  b.Store("store", y, {{n, 1}}, InRegisters(scan));
}

/// Each row from its end.
void FromTheEnd(Builder& b) {
  const ArrayId x = b.InputArray("x", 35), y = b.OutputArray("y", 35);
  const AxisRef m = b.Axis("m", 5, {}), n = b.Axis("n", 7, {});
  const Value load = b.Load("load_x", x, {{m, 7}, {n, -1}}, 6);
  const Value zero = b.Compute("zero", Op::kConst, {m}, {Literal(0)});
  const Value scan = b.Scan("scan", Op::kAdd, {m, n}, n, Keeps::kEach, zero, MayStage(load));
  b.Store("store", y, {{m, 7}, {n, -1}}, InRegisters(scan), 6);
}

/// Along the axis in the middle.
void Middle(Builder& b) {
  const ArrayId x = b.InputArray("x", 60), y = b.OutputArray("y", 60);
  const AxisRef m = b.Axis("m", 3, {}), n = b.Axis("n", 4, {}), p = b.Axis("p", 5, {});
  const Value load = b.Load("load_x", x, {{m, 20}, {n, 5}, {p, 1}});
  const Value zero = b.Compute("zero", Op::kConst, {m, p}, {Literal(0)});
  const Value scan = b.Scan("scan", Op::kAdd, {m, n, p}, n, Keeps::kBefore, zero, MayStage(load));
  b.Store("store", y, {{m, 20}, {n, 5}, {p, 1}}, InRegisters(scan));
}

}  // namespace

std::vector<Case> ScanCases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, const std::function<void(Builder&)>& build) {
    cases.push_back(Built(name, build));
  };
  add("scan", [](Builder& b) { Sums(b, Type::kF32); });
  add("scan f16", [](Builder& b) { Sums(b, Type::kF16); });
  add("scan f64", [](Builder& b) { Sums(b, Type::kF64); });
  add("scan i32", [](Builder& b) { Sums(b, Type::kI32); });
  add("scan i64", [](Builder& b) { Sums(b, Type::kI64); });
  add("scan before", [](Builder& b) { Across(b, Op::kAdd, Keeps::kBefore, 0.5); });
  add("scan down", [](Builder& b) { Down(b, Op::kAdd, Keeps::kEach); });
  add("scan down before", [](Builder& b) { Down(b, Op::kAdd, Keeps::kBefore); });
  add("largest so far", [](Builder& b) { Across(b, Op::kMax, Keeps::kEach, -kInfinity); });
  add("smallest before", [](Builder& b) { Down(b, Op::kMin, Keeps::kBefore); });
  add("products so far", [](Builder& b) { Across(b, Op::kMul, Keeps::kEach, 1); });
  add("scan of products", SumsOfProducts);
  add("scan of a scan", ScanOfAScan);
  add("sums of rectangles", SumsOfRectangles);
  add("two scans", TwoScans);
  add("parts of a sum", Parts);
  add("scan and its largest", AndItsLargest);
  add("sum of a scan", SumOfAScan);
  add("scan of sums", ScanOfSums);
  add("scan from the end", FromTheEnd);
  add("scan in the middle", Middle);
  return cases;
}

}  // namespace exh::kernels::derived::testing
