// SPDX-License-Identifier: MIT
#include "search/solve/functional_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/numbers.h"
#include "dsl/diagnostics/render.h"
#include "functional/functional.h"

namespace exh::search {

functional::Given GivenOf(const std::string& size) {
  functional::Given given;
  for (const auto& [name, text] : ParseAssignments(size, "--size")) {
    const auto number = ParseInteger(text);
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (!number || *number < 0 || *number > kMost) {
      throw UsageError(fmt::format("bad size {}={}: a whole number from 0 to 2^31", name, text));
    }
    if (!given.try_emplace(std::string(name), *number).second) {
      throw UsageError(fmt::format("bad --size '{}': '{}' stands twice", size, name));
    }
  }
  return given;
}

std::string MistakesOf(const dsl::DiagnosticSink& sink) {
  std::string messages = dsl::RenderText(sink);
  while (!messages.empty() && messages.back() == '\n') messages.pop_back();
  return messages;
}

std::string ConstraintsOf(const std::string& path, const std::string& size) {
  dsl::DiagnosticSink sink;
  const auto program = functional::ReadFile(path, GivenOf(size), sink);
  if (program != nullptr) return functional::ExhText(*program, sink.sources());
  throw UsageError(MistakesOf(sink));
}

}  // namespace exh::search
