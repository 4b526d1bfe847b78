// SPDX-License-Identifier: MIT
//
// Reductions of which lanes have parts: where these become one value, and that it is the right one,
// in the interpreter and in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/codegen/print/cpu_printer.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/ops.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ir::Op;
using ir::Type;
using ::testing::HasSubstr;
using ::testing::Not;

/// How y[m] = op over k of x[m, k] is computed: m = 3 * rows, k = steps * copies * lanes or less.
struct Shape {
  std::uint32_t rows = 2;
  DimKind rows_kind = DimKind::UNROLL;  ///< Or THREAD.
  std::uint32_t steps = 3;
  DimKind steps_kind = DimKind::LOOP;  ///< Or UNROLL, THREAD, BLOCK.
  std::uint32_t copies = 2;
  DimKind copies_kind = DimKind::UNROLL;  ///< Or LOOP.
  std::uint32_t lanes = 4;
  bool merged = true;  ///< What is read has no registers but those of a step.
  Op op = Op::kMad;
  Type type = Type::kF32;
  double first = 0;
  std::uint32_t beyond = 0;  ///< Iterations without a point.

  std::uint32_t extent() const { return steps * copies * lanes; }
  std::string Text() const {
    std::string text;
    for (const std::uint32_t number :
         {rows, steps, copies, lanes, beyond, static_cast<std::uint32_t>(merged)}) {
      text += std::to_string(number) + " ";
    }
    for (const DimKind kind : {rows_kind, steps_kind, copies_kind})
      text += std::string(ToString(kind)) + " ";
    return text + std::string(ir::InfoOf(op).name) + " " + std::string(ir::WordOf(type)) +
           " from " + std::to_string(first);
  }
};

Item Of(DimKind kind, const std::string& dims, std::uint32_t size, Items body, int axis = -1) {
  Item item;
  item.kind = kind;
  item.dims = dims;
  item.size = size;
  item.body = std::move(body);
  if (kind == DimKind::THREAD) item.axis = axis;
  return item;
}

/// "red.k1 + load_x.k1".
std::string Names(const std::vector<std::string>& insts, const std::string& level) {
  std::string text;
  for (const std::string& inst : insts) text += (text.empty() ? "" : " + ") + inst + "." + level;
  return text;
}

ir::Function FunctionOf(const Shape& shape) {
  return Rows(3 * shape.rows, shape.extent() - shape.beyond, shape.op, shape.type, shape.first,
              shape.extent());
}

/// The steps of all rows, where rows are loops inside of steps.
Items Steps(const Shape& shape, const std::vector<std::string>& loads) {
  const bool has_w = loads.size() > 1;
  const auto rows = [&](const std::vector<std::string>& insts, const Items& body) {
    return shape.rows_kind == DimKind::UNROLL ? Items{Unroll(Names(insts, "m1"), shape.rows, body)}
                                              : body;
  };
  const auto copies = [&](const std::vector<std::string>& insts, const Items& body) {
    return Of(shape.copies_kind, Names(insts, "k1"), shape.copies, body);
  };
  const auto lanes = [&](const std::string& inst) {
    return Vector(inst + ".k2", shape.lanes, {Exec(inst)});
  };
  std::vector<std::string> all = {"red"};
  all.insert(all.end(), loads.begin(), loads.end());
  Items body;
  if (shape.merged) {
    if (has_w) body.push_back(lanes("load_w"));
    const Item step = Vector("red.k2 + load_x.k2", shape.lanes, {Exec("load_x"), Exec("red")});
    for (const Item& item : rows({"red", "load_x"}, {step})) body.push_back(item);
    return {copies(all, body)};
  }
  for (const Item& item : rows({"load_x"}, {copies({"load_x"}, {lanes("load_x")})})) {
    body.push_back(item);
  }
  if (has_w) body.push_back(copies({"load_w"}, {lanes("load_w")}));
  for (const Item& item : rows({"red"}, {copies({"red"}, {lanes("red")})})) body.push_back(item);
  return body;
}

Schedule Drawn(const ir::Function& f, const Shape& shape) {
  std::vector<std::string> loads = {"load_x"};
  if (shape.op == Op::kMad) loads.emplace_back("load_w");
  std::vector<std::string> reads = {"red"};
  reads.insert(reads.end(), loads.begin(), loads.end());
  const bool is_divided = shape.steps_kind == DimKind::BLOCK;
  const auto alone = [&](const std::string& inst) {
    return Of(shape.rows_kind, inst + ".m1", shape.rows, {Exec(inst)}, 0);
  };
  Items steps = Steps(shape, loads);
  if (!is_divided) {
    steps = {Of(shape.steps_kind, Names(reads, "k0"), shape.steps, steps, 1)};
  }
  if (shape.rows_kind == DimKind::THREAD) {
    steps = {Thread(0, Names({"red", "load_x"}, "m1"), shape.rows, steps)};
  }
  Items body = {alone("init")};
  body.insert(body.end(), steps.begin(), steps.end());
  body.push_back(alone("store"));
  const Item rows = Block(Names({"init", "red", "load_x", "store"}, "m0"), 3, body);
  if (!is_divided) return Draw(f, {rows});
  return Draw(f, {Block(Names(reads, "k0"), shape.steps, {rows})}, {}, AcrossBlocks::SECOND_LAUNCH);
}

