// SPDX-License-Identifier: MIT
#include "search/fused/operator_kernel.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/text/kernel.h"

namespace exh::search {
namespace {

constexpr std::string_view kLines = ".jsonl:";

/// The part that is named, from 1 on, and the path without it; 0: all of the operator.
int TakePart(std::string& path) {
  const std::size_t mark = path.rfind('#');
  if (mark == std::string::npos) return 0;
  const auto part = ParseInteger(path.substr(mark + 1));
  constexpr std::int64_t kMost = 1 << 16;
  if (!part || *part < 1 || *part > kMost) {
    throw UsageError(fmt::format("'{}': behind # stands the number of a part, from 1 on", path));
  }
  path.resize(mark);
  return static_cast<int>(*part);
}

std::string OperatorText(const std::string& path) {
  const std::size_t lines = path.rfind(kLines);
  if (lines == std::string::npos) return ReadUserFile(path);
  const auto number = ParseInteger(path.substr(lines + kLines.size()));
  if (!number || *number < 1) {
    throw UsageError(fmt::format("'{}': behind the colon stands the number of a line", path));
  }
  const std::string file = path.substr(0, path.rfind(':'));
  std::istringstream text(ReadUserFile(file));
  std::string line;
  for (std::int64_t at = 1; std::getline(text, line); ++at) {
    if (at == *number) return line;
  }
  throw UsageError(fmt::format("'{}' has no line {}", file, *number));
}

}  // namespace

bool IsOperator(std::string_view path) {
  path = path.substr(0, path.rfind('#'));
  return path.ends_with(".json") || path.find(kLines) != std::string_view::npos;
}

std::string KernelOfOperator(const std::string& path, const std::string& size) {
  if (!size.empty()) throw UsageError("--size: the sizes of a fused operator stand in its file");
  std::string file = path;
  const int part = TakePart(file);
  const kernels::fused::ReadResult result = kernels::fused::ReadOperator(OperatorText(file));
  if (!result.graph) {
    const kernels::fused::Mistake& mistake = result.mistakes.front();
    throw UsageError(fmt::format("{}: {}", path, TextOf(mistake)));
  }
  try {
    return kernels::fused::KernelTextOf(*result.graph, part);
  } catch (const Refused& refused) {
    throw UsageError(fmt::format(
        "{} is no kernel: {}; search fused searches schedules of operators", path, refused.what()));
  }
}

}  // namespace exh::search
