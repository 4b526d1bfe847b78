// SPDX-License-Identifier: MIT
#include "search/tune/shapes/tune_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "search/log/decisions.h"
#include "search/own/own_subject.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

constexpr std::size_t kHashDigits = 8;

std::string ShortHash(const std::string& text) {
  return HashText(text).substr(0, kHashDigits);
}

/// The text of statements is written for their sizes, which are its defaults. With the usual ones
/// in their place all sizes have one text, and so are one kernel.
std::string WithUsualSizes(const std::string& text, const SizeList& sizes) {
  std::string usual;
  std::string written;
  for (const auto& [name, value] : sizes) {
    written += fmt::format("{}{} = {}", written.empty() ? "" : ", ", name, value);
    usual += fmt::format("{}{} = 512", usual.empty() ? "" : ", ", name);
  }
  std::string all = text;
  const std::size_t at = all.find("  size " + written + "\n");
  if (!written.empty() && at != std::string::npos) all.replace(at + 7, written.size(), usual);
  return all;
}

/// Statements as a kernel with a name that no others have: a library of tuned kernels may hold
/// several.
std::string TextOfCompute(const AskedShape& asked) {
  kernels::Parameters numbers;
  SizeList sorted = asked.sizes;
  std::ranges::sort(sorted);
  for (const auto& [name, value] : sorted) {
    const auto number = ParseInteger(value);
    if (!number || *number < 1 || *number > kernels::ir::kLargestExtent) {
      throw UsageError(fmt::format("bad size {}={}: a whole number from 1 to {}", name, value,
                                   kernels::ir::kLargestExtentText));
    }
    numbers[name] = *number;
  }
  const std::string type = asked.type.empty() ? "f32" : asked.type;
  const std::string text =
      WithUsualSizes(kernels::TextOfStatements(asked.compute, type, numbers), sorted);
  constexpr std::string_view kHead = "kernel compute\n";
  const std::size_t head = text.find(kHead);
  if (head == std::string::npos) return text;
  std::string named = text;
  return named.replace(head, kHead.size(), fmt::format("kernel compute_{}\n", ShortHash(text)));
}

/// What a folder may be called: no file system minds these letters.
std::string Readable(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    name += is_plain ? c : '_';
  }
  return name;
}

std::string NameOf(const TuneShape& shape, const std::vector<kernels::Parameter>& parameters) {
  std::string name = Readable(shape.kernel);
  const bool has_hash =
      shape.text.empty() || name.ends_with(ShortHash(shape.text)) || name.starts_with("compute_");
  if (!has_hash) name += "-" + ShortHash(shape.text);
  for (const auto& [key, value] : shape.sizes) {
    const auto known = std::ranges::find(parameters, key, &kernels::Parameter::name);
    const bool is_type = key == kTypeOption;
    const bool has_words = known != parameters.end() && !known->words.empty();
    name += is_type ? "-" + value : has_words ? "-" + key + "_" + value : "-" + key + value;
  }
  constexpr std::size_t kLongest = 160;
  if (name.size() > kLongest) name = name.substr(0, kLongest) + "-" + ShortHash(name);
  return name;
}

}  // namespace

std::string SizeText(const SizeList& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return text;
}

namespace {

/// A space and its program. The sizes are those that the line says.
TuneShape ResolveOwn(const AskedShape& asked) {
  OwnText own;
  own.program = asked.program;
  if (!own.program.measures()) {
    throw UsageError("'space' needs a program that is measured: 'run' or 'serve', a command");
  }
  own.files = OwnFilesOf(asked.space);
  if (!asked.data.empty()) own.data = ReadUserFile(asked.data);
  TuneShape shape;
  shape.line = asked.line;
  shape.sizes = asked.sizes;
  shape.is_own = true;
  shape.text = WriteOwnText(own);
  DecidedValues::Sizes sizes;
  for (const auto& [name, value] : asked.sizes) {
    const auto number = ParseInteger(value);
    if (!number) throw UsageError(fmt::format("size '{}': '{}' is no whole number", name, value));
    sizes[name] = *number;
  }
  shape.kernel = OwnSubject(std::move(own), std::move(sizes)).name();  // Throws as well.
  shape.name = NameOf(shape, {});
  return shape;
}

}  // namespace

TuneShape Resolve(const AskedShape& asked) {
  if (!asked.space.empty()) return ResolveOwn(asked);
  const int said = (asked.kernel.empty() ? 0 : 1) + (asked.compute.empty() ? 0 : 1) +
                   (asked.text.empty() ? 0 : 1);
  if (said != 1) {
    throw UsageError(said == 0
                         ? "it names no kernel: 'kernel' is a name or a file, 'compute' takes "
                           "the computation itself"
                         : "it has a kernel and a computation: one of both says what to "
                           "compute");
  }
  ProblemOptions options;
  options.size = SizeText(asked.sizes);
  options.type = asked.type;
  if (asked.compute.empty()) {
    options.kernel = asked.kernel;
    options.text = asked.text;
  } else {
    options.text = TextOfCompute(asked);
    options.type.clear();
  }
  const kernels::Kernel& kernel = FindKernel(options);
  const std::vector<kernels::Parameter> parameters = kernel.parameters();
  const kernels::Parameters sizes = ParseSizes(kernel, options);
  kernel.Layouts(sizes);  // Throws where sizes and text do not go together.
  TuneShape shape;
  shape.line = asked.line;
  shape.kernel = kernel.name();
  const bool is_of_library =
      asked.compute.empty() && asked.text.empty() && kernels::FindKernel(shape.kernel) == &kernel;
  if (!is_of_library) shape.text = kernel.text();
  for (const kernels::Parameter& parameter : parameters) {
    const std::int64_t value = sizes.at(parameter.name);
    if (parameter.is_option && value == parameter.default_value) continue;
    shape.sizes.emplace_back(parameter.name, parameter.Text(value));
  }
  shape.name = NameOf(shape, parameters);
  return shape;
}

std::string KernelFileName(const TuneShape& shape) {
  return fmt::format("{}-{}.{}", Readable(shape.kernel), ShortHash(shape.text),
                     shape.is_own ? "own" : "kernel");
}

}  // namespace exh::search
