// SPDX-License-Identifier: MIT
#include "search/exchange/launch/specified_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/name_in_c.h"
#include "base/spelling.h"

namespace exh::search {
namespace {

/// A type of a tuning problem: so many of one of ours.
struct Cells {
  std::string_view type;
  std::int64_t count = 1;
};

constexpr auto kTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"bool", "bool"},
    {"byte", "i8"},
    {"int8", "i8"},
    {"uint8", "u8"},
    {"int16", "i16"},
    {"uint16", "u16"},
    {"int32", "i32"},
    {"uint32", "u32"},
    {"int64", "i64"},
    {"uint64", "u64"},
    {"half", "f16"},
    {"float", "f32"},
    {"double", "f64"},
});
/// "float4" is four floats.
constexpr auto kVectors = std::to_array<std::string_view>({"half", "float", "double"});
constexpr auto kWidths = std::to_array<std::pair<std::string_view, std::int64_t>>(
    {{"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}});

std::optional<Cells> CellsOf(std::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (word == name) return Cells{type};
    if (!word.starts_with(name) || std::ranges::find(kVectors, name) == kVectors.end()) continue;
    for (const auto& [digits, width] : kWidths) {
      if (word.substr(name.size()) == digits) return Cells{type, width};
    }
  }
  return std::nullopt;
}

class ArgumentReader {
 public:
  ArgumentReader(const load::JsonData& data, const SpecifiedTerms& terms, std::string folder,
                 SpecifiedArguments& made)
      : data_(data), terms_(terms), folder_(std::move(folder)), made_(made) {}

  void Read(const Json& json, const std::string& path) {
    data_.ExpectObject(json, path, R"({"Name": "x", "Type": "float", "MemoryType": "Vector"})");
    for (const auto& [key, value] : json.items()) {
      constexpr auto kKnown = std::to_array<std::string_view>(
          {"Name", "Type", "MemoryType", "MemType", "AccessType", "Size", "FillType", "FillValue",
           "DataSource", "Output", "RandomSeed", "TypeSize"});
      if (std::ranges::find(kKnown, key) != kKnown.end()) continue;
      made_.notes.push_back(fmt::format("{}.{} is not read", path, key));
    }
    const std::string memory =
        Word(json, path, "MemoryType", {"Vector", "Scalar", "Local", "Symbol"});
    const std::string word = Word(json, path, "Type", {});
    const std::optional<Cells> cells = CellsOf(word);
    if (!cells) {
      std::vector<std::string> words;
      for (const auto& [name, type] : kTypes) words.emplace_back(name);
      data_.Fail(path + ".Type", UnknownName("type", word, words));
    }
    Json argument = Json::object();
    if (json.contains("Name")) {
      argument["name"] = data_.Text(json.at("Name"), path + ".Name", "a name");
    }
    argument["type"] = cells->type;
    if (memory == "Local") {
      data_.Fail(path + ".MemoryType",
                 "'Local' is a parameter that OpenCL has; in CUDA dynamic shared memory is none, "
                 "and its bytes are SharedMemory");
    }
    const bool is_constant =
        memory == "Symbol" ||
        Word(json, path, "MemType", {"Global", "Constant"}, "Global") == "Constant";
    if (is_constant && !IsNameInC(argument.value("name", ""))) {
      data_.Fail(path + ".Name", "the name of a variable of the file is wanted");
    }
    if (memory == "Scalar") {
      if (cells->count > 1) data_.Fail(path + ".Type", fmt::format("a scalar of {}", word));
      if (is_constant) data_.Fail(path + ".MemType", "a scalar is a parameter, no variable");
      Scalar(json, path, argument);
    } else {
      Array(json, path, *cells, is_constant, argument);
    }
    if (is_constant) {
      Json constant = argument;
      if (constant.contains("role")) {
        data_.Fail(path + ".AccessType", "what is in constant memory is ReadOnly");
      }
      made_.constants.push_back(std::move(constant));
    }
    // As in BAT and Kernel Tuner, whose kernels have a parameter for it as well.
    if (memory != "Symbol") made_.arguments.push_back(std::move(argument));
  }

 private:
  /// One of `legal` (empty: any). Without `otherwise` it must be there.
  std::string Word(const Json& json, const std::string& path, const std::string& key,
                   const std::vector<std::string>& legal, const std::string& otherwise = "") const {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) {
      if (!otherwise.empty()) return otherwise;
      data_.Fail(path + "." + key, "it is missing");
    }
    const std::string word = data_.Text(*found, path + "." + key, "a word");
    if (!legal.empty() && std::ranges::find(legal, word) == legal.end()) {
      data_.Fail(path + "." + key, UnknownName(key, word, legal));
    }
    return word;
  }

  void Scalar(const Json& json, const std::string& path, Json& argument) const {
    const std::string fill = Word(json, path, "FillType", {}, "Constant");
    if (fill != "Constant") {
      data_.Fail(path + ".FillType",
                 fmt::format("'{}': the value of a scalar is wanted as a Constant", fill));
    }
    if (!json.contains("FillValue")) data_.Fail(path + ".FillValue", "it is missing");
    const std::string type = argument.at("type").get<std::string>();
    argument["value"] = AtPlace(data_, path + ".FillValue", [&]() -> Json {
      const PythonNode node = terms_.Read(json.at("FillValue"));
      const std::optional<PythonValue> number = SpecifiedTerms::NumberOf(node);
      if (number && !number->is_whole() && type.front() == 'f') return JsonOf(*number);
      return terms_.TermOf(node);
    });
  }

  void Array(const Json& json, const std::string& path, const Cells& cells, bool is_constant,
             Json& argument) {
    if (!json.contains("Size")) data_.Fail(path + ".Size", "it is missing");
    argument["elements"] = AtPlace(data_, path + ".Size", [&] {
      const std::int64_t size = terms_.WholeOf(json.at("Size"));
      std::int64_t elements = 0;
      if (size < 1 || __builtin_mul_overflow(size, cells.count, &elements)) {
        throw UsageError(fmt::format("an array of {} elements", size));
      }
      return elements;
    });
    const bool is_output =
        json.contains("Output") && json.at("Output") != 0 && json.at("Output") != false;
    const std::string access =
        Word(json, path, "AccessType", {"ReadOnly", "WriteOnly", "ReadWrite"},
             is_output ? "ReadWrite" : "ReadOnly");
    if (access == "ReadOnly" && is_output) {
      data_.Fail(path + ".AccessType", "'ReadOnly', and it is an Output");
    }
    if (access != "ReadOnly") argument["role"] = access == "WriteOnly" ? "out" : "inout";
    if (access == "WriteOnly" && !is_constant) return;
    Contents(json, path, argument);
  }

  void Contents(const Json& json, const std::string& path, Json& argument) {
    const std::string place = path + ".FillType";
    const std::string fill = Word(
        json, path, "FillType",
        {"Constant", "Random", "Uninitialized", "Generator", "Script", "BinaryRaw", "BinaryHDF"});
    if (fill == "Random") {
      argument["fill"] = "random";
    } else if (fill == "Constant") {
      argument["fill"] = AtPlace(data_, path + ".FillValue", [&] {
        const auto value = json.find("FillValue");
        if (value == json.end()) return Json(0);
        const std::optional<PythonValue> number = SpecifiedTerms::NumberOf(terms_.Read(*value));
        if (!number) throw UsageError("a number is wanted");
        return JsonOf(*number);
      });
    } else if (fill == "Uninitialized") {
      argument["fill"] = 0;
      made_.notes.push_back(fmt::format("{}: 'Uninitialized' becomes 0", place));
    } else if (fill == "BinaryRaw") {
      const std::string file = Word(json, path, "DataSource", {});
      argument["file"] = (std::filesystem::path(folder_) / file).generic_string();
    } else if (fill == "BinaryHDF") {
      data_.Fail(place, "'BinaryHDF' is not read; the bytes alone are 'BinaryRaw'");
    } else {
      data_.Fail(place, fmt::format("'{}': no code of the file is run; put what it makes into a "
                                    "file, as bytes, and name that as 'BinaryRaw'",
                                    fill));
    }
  }

  const load::JsonData& data_;
  const SpecifiedTerms& terms_;
  const std::string folder_;
  SpecifiedArguments& made_;
};

}  // namespace

SpecifiedArguments ArgumentsOf(const load::JsonData& data, const Json& list,
                               const std::string& path, const SpecifiedTerms& terms,
                               const std::string& folder) {
  SpecifiedArguments made;
  ArgumentReader reader(data, terms, folder, made);
  data.ForEach(list, path,
               [&](const Json& json, const std::string& place) { reader.Read(json, place); });
  const bool is_written = std::ranges::any_of(
      made.arguments, [](const Json& argument) { return argument.contains("role"); });
  if (!is_written)
    data.Fail(path, "the kernel writes none of them: an Output, or an AccessType, is missing");
  return made;
}

}  // namespace exh::search
