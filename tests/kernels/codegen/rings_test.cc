// SPDX-License-Identifier: MIT
//
// Rings: temporaries that are filled some iterations ahead (kernels/codegen/memory/ring_plan.h).
// The CUDA C++ of products is run on the CPU thread by thread (tests/cuda_shim), and each defect of
// a ring must show there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"
#include "tests/kernels/codegen/shim_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;

/// How an operand gets to shared memory.
struct Way {
  std::uint32_t stages = 1;
  bool is_async = false;
};

/// A product of blocks of 8 x 16 and slices of 4 along k.
struct Shape {
  Way a, b;
  std::uint32_t slices = 5;                  ///< Iterations of the loop over k.
  std::uint32_t lanes = 4;                   ///< Of accesses that fill the temporary of B.
  bool has_outer_loop = false;               ///< One block goes through all columns.
  bool copies_in_loop = false;               ///< The slice of B is filled row by row.
  bool is_nested = false;                    ///< B is filled in an inner loop, row by row.
  bool is_apart = false;                     ///< A is read in other nests than it is stored in.
  bool is_among = false;                     ///< B is read among the threads that fill A.
  std::uint32_t beyond_k = 0, beyond_n = 0;  ///< Points that loops run beyond these axes.

  std::string Text() const {
    return fmt::format(
        "a {} {}, b {} {}, {} slices, {} lanes, outer loop {}, copies in loop {}, nested {}, apart "
        "{}, among {}, beyond {} {}",
        a.stages, a.is_async, b.stages, b.is_async, slices, lanes, has_outer_loop, copies_in_loop,
        is_nested, is_apart, is_among, beyond_k, beyond_n);
  }
};

ir::Function Product(const Shape& shape) {
  const std::uint32_t k = 4 * shape.slices;
  return Matmul(16, 32 - shape.beyond_n, k - shape.beyond_k, 1, ir::Type::kF32, 3, {16, 32, k});
}

Item Tile(const std::string& inst) {
  return Thread(0, inst + ".m1", 4,
                {Thread(1, inst + ".n1", 4,
                        {Unroll(inst + ".m2", 2, {Unroll(inst + ".n2", 4, {Exec(inst)})})})});
}

/// A: two rows of each thread.
Items FillA(const Shape& shape) {
  const std::string st = "tmp.load_a.st";
  if (!shape.is_apart) {
    return {
        Thread(0, "load_a.m1 + tmp.load_a.st.m1", 4,
               {Thread(1, "load_a.k1 + tmp.load_a.st.k1", 4,
                       {Unroll("load_a.m2 + tmp.load_a.st.m2", 2, {Exec("load_a"), Exec(st)})})})};
  }
  const auto nest = [](const std::string& inst) {
    return Thread(0, inst + ".m1", 4,
                  {Thread(1, inst + ".k1", 4, {Unroll(inst + ".m2", 2, {Exec(inst)})})});
  };
  return {nest("load_a"), nest(st)};
}

/// B element by element, read by threads that have nothing to do with it; A each time again.
Items FillAmong() {
  const Item fill = Thread(
      0, "load_a.m1 + tmp.load_a.st.m1", 4,
      {Thread(1, "load_a.k1 + tmp.load_a.st.k1", 4,
              {Unroll("load_a.m2 + tmp.load_a.st.m2", 2, {Exec("load_a"), Exec("tmp.load_a.st")}),
               Exec("load_b")})});
  return {Loop("load_b.n1 + tmp.load_b.st.n1", 4,
               {Loop("load_b.n2 + tmp.load_b.st.n2", 4,
                     {Loop("load_b.k1 + tmp.load_b.st.k1", 4, {fill, Exec("tmp.load_b.st")})})})};
}

/// B: four neighbours of each thread.
Items FillB(const Shape& shape) {
  const Items copy = {
      Unroll("load_b.n2 + tmp.load_b.st.n2", 4, {Exec("load_b"), Exec("tmp.load_b.st")})};
  const std::string columns = "load_b.n1 + tmp.load_b.st.n1", rows = "load_b.k1 + tmp.load_b.st.k1";
  if (shape.is_nested) return {Thread(1, columns, 4, copy)};
  if (shape.copies_in_loop) return {Thread(1, columns, 4, {Loop(rows, 4, copy)})};
  return {Thread(0, rows, 4, {Thread(1, columns, 4, copy)})};
}

