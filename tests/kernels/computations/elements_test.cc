// SPDX-License-Identifier: MIT
//
// What a program that is exported says of an element is what the reference says: of every
// computation with one output, compiled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/derived/sources/element_source.h"
#include "kernels/derived/sources/op_text.h"
#include "kernels/derived/tolerance.h"
#include "kernels/whole_numbers.h"
#include "tests/kernels/computations/computations.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

struct Expected {
  double value, tolerance;
};
using Element = Expected (*)(void* const*, const double*, std::int64_t);

struct Known {
  std::string name, text;
  ir::Function function;
  ProblemData data;
};

/// What an input is to the text; halves are classes.
std::string HostName(ir::Type type) {
  const bool is_half = ir::IsFloat(type) && ir::InfoOf(type).is_narrow();
  return std::string(is_half ? ir::WordOf(type) : derived::ElementName(type));
}

std::string Function(const ir::Function& function, std::size_t number) {
  std::string parameters, arguments;
  std::size_t inputs = 0;
  for (const ir::Array& array : function.arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    const std::string type = "const " + HostName(array.type) + "*";
    parameters += fmt::format("[[maybe_unused]] {} {}, ", type, array.name);
    arguments += fmt::format("static_cast<{}>(arrays[{}]), ", type, inputs++);
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const std::string_view type = derived::RegisterName(function.scalars[i].type);
    parameters += fmt::format("[[maybe_unused]] {} {}, ", type, function.scalars[i].name);
    arguments += fmt::format("static_cast<{}>(scalars[{}]), ", type, i);
  }
  return fmt::format(
      "namespace n{0} {{\nstatic Expected Reference({1}[[maybe_unused]] std::int64_t i) {{\n{2}}}\n"
      "extern \"C\" Expected element_{0}(void* const* arrays, const double* scalars, "
      "std::int64_t i) {{\n  (void)scalars;\n  (void)arrays;\n  return Reference({3}i);\n}}\n}}\n",
      number, parameters, derived::ReferenceElement(function), arguments);
}

/// In front of all of them.
std::string Prologue() {
  ir::HelperFunctions halves(ir::Dialect::kCpp);
  for (const ir::Type type :
       {ir::Type::kF16, ir::Type::kBf16, ir::Type::kF8E4M3, ir::Type::kF8E5M2}) {
    ir::FromElementText("bits", type, halves);
  }
  return "#include <cmath>\n#include <cstdint>\n#include \"kernels/derived/tolerance.h\"\n"
         "using exh::kernels::SumTolerance;\nstruct Expected { double value, tolerance; };\n" +
         halves.Text() +
         "struct f16 {\n  unsigned short bits;\n"
         "  operator float() const { return exh_from_f16(bits); }\n};\n"
         "struct bf16 {\n  unsigned short bits;\n"
         "  operator float() const { return exh_from_bf16(bits); }\n};\n"
         "struct f8e4m3 {\n  unsigned char bits;\n"
         "  operator float() const { return exh_from_f8e4m3(bits); }\n};\n"
         "struct f8e5m2 {\n  unsigned char bits;\n"
         "  operator float() const { return exh_from_f8e5m2(bits); }\n};\n";
}

Known KnownOf(const Computation& computation) {
  Known known;
  known.name = computation.name;
  ir::Builder builder(known.function);
  KernelOf(computation).Build(builder, SizesOf(computation, 1));
  std::mt19937 random(1);
  const std::vector<bool> positive = PositiveArrays(derived::ExpressionOf(known.function));
  for (const ir::Array& array : known.function.arrays) {
    ArrayData& data = known.data[array.name];
    if (array.role != ir::ArrayRole::kInput) continue;
    const ir::TypeInfo& type = ir::InfoOf(array.type);
    data.values = Elements(array.type, array.elements);
    for (std::uint64_t i = 0; i < array.elements; ++i) {
      const auto drawn = static_cast<int>(random() % 2001);
      const bool is_positive = positive[array.id.index()];
      double value = static_cast<double>(static_cast<float>(drawn) / 1000 - 1);
      if (is_positive) value = std::abs(value) + static_cast<double>(0.01f);
      // Few and small, so that nothing leaves its type.
      if (!type.is_float) value = drawn % 11 - (type.is_signed ? 5 : 0);
      if (!type.is_float && is_positive) value = drawn % 5 + 1;
      if (array.type == ir::Type::kBool) value = drawn % 2;
      data.values.Set(i, value);
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
  // Products over an axis, several outputs, narrow steps on the way, integers that no double is,
  // roundings of what may be infinite, and sums of what is scanned along the same axis.
  EXPECT_EQ(without, (std::vector<std::string>{"masked_softmax",
                                               "row_products",
                                               "sum_and_difference",
                                               "literal_i64",
                                               "scalar_i64",
                                               "quantize",
                                               "scaled_product",
                                               "any_and_all",
                                               "ramp",
                                               "casts",
                                               "narrow_value",
                                               "quantize_rows",
                                               "covered_row_products",
                                               "covered_ramp",
                                               "running_product",
                                               "running_mean",
                                               "sum_of_running_max",
                                               "product_of_first",
                                               "scan_of_products",
                                               "attention_causal",
                                               "attention_window",
                                               "moments"}));
  const CompiledTexts compiled(
      all.size(), [&](std::size_t i) { return all[i].text; }, Prologue(), "-std=c++20 -Itree");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Known& known = all[i];
    const auto element = reinterpret_cast<Element>(compiled.Find(i, fmt::format("element_{}", i)));
    ASSERT_NE(element, nullptr) << known.name << compiled.CompilerError(i) << known.text;
    std::vector<void*> arrays;
    std::vector<double> scalars;
    std::string output;
    for (const ir::Array& array : known.function.arrays) {
      if (array.role == ir::ArrayRole::kInput) {
        const void* const values = known.data.at(array.name).values.bytes().data();
        arrays.push_back(const_cast<void*>(values));
      } else {
        output = array.name;
      }
    }
    for (const ir::Scalar& scalar : known.function.scalars) scalars.push_back(scalar.value);
    // What loses something by being stored is rounded by the reference, and may be off by that.
    const derived::Expression expression = derived::ExpressionOf(known.function);
    const auto& store = expression.node(expression.outputs.front());
    const bool is_rounded = ir::IsFloat(store.type) && !expression.IsCopy(store);
    const LastPlace last = is_rounded ? LastPlaceOf(store.type) : LastPlace{};
    const ArrayData& wanted = known.data.at(output);
    double most_got = 0, most = 0;
    for (std::size_t at = 0; at < wanted.reference.size(); ++at) {
      const Expected got = element(arrays.data(), scalars.data(), static_cast<std::int64_t>(at));
      const double value = wanted.reference[at], tolerance = wanted.tolerance[at];
      const double slack = last.relative * std::abs(got.value) + last.absolute;
      if (std::isinf(value)) {
        ASSERT_EQ(got.value, value) << known.name << known.text;
        continue;
      }
      ASSERT_NEAR(got.value, value, 1e-12 * (1 + std::abs(value)) + slack)
          << known.name << known.text;
      most_got = std::max(most_got, got.tolerance - slack);
      most = std::max(most, tolerance);
      ASSERT_GE(got.tolerance, tolerance / 3 - 1e-30) << known.name << " " << at << known.text;
    }
    // Of single elements the reference alone knows that they are exact.
    ASSERT_TRUE(most == 0 || most_got <= 3 * most + 1e-30) << known.name << known.text;
  }
}

}  // namespace
}  // namespace exh::kernels::testing
