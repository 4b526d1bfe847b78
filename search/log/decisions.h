// SPDX-License-Identifier: MIT
//
// Decisions as text: what logs, command lines and the choice order need beyond runtime/instance.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/evaluation.h"
#include "runtime/candidate.h"
#include "search/log/log_records.h"

namespace exh::search {

/// Names of the choices that a search decides, as the space lists them: no counters, and no flags
/// of quotient sets, which follow from the others.
std::vector<std::string> SearchedChoices(const runtime::Instance& instance);

/// Who emptied a domain: the label of a requirement, the name of a counter, trigger or quotient
/// set.
std::string ConflictLabel(const runtime::Space& space, const runtime::Conflict& conflict);

/// The dictionary of the decisions of an instance, in the order of their numbers.
std::vector<ChoiceRecord> ChoiceRecords(const runtime::Instance& instance);

/// The decision vector, one character per decision: the index of its value as 0-9, A-Z, a-z, + or /
/// (in this order), `.` for a decision that is not live, `?` for one that is open.
std::string VectorText(const runtime::Candidate& candidate);

/// The index that a character of VectorText() stands for; -1 for `.`, `?` and anything else.
int VectorValue(char c);

/// "order(a,b)=BEFORE".
std::string StepText(const runtime::Instance& instance, const PathStep& step);

/// Every decision of an implementation that takes part, those that follow from others as well, one
/// a line.
std::string AllDecisionsText(const runtime::Candidate& implementation);

/// The source of an implementation with the decisions that were taken in its first comment, and
/// where all of them are: "best.decisions.txt".
std::string WithDecisions(const std::string& source, const std::vector<std::string>& taken,
                          const std::string& where);

/// Restricts, and says why that cannot be: "left is only GREEN|BLUE", or the requirement that
/// a domain died of. Empty when it went well; otherwise the candidate is spent.
std::string TryRestrict(runtime::Candidate& candidate, const runtime::Action& action);

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
