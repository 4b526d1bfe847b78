// SPDX-License-Identifier: MIT
//
// What a search of each kernel begins with: that it is there, and what it looks like. That it is
// correct and fast enough is for machines that run it (tests/e2e).
#include "search/descend/first.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <set>
#include <string>

#include "kernels/devices/backend.h"
#include "kernels/recipes/copied_tiles.h"
#include "kernels/recipes/processor/chained_tiles.h"
#include "kernels/recipes/processor/register_tiles.h"
#include "kernels/recipes/processor/streams.h"
#include "kernels/recipes/rings.h"
#include "kernels/recipes/row_tiles.h"
#include "kernels/recipes/running/tiles.h"
#include "kernels/recipes/running/units.h"
#include "kernels/recipes/unit_recipe.h"
#include "kernels/recipes/windows.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Begun {
  Problem problem;
  std::vector<runtime::Candidate> first;
  std::string Outline(std::size_t index) const {
    return kernels::Outline(problem.task, first[index]);
  }
  kernels::Source Source(std::size_t index) const {
    return kernels::EmitSource(problem.task, first[index]);
  }
};

Begun Begin(const std::string& kernel, const std::string& size, const std::string& device) {
  ProblemOptions options;
  options.kernel = kernel;
  options.size = size;
  options.device = device;
  options.threads = 4;
  Begun begun{MakeProblem(options), {}};
  const runtime::Candidate root = begun.problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  for (const kernels::Recipe& recipe : kernels::FirstRecipes(*begun.problem.task.function)) {
    const auto [implementation, missed] = Follow(recipe, root, order);
    if (recipe.is_exact) {
      EXPECT_EQ(missed, "") << kernel << " " << size << " on " << device;
    }
    EXPECT_TRUE(implementation) << kernel << " " << size << " on " << device << ": " << recipe.name;
    if (implementation) begun.first.push_back(*implementation);
    if (implementation && std::getenv("EXH_PRINT") != nullptr) {
      fmt::print("---- {} {} on {}: {}\n{}\n", kernel, size, device, recipe.name,
                 kernels::Outline(begun.problem.task, *implementation));
    }
  }
  return begun;
}

TEST(First, EveryKernelHasThemOnTheCpu) {
  for (const std::string& kernel : KernelNames()) {
    const Begun begun = Begin(kernel, "", "cpu");
    const kernels::ir::Target& function = *begun.problem.task.function;
    const std::size_t more =
        kernels::RegisterTileRecipes(function).size() + kernels::StreamRecipes(function).size() +
        static_cast<std::size_t>(kernels::ChainedTileRecipe(function).has_value());
    ASSERT_EQ(begun.first.size(), more + 2u) << kernel;
    std::set<std::string> texts;
    for (std::size_t i = 0; i < begun.first.size(); ++i) {
      EXPECT_EQ(begun.Outline(i).find("block") != std::string::npos, i <= more) << kernel << i;
      EXPECT_TRUE(texts.insert(begun.Source(i).text).second) << kernel << i;
    }
  }
}

/// Where some text of an outline stands; it is there.
std::size_t PlaceOf(const std::string& outline, const std::string& text) {
  const std::size_t place = outline.find(text);
  EXPECT_NE(place, std::string::npos) << text << " is not in\n" << outline;
  return place;
}

/// A panel of columns is copied before the tiles of all rows; registers hold a tile.
TEST(First, ProductsOfTheCpuBeginWithPackedPanels) {
  for (const char* size : {"m=512,n=512,k=512", "m=256,n=256,k=256", "m=500,n=500,k=500",
                           "m=768,n=384,k=640", "m=128,n=1024,k=1024,transpose_a=1,relu=1"}) {
    const Begun begun = Begin("matmul", size, "cpu");
    ASSERT_EQ(begun.first.size(), 4u) << size;
    const std::string outline = begun.Outline(0);
    const std::size_t stored = PlaceOf(outline, "exec tmp.load_b.st"),
                      read = PlaceOf(outline, "exec tmp.load_b.ld"),
                      multiplied = PlaceOf(outline, "exec mad"),
                      row = PlaceOf(outline, "exec load_a");
    EXPECT_LT(stored, read) << outline;
    EXPECT_LT(read, row) << outline;  // Vectors once for all rows of the tile.
    EXPECT_LT(row, multiplied) << outline;
    EXPECT_LT(outline.find("block load_b.n0"), stored) << outline;
    // Work items for four threads alike.
    std::uint64_t items = 1;
    const std::regex block("block [^:]*:([0-9]+)");
    for (std::sregex_iterator found(outline.begin(), outline.end(), block), end; found != end;
         ++found) {
      items *= std::stoull((*found)[1]);
    }
    EXPECT_TRUE(items % 4 == 0 || items >= 16) << items << "\n" << outline;
    // Without a panel of its own the other factor is read where it lies.
    EXPECT_THAT(begun.Outline(1), Not(HasSubstr("tmp."))) << size;
  }
}

