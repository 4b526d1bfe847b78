// SPDX-License-Identifier: MIT
#include "tests/kernels/text/same_results.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "base/random.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/ir/builder.h"
#include "kernels/library/text_kernel.h"
#include "kernels/named_map.h"
#include "kernels/problem_data.h"

namespace exh::kernels::text::testing {
namespace {

std::string NameInText(const std::string& name) {
  std::string text;
  for (const char c : name) {
    text += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  }
  return text;
}

}  // namespace

void ExpectSameResults(const derived::Expression& expression, const std::string& text,
                       std::uint64_t seed, int least) {
  SCOPED_TRACE(text);
  ir::Function function;
  ir::Builder builder(function);
  const TextKernel kernel("text", text);
  Parameters sizes;
  for (const Parameter& size : kernel.parameters()) sizes[size.name] = size.default_value;
  kernel.Build(builder, sizes);

  ProblemData wanted, found;
  for (const ir::Array& array : function.arrays) found[array.name];
  Random random(seed);
  for (const ir::Array& array : expression.arrays) {
    ArrayData& data = wanted[array.name];
    if (array.role != ir::ArrayRole::kInput) continue;
    data.values = Elements(array.type, array.elements);
    constexpr std::uint64_t kValues = 9;
    for (std::uint64_t i = 0; i < array.elements; ++i) {
      data.values.Set(i, least + static_cast<double>(random.Below(kValues)));
    }
    const auto of_text = found.find(NameInText(array.name));
    if (of_text == found.end()) continue;  // Nothing reads it.
    const auto own = std::ranges::find(function.arrays, of_text->first, &ir::Array::name);
    // What is never read need not be declared.
    ASSERT_LE(own->elements, array.elements);
    of_text->second.values = Elements(array.type, own->elements);
    for (std::uint64_t i = 0; i < own->elements; ++i) {
      of_text->second.values.Set(i, data.values[i]);
    }
  }
  derived::ComputeReference(expression, wanted);
  derived::ComputeReference(function, found);
  std::size_t outputs = 0;
  for (const int output : expression.outputs) {
    const std::string& name = expression.array(expression.node(output).array).name;
    auto of_text = found.find(NameInText(name));
    // Some names have a meaning.
    for (const char* const more : {"_2", "_"}) {
      if (of_text == found.end()) of_text = found.find(name + more);
    }
    ASSERT_NE(of_text, found.end()) << name;
    const ArrayData &a = wanted.at(name), &b = of_text->second;
    ASSERT_EQ(a.reference.size(), b.reference.size()) << name;
    for (std::size_t i = 0; i < a.reference.size(); ++i) {
      const double of_expression = a.reference[i], other = b.reference[i];
      if (std::isnan(of_expression) && std::isnan(other)) continue;
      if (of_expression == other) continue;
      ASSERT_NEAR(of_expression, other,
                  1e-12 * std::abs(of_expression) + std::max(0.0, a.tolerance[i]))
          << name << " " << i;
    }
    ++outputs;
  }
  std::size_t of_text = 0;
  for (const ir::Array& array : function.arrays) of_text += array.role == ir::ArrayRole::kOutput;
  EXPECT_EQ(outputs, of_text);
}

}  // namespace exh::kernels::text::testing
