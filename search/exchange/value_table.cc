// SPDX-License-Identifier: MIT
#include "search/exchange/value_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace exh::search {
namespace {

constexpr std::size_t kMostClauses = 4096;

/// "16 | 32 .. 64": the words of those that are chosen; numbers that stand side by side in the
/// choice become ranges.
std::vector<std::string> WordsOf(const ParameterChoice& choice, const std::vector<bool>& chosen,
                                 bool which) {
  constexpr std::size_t kShortRange = 3;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] != which) continue;
    std::size_t end = i + 1;
    while (end < chosen.size() && chosen[end] == which) ++end;
    if (choice.is_enum || end - i < kShortRange) {
      words.push_back(choice.words[i]);
    } else {
      words.push_back(fmt::format("{} .. {}", choice.words[i], choice.words[end - 1]));
      i = end - 1;
    }
  }
  return words;
}

class TableWriter {
 public:
  TableWriter(const std::vector<ParameterChoice>& choices, std::vector<int> variables,
              const std::function<bool(std::vector<PythonValue>&)>& allowed)
      : choices_(choices),
        variables_(std::move(variables)),
        allowed_(allowed),
        values_(choices.size()) {}

  std::vector<std::string> Clauses() {
    // The last has most values: one test then says most.
    std::ranges::stable_sort(variables_, {}, [this](int one) {
      return choices_[static_cast<std::size_t>(one)].values.size();
    });
    return Below(0);
  }

 private:
  /// What must hold of the parameters from `depth` on, with the values that those before have. An
  /// empty text: nothing holds.
  std::vector<std::string> Below(std::size_t depth) {
    if (depth == variables_.size()) {
      return allowed_(values_) ? std::vector<std::string>{} : std::vector<std::string>{""};
    }
    const auto which = static_cast<std::size_t>(variables_[depth]);
    const ParameterChoice& choice = choices_[which];
    // Values below which the same holds are said together.
    std::map<std::vector<std::string>, std::vector<bool>> groups;
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      values_[which] = choice.values[i];
      std::vector<bool>& group = groups[Below(depth + 1)];
      group.resize(choice.values.size());
      group[i] = true;
    }
    std::vector<std::string> clauses;
    for (const auto& [below, group] : groups) {
      if (below.empty()) continue;
      if (groups.size() == 1) return below;
      std::vector<bool> others;
      for (const bool is_in : group) others.push_back(!is_in);
      const std::string test = ValueTest(choice, others);
      for (const std::string& clause : below) {
        clauses.push_back(clause.empty() ? test : fmt::format("{} || {}", test, clause));
      }
    }
    if (clauses.size() > kMostClauses) {
      throw UsageError(fmt::format("what it allows comes to more than {} formulas", kMostClauses));
    }
    return clauses;
  }

  const std::vector<ParameterChoice>& choices_;
  std::vector<int> variables_;
  const std::function<bool(std::vector<PythonValue>&)>& allowed_;
  std::vector<PythonValue> values_;
};

}  // namespace

std::string ValueTest(const ParameterChoice& choice, const std::vector<bool>& allowed) {
  const std::vector<std::string> in = WordsOf(choice, allowed, true);
  const std::vector<std::string> out = WordsOf(choice, allowed, false);
  const bool is_shorter = out.size() < in.size();
  return fmt::format("{}() {} {}", choice.name, is_shorter ? "is not" : "is",
                     fmt::join(is_shorter ? out : in, " | "));
}

ValueTuples::ValueTuples(const std::vector<ParameterChoice>& choices, std::vector<int> variables)
    : choices_(choices), variables_(std::move(variables)) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    count_ = std::min<std::uint64_t>(count_ * Size(i), kMostTried);
  }
}

std::vector<std::string> TableClauses(
    const std::vector<ParameterChoice>& choices, std::vector<int> variables,
    const std::function<bool(std::vector<PythonValue>&)>& allowed) {
  if (!ValueTuples(choices, variables).can_be_tried()) {
    throw UsageError(
        fmt::format("its {} parameters have more combinations than can be tried ({}); divide it, "
                    "or write // where whole numbers are meant",
                    variables.size(), ValueTuples::kMostTried));
  }
  std::vector<std::string> clauses = TableWriter(choices, std::move(variables), allowed).Clauses();
  for (std::string& clause : clauses) {
    if (clause.empty()) clause = "false";
  }
  return clauses;
}

}  // namespace exh::search
