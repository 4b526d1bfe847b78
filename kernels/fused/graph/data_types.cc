// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/data_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/spelling.h"
#include "kernels/derived/expression.h"

namespace exh::kernels::fused {
namespace {

using ir::Type;

struct DataType {
  std::string_view name;
  Type type;
};
constexpr auto kDataTypes = std::to_array<DataType>({{"float64", Type::kF64},
                                                     {"float32", Type::kF32},
                                                     {"float16", Type::kF16},
                                                     {"bfloat16", Type::kBf16},
                                                     {"float8_e4m3fn", Type::kF8E4M3},
                                                     {"float8_e5m2", Type::kF8E5M2},
                                                     {"int64", Type::kI64},
                                                     {"int32", Type::kI32},
                                                     {"uint32", Type::kU32},
                                                     {"int8", Type::kI8},
                                                     {"bool", Type::kBool}});
/// The format has them, the operator table has not.
constexpr auto kRefused =
    std::to_array<std::string_view>({"int16", "uint8", "uint16", "uint64", "int4", "complex64"});

}  // namespace

std::string_view DataTypeName(Type type) {
  return std::ranges::find(kDataTypes, type, &DataType::type)->name;
}

std::optional<Type> ReadDataType(const Field& field, Mistakes& mistakes) {
  const std::optional<std::string> name = ReadText(field, mistakes);
  if (!name) return std::nullopt;
  const auto found = std::ranges::find(kDataTypes, *name, &DataType::name);
  if (found != kDataTypes.end()) return found->type;
  std::vector<std::string> names;
  for (const DataType& type : kDataTypes) names.emplace_back(type.name);
  if (std::ranges::find(kRefused, *name) != kRefused.end()) {
    mistakes.push_back({Mistake::What::kRefused, field.place,
                        fmt::format("elements of type {} are not supported", *name),
                        "type " + *name});
  } else {
    mistakes.push_back(
        {Mistake::What::kMalformed, field.place, UnknownName("type", *name, names), "types"});
  }
  return std::nullopt;
}

std::optional<double> ReadNumber(const Field& field, Type type, Mistakes& mistakes) {
  const auto fail = [&](const std::string& wanted) -> std::optional<double> {
    mistakes.push_back({Mistake::What::kMalformed, field.place,
                        fmt::format("must be {}, not {}", wanted, Found(field)), "numbers"});
    return std::nullopt;
  };
  const bool is_flag = field.value != nullptr && field.value->is_boolean();
  if (!is_flag && (field.value == nullptr || !field.value->is_number())) return fail("a number");
  const double number = is_flag ? (field.value->get<bool>() ? 1 : 0) : field.value->get<double>();
  const double rounded = derived::Converted(type, number);
  if (ir::IsFloat(type) || rounded == number) return rounded;
  const ir::TypeInfo& info = ir::InfoOf(type);
  return fail(type == Type::kBool
                  ? "true, false, 0 or 1"
                  : fmt::format("a whole number from {:.0f} to {:.0f}", info.lowest, info.largest));
}

}  // namespace exh::kernels::fused
