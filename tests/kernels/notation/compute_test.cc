// SPDX-License-Identifier: MIT
//
// Statements alone, as --compute has them: the kernel that they make, and what is wrong with them.
#include "kernels/notation/compute.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"

namespace exh::kernels::notation {
namespace {

std::optional<std::string> Compose(const std::string& statements, const Sizes& sizes,
                                   dsl::DiagnosticSink& sink, const std::string& type = "f32") {
  sink.sources().AddInMemory("--compute", statements);
  std::string error;
  const auto file = sink.sources().Open("--compute", std::nullopt, &error);
  EXPECT_TRUE(file.has_value()) << error;
  return KernelOfStatements(*file, "compute", type, sizes, sink);
}

/// Without `kernel compute` and `end`. The kernel is one without mistakes.
std::string KernelOf(const std::string& statements, const Sizes& sizes,
                     const std::string& type = "f32") {
  dsl::DiagnosticSink sink;
  const auto text = Compose(statements, sizes, sink, type);
  EXPECT_EQ(dsl::RenderText(sink), "") << statements;
  const std::string head = "kernel compute\n", end = "end\n";
  if (!text || !text->starts_with(head) || !text->ends_with(end)) return text.value_or("nothing");
  testing::BackboneOf(*text);
  return text->substr(head.size(), text->size() - head.size() - end.size());
}

TEST(Compute, DeclaresSizesInputsAndOutputs) {
  EXPECT_EQ(KernelOf("c[i,j] = sum(k) a[i,k] * b[k,j]", {{"i", 8}, {"j", 4}, {"k", 16}}),
            "  size i = 8, j = 4, k = 16\n"
            "  input a: f32[i, k]\n"
            "  input b: f32[k, j]\n"
            "  output c: f32[i, j]\n"
            "  c[i,j] = sum(k) a[i,k] * b[k,j]\n");
}

TEST(Compute, MakesScalarsOfNamesWithoutSubscripts) {
  EXPECT_EQ(KernelOf("y[i] = alpha * x[i] + beta * alpha + gamma", {{"i", 8}}),
            "  size i = 8\n"
            "  scalar alpha = 1.5\n"
            "  scalar beta = -0.75\n"
            "  scalar gamma = 1.75\n"
            "  input x: f32[i]\n"
            "  output y: f32[i]\n"
            "  y[i] = alpha * x[i] + beta * alpha + gamma\n");
}

TEST(Compute, TakesSeveralStatements) {
  const std::string wanted =
      "  size i = 8, j = 4\n"
      "  input x: f32[i, j]\n"
      "  output y: f32[i, j]\n"
      "  output z: f32\n"
      "  big[i] = max(j) x[i, j]\n"
      "  y[i, j] = exp(x[i, j] - big[i])\n"
      "  z = sum(i, j) x[i, j]\n";
  const Sizes sizes = {{"i", 8}, {"j", 4}};
  EXPECT_EQ(KernelOf("big[i] = max(j) x[i, j]; y[i, j] = exp(x[i, j] - big[i]);"
                     "z = sum(i, j) x[i, j]",
                     sizes),
            wanted);
  EXPECT_EQ(KernelOf("big[i] = max(j) x[i, j]\ny[i, j] = exp(x[i, j] - big[i])\n\n"
                     "z = sum(i, j) x[i, j]\n",
                     sizes),
            wanted);
}

// A value without axes that is read is no output.
TEST(Compute, KnowsWhatIsReadAgain) {
  EXPECT_EQ(KernelOf("s = sum(i) x[i]; y[i] = x[i] / s", {{"i", 8}}),
            "  size i = 8\n"
            "  input x: f32[i]\n"
            "  output y: f32[i]\n"
            "  s = sum(i) x[i]\n"
            "  y[i] = x[i] / s\n");
}

TEST(Compute, MakesInputsAsLargeAsTheirReads) {
  const auto extent = [](const std::string& subscript, const Sizes& sizes) {
    const std::string text = KernelOf("y[i] = sum(r) w[r] * x[" + subscript + "]", sizes);
    const std::string before = "input x: f32[";
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find("]\n", begin) - begin);
  };
  const Sizes sizes = {{"i", 8}, {"r", 3}, {"s", 2}};
  EXPECT_EQ(extent("i + r", sizes), "(i - 1) + (r - 1) + 1");
  EXPECT_EQ(extent("2 * i + r + 5", sizes), "2 * (i - 1) + (r - 1) + 5 + 1");
  EXPECT_EQ(extent("i - r + 2", sizes), "(i - 1) - 0 + 2 + 1") << "largest where r is 0";
  EXPECT_EQ(extent("-r + i + 2", sizes), "-0 + (i - 1) + 2 + 1");
  EXPECT_EQ(extent("s * i + r", sizes), "s * (i - 1) + (r - 1) + 1") << "s is a size, too";
  EXPECT_EQ(extent("s == 2 ? i + r : r", sizes), "(s == 2 ? (i - 1) + (r - 1) : (r - 1)) + 1");
  EXPECT_EQ(extent("s == 3 ? r : i", sizes), "i") << "i runs over all of x";
  EXPECT_EQ(extent("i + max(s, 3)", sizes), "(i - 1) + max(s, 3) + 1");
}

TEST(Compute, MakesInputsAsLargeAsTheLargestOfSeveralReads) {
  const Sizes sizes = {{"i", 8}, {"j", 8}, {"k", 8}};
  EXPECT_NE(KernelOf("y[i] = x[i] + x[i + 1] + x[i + 1] + x[i + 2]", sizes)
                .find("input x: f32[(i - 1) + 2 + 1]\n"),
            std::string::npos);
  EXPECT_NE(KernelOf("y[i] = x[i] + x[2 * i] + x[i + 10] + x[3]", sizes)
                .find("input x: f32[max((i - 1) + 10 + 1, max(2 * (i - 1) + 1, (3) + 1))]\n"),
            std::string::npos);
  EXPECT_NE(KernelOf("y[i, j] = sum(k) x[i, k] * x[j, k]", sizes).find("input x: f32[i, k]\n"),
            std::string::npos);
}

TEST(Compute, TakesSizesAsNumbers) {
  EXPECT_EQ(KernelOf("y[i] = (sum(j) x[i, j]) / j", {{"i", 8}, {"j", 4}}),
            "  size i = 8, j = 4\n"
            "  input x: f32[i, j]\n"
            "  output y: f32[i]\n"
            "  y[i] = (sum(j) x[i, j]) / j\n");
}

TEST(Compute, NeedsNoInputs) {
  EXPECT_EQ(KernelOf("y[i] = 2; z = 1", {{"i", 8}}),
            "  size i = 8\n"
            "  output y: f32[i]\n"
            "  output z: f32\n"
            "  y[i] = 2\n"
            "  z = 1\n");
}

TEST(Compute, TakesAType) {
  dsl::DiagnosticSink sink;
  const auto text = Compose("y[i] = x[i]", {{"i", 8}}, sink, "f64");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("  input x: f64[i]\n  output y: f64[i]\n"), std::string::npos);
}

