// SPDX-License-Identifier: MIT
//
// Sums of which threads have slices: how many shuffles combine them, and the CUDA C++ of them, run
// on the CPU thread by thread (tests/cuda_shim).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/cuda_shim/shim_source.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/shim_run.h"

namespace exh::kernels::codegen::testing {
namespace {

/// Register tiles, and the threads that have slices of their sums.
struct Shape {
  std::uint32_t m2 = 1, n1 = 1, n2 = 1;  ///< Registers of a sum.
  std::uint32_t slices = 2;              ///< Along k1.
  std::uint32_t more_slices = 1;         ///< Along k0, an axis of threads of its own.
  bool rows_inside = false;              ///< The two rows of threads are the innermost axis.
  AcrossBlocks across = AcrossBlocks::NOT_ACROSS;
  std::uint32_t splits = 3;

  std::uint32_t registers() const { return m2 * n1 * n2; }
  bool is_divided() const { return across != AcrossBlocks::NOT_ACROSS; }
  std::string Text() const {
    return fmt::format("{} x {} x {} registers, {} x {} slices, rows {}, across {}", m2, n1, n2,
                       slices, more_slices, rows_inside ? "inside" : "outside",
                       static_cast<int>(across));
  }
};

/// What the tile does not have is blocks (OfTile).
Item Unrolled(const std::string& dim, std::uint32_t size, const Item& body) {
  return size == 1 ? body : Unroll(dim, size, {body});
}

Item Tile(const Shape& shape, const std::string& inst) {
  return Unrolled(inst + ".m2", shape.m2,
                  Unrolled(inst + ".n1", shape.n1, Unrolled(inst + ".n2", shape.n2, Exec(inst))));
}

Item OfTile(const Shape& shape, const Items& body) {
  Items all = body;
  const auto add = [&](const std::string& load, const std::string& level, std::uint32_t size) {
    std::string dims;
    for (const std::string inst : {"init", "mad", "store"}) dims += inst + "." + level + " + ";
    if (size == 1) all = {Block(dims + load + "." + level, 2, all)};
  };
  add("load_a", "m2", shape.m2);
  add("load_b", "n1", shape.n1);
  add("load_b", "n2", shape.n2);
  return Block("init.n0 + mad.n0 + load_b.n0 + store.n0", 2, all);
}

/// Rows of threads around the threads of the slices, or inside.
Item Sums(const Shape& shape) {
  const Items body = {
      Unrolled("load_a.m2", shape.m2, Exec("load_a")),
      Unrolled("load_b.n1", shape.n1, Unrolled("load_b.n2", shape.n2, Exec("load_b"))),
      Tile(shape, "mad")};
  const auto rows = [&](const Items& inside) {
    return Thread(shape.rows_inside ? 2 : 0, "mad.m1 + load_a.m1", 2, inside);
  };
  const auto slices = [&](const Items& inside) {
    const Item inner = Thread(1, "mad.k1 + load_a.k1 + load_b.k1", shape.slices, inside);
    if (shape.more_slices == 1) return inner;
    const int axis = shape.rows_inside ? 0 : 3;
    Item outer = Thread(axis, "mad.k0 + load_a.k0 + load_b.k0", shape.more_slices, {inner});
    if (axis == 0) return outer;
    // The innermost axis is the innermost loop.
    std::swap(outer.dims, outer.body.front().dims);
    std::swap(outer.size, outer.body.front().size);
    std::swap(outer.axis, outer.body.front().axis);
    return outer;
  };
  return shape.rows_inside ? slices({rows(body)}) : rows({slices(body)});
}

/// Without more slices k0 is the blocks that divide the sums, or a loop.
Schedule Sliced(const ir::Function& f, const Shape& shape) {
  const int row = shape.rows_inside ? 2 : 0;
  Item sums = Sums(shape);
  const std::string k0 = "mad.k0 + load_a.k0 + load_b.k0";
  if (shape.more_slices == 1 && !shape.is_divided()) sums = Loop(k0, shape.splits, {sums});
  const Items body = {Thread(row, "init.m1", 2, {Tile(shape, "init")}), sums,
                      Thread(row, "store.m1", 2, {Tile(shape, "store")})};
  const Item tiles = Block("init.m0 + mad.m0 + load_a.m0 + store.m0", 2, {OfTile(shape, body)});
  if (!shape.is_divided()) return Draw(f, {tiles});
  return Draw(f, {Block(k0, shape.splits, {tiles})}, {}, shape.across);
}

ir::Function Product(const Shape& shape) {
  const std::uint32_t k0 = shape.more_slices > 1 ? shape.more_slices : shape.splits;
  const auto size = [](std::uint32_t tile) { return std::max(tile, 2u); };
  return Matmul(4 * size(shape.m2), 2 * size(shape.n1) * size(shape.n2), shape.slices * k0, 1,
                ir::Type::kF32, 5);
}

std::uint32_t Bits(const std::vector<ThreadDigit>& digits) {
  return static_cast<std::uint32_t>(BitsIn(digits).size());
}

std::uint32_t SizeOf(const std::vector<ThreadDigit>& digits) {
  std::uint32_t size = 1;
  for (const ThreadDigit& digit : digits) size *= digit.size;
  return size;
}

TEST(SlicesOfThreads, HalveWhatEachOwns) {
  struct Expected {
    Shape shape;
    std::uint32_t halved, shuffled, owned, shared, slots;
  };
  const Shape one, two = {1, 1, 2}, six = {3, 1, 2}, eight = {2, 2, 2}, many = {4, 4, 4};
  const auto with = [](Shape shape, std::uint32_t slices, bool rows_inside = false,
                       std::uint32_t more_slices = 1) {
    shape.slices = slices;
    shape.rows_inside = rows_inside;
    shape.more_slices = more_slices;
    return shape;
  };
  const std::vector<Expected> all = {
      {with(one, 2), 0, 1, 1, 1, 2},
      {with(one, 128), 0, 5, 1, 4, 2 * 4},
      {with(two, 2), 1, 0, 1, 1, 2 * 2},
      {with(two, 8), 1, 2, 1, 1, 2 * 2},
      {with(two, 128), 1, 4, 1, 4, 2 * 2 * 4},
      {with(six, 2), 1, 0, 3, 1, 2 * 2},
      {with(six, 8), 1, 2, 3, 1, 2 * 2},  // Three cannot be halved.
      {with(six, 32), 1, 4, 3, 1, 2 * 2},
      {with(eight, 2), 1, 0, 4, 1, 2 * 2},
      {with(eight, 8), 3, 0, 1, 1, 2 * 8},
      {with(eight, 32), 3, 2, 1, 1, 2 * 8},
      {with(many, 8), 3, 0, 8, 1, 2 * 8},
      {with(many, 32), 5, 0, 2, 1, 2 * 32},
      {with(many, 128), 5, 0, 2, 4, 2 * 32 * 4},
      // One bit of a warp is the rows'.
      {with(many, 128, true), 4, 0, 4, 8, 2 * 16 * 8},
      {with(eight, 128, true), 3, 1, 1, 8, 2 * 8 * 8},
      // Bits of two axes; of the second one two tell warps apart.
      {with(many, 8, false, 16), 5, 0, 2, 4, 2 * 32 * 4},
      {with(eight, 4, true, 8), 3, 1, 1, 2, 2 * 8 * 2},
  };
  for (const Expected& expected : all) {
    const ir::Function f = Product(expected.shape);
    const Schedule s = Sliced(f, expected.shape);
    const LoweredCode code = LowerSchedule(f, s);
    ASSERT_EQ(code.error, "") << expected.shape.Text();
    ASSERT_EQ(code.combines.combines.size(), 1U);
    const Combine& combine = code.combines.combines.front();
    EXPECT_EQ(Bits(combine.halved), expected.halved) << expected.shape.Text();
    EXPECT_EQ(Bits(combine.shuffled), expected.shuffled) << expected.shape.Text();
    EXPECT_EQ(combine.owned, expected.owned) << expected.shape.Text();
    EXPECT_EQ(combine.owned << expected.halved, expected.shape.registers());
    EXPECT_EQ(SizeOf(combine.shared), expected.shared) << expected.shape.Text();
    EXPECT_EQ(combine.num_slots, expected.slots) << expected.shape.Text();
    EXPECT_EQ(combine.shared_bytes,
              expected.shared == 1 ? 0 : combine.at_once * expected.slots * 4);
    EXPECT_LE(combine.shared_bytes, 16384U);
  }
}

/// How often a word is in a text.
int Count(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(SlicesOfThreads, TakeFewShuffles) {
  const auto shuffles = [](const Shape& shape) {
    const ir::Function f = Product(shape);
    const Schedule s = Sliced(f, shape);
    return Count(PrintGpu(LowerSchedule(f, s)).source, "__shfl_xor_sync");
  };
  EXPECT_EQ(shuffles({4, 4, 4, 32}), 62 + 62) << "to own two, and to have all";
  EXPECT_EQ(shuffles({3, 1, 2, 8}), 3 + 2 * 3 + 3);
  EXPECT_EQ(shuffles({1, 1, 1, 32}), 5);
  // Handed over from where they are. Who reads them needs no more than to have all of them.
  EXPECT_EQ(shuffles({4, 4, 4, 32, 1, false, AcrossBlocks::LAST_BLOCK}), 62 + 62);
  EXPECT_EQ(shuffles({4, 4, 4, 32, 1, false, AcrossBlocks::SECOND_LAUNCH}), 62 + 62);
  EXPECT_EQ(shuffles({4, 4, 4, 32, 1, false, AcrossBlocks::ATOMIC_RED}), 62 + 62);
}

/// Only the first of the threads with slices of a sum stores it, for all have it: lets the last one
/// do so.
std::string StoredByTheLast(const GpuText& text) {
  const std::string& source = text.source;
  const std::size_t end = source.rfind(") {", source.find("const int i_store_m1"));
  const std::size_t begin = source.rfind("if (", end);
  const std::string guard = source.substr(begin, end - begin);
  const std::regex digit("t(?: / ([0-9]+))?(?: % ([0-9]+))? == 0");
  std::string last;
  std::smatch found;
  for (auto at = guard.cbegin();; at = found.suffix().first) {
    if (!std::regex_search(at, guard.cend(), found, digit)) {
      return source.substr(0, begin) + last.append(at, guard.cend()) + source.substr(end);
    }
    const std::uint32_t stride =
        found[1].matched ? static_cast<std::uint32_t>(std::stoul(found[1])) : 1;
    const std::uint32_t size = found[2].matched ? static_cast<std::uint32_t>(std::stoul(found[2]))
                                                : text.launch.threads / stride;
    const std::string term = found[0];
    last.append(at, found[0].first);
    last += term.substr(0, term.size() - 1) + std::to_string(size - 1);
  }
}

/// All tiles and slices, in loops and in blocks that divide them.
std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (const AcrossBlocks across :
       {AcrossBlocks::NOT_ACROSS, AcrossBlocks::LAST_BLOCK, AcrossBlocks::SECOND_LAUNCH}) {
    for (const Shape& tile :
         {Shape{}, Shape{1, 1, 2}, Shape{2, 2, 2}, Shape{3, 1, 2}, Shape{4, 4, 4}}) {
      for (const std::uint32_t slices : {2u, 8u, 32u, 128u}) {
        Shape shape = tile;
        shape.slices = slices;
        shape.across = across;
        shape.rows_inside = shapes.size() % 3 == 0;
        // More or fewer than the threads that share them.
        shape.splits = shapes.size() % 2 == 0 ? 3 : 17;
        shapes.push_back(shape);
      }
    }
  }
  // Two axes of slices, an axis that no bits tell apart, and atomic sums.
  shapes.push_back({4, 4, 4, 8, 16});
  shapes.push_back({2, 2, 2, 4, 8, true});
  shapes.push_back({3, 1, 2, 4, 2, false});
  shapes.push_back({2, 2, 2, 3, 4, true});
  shapes.push_back({2, 2, 2, 6, 1, false, AcrossBlocks::LAST_BLOCK});
  shapes.push_back({2, 2, 2, 32, 1, false, AcrossBlocks::ATOMIC_RED});
  return shapes;
}

TEST(SlicesOfThreads, BecomeTheSumsInTheShim) {
  const std::vector<Shape> shapes = AllShapes();
  std::vector<std::unique_ptr<ir::Function>> functions;
  std::vector<exh_shim::CudaText> texts;
  for (const Shape& shape : shapes) {
    functions.push_back(std::make_unique<ir::Function>(Product(shape)));
    const Schedule s = Sliced(*functions.back(), shape);
    const LoweredCode code = LowerSchedule(*functions.back(), s);
    ASSERT_EQ(code.error, "") << shape.Text();
    const GpuText text = PrintGpu(code);
    const bool by_last = texts.size() % 3 != 1;
    texts.push_back({by_last ? StoredByTheLast(text) : text.source, text.launch});
  }
  std::vector<const ir::Function*> each;
  for (const auto& function : functions) each.push_back(function.get());
  const ShimRun run(each, texts);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ASSERT_EQ(run.Check(i), "") << shapes[i].Text();
  }
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
