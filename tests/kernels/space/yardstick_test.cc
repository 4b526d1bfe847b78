// SPDX-License-Identifier: MIT
//
// The yardsticks of every kernel against the reference: the naive loop nests of both devices,
// Eigen, and the calls of a vendor's library. A search that compares itself with a wrong one says
// nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "kernels/derived/calls/blas_source.h"
#include "kernels/derived/calls/onednn_source.h"
#include "kernels/library/registry.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/output_check.h"
#include "tests/kernels/space/sample.h"
#include "tests/kernels/space/vendor_run.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

struct Case {
  std::string kernel;
  Parameters sizes;
};

/// Every switch of every kernel, and sizes that no tile divides.
const std::vector<Case> kCases = {
    {"axpy", {{"n", 97}}},
    {"mv", {{"m", 37}, {"n", 29}}},
    {"matmul", {{"m", 13}, {"n", 7}, {"k", 11}}},
    {"matmul", {{"m", 13}, {"n", 7}, {"k", 11}, {"transpose_a", 1}, {"relu", 1}}},
    {"matmul", {{"m", 13}, {"n", 7}, {"k", 11}, {"transpose_b", 1}, {"a_stride", 3}}},
    {"matmul", {{"m", 7}, {"n", 5}, {"k", 3}, {"transpose_a", 1}, {"a_stride", 2}, {"relu", 1}}},
    {"gesummv", {{"m", 37}, {"n", 29}}},
    {"batched_matmul", {{"batch", 3}, {"m", 7}, {"n", 5}, {"k", 11}}},
    {"batched_matmul", {{"batch", 3}, {"m", 7}, {"n", 5}, {"k", 11}, {"reuse_b", 1}}},
    {"batched_matmul",
     {{"batch", 3}, {"m", 7}, {"n", 5}, {"k", 11}, {"reuse_b", 1}, {"transpose_b", 1}}},
    {"batched_matmul",
     {{"batch", 3}, {"m", 7}, {"n", 5}, {"k", 11}, {"reuse_b", 1}, {"transpose_a", 1}}},
    {"batched_matmul",
     {{"batch", 3}, {"m", 7}, {"n", 5}, {"k", 11}, {"transpose_a", 1}, {"transpose_b", 1}}},
    {"matmul2", {{"m", 7}, {"n", 5}, {"k", 11}, {"p", 13}}},
    {"dot", {{"n", 97}}},
};

/// Of these Eigen is given a factor that was copied to lie as a matrix. No vendor's library is.
const std::vector<Case> kGathered = {
    {"conv2d", {{"h", 7}, {"w", 5}, {"c", 3}, {"m", 4}}},
    {"conv2d", {{"n", 2}, {"h", 5}, {"w", 6}, {"c", 3}, {"m", 4}, {"layout", 1}}},
    {"conv2d", {{"h", 8}, {"w", 9}, {"c", 2}, {"m", 5}, {"layout", 1}, {"filter_layout", 2}}},
    {"conv2d", {{"h", 9}, {"w", 8}, {"c", 3}, {"m", 4}, {"filter_layout", 1}, {"stride", 2}}},
    {"conv2d", {{"h", 9}, {"w", 9}, {"c", 2}, {"m", 3}, {"dilation", 2}, {"pad", 0}}},
    {"conv2d",
     {{"h", 15}, {"w", 19}, {"c", 3}, {"m", 4}, {"r", 11}, {"s", 11}, {"pad", 2}, {"stride", 4}}},
};

Task MakeCase(const Case& c) {
  const Kernel& kernel = *FindKernel(c.kernel);
  Parameters sizes;
  for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
  for (const auto& [name, value] : c.sizes) sizes.at(name) = value;
  return MakeTask(kernel, sizes, TestDevice(1), true);
}

/// A text in a namespace of its own, its entry numbered; what it includes is in the prologue.
std::string Numbered(std::string text, std::size_t i) {
  const std::string include = "#include <Eigen/Core>\n", entry = "exh_run";
  if (text.starts_with(include)) text.erase(0, include.size());
  const std::size_t at = text.find(entry);
  EXPECT_NE(at, std::string::npos) << text;
  text.replace(at, entry.size(), fmt::format("exh_run_{}", i));
  return fmt::format("namespace n{} {{\n{}\n}}\n", i, text);
}

// Of the others there are the naive yardsticks alone: tests/kernels/derived.
TEST(Yardsticks, AllKernelsThatAVendorComputesHaveACase) {
  for (const auto& kernel : AllKernels()) {
    Parameters sizes;
    for (const Parameter& p : kernel->parameters()) sizes[p.name] = p.default_value;
    if (kernel->Vendor(sizes).steps.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(kCases, [&](const Case& c) {
      return c.kernel == kernel->name();
    })) << kernel->name();
  }
}

