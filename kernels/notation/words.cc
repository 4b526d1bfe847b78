// SPDX-License-Identifier: MIT
#include "kernels/notation/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/spelling.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::notation {
namespace {

const std::vector<std::string> kTypes = {"f32"};
const std::vector<std::string> kPlannedTypes = {"f64", "f16", "bf16", "i64",
                                                "i32", "u32", "i8",   "bool"};

constexpr std::array<std::string_view, 6> kReductions = {"sum", "prod", "min", "max", "any", "all"};

}  // namespace

std::optional<FunctionInfo> FunctionOf(std::string_view word) {
  for (const ir::OpInfo& op : ir::AllOps()) {
    if (op.is_function && op.word == word) return FunctionInfo{op.word, op.operands};
  }
  return std::nullopt;
}

bool IsReduction(std::string_view word) {
  return std::ranges::find(kReductions, word) != kReductions.end();
}

std::vector<std::string> ReductionWords() {
  return {kReductions.begin(), kReductions.end()};
}

std::vector<std::string> CallWords() {
  std::vector<std::string> words;
  for (const ir::OpInfo& op : ir::AllOps()) {
    if (op.is_function) words.emplace_back(op.word);
  }
  words.insert(words.end(), kReductions.begin(), kReductions.end());
  return words;
}

std::string ProblemOfType(const std::string& type) {
  if (std::ranges::find(kTypes, type) != kTypes.end()) return "";
  if (std::ranges::find(kPlannedTypes, type) != kPlannedTypes.end()) {
    return fmt::format("type '{}' cannot be compiled yet; there is f32", type);
  }
  std::vector<std::string> all = kTypes;
  all.insert(all.end(), kPlannedTypes.begin(), kPlannedTypes.end());
  return fmt::format("there is no type '{}'{}", type, DidYouMean(type, all));
}

}  // namespace exh::kernels::notation