std::string Interpreted(const Shape& shape, Fault fault = Fault::kNone) {
  const ir::Function f = FunctionOf(shape);
  const Schedule s = Drawn(f, shape);
  return CheckByInterpreter(f, s, fault, 1);
}

std::string Text(const Shape& shape) {
  const ir::Function f = FunctionOf(shape);
  const Schedule s = Drawn(f, shape);
  return PrintCpu(f, s);
}

std::string Tree(const Shape& shape) {
  const ir::Function f = FunctionOf(shape);
  const Schedule s = Drawn(f, shape);
  return ToText(f, LowerSchedule(f, s).tree);
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

/// All that may come together, but what no schedule has: loops inside of unrolled copies.
std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  const auto add = [&](const Shape& shape) {
    const bool is_unrolled = shape.steps_kind == DimKind::UNROLL;
    const bool is_loop = shape.copies_kind == DimKind::LOOP;
    // Rows unrolled around copies that are a loop.
    if (is_loop && (is_unrolled || !shape.merged)) return;
    shapes.push_back(shape);
  };
  for (const DimKind rows : {DimKind::UNROLL, DimKind::THREAD}) {
    for (const DimKind steps : {DimKind::LOOP, DimKind::UNROLL, DimKind::THREAD, DimKind::BLOCK}) {
      for (const DimKind copies : {DimKind::UNROLL, DimKind::LOOP}) {
        for (const bool merged : {true, false}) {
          Shape shape;
          shape.rows_kind = rows;
          shape.steps_kind = steps;
          shape.copies_kind = copies;
          shape.merged = merged;
          shape.copies = shapes.size() % 2 == 0 ? 2 : 3;
          shape.lanes = shapes.size() % 3 == 0 ? 8 : 4;
          for (const Op op : {Op::kMad, Op::kAdd, Op::kMul, Op::kMin, Op::kMax}) {
            shape.op = op;
            shape.first = op == Op::kMad || op == Op::kMul ? 2 : shape.first;
            // Of the last steps none, one or all are beyond, and then whole vectors.
            for (const std::uint32_t beyond : {0u, 1u, shape.lanes + 3}) {
              shape.beyond = beyond;
              add(shape);
            }
          }
        }
      }
    }
  }
  return shapes;
}

TEST(Lanes, BecomeTheValueInTheInterpreter) {
  const std::vector<Shape> shapes = AllShapes();
  EXPECT_GT(shapes.size(), 200U);
  for (const Shape& shape : shapes) {
    ASSERT_EQ(Interpreted(shape), "") << shape.Text() << "\n" << Tree(shape);
  }
}

TEST(Lanes, BecomeTheValueInCode) {
  const std::vector<Shape> shapes = AllShapes();
  constexpr std::size_t kEvery = 19;  // To compile takes a while; of each kind there are some.
  for (std::size_t i = 0; i < shapes.size(); i += kEvery) {
    const ir::Function f = FunctionOf(shapes[i]);
    const Schedule s = Drawn(f, shapes[i]);
    ASSERT_EQ(CheckByCompiler(f, s), "") << shapes[i].Text();
  }
}

/// The sums of these shapes are whole numbers, for which a float of 8 bits has too few bits.
TEST(Lanes, HoldEveryTypeThatIsAccumulated) {
  for (const Type type : {Type::kF64, Type::kF16, Type::kBf16, Type::kI64, Type::kI32, Type::kI8}) {
    for (const Op op : {Op::kMad, Op::kMax}) {
      Shape shape;
      shape.type = type;
      shape.op = op;
      shape.first = 1;
      shape.beyond = 5;
      ASSERT_EQ(Interpreted(shape), "") << shape.Text();
      const ir::Function f = FunctionOf(shape);
      const Schedule s = Drawn(f, shape);
      ASSERT_EQ(CheckByCompiler(f, s), "") << shape.Text();
    }
  }
}

TEST(Lanes, BecomeOneWhereTheLoopsOfAThreadEnd) {
  EXPECT_THAT(Tree({}), HasSubstr("            exec red\n"
                                  "    lanes red\n"
                                  "    unroll store.m1:2\n"));
  // In each thread, before threads make one of their slices, and before blocks hand over theirs.
  Shape threads;
  threads.rows_kind = DimKind::THREAD;
  EXPECT_THAT(Tree(threads), HasSubstr("            exec red\n"
                                       "      lanes red\n"
                                       "    threads store.m1:2\n"));
  threads.steps_kind = DimKind::THREAD;
  EXPECT_THAT(Tree(threads), HasSubstr("          exec red\n"
                                       "      lanes red\n"
                                       "    combine red\n"));
  Shape blocks;
  blocks.steps_kind = DimKind::BLOCK;
  EXPECT_THAT(Tree(blocks), HasSubstr("      lanes red\n"
                                      "      hand_over red\n"));
}

