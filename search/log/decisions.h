// SPDX-License-Identifier: MIT
//
// Decisions as text: what logs, command lines and the choice order need beyond runtime/instance.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/evaluation.h"
#include "runtime/candidate.h"
#include "search/log/log_records.h"

namespace exh::search {

/// Stands in a vector for an index of 64 and more.
inline constexpr char kFarValue = '~';

namespace internal {

inline constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
/// By character; -1: it is no digit.
inline constexpr std::array<std::int8_t, 256> kValueOfDigit = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t value = 0; value < kDigits.size(); ++value) {
    values[static_cast<unsigned char>(kDigits[value])] = static_cast<std::int8_t>(value);
  }
  return values;
}();
/// The index whose digits stand at `place` of a vector; -1: they do not.
int FarValueAt(std::string_view vector, std::size_t place);

}  // namespace internal

/// Names of the choices that a search decides, as the space lists them: no counters, and no flags
/// of quotient sets, which follow from the others.
std::vector<std::string> SearchedChoices(const runtime::Instance& instance);

/// Who emptied a domain: the label of a requirement, the name of a counter, trigger or quotient
/// set.
std::string ConflictLabel(const runtime::Space& space, const runtime::Conflict& conflict);

/// The dictionary of the decisions of an instance, in the order of their numbers.
std::vector<ChoiceRecord> ChoiceRecords(const runtime::Instance& instance);

/// The decision vector, one character per decision: the index of its value as 0-9, A-Z, a-z, + or /
/// (in this order), `.` for a decision that is not live, `?` for one that is open. A `~` is an
/// index of 64 and more: those stand behind the last decision, in the order of their decisions, as
/// two such digits each, the higher one first.
std::string VectorText(const runtime::Candidate& candidate);

/// How many decisions a vector has.
std::size_t VectorSize(std::string_view vector);

/// The index of a decision's value in a vector, which has the decision; -1: it has no value.
int VectorValue(std::string_view vector, std::size_t decision);

/// Calls visit(decision, value) for every decision of a vector that has a value.
template <typename Visit>
void ForEachVectorValue(std::string_view vector, const Visit& visit) {
  const std::size_t size = VectorSize(vector);
  std::size_t behind = size;
  for (std::size_t decision = 0; decision < size; ++decision) {
    const bool is_far = vector[decision] == kFarValue;
    const int value = is_far
                          ? internal::FarValueAt(vector, behind)
                          : internal::kValueOfDigit[static_cast<unsigned char>(vector[decision])];
    if (is_far) behind += 2;
    if (value >= 0) visit(decision, value);
  }
}

/// "order(a,b)=BEFORE".
std::string StepText(const runtime::Instance& instance, const PathStep& step);

/// Every decision of an implementation that takes part, those that follow from others as well, one
/// a line.
std::string AllDecisionsText(const runtime::Candidate& implementation);

/// The source of an implementation with the decisions that were taken in its first comment, and
/// where all of them are: "best.decisions.txt". `mark`: what begins a line that is a comment.
std::string WithDecisions(const std::string& source, const std::vector<std::string>& taken,
                          const std::string& where, const std::string& mark = "//");

/// Restricts one decision, and says why that cannot be: "left is only GREEN|BLUE", or the
/// requirement that a domain died of. Empty when it went well; otherwise the candidate is spent.
/// There is at least one action, and all are of the same decision.
std::string TryRestrict(runtime::Candidate& candidate, std::span<const runtime::Action> actions);
inline std::string TryRestrict(runtime::Candidate& candidate, const runtime::Action& action) {
  return TryRestrict(candidate, {&action, 1});
}

/// Of the text of a decision that the space does not have: what became of it in a newer version;
/// otherwise empty.
std::string SuccessorNote(std::string_view decision);

/// Hash of a text, 16 hexadecimal digits: the form of all hashes in a log.
std::string HashText(const std::string& text);

/// The number that the digits of HashText() stand for. Throws Error for anything else.
std::uint64_t HashOfText(const std::string& digits);

/// What a hash of code is of.
using kernels::WithoutComments;

}  // namespace exh::search
