// SPDX-License-Identifier: MIT
#include "search/own/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/name_in_c.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "load/json_data.h"

namespace exh::search {
namespace {

using Json = nlohmann::ordered_json;
using kernels::OwnArgument;
using Role = OwnArgument::Role;

constexpr std::size_t kMostAxes = 3;
constexpr const char* kExample = R"({"name": "a", "type": "f32", "elements": "n"})";

class Reader {
 public:
  Reader(const std::string& text, std::string path, std::string type)
      : path_(std::move(path)), type_(std::move(type)), data_(text, path_) {}

  LaunchFile Read() {
    const Json& root = data_.root();
    Keys(root, "",
         {"block", "grid", "shared", "cluster", "arguments", "options", "default", "tolerance",
          "defines", "constants"});
    for (const char* key : {"block", "grid", "arguments"}) {
      if (data_.Find(key) != nullptr) continue;
      data_.Fail(key, fmt::format("it is missing: {}",
                                  key == std::string_view("arguments")
                                      ? fmt::format("[{}, …], as the kernel has them", kExample)
                                      : "one to three terms, [\"block_x()\"]"));
    }
    Axes("grid", file_.grid);
    Axes("block", file_.block);
    Axes("cluster", file_.cluster);
    if (const Json* shared = data_.Find("shared")) file_.shared = Term(*shared, "shared");
    data_.ForEach(root.at("arguments"), "arguments",
                  [&](const Json& json, const std::string& path) { Argument(json, path); });
    if (const Json* constants = data_.Find("constants")) {
      data_.ForEach(*constants, "constants",
                    [&](const Json& json, const std::string& path) { Constant(json, path); });
    }
    const bool is_written = std::ranges::any_of(
        file_.arguments, [](const auto& argument) { return argument.is.is_written(); });
    if (!is_written) {
      data_.Fail("arguments",
                 "none has \"role\": \"out\" or \"inout\": there is nothing that could be checked");
    }
    if (const Json* options = data_.Find("options")) {
      data_.ForEach(*options, "options", [&](const Json& json, const std::string& path) {
        file_.options.push_back(data_.Text(json, path, "an option of the compiler"));
      });
    }
    if (const Json* defines = data_.Find("defines")) {
      data_.ExpectObject(*defines, "defines", R"x({"TILE": "tile()"})x");
      for (const auto& [name, term] : defines->items()) {
        const std::string path = "defines." + name;
        if (!IsNameInC(name)) data_.Fail(path, "a name of the preprocessor is wanted, as TILE");
        file_.defines.emplace_back(name, Term(term, path));
      }
    }
    file_.defaults = Json::object();
    if (const Json* defaults = data_.Find("default")) {
      data_.ExpectObject(*defaults, "default", R"(values by name, {"block_x": 64})");
      file_.defaults = *defaults;
    }
    if (const Json* tolerance = data_.Find("tolerance")) {
      file_.tolerance = Real(*tolerance, "tolerance");
      if (!(file_.tolerance >= 0 && file_.tolerance < 1)) {
        data_.Fail("tolerance", "a share from 0 to below 1 is wanted, as 1e-4");
      }
    }
    return std::move(file_);
  }

 private:
  void Keys(const Json& json, const std::string& path, const std::vector<std::string>& legal) {
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(legal, key) != legal.end()) continue;
      data_.Fail(path.empty() ? key : path + "." + key, UnknownName("key", key, legal));
    }
  }

  double Real(const Json& json, const std::string& path) const {
    if (json.is_number()) return json.get<double>();
    data_.Fail(path, fmt::format("a number is wanted, not {}", Shortened(json.dump(), 60)));
  }

  /// A term of the space, or a whole number.
  LaunchFile::TermNumber Term(const Json& json, const std::string& path) {
    std::string text;
    if (json.is_number_integer()) {
      text = std::to_string(json.get<std::int64_t>());
    } else {
      text =
          Trim(data_.Text(json, path, "a whole number, or a term of the space as \"2 * tile()\""));
    }
    if (text.empty()) data_.Fail(path, "a term of the space is wanted, as \"block_x()\"");
    file_.terms.push_back({path_ + ": " + path, text});
    return file_.terms.size() - 1;
  }

  void Axes(const char* key, std::vector<LaunchFile::TermNumber>& axes) {
    const Json* const list = data_.Find(key);
    if (list == nullptr) return;
    if (!list->is_array()) {
      axes.push_back(Term(*list, key));
      return;
    }
    data_.ForEach(*list, key, [&](const Json& json, const std::string& path) {
      axes.push_back(Term(json, path));
    });
    if (!axes.empty() && axes.size() <= kMostAxes) return;
    data_.Fail(key, fmt::format("one to three terms are wanted, x first, not {}", axes.size()));
  }