TEST(First, ProductsInARowHaveTheirRowsInCommon) {
  const Begun begun = Begin("matmul2", "m=256,n=128,k=64,p=192", "cpu");
  const std::string outline = begun.Outline(0);
  const std::size_t first = PlaceOf(outline, "exec mad_ab"),
                    stored = PlaceOf(outline, "exec tmp.scale.st"),
                    second = PlaceOf(outline, "exec mad_e");
  EXPECT_LT(first, stored) << outline;
  EXPECT_LT(stored, second) << outline;
  EXPECT_EQ(outline.find("block", outline.find("block") + 1), std::string::npos) << outline;
}

TEST(First, StreamsGoPastTheCaches) {
  const Begun begun = Begin("axpy", "n=1048576", "cpu");
  ASSERT_EQ(begun.first.size(), 4u);
  const std::string past = begun.Source(0).text, through = begun.Source(1).text;
  EXPECT_THAT(past, HasSubstr("schedule(static)"));
  EXPECT_THAT(past, HasSubstr("stream"));
  EXPECT_THAT(past, HasSubstr("__builtin_ia32_sfence();"));
  EXPECT_THAT(through, HasSubstr("schedule(static)"));
  EXPECT_THAT(through, Not(HasSubstr("stream")));
}

/// Sums of neighbours: vectors of them, in several chains, which cores share where they are long.
TEST(First, SumsHaveLanesOnTheCpu) {
  struct Expected {
    const char *kernel, *size;
    bool is_divided;
    int chains;  ///< At least.
  };
  for (const auto& [kernel, size, is_divided, chains] :
       {Expected{"dot", "n=4194304", true, 8}, Expected{"dot", "n=4096", false, 8},
        Expected{"dot", "n=1000003", true, 4}, Expected{"mv", "m=1024,n=1024", false, 8},
        Expected{"mv", "m=2,n=262144", true, 2}, Expected{"reduce", "b=1024,c=1024", false, 4},
        Expected{"moments", "", false, 4}, Expected{"softmax", "", false, 4},
        Expected{"matmul", "transpose_b=1", false, 8}}) {
    const std::string what = std::string(kernel) + " " + size;
    const Begun begun = Begin(kernel, size, "cpu");
    const std::string outline = begun.Outline(0), text = begun.Source(0).text;
    EXPECT_THAT(outline, HasSubstr("lanes ")) << what;
    EXPECT_EQ(outline.find("hand_over") != outline.npos, is_divided) << what << "\n" << outline;
    // Registers of vectors that hold parts of sums.
    std::set<std::string> registers;
    const std::regex declared("lanes_[a-z0-9_]+");
    for (std::sregex_iterator found(text.begin(), text.end(), declared), end; found != end;
         ++found) {
      registers.insert(found->str());
    }
    EXPECT_GE(registers.size(), static_cast<std::size_t>(chains)) << what << "\n" << outline;
    // The naive one has none but where registers must hold a whole row.
    const bool is_held = std::string_view(kernel) == "softmax";
    EXPECT_EQ(begun.Outline(1).find("lanes ") != outline.npos, is_held) << what;
  }
}