TEST(Compute, GivesScalarsTheTypeOfTheArrays) {
  const auto scalars = [](const std::string& type) {
    const std::string text = KernelOf("y[i] = alpha * x[i] + beta * alpha", {{"i", 8}}, type);
    return text.substr(0, text.find("  input"));
  };
  EXPECT_EQ(scalars("f16"),
            "  size i = 8\n  scalar alpha: f16 = 1.5\n  scalar beta: f16 = -0.75\n");
  EXPECT_EQ(scalars("f64"),
            "  size i = 8\n  scalar alpha: f64 = 1.5\n  scalar beta: f64 = -0.75\n");
  for (const char* const type : {"i8", "u32", "i64"}) {
    EXPECT_EQ(scalars(type), fmt::format("  size i = 8\n  scalar alpha: {0} = 2\n"
                                         "  scalar beta: {0} = 3\n",
                                         type));
  }
}

TEST(Compute, TakesTheTypeOfAStatementForItsOutput) {
  EXPECT_EQ(
      KernelOf("y: i32[i] = argmax(j) x[i, j]; z[i] = max(j) x[i, j]", {{"i", 8}, {"j", 4}}, "f16"),
      "  size i = 8, j = 4\n"
      "  input x: f16[i, j]\n"
      "  output y: i32[i]\n"
      "  output z: f16[i]\n"
      "  y: i32[i] = argmax(j) x[i, j]\n"
      "  z[i] = max(j) x[i, j]\n");
}

// Here each index is a size of that name.
TEST(Compute, TakesIndicesForNumbersWhereTheyRun) {
  const std::string text = KernelOf("y[i, j] = j <= i ? x[i, j] : 0", {{"i", 8}, {"j", 4}});
  EXPECT_NE(testing::OutlineOf(testing::BackboneOf("kernel compute\n" + text + "end\n"))
                .find("less(i, j) = less(index, index_2)"),
            std::string::npos);
}

TEST(Compute, KnowsNoOtherTypes) {
  dsl::DiagnosticSink sink;
  EXPECT_FALSE(Compose("y[i] = x[i]", {{"i", 8}}, sink, "f33"));
  EXPECT_NE(dsl::RenderText(sink).find("--type: there is no type 'f33'; did you mean 'f32'?"),
            std::string::npos)
      << dsl::RenderText(sink);
}

TEST(Compute, OfManyReadsDeclaresTheFarthest) {
  constexpr int kReads = 160;
  std::string sum = "x[2 * i]";
  for (int i = 1; i < kReads; ++i) sum += fmt::format(" + x[2 * i + {}]", i);
  EXPECT_NE(KernelOf("y[i] = " + sum, {{"i", 8}}), "nothing");
}

