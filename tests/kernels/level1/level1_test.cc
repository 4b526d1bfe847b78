// SPDX-License-Identifier: MIT
//
// The computations of KernelBench's first level: how many of them a text can say, and whether
// implementations of each are right, on the CPU and in the CUDA shim. Their sizes are small.
// EXH_IMPLEMENTATIONS says how many of each (EXH_IMPLEMENTATIONS=100 ./exh test -R level1). The
// last line of each device counts the computations.
#include "tests/kernels/level1/level1.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "base/error.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/library/registry.h"
#include "search/subject/problem.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"
#include "tests/support/tree.h"

namespace exh::kernels::testing {
namespace {

constexpr int kComputations = 100;
const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

int Implementations() {
  const char* const wanted = std::getenv("EXH_IMPLEMENTATIONS");
  return wanted == nullptr ? 2 : std::atoi(wanted);
}

/// Nothing when the text cannot say it, which is a failure.
std::optional<Sample> DrawSome(const Level1Computation& computation, const ir::Device& device) {
  try {
    std::ifstream file(std::string(kSourceDir) + "/" + computation.file);
    std::stringstream text;
    text << file.rdbuf();
    const Kernel& kernel = KernelOfText(computation.file, text.str());
    Coverage coverage;
    return Draw(kernel, search::ParseSizes(kernel, computation.sizes), device, Implementations(), 1,
                coverage);
  } catch (const Error& error) {
    ADD_FAILURE() << "it cannot be said: " << error.what();
    return std::nullopt;
  }
}

/// Counts, and says how far it came.
class EachOfLevel1 : public ::testing::TestWithParam<Level1Computation> {
 protected:
  static void TearDownTestSuite() {
    for (const auto& [device, count] : counts()) {
      fmt::print("{}: {} of {} can be said, {} right\n", device, count.said, count.wanted,
                 count.right);
    }
  }

  static void Check(const std::string& device, const std::optional<Sample>& sample,
                    const std::function<std::vector<std::string>(const Sample&)>& run) {
    Count& count = counts()[device];
    ++count.wanted;
    if (!sample) return;
    ++count.said;
    const std::vector<std::string> messages = run(*sample);
    ASSERT_EQ(messages.size(), static_cast<std::size_t>(Implementations()));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_EQ(messages[i], "") << "implementation " << i << ":\n" << sample->decisions[i];
    }
    ++count.right;
  }

 private:
  struct Count {
    int wanted = 0, said = 0, right = 0;
  };
  static std::map<std::string, Count>& counts() {
    static std::map<std::string, Count> all;
    return all;
  }
};

TEST_P(EachOfLevel1, IsRightOnTheCpu) {
  Check("cpu", DrawSome(GetParam(), TestDevice(8)),
        [](const Sample& sample) { return RunPrinted(sample, codegen::Fault::kNone, kAllInputs); });
}

TEST_P(EachOfLevel1, IsRightInTheCudaShim) {
  Check("CUDA shim", DrawSome(GetParam(), CudaTestDevice(32)), [](const Sample& sample) {
    std::vector<CudaText> texts;
    for (const codegen::Schedule& schedule : sample.schedules) {
      const codegen::GpuText text = codegen::PrintGpu(
          codegen::LowerSchedule(*sample.task.function, schedule), {.overlaps = true});
      texts.push_back({text.source, text.launch});
    }
    return RunCudaSources(sample.task, texts, kAllInputs);
  });
}

INSTANTIATE_TEST_SUITE_P(All, EachOfLevel1, ::testing::ValuesIn(Level1Computations()),
                         [](const auto& each) {
                           return fmt::format("n{}_{}", each.param.number, each.param.name);
                         });

TEST(Level1, HasAHundred) {
  std::set<std::string> names;
  for (const Level1Computation& one : Level1Computations()) names.insert(one.name);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kComputations));
}

}  // namespace
}  // namespace exh::kernels::testing