TEST(First, WhatIsNotInASpaceIsNamed) {
  ProblemOptions options;
  options.kernel = "axpy";
  const Problem problem = MakeProblem(options);
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const auto missed = [&](std::vector<kernels::Wish> wishes) {
    const Followed followed = Follow({"mine", std::move(wishes), true}, root, order);
    EXPECT_TRUE(followed.implementation.has_value());
    return followed.missed;
  };
  EXPECT_EQ(missed({{"size(mad.n0)", {"1"}}, {"dim_kind(mad.n0)", {"BLOCK", "LOOP"}}}),
            "dim_kind(mad.n0)");
  EXPECT_EQ(missed({{"size(mad.n0)", {"1"}}, {"dim_kind(mad.n0)", {"LOOP", "UNROLL"}}}), "");
  // What the space does not have at all is no wish.
  EXPECT_EQ(missed({{"colour(mad.n0)", {"RED"}}, {"dim_kind(mad.n9)", {"LOOP"}}}), "");
}

/// A block of 256 threads goes through tiles of keys; scores and results stay in registers, and the
/// tile of queries is copied once.
TEST(First, AttentionIsOneLoopOverTilesOfKeys) {
  const Begun begun = Begin("attention", "h=4,m=512,n=512,d=64,dv=64", "h200");
  const std::string outline = begun.Outline(0);
  const std::size_t loop = PlaceOf(outline, "loop load_k.j0");
  EXPECT_LT(PlaceOf(outline, "exec tmp.load_q.st"), loop) << outline;
  std::size_t before = loop;
  for (const char* const inside :
       {"exec mad_score", "exec max_top", "combine max_top", "correct max_top", "exec exp_2",
        "exec tmp.exp_2.st", "exec mad_y", "settle max_top", "combine sum_total", "exec div"}) {
    const std::size_t place = PlaceOf(outline, inside);
    EXPECT_LT(before, place) << inside << " in\n" << outline;
    before = place;
  }
  EXPECT_EQ(begun.Source(0).gpu->launch.threads, 256u);
  EXPECT_EQ(begun.Source(0).gpu->launch.grid, 4u * 512 / 128);
}

/// A log-sum-exp goes through its row once.
TEST(First, RowsAreReadOnceWhereAMaximumRuns) {
  const Begun begun = Begin("logsumexp", "m=256,n=16384", "h200");
  const std::string running = begun.Outline(0), waiting = begun.Outline(1);
  EXPECT_THAT(running, HasSubstr("correct max_top"));
  EXPECT_EQ(running.find("loop ", running.find("loop ") + 1), std::string::npos) << running;
  EXPECT_THAT(waiting, Not(HasSubstr("correct max_top")));
  EXPECT_NE(waiting.find("loop ", waiting.find("loop ") + 1), std::string::npos) << waiting;
  // A row of a softmax stays in registers as long as these have room for it.
  EXPECT_THAT(Begin("softmax", "m=256,n=4096", "h200").Outline(0), Not(HasSubstr("loop ")));
}

TEST(First, LongRowsThatAreFewBeginWithClusters) {
  for (const char* const kernel : {"softmax", "layer_norm", "rms_norm", "logsumexp"}) {
    const Begun begun = Begin(kernel, "m=64,n=131072", "h200");
    EXPECT_THAT(begun.Outline(0), HasSubstr("exchange ")) << kernel;
    EXPECT_EQ(begun.Source(0).gpu->launch.cluster, 8U) << kernel;
  }
  EXPECT_THAT(Begin("logsumexp", "m=4096,n=32768", "h200").Outline(0), Not(HasSubstr("exchange ")));
}

TEST(First, LongScansAreDividedAmongBlocks) {
  const Begun begun = Begin("scan", "m=1,n=16777216", "h200");
  EXPECT_THAT(begun.Outline(0), Not(HasSubstr("loop ")));
  const kernels::Source source = begun.Source(0);
  EXPECT_EQ(source.gpu->launch.grid, 512U);
  EXPECT_EQ(source.gpu->launch.threads, 1024U);
  EXPECT_THAT(source.text, HasSubstr("float4 q = load4"));
  // With as many rows as that, a block has whole ones.
  EXPECT_EQ(Begin("scan", "m=4096,n=4096", "h200").Source(0).gpu->launch.grid, 2048U);
}

TEST(First, KeysOfFewQueriesAreDivided) {
  const Begun begun = Begin("attention", "h=32,m=1,n=8192,d=128,dv=128,type=3", "h200");
  const std::string outline = begun.Outline(0);
  for (const char* const met : {"exchange max_top", "exchange sum_total", "exchange mad_y"}) {
    EXPECT_THAT(outline, HasSubstr(met));
  }
  EXPECT_THAT(outline, HasSubstr("correct max_top"));
  EXPECT_EQ(begun.Source(0).gpu->launch.cluster, 8U);
}