TEST(Lanes, AreVectorsThroughTheLoop) {
  const std::string text = Text({});
  EXPECT_THAT(text, HasSubstr("float v_red_0, v_red_1;"));
  EXPECT_THAT(text, HasSubstr("vec4 lanes_red_0_0, lanes_red_0_1, lanes_red_1_0, lanes_red_1_1;"));
  EXPECT_THAT(text, HasSubstr("lanes_red_1_0 = v_load_x_1_0 * v_load_w_0 + lanes_red_1_0;"));
  // The sum begins with the identity: all lanes do.
  EXPECT_EQ(Count(text, " = splat4(0.0f);"), 4);
  EXPECT_THAT(text, Not(HasSubstr("[0] = ")));
  EXPECT_THAT(text, HasSubstr("lanes_red_0_0 = lanes_red_0_0 + lanes_red_0_1;\n"
                              "  v_red_0 = one_of_red(lanes_red_0_0);\n"
                              "  lanes_red_1_0 = lanes_red_1_0 + lanes_red_1_1;\n"
                              "  v_red_1 = one_of_red(lanes_red_1_0);\n"));
  EXPECT_EQ(Count(text, "= __builtin_shufflevector("), 2) << "4 lanes are halved twice";
}

TEST(Lanes, OfWhichOneBeginsWithTheFirstValue) {
  Shape shape;
  shape.first = 5;
  EXPECT_EQ(Count(Text(shape), "[0] = 5.0f;"), 2) << "of the first copy of each row";
  EXPECT_NE(Interpreted(shape, Fault::kWrongIdentity), "");
  // The first value is a part of the largest one, however often it is taken.
  shape.op = Op::kMax;
  EXPECT_THAT(Text(shape), Not(HasSubstr("[0] = ")));
  EXPECT_EQ(Interpreted(shape, Fault::kWrongIdentity), "");
}

TEST(Lanes, CopiesThatAreALoopShareAVector) {
  Shape shape;
  shape.copies_kind = DimKind::LOOP;
  shape.rows_kind = DimKind::THREAD;
  EXPECT_THAT(Text(shape), HasSubstr("vec4 lanes_red[2];\n"));
}

TEST(Lanes, BeyondACoveredAxisStayAsTheyAre) {
  Shape shape;
  shape.op = Op::kMul;
  shape.first = 1;
  shape.beyond = 3;
  const std::string text = Text(shape);
  EXPECT_THAT(text, HasSubstr("return lane < end ? x : own;"));
  // Once in the whole text: behind the iterations of which none is beyond.
  EXPECT_EQ(Count(text, "lanes_red_0_1 = first_lanes_of_red("), 1);
  EXPECT_EQ(Count(text, "lanes_red_0_0 = first_lanes_of_red("), 0) << "all of its lanes are there";
  EXPECT_EQ(Interpreted(shape), "");
  EXPECT_NE(Interpreted(shape, Fault::kLostSurplus), "");
  // A sum of what reads as 0 asks nothing.
  shape.op = Op::kAdd;
  EXPECT_THAT(Text(shape), Not(HasSubstr("first_lanes")));
  EXPECT_EQ(Interpreted(shape), "");
}

/// A sum that begins with another one would begin with a part of it.
TEST(Lanes, BeginNoOtherReduction) {
  ir::Function f;
  f.name = "two_sums";
  ir::Builder b(f, true);
  const auto x = b.InputArray("x", 16), y = b.OutputArray("y", 2);
  const ir::AxisRef m = b.Axis("m", 2, {}), k = b.Axis("k", 8, {});
  const ir::Value load = b.Load("load", x, {{m, 8}, {k, 1}});
  const ir::Value init = b.Compute("init", Op::kConst, {m}, {ir::Literal(0)});
  const ir::Value once = b.Reduce("once", Op::kAdd, {m, k}, {k}, init, {ir::InRegisters(load)});
  const ir::Value twice = b.Reduce("twice", Op::kAdd, {m, k}, {k}, once, {ir::InRegisters(load)});
  b.Store("store", y, {{m, 1}}, ir::InRegisters(twice));
  ir::PlanLowering(f);
  const auto error = [&](DimKind first, DimKind second) {
    const Schedule s = Draw(f, {Loop(Names({"load", "init", "once", "twice", "store"}, "m0"), 2,
                                     {Unroll("load.k0", 8, {Exec("load")}), Exec("init"),
                                      Of(first, "once.k0", 8, {Exec("once")}),
                                      Of(second, "twice.k0", 8, {Exec("twice")}), Exec("store")})});
    return LowerSchedule(f, s).error;
  };
  EXPECT_EQ(error(DimKind::UNROLL, DimKind::VECTOR), "");
  EXPECT_EQ(error(DimKind::VECTOR, DimKind::UNROLL),
            "twice begins with the value of once, which has parts");
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
