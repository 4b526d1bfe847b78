// SPDX-License-Identifier: MIT
//
// What libraries are asked for, against what kernels ask themselves, and against the results.
#include "kernels/derived/calls/library_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernels/derived/cases.h"
#include "tests/kernels/space/vendor_run.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::derived::testing {
namespace {

using kernels::testing::CompiledTexts;

std::string ToText(const std::vector<VendorStep>& steps) {
  std::string text;
  for (const VendorStep& s : steps) {
    text += fmt::format(
        "op {} {} {} -> {}: {} x {} x {}, transposed {} {}, {} and {}, batch {} ({} "
        "{} {}), stride {}, relu {}\n",
        static_cast<int>(s.op), s.a, s.b, s.c, s.m, s.n, s.k, s.transpose_a, s.transpose_b, s.alpha,
        s.beta, s.batch, s.step_a, s.step_b, s.step_c, s.stride, s.relu);
  }
  return text;
}

std::string ToText(const VendorCall& call) {
  return ToText(call.before) + "--\n" + ToText(call.steps) + std::to_string(call.scratch_floats);
}

TEST(Vendor, AsksForWhatKernelsAskFor) {
  for (const Case& c : LibraryCases()) {
    EXPECT_EQ(ToText(Vendor(c.function)), ToText(c.kernel->Vendor(c.sizes))) << c.name;
  }
}

std::string Mistakes(const Case& c, const Data& data) {
  for (const auto& [array, results] : ExactResults(c.function, data)) {
    const std::vector<float>& got = data.arrays[static_cast<std::size_t>(array)];
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::abs(got[i] - results[i].value) <= results[i].tolerance()) continue;
      return fmt::format("element {} is {}, not {}", i, got[i], results[i].value);
    }
  }
  return "";
}

/// Of what is not in the library: for these there is none.
const std::set<std::string> kNoVendor = {"row max",
                                         "max of products",
                                         "transposition",
                                         "product plus row",
                                         "two sums exchanged",
                                         "two outputs",
                                         "centered",
                                         "sums of rows and columns",
                                         "attention",
                                         "convolution",
                                         "interleaved batch",
                                         "broadcast product",
                                         "shifted and reversed",
                                         "shifted",
                                         "softmax",
                                         "choices"};

TEST(Vendor, ComputesWhatTheBackboneSays) {
  for (const Case& c : AllCases()) {
    const VendorCall call = Vendor(c.function);
    EXPECT_EQ(call.steps.empty(), kNoVendor.contains(c.name)) << c.name;
    if (call.steps.empty()) continue;
    Data data(c.function);
    std::vector<std::size_t> sizes;
    for (const auto& array : data.arrays) sizes.push_back(array.size());
    kernels::testing::RunVendorCall(call, data.pointers().data(), sizes);
    EXPECT_EQ(Mistakes(c, data), "") << c.name << "\n" << ToText(call);
  }
}

const Case& Find(const std::vector<Case>& cases, const std::string& name) {
  return *std::ranges::find(cases, name, &Case::name);
}

TEST(Vendor, KnowsMoreThanTheLibrary) {
  const std::vector<Case> cases = OtherCases();
  const VendorCall sum = Vendor(Find(cases, "product plus matrix").function);
  ASSERT_EQ(sum.before.size(), 1);
  EXPECT_EQ(sum.before[0].op, VendorStep::Op::kCopy);
  ASSERT_EQ(sum.steps.size(), 1);
  EXPECT_EQ(sum.steps[0].alpha, 2);
  EXPECT_EQ(sum.steps[0].beta, 1);
  EXPECT_TRUE(sum.steps[0].relu);

  const VendorCall folded = Vendor(Find(cases, "two sums").function);
  ASSERT_EQ(folded.steps.size(), 1);
  EXPECT_EQ(folded.steps[0].k, 12);

  const VendorCall layers = Vendor(Find(cases, "two layers").function);
  ASSERT_EQ(layers.steps.size(), 2);
  EXPECT_TRUE(layers.steps[0].relu);
  EXPECT_FALSE(layers.steps[1].relu);
  EXPECT_EQ(layers.steps[1].a, kScratch);

  const VendorCall transposed = Vendor(Find(cases, "transposed result").function);
  ASSERT_EQ(transposed.steps.size(), 1);
  EXPECT_EQ(transposed.steps[0].a, 1);
  EXPECT_EQ(transposed.steps[0].m, 7);
  EXPECT_TRUE(transposed.steps[0].transpose_a);
}

/// The text in a namespace of its own, the entry numbered, without its include.
std::string Numbered(std::string text, std::size_t number) {
  const std::string include = "#include <Eigen/Core>\n", entry = "exh_run";
  EXPECT_TRUE(text.starts_with(include));
  text.erase(0, include.size());
  text.replace(text.find(entry), entry.size(), fmt::format("exh_run_{}", number));
  return fmt::format("namespace n{} {{\n{}}}\n", number, text);
}

const std::set<std::string> kNoEigen = {
    "row max",     "max of products",   "two sums exchanged",
    "two outputs", "centered",          "sums of rows and columns",
    "attention",   "broadcast product", "shifted and reversed",
    "shifted",     "softmax",           "choices"};

TEST(Eigen, ComputesWhatTheBackboneSays) {
  std::vector<Case> cases = AllCases();
  std::vector<std::string> texts;
  std::erase_if(cases, [&](const Case& c) {
    const std::string text = EigenSource(c.function);
    EXPECT_EQ(text.empty(), kNoEigen.contains(c.name)) << c.name;
    if (!text.empty()) texts.push_back(text);
    return text.empty();
  });
  const CompiledTexts compiled(
      texts.size(), [&](std::size_t i) { return Numbered(texts[i], i); }, "#include <Eigen/Core>",
      "-O1 -fopenmp -Wno-psabi -isystem '" EXH_EIGEN_INCLUDE "'");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    using Entry = void (*)(float* const*, const float*, int);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << cases[i].name << compiled.CompilerError(i) << "\n" << texts[i];
    Data data(cases[i].function);
    // Twice: what one run leaves behind must not be in the next.
    for (int time = 0; time < 2; ++time) run(data.pointers().data(), data.scalars.data(), 2);
    EXPECT_EQ(Mistakes(cases[i], data), "") << cases[i].name << "\n" << texts[i];
  }
}

TEST(Eigen, HasTheTypesThatAreFast) {
  const std::vector<Case> cases = LibraryCases();
  EXPECT_EQ(EigenSource(Find(cases, "matmul2 k=11 m=7 n=5 p=13").function),
            R"(#include <Eigen/Core>
extern "C" void exh_run(float* const* arrays, const float* scalars, int threads) {
  Eigen::setNbThreads(threads);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<const Matrix> d(arrays[3], 7, 13);
  Eigen::Map<Matrix> e(arrays[4], 7, 13);
  e.noalias() = scalars[1] * d;
  Eigen::Map<const Matrix> a(arrays[0], 7, 11);
  Eigen::Map<const Matrix> b(arrays[1], 11, 5);
  // Kept: the memory is not taken anew for each run.
  static Matrix mad_ab(7, 5);
  mad_ab.noalias() = a * b;
  Eigen::Map<const Matrix> c(arrays[2], 5, 13);
  e.noalias() += scalars[0] * mad_ab * c;
}
)");
}

}  // namespace
}  // namespace exh::kernels::derived::testing