TEST(First, EveryKernelHasThemOnAGpu) {
  for (const std::string& kernel : KernelNames()) {
    const Begun begun = Begin(kernel, "", "h200");
    const kernels::ir::Target& function = *begun.problem.task.function;
    const std::size_t products =
        kernels::UnitRecipes(function).size() + kernels::CopiedTileRecipes(function).size() +
        kernels::WindowRecipes(function).size() + kernels::RowTileRecipes(function).size() +
        kernels::RunningTileRecipes(function).size() + kernels::SplitKeyRecipes(function).size() +
        kernels::RunningUnitRecipes(function).size() +
        static_cast<std::size_t>(kernels::RingRecipe(function).has_value());
    ASSERT_EQ(begun.first.size(), products + 3) << kernel;
    EXPECT_NE(begun.Source(products + 1).text, begun.Source(products + 2).text) << kernel;
    const kernels::Source source = begun.Source(0);
    EXPECT_GE(source.gpu->launch.threads, 32u) << kernel;
    EXPECT_LE(source.gpu->launch.threads, 1024u) << kernel;
    EXPECT_GE(source.gpu->launch.grid * source.gpu->launch.threads, 128u) << kernel;
  }
}

// In a loop over channels, threads copy the window of the image and the tile of the filter.
TEST(First, ConvolutionsOnAGpuHaveAWindow) {
  for (const char* size : {"", "h=58,w=58,c=128,m=256,pad=0", "layout=nchw,stride=2"}) {
    const Begun begun = Begin("conv2d", size, "h200");
    const kernels::ir::Target& function = *begun.problem.task.function;
    ASSERT_EQ(kernels::WindowRecipes(function).size(), 1u) << size;
    const std::size_t window = kernels::UnitRecipes(function).size();
    EXPECT_NE(begun.Source(window).text.find("// WINDOW window.load_x: "), std::string::npos);
    EXPECT_THAT(begun.Outline(window), HasSubstr("loop load_filter.c0+load_x.c0+mad.c0")) << size;
    EXPECT_GE(begun.Source(window).gpu->launch.threads, 64u) << begun.Outline(window);
  }
  EXPECT_TRUE(kernels::WindowRecipes(*Begin("conv2d", "", "cpu").problem.task.function).empty());
}

/// Products of pixels and channels for each tap of a window: tiles that divide pixels and channels
/// as they are, or a little beyond, in enough blocks for a large GPU.
TEST(First, ConvolutionsBeginWithMatrixUnits) {
  for (const char* size :
       {"h=224,w=224,c=64,m=64", "h=112,w=112,c=64,m=128", "h=112,w=112,c=128,m=128",
        "h=56,w=56,c=128,m=256", "h=56,w=56,c=256,m=256", "h=28,w=28,c=256,m=512",
        "h=28,w=28,c=512,m=512", "h=14,w=14,c=512,m=512", "h=56,w=56,c=128,m=256,stride=2",
        "h=56,w=56,c=64,m=128,r=5,s=5,pad=2", "h=28,w=28,c=64,m=64,r=11,s=11,pad=5",
        "h=14,w=14,c=512,m=512,layout=nchw,filter_layout=mcrs"}) {
    const Begun begun = Begin("conv2d", size, "h200");
    const auto recipes = kernels::UnitRecipes(*begun.problem.task.function);
    ASSERT_GE(recipes.size(), 2u) << size;
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      if (recipes[i].name.find("fitted") == std::string::npos) continue;
      const kernels::Source source = begun.Source(i);
      const std::string what = std::string(size) + ": " + recipes[i].name;
      const bool is_ring = recipes[i].name.find("rings") != std::string::npos;
      const bool has_4_warps = recipes[i].name.find("4 warps") != std::string::npos;
      EXPECT_NE(source.text.find("exh_dmma("), std::string::npos) << what;
      EXPECT_EQ(source.text.find("exh_wait<1>();") != std::string::npos, is_ring) << what;
      EXPECT_EQ(source.gpu->launch.threads, has_4_warps ? 128u : 256u) << what;
      EXPECT_GE(source.gpu->launch.grid, 48u) << what;
    }
    EXPECT_NE(recipes.front().name.find("rings"), std::string::npos) << size;
  }
  // Three channels are no depth of a unit.
  for (const char* size :
       {"h=224,w=224,c=3,m=64", "h=224,w=224,c=3,m=64,r=11,s=11,pad=5,stride=4"}) {
    const Begun begun = Begin("conv2d", size, "h200");
    EXPECT_THAT(kernels::UnitRecipes(*begun.problem.task.function), testing::IsEmpty()) << size;
    EXPECT_EQ(begun.first.size(), 4u) << size;
  }
}