// Beside a read at a distance in the same statement, or with all steps, nothing is refused.
TEST(Compute, TakesIndicesThatRunAsFarAsTheySay) {
  const Sizes sizes = {{"i", 8}, {"j", 8}, {"k", 4}};
  for (const char* const text :
       {"y = sum(i) (x[i] + x[i + 1])", "y[i] = sum(j) x[i, j]; z[j] = sum(i) x[i, j]",
        "y = sum(k) x[k + 4]; z = sum(j) x[j]", "y[i] = x[i + k]", "y = sum(j) x[2 * k, j]"}) {
    EXPECT_NE(KernelOf(text, sizes), "nothing") << text;
  }
}

TEST(Compute, SaysWhatIsWrong) {
  const auto deviations = [](const std::string& text, const Sizes& sizes) {
    return dsl::VerifyDiagnostics("--compute", text, [&](dsl::DiagnosticSink& sink) {
      // Comments are for files.
      const auto kernel = Compose(text.substr(0, text.find("// expected")), sizes, sink);
      EXPECT_NE(kernel.has_value(), sink.has_errors());
    });
  };
  using Nothing = std::vector<std::string>;
  const Sizes sizes = {{"i", 8}, {"j", 4}, {"s", 2}};
  for (
      const char* const text : {
          "y[i] = x[i, k] // expected-error {{nothing runs over 'k': it stands neither on the "
          "left "
          "side nor in a reduction, like sum(k)}}",
          "y[i] = x[i]; z[j] = x[i] // expected-error {{nothing runs over 'i'}}",
          "y[k] = sum(l) x[k, l] // expected-error {{--size says nothing of index 'k': --size "
          "k=512}} expected-error {{--size says nothing of index 'l'}}",
          "y[i] = x[i] + sum(j) x[i, j] // expected-error {{'x' has 2 subscripts here and 1 "
          "elsewhere}} "
          "expected-note {{here}}",
          "y[i + 1] = x[i] // expected-error {{on the left side stand names of indices}}",
          "y[i] = x[i * i] // expected-error {{nothing says how large 'x' is}}",
          "y[i] = x[z[i]] // expected-error {{nothing says how large 'x' is where a subscript is "
          "computed}}",
          "y[i] = x[i / 0] // expected-error {{nothing says how large 'x' is}}",
          "y[i] = x[4611686018427387904 * 2 * i] // expected-error {{this is beyond 2^63}}",
          "size i = 8; y[i] = x[i] // expected-error {{expected a statement like c[i, j] = sum(k) "
          "a[i, k] * b[k, j]}}",
          "y[i] = x[i]; end // expected-error {{expected a statement like}}",
          "y[i] x[i] // expected-error {{expected '=', got 'x'}}",
          "y[i] = x[i] // 2 // expected-error {{'//' begins a comment, and nothing behind it would "
          "be computed; '/' divides}}",
          "y[i] = x[i] /// twice // expected-error {{'//' begins a comment}}",
          // What a size of this name makes a number.
          "y[i] = x[i, s] // expected-error {{nothing runs over 's': it stands neither on the left "
          "side nor in a reduction, like sum(s)}}",
          "c[i, j] = a[i, s] * b[s, j] // expected-error {{nothing runs over 's'}} expected-error "
          "{{nothing runs over 's'}}",
          "t[i] = x[i]; y[i] = t[s] // expected-error {{nothing runs over 's'}}",
          "c[i, j] += a[i, s] * b[s, j] // expected-error {{a statement has '=' and no '+=': what "
          "runs over an index says so, as in c[i, j] = sum(k) a[i, k] * b[k, j], and what there "
          "was before stands on the right, as in c[i, j] = c0[i, j] + sum(k) …}}",
          "y[i] *= x[i] // expected-error {{c[i, j] = prod(k) a[i, k]}}",
          // Each index has the steps that --size says, whatever else reads the array.
          "y[i] = sum(j) x[i, j]; z[i] = sum(s) x[i, s] // expected-error {{index 'j' has 4 steps "
          "by --size and stands alone, so it runs over this whole dimension of 'x', which has 2 "
          "elsewhere}} expected-note {{here it has 2}} expected-error {{index 's' has 2 steps by "
          "--size}} expected-note {{here it has 4}}",
          "y[i] = sum(j) x[j]; z[i] = x[i + 1] // expected-error {{index 'j' has 4 steps by --size "
          "and stands alone, so it runs over this whole dimension of 'x', which has 9 elsewhere}} "
          "expected-note {{here it has 9}}",
          "y = sum(j) x[j]; z[i] = sum(j) x[j + 1] // expected-error {{which has 5 elsewhere}} "
          "expected-note {{here it has 5}}",
          "// expected-error {{there is no statement, like c[i, j] = sum(k) a[i, k] * b[k, j]}}",
      }) {
    EXPECT_EQ(deviations(text, sizes), Nothing{}) << text;
  }
}

}  // namespace
}  // namespace exh::kernels::notation