/// A yardstick may write an element as often as it likes; unwritten ones are NaN.
void WriteOnce(const Task& task, unsigned char* const* written) {
  for (const ir::Array& array : task.function->arrays) {
    std::memset(written[array.id.index()], 1, array.elements);
  }
}

TEST(Yardsticks, OfTheCpuAgreeWithTheReference) {
  std::vector<Task> tasks;
  std::vector<std::string> texts;
  std::vector<Case> cases = kCases;
  cases.insert(cases.end(), kGathered.begin(), kGathered.end());
  for (const Case& c : cases) {
    tasks.push_back(MakeCase(c));
    texts.push_back(tasks.back().kernel->NaiveSource(tasks.back().sizes));
    texts.push_back(tasks.back().kernel->EigenSource(tasks.back().sizes));
  }
  const CompiledTexts compiled(
      texts.size(), [&](std::size_t i) { return Numbered(texts[i], i); }, "#include <Eigen/Core>",
      "-O1 -fopenmp -Wno-psabi -isystem '" EXH_EIGEN_INCLUDE "'");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    using Entry = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << compiled.CompilerError(i) << "\n" << texts[i];
    const Task& task = tasks[i / 2];
    const OutputCheck check(task);
    // Twice: what one run leaves behind must not be in the next.
    for (int time = 0; time < 2; ++time) {
      const std::string message = check.Check([&](auto arrays, auto scalars, auto written) {
        run(arrays, scalars, 2);
        WriteOnce(task, written);
        return std::string();
      });
      EXPECT_EQ(message, "") << task.kernel->name() << "\n" << texts[i];
    }
  }
}

/// Every name that a text shows, numbered.
std::string AllNumbered(std::string text, std::size_t i) {
  for (const char* const name : {"exh_ready", "exh_before", "exh_run"}) {
    const std::size_t at = text.find(std::string(name) + "(");
    if (at != std::string::npos) text.insert(at + std::strlen(name), fmt::format("_{}", i));
  }
  return fmt::format("namespace n{} {{\n{}\n}}\n", i, text);
}

/// Runs each text, twice, and compares with the reference. Why the library cannot be used, if it
/// cannot.
std::string RunLibraryTexts(const std::vector<Task>& tasks, const std::vector<std::string>& texts) {
  const CompiledTexts compiled(
      texts.size(), [&](std::size_t i) { return AllNumbered(texts[i], i); },
      "#include <dlfcn.h>\n#include <omp.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <string.h>",
      "-O1 -fopenmp");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto find = [&](const char* name) {
      return compiled.Find(i, fmt::format("{}_{}", name, i));
    };
    using Ready = const char* (*)(const char**);
    using Entry = void (*)(void* const*, const double*, int);
    const auto ready = reinterpret_cast<Ready>(find("exh_ready"));
    const auto before = reinterpret_cast<Entry>(find("exh_before"));
    const auto run = reinterpret_cast<Entry>(find("exh_run"));
    if (ready == nullptr || run == nullptr) {
      ADD_FAILURE() << compiled.CompilerError(i) << texts[i];
      continue;
    }
    const char* which = "";
    if (const char* const why = ready(&which)) {
      // Somebody may not have the library; what it lacks, it would lack for everybody.
      const bool is_there = std::string_view(why).find("routine") != std::string_view::npos;
      if (!is_there) return why;
      ADD_FAILURE() << why << "\n" << texts[i];
      continue;
    }
    EXPECT_STRNE(which, "");
    const OutputCheck check(tasks[i]);
    for (int time = 0; time < 2; ++time) {
      const std::string message = check.Check([&](auto arrays, auto scalars, auto written) {
        if (before != nullptr) before(arrays, scalars, 2);
        run(arrays, scalars, 2);
        WriteOnce(tasks[i], written);
        return std::string();
      });
      EXPECT_EQ(message, "") << tasks[i].kernel->name() << "\n" << texts[i];
    }
  }
  return "";
}

class Libraries : public ::testing::TestWithParam<derived::BlasLibrary> {};