// Blocks of 64 x 64 and 128 x 128 results, 8 x 4 and 8 x 8 for a thread; all threads copy the tile
// of each operand, in vectors, and the rows of the one that is transposed on its way change places.
TEST(First, ProductsOnAGpuCopyTiles) {
  const Begun begun = Begin("matmul", "m=1024,n=1024,k=1024", "h200");
  const kernels::ir::Target& function = *begun.problem.task.function;
  ASSERT_EQ(kernels::CopiedTileRecipes(function).size(), 2u);
  ASSERT_EQ(begun.first.size(), kernels::UnitRecipes(function).size() + 6);
  const std::size_t first = begun.first.size() - 5;
  const struct {
    std::uint32_t threads, grid, shared_bytes;
    const char *copy_a, *copy_b, *sum;
  } expected[] = {
      {128, 256, 64 * 16 * 4 * 2, "load_a.m3+tmp.load_a.st.m3:32 load_a.k1+tmp.load_a.st.k1:4",
       "load_b.k2+tmp.load_b.st.k2:8 load_b.n2+tmp.load_b.st.n2:16",
       "mad.m2+tmp.load_a.ld.m2:8 mad.n2+tmp.load_b.ld.n2:16"},
      {256, 64, 128 * 8 * 4 * 2, "load_a.m3+tmp.load_a.st.m3:128 load_a.k1+tmp.load_a.st.k1:2",
       "load_b.k2+tmp.load_b.st.k2:8 load_b.n2+tmp.load_b.st.n2:32",
       "mad.m2+tmp.load_a.ld.m2:16 mad.n2+tmp.load_b.ld.n2:16"},
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const kernels::Source source = begun.Source(first + i);
    EXPECT_EQ(source.gpu->launch.threads, expected[i].threads);
    EXPECT_EQ(source.gpu->launch.grid, expected[i].grid);
    EXPECT_EQ(source.gpu->launch.shared_bytes, expected[i].shared_bytes);
    for (const char* threads : {expected[i].copy_a, expected[i].copy_b, expected[i].sum}) {
      EXPECT_THAT(begun.Outline(first + i), HasSubstr("threads " + std::string(threads)));
    }
    EXPECT_THAT(source.text, HasSubstr("int place_tmp_load_a(int e)"));
    for (const char* access : {"load4(arg_a", "load4(arg_b", "store4(p_tmp_load_b_st",
                               "load4(tmp_load_a", "load4(p_tmp_load_b_ld"}) {
      EXPECT_THAT(source.text, HasSubstr(access));
    }
  }
}

TEST(First, ProductsWithFewResultsAreNotTiled) {
  const auto copied = [](const char* kernel, const char* size) {
    const Begun begun = Begin(kernel, size, "h200");
    return kernels::CopiedTileRecipes(*begun.problem.task.function).size();
  };
  EXPECT_EQ(copied("matmul", "m=32,n=32,k=65536"), 0u);
  EXPECT_EQ(copied("gesummv", ""), 0u);
}

