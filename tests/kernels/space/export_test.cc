// SPDX-License-Identifier: MIT
//
// Small kernels of the linear-algebra space for a second solver: as many solutions as the engine
// finds implementations, with temporaries, threads, blocks and vectors.
#include <gtest/gtest.h>

#include <cstdio>

#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "kernels/task.h"
#include "runtime/export_minizinc.h"
#include "search/count/size.h"
#include "search/descend/choice_order.h"
#include "tests/support/minizinc.h"

namespace exh::kernels {
namespace {

struct Case {
  std::string name, kernel;
  Parameters sizes;
  std::map<std::string, std::string> limits;
  bool gecode_tables;
};

Task MakeCase(const Case& c) {
  const Kernel& kernel = *FindKernel(c.kernel);
  Parameters sizes;
  for (const Parameter& parameter : kernel.parameters()) {
    sizes[parameter.name] = parameter.default_value;
  }
  for (const auto& [name, value] : c.sizes) sizes[name] = value;
  std::map<std::string, std::string> limits = c.limits;
  limits["cache_flags"] = "[\"NO_CACHE\"]";
  const DeviceResult device = LoadDevice("k4000", limits);
  EXPECT_TRUE(device.device.has_value()) << device.error;
  return MakeTask(kernel, sizes, *device.device, /*paper=*/true);
}

TEST(ExportedKernels, HaveAsManySolutionsAsImplementations) {
  if (const std::string missing = tests::MissingMiniZinc(); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const std::vector<Case> cases = {
      {"little memory",
       "axpy",
       {{"n", 4}},
       {{"max_block_dims", "0"},
        {"max_unroll", "1"},
        {"shared_bytes", "7"},
        {"global_bytes", "12"}},
       true},
      {"no temporaries",
       "matmul",
       {{"m", 2}, {"n", 2}, {"k", 2}},
       {{"max_block_dims", "0"},
        {"max_threads", "2"},
        {"max_unroll", "1"},
        {"shared_bytes", "0"},
        {"global_bytes", "0"}},
       false},
      {"blocks",
       "matmul",
       {{"m", 2}, {"n", 1}, {"k", 2}},
       {{"max_block_dims", "1"},
        {"max_threads", "2"},
        {"max_unroll", "2"},
        {"shared_bytes", "0"},
        {"global_bytes", "0"}},
       false},
      {"no loops",
       "matmul",
       {{"m", 1}, {"n", 1}, {"k", 1}},
       {{"max_block_dims", "0"}, {"max_unroll", "1"}, {"shared_bytes", "4"}, {"global_bytes", "0"}},
       true},
      {"one temporary",
       "mv",
       {{"m", 2}, {"n", 1}},
       {{"max_block_dims", "1"}, {"max_unroll", "2"}, {"shared_bytes", "4"}, {"global_bytes", "0"}},
       false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Task task = MakeCase(c);
    ASSERT_FALSE(task.root_failed);
    const search::ChoiceOrder order = search::ChoiceOrder::Default(*task.instance);
    constexpr int kDeepest = 300;
    std::uint64_t expected = 0, deepest = 0;
    for (const search::LevelCount& level :
         search::CountLevels(runtime::Candidate(task.instance), order, kDeepest, 2)) {
      expected += level.implementations;
      deepest = level.nodes;
    }
    std::printf("%s, %s: %lu implementations\n", c.kernel.c_str(), c.name.c_str(),
                static_cast<unsigned long>(expected));
    ASSERT_GT(expected, 1u);
    ASSERT_EQ(deepest, 0u) << "the tree is deeper than it was counted";
    runtime::MiniZincOptions options;
    // Any order counts the same; this one keeps Gecode out of long dead ends.
    options.order = order.Decisions(*task.instance);
    options.gecode_tables = c.gecode_tables;
    const tests::SolutionCount count =
        tests::CountSolutions(ExportMiniZinc(*task.instance, options));
    EXPECT_EQ(count.error, "");
    EXPECT_EQ(count.solutions, expected);
  }
}

}  // namespace
}  // namespace exh::kernels