  void Argument(const Json& json, const std::string& path) {
    data_.ExpectObject(json, path, kExample);
    Keys(json, path, {"name", "type", "elements", "fill", "file", "role", "value"});
    LaunchFile::Argument made;
    OwnArgument& is = made.is;
    is.name = json.contains("name") ? data_.Text(json.at("name"), path + ".name", "a name")
                                    : fmt::format("argument {}", file_.arguments.size());
    is.type = Type(json, path);
    const bool is_array = json.contains("elements");
    if (is_array == json.contains("value")) {
      data_.Fail(path, fmt::format("{}: \"elements\" of an array, or \"value\" of a scalar",
                                   is_array ? "one of both is wanted" : "one is missing"));
    }
    if (is_array) {
      made.term = Term(json.at("elements"), path + ".elements");
      Contents(json, path, is);
    } else {
      for (const char* key : {"fill", "file", "role"}) {
        if (json.contains(key))
          data_.Fail(path + "." + key, "it is of arrays, and this is a scalar");
      }
      const Json& value = json.at("value");
      if (value.is_number_float()) {
        made.real = value.get<double>();
        if (!is.type.is_float()) {
          data_.Fail(path + ".value", "a whole number is wanted, of an integer");
        }
      } else {
        made.term = Term(value, path + ".value");
      }
    }
    file_.arguments.push_back(std::move(made));
  }

  /// A variable of the file, and what it holds.
  void Constant(const Json& json, const std::string& path) {
    data_.ExpectObject(json, path, kExample);
    Keys(json, path, {"name", "type", "elements", "fill", "file"});
    LaunchFile::Argument made;
    for (const char* key : {"name", "elements"}) {
      if (!json.contains(key))
        data_.Fail(path + "." + key, fmt::format("it is missing: {}", kExample));
    }
    made.is.name = data_.Text(json.at("name"), path + ".name", "the name of a variable");
    if (!IsNameInC(made.is.name)) {
      data_.Fail(path + ".name", "the name of a variable of the file is wanted, as filter");
    }
    made.is.type = Type(json, path);
    made.term = Term(json.at("elements"), path + ".elements");
    Contents(json, path, made.is);
    file_.constants.push_back(std::move(made));
  }

  kernels::OwnType Type(const Json& json, const std::string& path) const {
    std::vector<std::string> words = kernels::OwnType::Words();
    if (!json.contains("type")) {
      data_.Fail(path + ".type", fmt::format("it is missing: {}", UnknownName("type", "", words)));
    }
    std::string word = data_.Text(json.at("type"), path + ".type", "a type");
    if (word == "type") word = type_.empty() ? "f32" : type_;
    if (const auto type = kernels::OwnType::OfWord(word)) return *type;
    words.emplace_back("type");
    data_.Fail(path + ".type", UnknownName("type", word, words));
  }

  void Contents(const Json& json, const std::string& path, OwnArgument& is) const {
    const std::string role =
        json.contains("role") ? data_.Text(json.at("role"), path + ".role", "a role") : "in";
    if (role != "in" && role != "out" && role != "inout") {
      data_.Fail(path + ".role", UnknownName("role", role, {"in", "out", "inout"}));
    }
    is.role = role == "in" ? Role::kIn : role == "out" ? Role::kOut : Role::kInOut;
    const bool has_fill = json.contains("fill"), has_file = json.contains("file");
    if (has_fill && has_file) data_.Fail(path, "\"fill\" and \"file\": one of both is wanted");
    if (is.role == Role::kOut && (has_fill || has_file)) {
      data_.Fail(path,
                 "what is only written holds NaN at first; the role of what is read and "
                 "written is \"inout\"");
    }
    if (has_file) is.file = data_.Text(json.at("file"), path + ".file", "a path");
    if (!has_fill) return;
    const Json& fill = json.at("fill");
    if (fill.is_number()) {
      is.number = fill.get<double>();
    } else if (!fill.is_string() || fill.get<std::string>() != "random") {
      data_.Fail(path + ".fill", "\"random\" or a number is wanted; bytes of a file are \"file\"");
    }
  }

  const std::string path_, type_;
  const load::JsonData data_;
  LaunchFile file_;
};

}  // namespace

LaunchFile ParseLaunchFile(const std::string& text, const std::string& path,
                           const std::string& type) {
  return Reader(text, path, type).Read();
}

}  // namespace exh::search
