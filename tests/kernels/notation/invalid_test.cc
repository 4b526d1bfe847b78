// SPDX-License-Identifier: MIT
//
// Every file in invalid/ says on its own lines which diagnostics it must cause. And texts that are
// made here, because nobody would write them: very long ones, cut ones, and bytes at random.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"
#include "tests/support/tree.h"

namespace exh::kernels::notation {
namespace {

std::vector<std::string> Deviations(const std::string& path, const std::string& text) {
  return dsl::VerifyDiagnostics(
      path, text, [&](dsl::DiagnosticSink& sink) { testing::CheckKernel(path, text, sink); });
}

class InvalidKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(InvalidKernel, CausesExactlyTheExpectedDiagnostics) {
  for (const std::string& text : dsl::SplitCases(dsl::ReadFile(GetParam()))) {
    const auto deviations = Deviations(GetParam(), text);
    EXPECT_TRUE(deviations.empty()) << fmt::format("{}", fmt::join(deviations, "\n"));
    EXPECT_NE(text.find("expected-"), std::string::npos) << "a case that expects nothing:\n"
                                                         << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Notation, InvalidKernel,
    ::testing::ValuesIn(dsl::FilesIn("tests/kernels/notation/invalid", ".kernel")),
    [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

/// The codes of what is wrong with a text.
std::vector<std::string> CodesOf(const std::string& text) {
  dsl::DiagnosticSink sink;
  testing::CheckKernel("a.kernel", text, sink);
  std::vector<std::string> codes;
  for (const dsl::Diagnostic& d : sink.Sorted()) codes.push_back(dsl::CodeOf(d.diag));
  dsl::RenderText(sink);  // Whatever the bytes are.
  return codes;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// A kernel whose output is `value`, an expression of x[i], and whose input has `extent`.
std::string KernelOf(const std::string& value, const std::string& extent = "n") {
  return fmt::format(
      "kernel a\n  size n = 8\n  input x: f32[{}]\n  output y: f32[n]\n  y[i] = {}\nend\n", extent,
      value);
}

using Codes = std::vector<std::string>;

TEST(LongKernels, OperatorsAndBracketsAreLimited) {
  EXPECT_EQ(CodesOf(KernelOf("x[i]" + Repeated(" + x[i]", 500))), Codes{});
  EXPECT_EQ(CodesOf(KernelOf("x[i]" + Repeated(" + x[i]", 501))), Codes{"E1004"});
  EXPECT_EQ(CodesOf(KernelOf(Repeated("(", 99) + "x[i]" + Repeated(")", 99))), Codes{});
  EXPECT_EQ(CodesOf(KernelOf(Repeated("(", 100) + "x[i]" + Repeated(")", 100))), Codes{"E1004"});
}

TEST(LongKernels, AreRefusedHoweverLongTheyAre) {
  constexpr int kMany = 100'000;
  for (const std::string& value :
       {"x[i]" + Repeated(" + x[i]", kMany), Repeated("-", kMany) + "x[i]",
        Repeated("not ", kMany) + "x[i]", Repeated("(", kMany) + "x[i]",
        Repeated("exp(", kMany) + "x[i]" + Repeated(")", kMany), Repeated("x[", kMany),
        Repeated("sum(k) ", kMany) + "x[i]", "x[i]" + Repeated(" ? x[i]", kMany),
        "x[i]" + Repeated(" ? x[i] : x[i]", kMany), "x[i] == 1" + Repeated(" and x[i]", kMany)}) {
    EXPECT_EQ(CodesOf(KernelOf(value)), Codes{"E1004"}) << value.substr(0, 30);
  }
  EXPECT_EQ(CodesOf(KernelOf("x[i]", "n" + Repeated("+ 1", kMany))), Codes{"E1004"});
}

TEST(LongKernels, WithManyLinesAreRead) {
  constexpr int kMany = 300;
  std::string text =
      "kernel a\n  size n = 8\n  input x: f32[n]\n  output y: f32[n]\n  t0[i] = x[i]\n";
  for (int i = 1; i < kMany; ++i) text += fmt::format("  t{}[i] = exp(t{}[i])\n", i, i - 1);
  EXPECT_EQ(CodesOf(text + fmt::format("  y[i] = t{}[i]\nend\n", kMany - 1)), Codes{});
}

// What is cut off anywhere is refused, and never taken for something else.
TEST(CutKernels, AreNoKernels) {
  const std::string text =
      dsl::ReadFile(std::string(kSourceDir) + "/kernels/library/texts/matmul.kernel");
  const std::size_t end = text.find_last_of('d');
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_NE(CodesOf(text.substr(0, size)), Codes{}) << size;
  }
  EXPECT_EQ(CodesOf(text), Codes{});
}

/// Kernels of the library with words taken out, doubled and moved, and some bytes changed.
TEST(RandomKernels, AreUnderstoodOrRefused) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t most) { return random() % std::max<std::size_t>(most, 1); };
  const std::vector<std::string> words = {"kernel",    "end",
                                          "size",      "option",
                                          "scalar",    "input",
                                          "output",    "tile",
                                          "require",   "(f32, i8)",
                                          "strides",   "in",
                                          "..",        "[",
                                          "]",         "(",
                                          ")",         ",",
                                          ":",         "?",
                                          "=",         "+",
                                          "-",         "*",
                                          "/",         "%",
                                          "<",         "==",
                                          "and",       "not",
                                          "xor",       "cast(f16, ",
                                          ": i8",      "argmax(k)",
                                          "sum(k)",    "max",
                                          "f32",       "m",
                                          "n",         "k",
                                          "a",         "b",
                                          "c",         "0",
                                          "1",         "9223372036854775807",
                                          "1e999",     "///d",
                                          "//",        "\n",
                                          ";",         "outside zero",
                                          "aligned 4", "é",
                                          "\xff",      std::string(1, '\0')};
  std::size_t refused = 0;
  constexpr int kTexts = 600;
  for (int i = 0; i < kTexts; ++i) {
    const auto files = dsl::FilesIn("kernels/library/texts", ".kernel");
    std::string text = dsl::ReadFile(files[below(files.size())]);
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text.insert(at, words[below(words.size())] + " ");
          break;
        case 1:
          text.erase(at, 1 + below(6));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(12)));
      }
    }
    refused += CodesOf(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, kTexts / 4U);
  EXPECT_LT(refused, static_cast<std::size_t>(kTexts));
}

// With every size and option at its ends: no size may crash what understands the text.
TEST(Sizes, OfAnyKindAreUnderstoodOrRefused) {
  for (const std::string& path : dsl::FilesIn("kernels/library/texts", ".kernel")) {
    const std::string text = dsl::ReadFile(path);
    const Kernel kernel = testing::Parsed(text);
    for (const SizeDecl& size : kernel.sizes) {
      for (const std::int64_t value :
           {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{97},
            std::int64_t{1} << 32, std::numeric_limits<std::int64_t>::max(),
            std::numeric_limits<std::int64_t>::min()}) {
        dsl::DiagnosticSink sink;
        testing::CheckKernel(path, text, sink, {{size.name.text, value}});
        for (const dsl::Diagnostic& d : sink.Sorted()) EXPECT_NE(d.message, "") << path;
      }
    }
  }
}

}  // namespace
}  // namespace exh::kernels::notation
