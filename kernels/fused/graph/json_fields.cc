// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/json_fields.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/user_json.h"

namespace exh::kernels::fused {
namespace {

using nlohmann::json;

void Add(const Field& field, std::string_view wanted, Mistakes& mistakes) {
  mistakes.push_back({Mistake::What::kMalformed, field.place,
                      fmt::format("must be {}, not {}", wanted, Found(field)), "malformed JSON"});
}

}  // namespace

Field Field::operator[](std::string_view key) const {
  const std::string inner = place.empty() ? std::string(key) : fmt::format("{}.{}", place, key);
  if (value == nullptr || !value->is_object()) return {nullptr, inner};
  const auto found = value->find(key);
  return {found == value->end() ? nullptr : &*found, inner};
}

Field Field::at(std::size_t index) const {
  return {&value->at(index), fmt::format("{}[{}]", place, index)};
}

std::string Found(const Field& field) {
  if (field.value == nullptr) return "absent";
  switch (field.value->type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return field.value->empty() ? "an empty list" : "a list";
    case json::value_t::string: {
      constexpr std::size_t kMost = 40;
      const auto& text = field.value->get_ref<const std::string&>();
      return text.size() > kMost ? "a long text" : fmt::format("the text '{}'", text);
    }
    default:
      return field.value->dump();
  }
}

std::optional<std::string> ReadText(const Field& field, Mistakes& mistakes) {
  if (field.value != nullptr && field.value->is_string()) return field.value->get<std::string>();
  Add(field, "a text", mistakes);
  return std::nullopt;
}

std::optional<bool> ReadFlag(const Field& field, Mistakes& mistakes) {
  if (field.value != nullptr && field.value->is_boolean()) return field.value->get<bool>();
  Add(field, "true or false", mistakes);
  return std::nullopt;
}

std::optional<std::int64_t> ReadInteger(const Field& field, Mistakes& mistakes) {
  // An unsigned one may be beyond 63 bits.
  if (field.value != nullptr && field.value->is_number_integer() &&
      (!field.value->is_number_unsigned() || field.value->get<std::uint64_t>() <= INT64_MAX)) {
    return field.value->get<std::int64_t>();
  }
  Add(field, "a whole number", mistakes);
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> ReadIntegers(const Field& field, Mistakes& mistakes) {
  if (field.value == nullptr || !field.value->is_array()) {
    Add(field, "a list of whole numbers", mistakes);
    return std::nullopt;
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < field.value->size(); ++i) {
    const std::optional<std::int64_t> number = ReadInteger(field.at(i), mistakes);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<Field>> ReadList(const Field& field, bool may_be_absent,
                                           Mistakes& mistakes) {
  if (may_be_absent && !field.is_there()) return std::vector<Field>();
  if (field.value == nullptr || !field.value->is_array()) {
    Add(field, "a list", mistakes);
    return std::nullopt;
  }
  std::vector<Field> entries;
  for (std::size_t i = 0; i < field.value->size(); ++i) entries.push_back(field.at(i));
  return entries;
}

std::optional<Mistake> ParseJson(std::string_view text, json& parsed) {
  try {
    parsed = ParseUserJson(text);
    return std::nullopt;
  } catch (const Error& error) {
    return Mistake{Mistake::What::kMalformed, "", fmt::format("no JSON: {}", error.what()),
                   "malformed JSON"};
  }
}

}  // namespace exh::kernels::fused
