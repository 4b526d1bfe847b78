// SPDX-License-Identifier: MIT
//
// Of what the spaces hold code generation refuses nothing: a sample of `./exh bench refused`.
// EXH_IMPLEMENTATIONS says how many of each (EXH_IMPLEMENTATIONS=1000 ./exh test -R refused).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "search/subject/problem.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/computations/refusals.h"

namespace exh::kernels::testing {
namespace {

std::uint64_t Implementations(std::uint64_t usual) {
  const char* const wanted = std::getenv("EXH_IMPLEMENTATIONS");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

void ExpectNothingRefused(const Task& task, std::uint64_t count) {
  const Refusals found = CountRefusals(task, Implementations(count), 1);
  EXPECT_GT(found.drawn, 0u);
  EXPECT_EQ(found.refused, 0u) << found.Text();
  for (const auto& [kind, reason] : found.reasons) ADD_FAILURE() << reason.decisions;
}

class EachDevice : public ::testing::TestWithParam<const char*> {};

/// Devices whose printers differ from those of a processor and a GPU of today in few places: each
/// computation is for one of them, in turn. To set up a space takes most of the time.
const std::vector<std::string> kInTurn = {"k4000", "hip-text", "opencl-text"};

TEST_P(EachDevice, HasCodeForEveryComputation) {
  search::ProblemOptions options;
  options.device = GetParam();
  const ir::Device device = search::FindDevice(options);
  const auto turn = std::find(kInTurn.begin(), kInTurn.end(), options.device) - kInTurn.begin();
  const bool is_in_turn = static_cast<std::size_t>(turn) < kInTurn.size();
  std::size_t number = 0;
  for (const Computation& computation : Computations()) {
    SCOPED_TRACE(computation.name);
    if (is_in_turn && number++ % kInTurn.size() != static_cast<std::size_t>(turn)) continue;
    ExpectNothingRefused(MakeTask(KernelOf(computation), SizesOf(computation, 1), device), 8);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachDevice,
                         ::testing::Values("cpu", "h200", "k4000", "hip-text", "opencl-text"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

/// Where random searches met implementations without code.
struct Known {
  const char* kernel;
  const char* size;
  const char* device;
  std::uint64_t count;  ///< So many are looked at: of a softmax one in 60 had no code.
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.kernel << " " << known.size << " on " << known.device;
}

class EachKnown : public ::testing::TestWithParam<Known> {};

TEST_P(EachKnown, HasCode) {
  search::ProblemOptions options;
  options.kernel = GetParam().kernel;
  options.size = GetParam().size;
  options.device = GetParam().device;
  ExpectNothingRefused(search::MakeProblem(options).task, GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(All, EachKnown,
                         ::testing::Values(Known{"softmax", "", "h200", 250},
                                           Known{"layer_norm", "m=2048,n=1000", "h200", 50}));

}  // namespace
}  // namespace exh::kernels::testing