Item Multiply(const Items& inside) {
  return Thread(0, "mad.m1 + tmp.load_a.ld.m1", 4,
                {Thread(1, "mad.n1 + tmp.load_b.ld.n1", 4, inside)});
}

Items Append(Items all, const Items& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The loop over k.
Item Sums(const Shape& shape) {
  const Items step = {Unroll("tmp.load_a.ld.m2", 2, {Exec("tmp.load_a.ld")}),
                      Unroll("tmp.load_b.ld.n2", 4, {Exec("tmp.load_b.ld")}),
                      Unroll("mad.m2", 2, {Unroll("mad.n2", 4, {Exec("mad")})})};
  const std::string inner = "mad.k1 + tmp.load_a.ld.k1 + tmp.load_b.ld.k1";
  Items body = FillA(shape);
  if (shape.is_among) {
    body = Append(FillAmong(), {Multiply({Unroll(inner, 4, step)})});
  } else if (shape.is_nested) {
    body.push_back(
        Loop(inner + " + load_b.k1 + tmp.load_b.st.k1", 4, Append(FillB(shape), {Multiply(step)})));
  } else {
    body = Append(Append(body, FillB(shape)), {Multiply({Unroll(inner, 4, step)})});
  }
  return Loop(
      "mad.k0 + load_a.k0 + load_b.k0 + tmp.load_a.st.k0 + tmp.load_a.ld.k0 + tmp.load_b.st.k0 + "
      "tmp.load_b.ld.k0",
      shape.slices, body);
}

ir::MemId BlockOf(const ir::Function& f, const std::string& name) {
  return std::ranges::find(f.blocks, name, &ir::MemBlock::name_)->id;
}
ir::InstId InstOf(const ir::Function& f, const std::string& name) {
  return std::ranges::find(f.insts, name, &ir::Instruction::name_)->id;
}

void Set(const ir::Function& f, const std::string& temp, const Way& way, Schedule& schedule) {
  schedule.stages.Set(BlockOf(f, temp), way.stages);
  schedule.transfer.Set(BlockOf(f, temp), way.is_async ? Transfer::ASYNC : Transfer::REGISTERS);
}

Schedule ScheduleOf(const ir::Function& f, const Shape& shape) {
  const std::string rows =
      "init.m0 + mad.m0 + load_a.m0 + store.m0 + tmp.load_a.st.m0 + tmp.load_a.ld.m0";
  const std::string columns =
      "init.n0 + mad.n0 + load_b.n0 + store.n0 + tmp.load_b.st.n0 + tmp.load_b.ld.n0";
  const Items body = {Tile("init"), Sums(shape), Tile("store")};
  const Item inside = shape.has_outer_loop ? Loop(columns, 2, body) : Block(columns, 2, body);
  Schedule schedule = Draw(f, {Block(rows, 2, {inside})},
                           {{"tmp.load_a", {MemSpace::SHARED, {"m2", "m1", "k1"}}},
                            {"tmp.load_b", {MemSpace::SHARED, {"n2", "n1", "k1"}}}});
  Set(f, "tmp.load_a", shape.a, schedule);
  Set(f, "tmp.load_b", shape.b, schedule);
  for (const char* inst : {"load_b", "tmp.load_b.st"}) {
    schedule.vec.Set(InstOf(f, inst), shape.lanes);
  }
  const bool is_wide = shape.b.is_async && shape.lanes == 4;
  if (is_wide) schedule.cache.Set(InstOf(f, "load_b"), Cache::CACHE_GLOBAL);
  return schedule;
}

constexpr Way kOnce, kTwice{2, false};
constexpr Way Async(std::uint32_t stages) {
  return {stages, true};
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (const bool has_outer_loop : {false, true}) {
    for (const Way& a : {kOnce, kTwice, Async(3)}) {
      for (const Way& b : {kOnce, kTwice, Async(2), Async(3), Async(4)}) {
        if (a.is_async && b.is_async && a.stages != b.stages) continue;
        shapes.push_back({.a = a, .b = b, .has_outer_loop = has_outer_loop});
      }
    }
  }
  // As few iterations as slots, and one more.
  for (const std::uint32_t slices : {4u, 5u}) {
    shapes.push_back({.a = Async(4), .b = Async(4), .slices = slices, .has_outer_loop = true});
  }
  for (const std::uint32_t slices : {2u, 3u}) {
    shapes.push_back({.a = kTwice, .b = Async(2), .slices = slices, .has_outer_loop = true});
  }
  for (const std::uint32_t lanes : {1u, 2u}) {
    shapes.push_back({.a = kTwice, .b = Async(3), .lanes = lanes});
  }
  for (const Way& a : {kOnce, kTwice, Async(3)}) {
    shapes.push_back({.a = a, .b = Async(3), .copies_in_loop = true});
    // One ring inside of the other, which begins anew in each iteration of that.
    shapes.push_back({.a = a, .b = Async(3), .is_nested = true});
    shapes.push_back({.a = a, .b = kTwice, .is_nested = true});
    // Axes that end early.
    shapes.push_back({.a = a, .b = Async(3), .has_outer_loop = true, .beyond_k = 2});
    shapes.push_back({.a = a, .b = Async(3), .lanes = 2, .beyond_k = 3, .beyond_n = 6});
    shapes.push_back({.a = a, .b = kTwice, .beyond_k = 1, .beyond_n = 4});
  }
  shapes.push_back({.a = kTwice, .b = Async(3), .has_outer_loop = true, .is_apart = true});
  shapes.push_back({.b = Async(3), .lanes = 1, .is_among = true, .beyond_k = 1});
  return shapes;
}

/// The texts of shapes, with a defect.
class Texts {
 public:
  explicit Texts(const std::vector<Shape>& shapes, Fault fault = Fault::kNone) {
    std::vector<const ir::Function*> functions;
    for (const Shape& shape : shapes) {
      functions_.push_back(std::make_unique<ir::Function>(Product(shape)));
      functions.push_back(functions_.back().get());
      const Schedule schedule = ScheduleOf(*functions_.back(), shape);
      const LoweredCode code = LowerSchedule(*functions_.back(), schedule, fault);
      EXPECT_EQ(code.error, "") << shape.Text();
      const GpuText text = PrintGpu(code);
      texts_.push_back({text.source, text.launch});
    }
    run_ = std::make_unique<ShimRun>(functions, texts_);
  }
  const ShimRun& run() const { return *run_; }
  const exh_shim::CudaText& text(std::size_t i) const { return texts_[i]; }

 private:
  std::vector<std::unique_ptr<ir::Function>> functions_;
  std::vector<exh_shim::CudaText> texts_;
  std::unique_ptr<ShimRun> run_;
};

TEST(Rings, ComputeTheProduct) {
  const std::vector<Shape> shapes = AllShapes();
  const Texts texts(shapes);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ir::Function f = Product(shapes[i]);
    const Schedule schedule = ScheduleOf(f, shapes[i]);
    ASSERT_EQ(CheckByInterpreter(f, schedule), "") << shapes[i].Text();
    ASSERT_EQ(texts.run().Check(i), "") << shapes[i].Text();
  }
}