TEST(First, ProductsHaveRingsWhereTheDeviceCopiesAsynchronously) {
  struct Case {
    const char* size;
    std::uint64_t grid;
    const char* copy;  ///< Of the first operand.
  };
  // As much of the result in a block as leaves enough blocks.
  for (const Case& one : {Case{"m=4096,n=4096,k=4096", 1024, "exh_copy_cg<16>"},
                          Case{"m=1024,n=1024,k=1024,relu=1", 128, "exh_copy_cg<16>"},
                          Case{"m=512,n=512,k=512,transpose_a=1", 64, "exh_copy_cg<16>"},
                          Case{"m=512,n=512,k=512,a_stride=32", 64, "exh_copy_ca<4>"}}) {
    const Begun begun = Begin("matmul", one.size, "h200");
    const std::size_t units = kernels::UnitRecipes(*begun.problem.task.function).size();
    const std::size_t copied = kernels::CopiedTileRecipes(*begun.problem.task.function).size();
    ASSERT_EQ(begun.first.size(), units + 1 + copied + 3) << one.size;
    const kernels::Source source = begun.Source(units);
    EXPECT_EQ(source.gpu->launch.threads, 256u) << one.size;
    EXPECT_EQ(source.gpu->launch.grid, one.grid) << one.size;
    EXPECT_THAT(source.text, HasSubstr(one.copy)) << one.size;
    EXPECT_THAT(source.text, Not(HasSubstr("exh_dmma("))) << one.size;
    EXPECT_THAT(source.text, HasSubstr("exh_wait<1>();")) << one.size;
  }
  // Beyond axes that are covered, copies fill with zeros.
  const Begun covered = Begin("matmul", "m=1000,n=1000,k=1000", "h200");
  const std::size_t units = kernels::UnitRecipes(*covered.problem.task.function).size();
  ASSERT_EQ(covered.first.size(),
            units + 4 + kernels::CopiedTileRecipes(*covered.problem.task.function).size());
  EXPECT_THAT(covered.Source(units).text, HasSubstr("< 1000u);"));
  // No whole tiles, no such copies, no products of arguments alone.
  EXPECT_EQ(Begin("matmul", "m=24,n=24,k=24", "h200").first.size(), 3u);
  const Begun old = Begin("matmul", "m=512,n=512,k=512", "k4000");
  EXPECT_EQ(old.first.size(), 3 + kernels::CopiedTileRecipes(*old.problem.task.function).size());
  EXPECT_EQ(Begin("mv", "m=4096,n=4096", "h200").first.size(), 3u);
}

/// What begins a search of a product is what its name says.
TEST(First, ProductsBeginWithMatrixUnits) {
  struct Expected {
    const char *name, *copies;
    std::uint32_t threads;
    std::uint64_t blocks;
    const char* way;  ///< Of operands into shared memory.
  };
  const char *const ring = "exh_wait<1>();", *const once = "load4(";
  const Expected expected[] = {{"unit, large tiles, rings", "TENSOR", 256, 64, ring},
                               {"unit, small tiles, rings", "TENSOR", 128, 128, ring},
                               {"unit, slices, rings", "one of all slices", 128, 512, ring},
                               {"unit, large tiles", "TENSOR", 256, 64, once},
                               {"unit, small tiles", "TENSOR", 128, 128, once},
                               {"unit, slices", "one of all slices", 128, 512, once}};
  for (const char* size : {"m=1024,n=512,k=256", "m=1024,n=512,k=256,transpose_b=1",
                           "m=1024,n=512,k=256,transpose_a=1,relu=1"}) {
    const Begun begun = Begin("matmul", size, "h200");
    const auto recipes = kernels::UnitRecipes(*begun.problem.task.function);
    ASSERT_EQ(recipes.size(), std::size(expected));
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      EXPECT_EQ(recipes[i].name, expected[i].name);
      const kernels::Source source = begun.Source(i);
      EXPECT_THAT(source.text, HasSubstr("exh_dmma(")) << size;
      EXPECT_THAT(source.text, HasSubstr(expected[i].copies)) << size;
      EXPECT_THAT(source.text, HasSubstr(expected[i].way)) << size;
      EXPECT_EQ(source.text.find("exh_copy_cg<16>(") != std::string::npos, i < 3) << size;
      EXPECT_EQ(source.gpu->launch.threads, expected[i].threads) << size;
      EXPECT_EQ(source.gpu->launch.grid, expected[i].blocks) << size;
      EXPECT_EQ(source.gpu->min_blocks, 1u) << size;
    }
  }
  // Few blocks read what is scattered; blocks divide a long sum of a small result.
  struct More {
    const char *size, *name;
    std::uint32_t threads;
    std::uint64_t blocks;
    const char* way;
  };
  for (const More& one :
       {More{"m=1024,n=1024,k=1024,a_stride=32", "unit, wide tiles, rings", 256, 128,
             "exh_copy_ca<4>("},
        More{"m=32,n=32,k=131072", "unit, divided slices, rings", 128, 128, "exh_copy_cg<16>("},
        More{"m=64,n=64,k=16384", "unit, divided slices, rings", 128, 128, "exh_copy_cg<16>("}}) {
    const Begun begun = Begin("matmul", one.size, "h200");
    const auto recipes = kernels::UnitRecipes(*begun.problem.task.function);
    const auto found = std::ranges::find(recipes, one.name, &kernels::Recipe::name);
    ASSERT_NE(found, recipes.end()) << one.size;
    const kernels::Source source = begun.Source(static_cast<std::size_t>(found - recipes.begin()));
    EXPECT_EQ(source.gpu->launch.threads, one.threads) << one.size;
    EXPECT_EQ(source.gpu->launch.grid, one.blocks) << one.size;
    EXPECT_EQ(source.gpu->min_blocks, 1u) << one.size;
    EXPECT_THAT(source.text, HasSubstr("exh_dmma(")) << one.size;
    EXPECT_THAT(source.text, HasSubstr(one.way)) << one.size;
    EXPECT_THAT(source.text, HasSubstr("exh_wait<1>();")) << one.size;
  }
  // Fewer tiles along the sum than a ring has slots.
  const auto small =
      kernels::UnitRecipes(*Begin("matmul", "m=128,n=64,k=64", "h200").problem.task.function);
  ASSERT_EQ(small.size(), 3u);
  EXPECT_EQ(small.front().name, "unit, large tiles");
  // A product with fewer points than a tile has no such beginning.
  EXPECT_THAT(kernels::UnitRecipes(*Begin("matmul", "m=24,n=8,k=24", "h200").problem.task.function),
              testing::IsEmpty());
}

