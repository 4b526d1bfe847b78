// SPDX-License-Identifier: MIT
//
// Which threads are a warp and which block comes when (kernels/spaces/places.exh): products with
// all patches and rasters, run in the shim, and the numberings themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"
#include "tests/kernels/codegen/shim_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t kRows = 16, kColumns = 32;  ///< Threads of a block.

/// What a product is made of: blocks of kRows x kColumns threads, each with 2 x 2 sums.
struct Shape {
  std::uint32_t patch = 1, raster = 1;
  std::uint32_t block_rows = 1, block_columns = 1;

  std::string Text() const {
    return fmt::format("patch {}, raster {}, blocks {} x {}", patch, raster, block_rows,
                       block_columns);
  }
};

ir::Function Product(const Shape& shape) {
  return Matmul(2 * kRows * shape.block_rows, 2 * kColumns * shape.block_columns, 4);
}

Items Tile(const std::string& inst) {
  return {Unroll(inst + ".m2", 2, {Unroll(inst + ".n2", 2, {Exec(inst)})})};
}

Schedule ScheduleOf(const ir::Function& f, const Shape& shape) {
  Items step = {Unroll("load_a.m2", 2, {Exec("load_a")}), Unroll("load_b.n2", 2, {Exec("load_b")})};
  step.push_back(Tile("mad").front());
  const Items sum = {
      Loop("mad.k0 + load_a.k0 + load_b.k0", 2, {Loop("mad.k1 + load_a.k1 + load_b.k1", 2, step)})};
  const Items body = {Tile("init").front(), sum.front(), Tile("store").front()};
  const Items columns = {Thread(1, "init.n1 + mad.n1 + store.n1 + load_b.n1", kColumns, body)};
  const Items rows = {Thread(0, "init.m1 + mad.m1 + store.m1 + load_a.m1", kRows, columns)};
  const std::string block_columns = "init.n0 + mad.n0 + store.n0 + load_b.n0";
  Schedule s = Draw(f, {Block("init.m0 + mad.m0 + store.m0 + load_a.m0", shape.block_rows,
                              {Block(block_columns, shape.block_columns, rows)})});
  s.patch.Set(shape.patch);
  s.raster.Set(shape.raster);
  return s;
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (const std::uint32_t patch : {1, 2, 4, 8, 16}) shapes.push_back({.patch = patch});
  for (const std::uint32_t raster : {2, 4, 8, 16}) {
    shapes.push_back({.raster = raster, .block_rows = 5, .block_columns = 3});
  }
  shapes.push_back({.patch = 4, .raster = 2, .block_rows = 4, .block_columns = 2});
  shapes.push_back({.raster = 2, .block_rows = 1, .block_columns = 3});
  return shapes;
}

std::vector<std::string> Check(const std::vector<Shape>& shapes, Fault fault) {
  std::vector<std::unique_ptr<ir::Function>> functions;
  std::vector<const ir::Function*> pointers;
  std::vector<exh_shim::CudaText> texts;
  for (const Shape& shape : shapes) {
    functions.push_back(std::make_unique<ir::Function>(Product(shape)));
    pointers.push_back(functions.back().get());
    const Schedule schedule = ScheduleOf(*functions.back(), shape);
    const LoweredCode code = LowerSchedule(*functions.back(), schedule, fault);
    EXPECT_EQ(code.error, "") << shape.Text();
    const GpuText text = PrintGpu(code);
    texts.push_back({text.source, text.launch});
  }
  const ShimRun run(pointers, texts);
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < shapes.size(); ++i) messages.push_back(run.Check(i));
  return messages;
}

TEST(Places, ComputeTheProduct) {
  const std::vector<Shape> shapes = AllShapes();
  const std::vector<std::string> messages = Check(shapes, Fault::kNone);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(messages[i], "") << shapes[i].Text();
    const ir::Function f = Product(shapes[i]);
    EXPECT_EQ(CheckByInterpreter(f, ScheduleOf(f, shapes[i])), "") << shapes[i].Text();
  }
}

/// A numbering that leaves somebody out is seen.
TEST(Places, FaultsShow) {
  const std::vector<Shape> shapes = {
      {.patch = 2}, {.patch = 8}, {.raster = 2, .block_rows = 5, .block_columns = 3}};
  for (const std::string& message : Check(shapes, Fault::kLostPlace)) EXPECT_NE(message, "");
}

LoopTree TreeOf(const Shape& shape) {
  const ir::Function f = Product(shape);
  return *BuildLoopTree(f, ScheduleOf(f, shape)).tree;
}

TEST(Places, AWarpIsAPatch) {
  for (const std::uint32_t patch : {1, 2, 4, 8, 16}) {
    const LoopTree tree = TreeOf({.patch = patch});
    ASSERT_EQ(tree.layouts.size(), 1u);
    ASSERT_EQ(tree.num_threads, kRows * kColumns);
    std::set<std::uint32_t> all;
    for (std::uint32_t first = 0; first < tree.num_threads; first += 32) {
      std::set<std::uint32_t> rows, columns;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t place = tree.layouts[0].PlaceOf(first + lane);
        EXPECT_TRUE(all.insert(place).second);
        rows.insert(tree.axes[0].IndexOf(place));
        columns.insert(tree.axes[1].IndexOf(place));
      }
      EXPECT_EQ(rows.size(), patch);
      EXPECT_EQ(columns.size(), 32 / patch);
      EXPECT_EQ(*rows.rbegin() - *rows.begin(), patch - 1);
      EXPECT_EQ(*columns.rbegin() - *columns.begin(), 32 / patch - 1);
    }
    EXPECT_EQ(*all.rbegin(), tree.num_threads - 1);
  }
}

std::string Printed(const Shape& shape) {
  const ir::Function f = Product(shape);
  const Schedule schedule = ScheduleOf(f, shape);
  return PrintGpu(LowerSchedule(f, schedule)).source;
}

TEST(Places, OfOneAreNotPrinted) {
  EXPECT_THAT(Printed({}), Not(HasSubstr("int u =")));
  EXPECT_THAT(Printed({.patch = 4}), HasSubstr("patches of 8 x 4"));
  EXPECT_THAT(Printed({.block_rows = 4, .block_columns = 4}), Not(HasSubstr("exh_block")));
  // Rows of blocks that are whole need no look at how many are left.
  EXPECT_THAT(Printed({.raster = 2, .block_rows = 4, .block_columns = 4}),
              Not(HasSubstr("exh_rows")));
  EXPECT_THAT(Printed({.raster = 2, .block_rows = 5, .block_columns = 4}), HasSubstr("exh_rows"));
}

TEST(Places, PatchesThatDoNotFitAreRefused) {
  const ir::Function f = Product({});
  for (const std::uint32_t patch : {32u, 64u}) {
    EXPECT_THAT(BuildLoopTree(f, ScheduleOf(f, {.patch = patch})).error,
                HasSubstr(fmt::format("warps of {} rows", patch)));
  }
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