int Count(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) ++count;
  return count;
}

TEST(Rings, MeetOnceInAnIteration) {
  const Texts texts({{.a = kOnce, .b = kOnce},
                     {.a = kTwice, .b = Async(3)},
                     {.a = kTwice, .b = Async(4), .has_outer_loop = true}});
  EXPECT_EQ(Count(texts.text(0).source, "__syncthreads();"), 2);
  EXPECT_EQ(Count(texts.text(0).source, "exh_"), Count(texts.text(0).source, "exh_shared") + 1);
  EXPECT_EQ(Count(texts.text(1).source, "__syncthreads();"), 1);
  EXPECT_THAT(texts.text(1).source, HasSubstr("exh_wait<1>();"));
  EXPECT_EQ(Count(texts.text(1).source, "exh_commit();"), 2 + 1);
  // All have read the last slices before the next ones are filled.
  EXPECT_EQ(Count(texts.text(2).source, "__syncthreads();"), 2);
  EXPECT_THAT(texts.text(2).source, HasSubstr("exh_wait<2>();"));
  // 8 x 4 elements of A, and 4 x 16 of B.
  EXPECT_EQ(texts.text(0).launch.shared_bytes, 4u * (32 + 64));
  EXPECT_EQ(texts.text(1).launch.shared_bytes, 4u * (2 * 32 + 3 * 64));
  EXPECT_EQ(texts.text(2).launch.shared_bytes, 4u * (2 * 32 + 4 * 64));
}

