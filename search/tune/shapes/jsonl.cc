// SPDX-License-Identifier: MIT
//
// Shapes as JSON, an object a line.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

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

/// A file is looked for beside the file that names it.
std::string Beside(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

/// Takes a field of a program of a user; false: it is none.
bool IsOfProgram(const std::string& key, const ShapeJson& value, OwnProgram& program) {
  constexpr std::pair<const char*, std::string OwnProgram::*> kCommands[] = {
      {"run", &OwnProgram::run},
      {"serve", &OwnProgram::serve},
      {"build", &OwnProgram::build},
      {"filter", &OwnProgram::filter}};
  for (const auto& [name, command] : kCommands) {
    if (key == name) program.*command = TextIn(value, key);
    if (key == name) return true;
  }
  constexpr double kMostSeconds = 1e6;
  if (key == "timeout") {
    const double seconds = value.is_number() ? value.get<double>() : 0;
    if (!(seconds > 0) || seconds > kMostSeconds) throw UsageError("'timeout': seconds, above 0");
    program.timeout_s = seconds;
  } else if (key == "trust_times") {
    if (!value.is_boolean()) throw UsageError("'trust_times' must be true or false");
    program.trust_times = value.get<bool>();
  } else if (key == "at_once") {
    constexpr int kMost = 1024;
    if (!value.is_number_integer() || value < 1 || value > kMost) {
      throw UsageError(fmt::format("'at_once' must be 1 to {}", kMost));
    }
    program.at_once = value.get<int>();
  } else {
    return false;
  }
  return true;
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
    } else if (key == "space") {
      shape.space = Beside(folder, TextIn(value, key));
    } else if (key == "data") {
      shape.data = Beside(folder, TextIn(value, key));
    } else if (!IsOfProgram(key, value, shape.program)) {
      throw UsageError(
          UnknownName("field", key,
                      {"kernel", "compute", "sizes", "type", "space", "data", "run", "serve",
                       "build", "filter", "timeout", "trust_times", "at_once"}));
    }
  }
  if (!shape.space.empty() &&
      !(shape.kernel.empty() && shape.compute.empty() && json.count("type") == 0)) {
    throw UsageError("it has a space and a kernel: one of both says what is searched");
  }
  const bool has_program = shape.program.measures() || !shape.program.filter.empty();
  if (shape.space.empty() && (has_program || !shape.data.empty())) {
    throw UsageError("it has a program and no 'space', the .exh with its parameters");
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