TEST_P(Libraries, OfTheCpuAgreeWithTheReference) {
  std::vector<Task> tasks;
  std::vector<std::string> texts;
  for (const Case& c : kCases) {
    Task task = MakeCase(c);
    std::string text =
        derived::BlasSource(task.kernel->Vendor(task.sizes), *task.function, GetParam());
    // Vectors alone are nothing that this one computes.
    const bool is_of_vectors = c.kernel == "axpy";
    EXPECT_EQ(text.empty(), GetParam() == derived::BlasLibrary::kOneDnn && is_of_vectors)
        << c.kernel;
    if (text.empty()) continue;
    tasks.push_back(std::move(task));
    texts.push_back(std::move(text));
  }
  const std::string why = RunLibraryTexts(tasks, texts);
  if (!why.empty()) GTEST_SKIP() << why;
}

INSTANTIATE_TEST_SUITE_P(Yardsticks, Libraries,
                         ::testing::Values(derived::BlasLibrary::kOpenBlas,
                                           derived::BlasLibrary::kOneDnn));

/// What is no product of matrices, and a primitive of a library.
const std::vector<Case> kPrimitives = {
    {"softmax", {{"m", 7}, {"n", 13}}},
    {"layer_norm", {{"m", 5}, {"n", 24}}},
    {"reduce", {{"b", 6}, {"c", 19}}},
    {"reduce", {{"a", 2}, {"b", 3}, {"c", 5}, {"d", 4}, {"op", 3}}},
    {"reduce", {{"b", 5}, {"c", 7}, {"d", 3}, {"op", 2}}},
    {"reduce", {{"b", 4}, {"c", 6}, {"d", 1}, {"op", 1}}},
};

TEST(Yardsticks, PrimitivesOfALibraryAgreeWithTheReference) {
  std::vector<Task> tasks;
  std::vector<std::string> texts;
  std::vector<Case> cases = kPrimitives;
  cases.insert(cases.end(), kGathered.begin(), kGathered.end());
  for (const Case& c : cases) {
    tasks.push_back(MakeCase(c));
    texts.push_back(derived::OneDnnSource(*tasks.back().function));
    ASSERT_NE(texts.back(), "") << c.kernel;
  }
  const std::string why = RunLibraryTexts(tasks, texts);
  if (!why.empty()) GTEST_SKIP() << why;
}

TEST(Yardsticks, WhatIsNoPrimitiveIsNotAskedFor) {
  for (const Case& c : {Case{"moments", {{"m", 5}, {"n", 24}}},  // Two outputs.
                        Case{"reduce", {{"b", 4}, {"c", 6}, {"type", 1}}},
                        Case{"reduce", {{"b", 4}, {"c", 6}, {"op", 6}}}, Case{"axpy", {{"n", 97}}},
                        Case{"matmul2", {{"k", 11}}},
                        Case{"conv2d", {{"h", 7}, {"w", 5}, {"c", 3}, {"m", 4}, {"type", 2}}}}) {
    EXPECT_EQ(derived::OneDnnSource(*MakeCase(c).function), "") << c.kernel;
  }
}

TEST(Yardsticks, LibrariesAreNotAskedForWhatTheyLack) {
  const Task halves = MakeCase({"matmul", {{"k", 11}, {"type", 2}}});
  const Task doubles = MakeCase({"matmul", {{"k", 11}, {"type", 1}}});
  const auto source = [](const Task& task, derived::BlasLibrary library) {
    return derived::BlasSource(task.kernel->Vendor(task.sizes), *task.function, library);
  };
  EXPECT_EQ(source(halves, derived::BlasLibrary::kOpenBlas), "");
  EXPECT_EQ(source(halves, derived::BlasLibrary::kOneDnn), "");
  EXPECT_EQ(source(doubles, derived::BlasLibrary::kOneDnn), "");
  EXPECT_NE(source(doubles, derived::BlasLibrary::kOpenBlas).find("cblas_dgemm"),
            std::string::npos);
  VendorCall huge;
  huge.steps.push_back({.m = std::int64_t{1} << 32, .n = 1, .k = 1});
  EXPECT_EQ(derived::BlasSource(huge, std::vector<double>(), derived::BlasLibrary::kOpenBlas), "");
}

TEST(Yardsticks, SayWhatTheyTakeBesideTheArrays) {
  const Task conv = MakeCase(kGathered.front()), product = MakeCase({"matmul", {{"k", 11}}});
  EXPECT_EQ(conv.kernel->EigenWorkspace(conv.sizes), 7 * 5 * 3 * 3 * 3 * sizeof(float));
  EXPECT_EQ(product.kernel->EigenWorkspace(product.sizes), 0U);
  const Task two = MakeCase({"matmul2", {{"m", 7}, {"n", 5}, {"k", 11}, {"p", 13}}});
  EXPECT_EQ(two.kernel->EigenWorkspace(two.sizes), 7 * 5 * sizeof(float));
}

