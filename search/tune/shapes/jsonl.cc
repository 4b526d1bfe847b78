// SPDX-License-Identifier: MIT
//
// Shapes as JSON, an object a line.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/spelling.h"
#include "base/user_json.h"
#include "search/tune/shapes/lines.h"
#include "search/tune/shapes/shape_reader.h"

namespace exh::search {
namespace {

using ShapeJson = nlohmann::ordered_json;

const std::string& TextIn(const ShapeJson& value, const std::string& key) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    throw UsageError(fmt::format("'{}' must be a text", key));
  }
  return value.get_ref<const std::string&>();
}

SizeList SizesIn(const ShapeJson& value) {
  if (!value.is_object()) {
    throw UsageError("'sizes' must be an object, such as {\"m\": 512, \"n\": 512}");
  }
  SizeList sizes;
  for (const auto& [name, size] : value.items()) {
    if (!size.is_number_integer() && !size.is_string()) {
      throw UsageError(
          fmt::format("size '{}' must be a whole number, or a word of its option", name));
    }
    const std::string text = size.is_string() ? size.get<std::string>() : size.dump();
    if (text.find_first_of(",= ") != std::string::npos) {
      throw UsageError(fmt::format("bad size '{}': '{}'", name, text));
    }
    sizes.emplace_back(name, text);
  }
  return sizes;
}

AskedShape ShapeIn(std::string_view line, const std::string& folder, const std::string& type) {
  ShapeJson json;
  try {
    json = ParseUserJson<ShapeJson>(line);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (!json.is_object()) {
    throw UsageError("it is no object, such as {\"kernel\": \"matmul\", \"sizes\": {\"m\": 512}}");
  }
  AskedShape shape;
  shape.type = type;
  for (const auto& [key, value] : json.items()) {
    if (key == "kernel") {
      shape.kernel = TextIn(value, key);
    } else if (key == "compute") {
      shape.compute = TextIn(value, key);
    } else if (key == "type") {
      shape.type = TextIn(value, key);
    } else if (key == "sizes") {
      shape.sizes = SizesIn(value);
    } else {
      throw UsageError(UnknownName("field", key, {"kernel", "compute", "sizes", "type"}));
    }
  }
  // A file is looked for beside the file that names it.
  const bool is_file =
      shape.kernel.ends_with(".kernel") || shape.kernel.find('/') != std::string::npos;
  if (is_file) shape.kernel = (std::filesystem::path(folder) / shape.kernel).string();
  if (is_file && shape.kernel.find('/') == std::string::npos) shape.kernel = "./" + shape.kernel;
  return shape;
}

}  // namespace

AskedShapes ReadJsonLines(std::string_view text, const std::string& folder,
                          const std::string& type) {
  AskedShapes asked;
  ForEachLine(text, [&](int number, std::string_view line) {
    try {
      asked.shapes.push_back(ShapeIn(line, folder, type));
      asked.shapes.back().line = number;
    } catch (const UsageError& error) {
      asked.mistakes.emplace_back(number, error.what());
    }
  });
  return asked;
}

}  // namespace exh::search