TEST(Rings, MissingWaitsShow) {
  const std::vector<Shape> shapes = {{.b = Async(2)}, {.a = Async(3), .b = Async(3)}};
  const Texts texts(shapes, Fault::kMissingCopyWait);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const int order : kShimOrders) {
      EXPECT_THAT(texts.run().Check(i, order), HasSubstr("has not waited for"));
    }
  }
}

TEST(Rings, ShortRingsShow) {
  const std::vector<Shape> shapes = {
      {.a = kTwice}, {.b = Async(2)}, {.a = Async(3), .b = Async(3)}, {.b = Async(4)}};
  const Texts texts(shapes, Fault::kShortRing);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const int order : kShimOrders) {
      EXPECT_THAT(texts.run().Check(i, order), HasSubstr("thread")) << shapes[i].Text();
    }
  }
}

TEST(Rings, EarlyRefillsShow) {
  const std::vector<Shape> shapes = {
      {.a = kTwice}, {.b = Async(2)}, {.a = Async(3), .b = Async(3)}, {.b = Async(4)}};
  const Texts texts(shapes, Fault::kEarlyRefill);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const int order : kShimOrders) {
      EXPECT_THAT(texts.run().Check(i, order), HasSubstr("thread")) << shapes[i].Text();
    }
  }
}

TEST(Rings, MissingBarriersShow) {
  const std::vector<Shape> shapes = {{.a = kTwice, .b = kTwice}, {.a = Async(3), .b = Async(3)}};
  const Texts texts(shapes, Fault::kMissingBarrier);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const int order : kShimOrders) {
      EXPECT_THAT(texts.run().Check(i, order), HasSubstr("thread")) << shapes[i].Text();
    }
  }
}

/// What is said of a schedule that the space does not have.
std::string ErrorOf(
    const Shape& shape, const std::function<void(const ir::Function&, Schedule&)>& change =
                            [](const ir::Function&, Schedule&) {}) {
  const ir::Function f = Product(shape);
  Schedule schedule = ScheduleOf(f, shape);
  change(f, schedule);
  return LowerSchedule(f, schedule).error;
}

TEST(Rings, RefusesWhatCannotTurn) {
  EXPECT_THAT(ErrorOf({.b = kTwice, .copies_in_loop = true}), HasSubstr("part by part"));
  EXPECT_THAT(ErrorOf({.a = Async(2), .is_apart = true}), HasSubstr("other loops"));
  EXPECT_THAT(ErrorOf({.b = Async(2)},
                      [](const ir::Function& f, Schedule& schedule) {
                        schedule.mem_space.Set(BlockOf(f, "tmp.load_b"), MemSpace::GLOBAL);
                      }),
              HasSubstr("not in shared memory"));
  EXPECT_THAT(ErrorOf({.b = Async(2)},
                      [](const ir::Function& f, Schedule& schedule) {
                        schedule.vec.Set(InstOf(f, "load_b"), 2);
                      }),
              HasSubstr("not as wide"));
  EXPECT_THAT(ErrorOf({.b = Async(2), .lanes = 2},
                      [](const ir::Function& f, Schedule& schedule) {
                        schedule.cache.Set(InstOf(f, "load_b"), Cache::CACHE_GLOBAL);
                      }),
              HasSubstr("only wide copies"));
  EXPECT_THAT(ErrorOf({.a = Async(2)},
                      [](const ir::Function& f, Schedule& schedule) {
                        // Neighbours in the temporary are rows of A.
                        for (const char* inst : {"load_a", "tmp.load_a.st"}) {
                          schedule.vec.Set(InstOf(f, inst), 2);
                        }
                      }),
              HasSubstr("not as its argument"));
  EXPECT_THAT(ErrorOf({.b = Async(2), .beyond_n = 1}), HasSubstr("partly outside"));
}

TEST(Rings, KernelsAskForBlocks) {
  const Shape shape = {.b = Async(2)};
  const ir::Function f = Product(shape);
  Schedule schedule = ScheduleOf(f, shape);
  EXPECT_THAT(PrintGpu(LowerSchedule(f, schedule)).source,
              HasSubstr("__launch_bounds__(16, 1)\nexh_kernel("));
  schedule.min_blocks.Set(3);
  EXPECT_THAT(PrintGpu(LowerSchedule(f, schedule)).source,
              HasSubstr("__launch_bounds__(16, 3)\nexh_kernel("));
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