/// Of halves and bytes: sums take fewer registers, so tiles are larger, and rows are copied 16
/// bytes at once.
TEST(First, ProductsOfNarrowTypesBeginWithTheirUnit) {
  struct Expected {
    const char* name;
    std::uint32_t threads;
    std::uint64_t blocks;
  };
  const Expected expected[] = {
      {"unit, large tiles, rings", 128, 64}, {"unit, deep tiles, rings", 128, 64},
      {"unit, wide tiles, rings", 256, 32},  {"unit, small tiles, rings", 128, 256},
      {"unit, slices, rings", 128, 1024},    {"unit, large tiles", 128, 64},
      {"unit, deep tiles", 128, 64},         {"unit, wide tiles", 256, 32},
      {"unit, small tiles", 128, 256},       {"unit, slices", 128, 1024}};
  for (const char* size :
       {"m=1024,n=1024,k=512,type=bf16", "m=1024,n=1024,k=512,type=f16,transpose_b=1",
        "m=1024,n=1024,k=512,type=i8,transpose_b=1"}) {
    const Begun begun = Begin("matmul", size, "h200");
    const auto recipes = kernels::UnitRecipes(*begun.problem.task.function);
    // Those of groups of warps come first, where the device has them (groups_test.cc).
    const auto is_of_groups = [](const kernels::Recipe& recipe) {
      return recipe.name.starts_with("groups");
    };
    const auto groups = static_cast<std::size_t>(std::ranges::count_if(recipes, is_of_groups));
    EXPECT_TRUE(std::ranges::is_partitioned(recipes, is_of_groups));
    EXPECT_GT(groups, 3u) << size;
    ASSERT_EQ(recipes.size(), groups + std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
      EXPECT_EQ(recipes[groups + i].name, expected[i].name);
      const kernels::Source source = begun.Source(groups + i);
      EXPECT_THAT(source.text, HasSubstr("exh_mma_")) << size;
      const bool is_bytes = std::string(size).find("i8") != std::string::npos;
      const char* const wide = is_bytes ? "load16(" : "load8(";
      EXPECT_THAT(source.text, HasSubstr(i < 5 ? "exh_copy_cg<16>(" : wide)) << size;
      EXPECT_EQ(source.gpu->launch.threads, expected[i].threads) << size;
      EXPECT_EQ(source.gpu->launch.grid, expected[i].blocks) << size;
    }
  }
}

}  // namespace
}  // namespace exh::search
