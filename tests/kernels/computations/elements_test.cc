// SPDX-License-Identifier: MIT
//
// What a program that is exported says of an element is what the reference says: of every
// computation with one output, compiled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/derived/reference/reference.h"
#include "kernels/derived/sources/element_source.h"
#include "kernels/whole_numbers.h"
#include "tests/kernels/computations/computations.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

struct Expected {
  double value, tolerance;
};
using Element = Expected (*)(const float* const*, const float*, std::int64_t);

struct Known {
  std::string name, text;
  ir::Function function;
  ProblemData data;
};

std::string Function(const ir::Function& function, std::size_t number) {
  std::string parameters, arguments;
  std::size_t inputs = 0;
  for (const ir::Array& array : function.arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    parameters += fmt::format("[[maybe_unused]] const float* {}, ", array.name);
    arguments += fmt::format("arrays[{}], ", inputs++);
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    parameters += fmt::format("[[maybe_unused]] float {}, ", function.scalars[i].name);
    arguments += fmt::format("scalars[{}], ", i);
  }
  return fmt::format(
      "namespace n{0} {{\nstatic Expected Reference({1}[[maybe_unused]] std::int64_t i) {{\n{2}}}\n"
      "extern \"C\" Expected element_{0}(const float* const* arrays, const float* scalars, "
      "std::int64_t i) {{\n  (void)scalars;\n  return Reference({3}i);\n}}\n}}\n",
      number, parameters, derived::ReferenceElement(function), arguments);
}

Known KnownOf(const Computation& computation) {
  Known known;
  known.name = computation.name;
  ir::Builder builder(known.function);
  KernelOf(computation).Build(builder, SizesOf(computation, 1));
  std::mt19937 random(1);
  const std::vector<bool> positive = PositiveArrays(known.function);
  for (const ir::Array& array : known.function.arrays) {
    std::vector<float>& values = known.data[array.name].values;
    if (array.role != ir::ArrayRole::kInput) continue;
    for (std::uint64_t i = 0; i < array.elements; ++i) {
      const auto value = static_cast<float>(random() % 2001) / 1000 - 1;
      values.push_back(positive[array.id.index()] ? std::abs(value) + 0.01f : value);
    }
  }
  derived::ComputeReference(known.function, known.data);
  return known;
}

TEST(ReferenceElement, OfEveryComputationIsThatOfTheReference) {
  std::vector<Known> all;
  std::vector<std::string> without;
  for (const Computation& computation : Computations()) {
    Known known = KnownOf(computation);
    if (derived::ReferenceElement(known.function).empty()) {
      without.push_back(known.name);
      continue;
    }
    known.text = Function(known.function, all.size());
    all.push_back(std::move(known));
  }
  // Products over an axis, and two outputs.
  EXPECT_EQ(without, (std::vector<std::string>{"row_products", "sum_and_difference"}));
  const CompiledTexts compiled(
      all.size(), [&](std::size_t i) { return all[i].text; },
      "#include <cmath>\n#include <cstdint>\n#include \"kernels/derived/tolerance.h\"\n"
      "using exh::kernels::SumTolerance;\nstruct Expected { double value, tolerance; };\n",
      "-std=c++20 -I'" EXH_SOURCE_DIR "'");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Known& known = all[i];
    const auto element = reinterpret_cast<Element>(compiled.Find(i, fmt::format("element_{}", i)));
    ASSERT_NE(element, nullptr) << known.name << compiled.CompilerError(i) << known.text;
    std::vector<const float*> arrays;
    std::vector<float> scalars;
    std::string output;
    for (const ir::Array& array : known.function.arrays) {
      if (array.role == ir::ArrayRole::kInput) {
        arrays.push_back(known.data.at(array.name).values.data());
      } else {
        output = array.name;
      }
    }
    for (const ir::Scalar& scalar : known.function.scalars) scalars.push_back(scalar.value);
    const ArrayData& wanted = known.data.at(output);
    for (std::size_t at = 0; at < wanted.reference.size(); ++at) {
      const Expected got = element(arrays.data(), scalars.data(), static_cast<std::int64_t>(at));
      const double value = wanted.reference[at], tolerance = wanted.tolerance[at];
      ASSERT_NEAR(got.value, value, 1e-12 * (1 + std::abs(value))) << known.name << known.text;
      ASSERT_LE(got.tolerance, 3 * tolerance + 1e-30) << known.name << " " << at << known.text;
      ASSERT_GE(got.tolerance, tolerance / 3 - 1e-30) << known.name << " " << at << known.text;
    }
  }
}

}  // namespace
}  // namespace exh::kernels::testing