TEST(Yardsticks, OfAGpuAgreeWithTheReference) {
  for (const Case& c : kCases) {
    const Task task = MakeCase(c);
    const Source naive = task.kernel->NaiveCuda(task.sizes);
    // A row of the first product for each element of the second one would measure nothing.
    EXPECT_EQ(naive.text.empty(), c.kernel == "matmul2");
    if (naive.text.empty()) continue;
    const std::vector<CudaText> texts = {{naive.text, naive.gpu->launch}};
    EXPECT_EQ(RunCudaSources(task, texts).front(), "") << c.kernel << "\n" << naive.text;
  }
}

TEST(Yardsticks, CallsOfAVendorsLibraryAgreeWithTheReference) {
  for (const Case& c : kCases) {
    const Task task = MakeCase(c);
    const VendorCall call = task.kernel->Vendor(task.sizes);
    EXPECT_FALSE(call.steps.empty()) << c.kernel;
    std::vector<std::size_t> sizes;
    for (const ir::Array& array : task.function->arrays) sizes.push_back(array.elements);
    const std::string message = OutputCheck(task).Check([&](auto arrays, auto, auto written) {
      std::vector<float*> floats;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        floats.push_back(static_cast<float*>(arrays[i]));
      }
      RunVendorCall(call, floats.data(), sizes);
      WriteOnce(task, written);
      return std::string();
    });
    EXPECT_EQ(message, "") << c.kernel;
  }
}

/// ReferenceElement() as a function that gives value and tolerance of element i.
std::string ElementFunction(const Task& task, std::size_t number) {
  std::string parameters, arguments;
  const auto add = [&](const std::string& parameter, const std::string& argument) {
    parameters += parameter + ", ";
    arguments += argument + ", ";
  };
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    add("[[maybe_unused]] const float* " + array.name, fmt::format("arrays[{}]", array.id.index()));
  }
  for (std::size_t i = 0; i < task.function->scalars.size(); ++i) {
    add("float " + task.function->scalars[i].name, fmt::format("scalars[{}]", i));
  }
  return fmt::format(R"(
namespace n{0} {{
Expected Reference({1}[[maybe_unused]] std::int64_t i) {{
{2}}}
extern "C" Expected exh_element_{0}(float* const* arrays, [[maybe_unused]] const float* scalars,
                                   std::int64_t i) {{
  return Reference({3}i);
}}
}}
)",
                     number, parameters, task.kernel->ReferenceElement(task.sizes), arguments);
}

TEST(Yardsticks, ElementsOfTheReferenceAreThoseOfTheReference) {
  std::vector<Task> tasks;
  for (const Case& c : kCases) tasks.push_back(MakeCase(c));
  const CompiledTexts compiled(
      tasks.size(), [&](std::size_t i) { return ElementFunction(tasks[i], i); },
      R"(#include <cmath>
#include <cstdint>
#include "kernels/derived/tolerance.h"
using exh::kernels::SumTolerance;
struct Expected { double value, tolerance; };)",
      "-std=c++20 -Wall -Wextra -Werror -Itree");
  for (std::size_t number = 0; number < tasks.size(); ++number) {
    struct Expected {
      double value, tolerance;
    };
    using Entry = Expected (*)(float* const*, const float*, std::int64_t);
    const auto element =
        reinterpret_cast<Entry>(compiled.Find(number, fmt::format("exh_element_{}", number)));
    const Task& task = tasks[number];
    ASSERT_NE(element, nullptr) << task.kernel->name() << compiled.CompilerError(number);
    ProblemData problem = MakeProblem(task, 1);
    std::vector<float*> arrays;
    std::vector<float> scalars;
    for (const ir::Array& array : task.function->arrays) {
      arrays.push_back(problem.find(array.name)->second.values.As<float>().data());
    }
    for (const ir::Scalar& scalar : task.function->scalars) {
      scalars.push_back(static_cast<float>(scalar.value));
    }
    const ArrayData& output = problem.find(task.function->arrays.back().name)->second;
    for (std::size_t i = 0; i < output.reference.size(); ++i) {
      const Expected expected =
          element(arrays.data(), scalars.data(), static_cast<std::int64_t>(i));
      ASSERT_NEAR(expected.value, output.reference[i], 1e-12) << task.kernel->name() << " " << i;
      // Of single elements the reference alone knows that they, or terms of them, are exact.
      ASSERT_GE(expected.tolerance, output.tolerance[i] - 1e-15);
      if (output.tolerance[i] > 0) {
        ASSERT_LE(expected.tolerance, 1.5 * output.tolerance[i] + 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace exh::kernels::testing
