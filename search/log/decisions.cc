// SPDX-License-Identifier: MIT
#include "search/log/decisions.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"

namespace exh::search {
namespace {

using runtime::Bits;
using runtime::ChoiceKind;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Origin;

constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";

}  // namespace

std::vector<std::string> SearchedChoices(const Instance& instance) {
  std::vector<std::string> names;
  const auto& choices = instance.space().choices;
  for (std::size_t index = 0; index < choices.size(); ++index) {
    if (choices[index].kind == ChoiceKind::kCounter) continue;
    const int choice = static_cast<int>(index);
    const DecisionId first = instance.first_decision(choice);
    if (first != instance.end_decision(choice) && instance.IsDerived(first)) continue;
    names.push_back(choices[index].name);
  }
  return names;
}

std::string ConflictLabel(const runtime::Space& space, const runtime::Conflict& conflict) {
  const auto index = static_cast<std::size_t>(conflict.origin.index);
  switch (conflict.origin.kind) {
    case Origin::Kind::kRequirement:
      return space.requirements[index].label;
    case Origin::Kind::kCounter:
      return space.choices[index].name;
    case Origin::Kind::kTrigger:
      return space.triggers[index].label;
    case Origin::Kind::kQuotient:
      return space.sets[static_cast<std::size_t>(space.quotients[index].set)].name;
    case Origin::Kind::kNone:
      break;
  }
  return "restriction";
}

std::vector<ChoiceRecord> ChoiceRecords(const Instance& instance) {
  std::vector<ChoiceRecord> records;
  records.reserve(instance.num_decisions());
  for (DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    const int index = instance.choice(decision);
    const runtime::Choice& choice = instance.space().choices[static_cast<std::size_t>(index)];
    ChoiceRecord record;
    record.index = static_cast<int>(decision);
    record.name = choice.name;
    const auto objects = instance.objects(decision);
    for (std::size_t argument = 0; argument < objects.size(); ++argument) {
      const int set = choice.arguments[argument].set.set;
      record.args.push_back(instance.object_name(set, objects[argument]));
    }
    const auto count = static_cast<int>(std::bit_width(instance.all_values(decision)));
    for (int value = 0; value < count; ++value) {
      record.domain.push_back(instance.ValueName(decision, value));
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::string VectorText(const runtime::Candidate& candidate) {
  std::string text;
  const DecisionId count = candidate.instance().num_decisions();
  text.reserve(count);
  for (DecisionId decision = 0; decision < count; ++decision) {
    if (!candidate.IsLive(decision)) {
      text += '.';
    } else if (!candidate.IsConstrained(decision)) {
      text += '?';
    } else {
      text += kDigits[static_cast<std::size_t>(std::countr_zero(candidate.domain(decision)))];
    }
  }
  return text;
}

int VectorValue(char c) {
  const std::size_t index = kDigits.find(c);
  return index == std::string_view::npos ? -1 : static_cast<int>(index);
}

std::string StepText(const Instance& instance, const PathStep& step) {
  EXH_CHECK(step.decision >= 0 && step.value >= 0);
  const auto decision = static_cast<DecisionId>(step.decision);
  return ActionText(instance, {decision, Bits{1} << step.value});
}

std::string AllDecisionsText(const runtime::Candidate& implementation) {
  const Instance& instance = implementation.instance();
  std::string text;
  for (DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (!implementation.IsLive(decision) || instance.IsDerived(decision)) continue;
    text += instance.DecisionName(decision) + "=" +
            instance.ValuesText(decision, implementation.domain(decision)) + "\n";
  }
  return text;
}

std::string WithDecisions(const std::string& source, const std::vector<std::string>& taken,
                          const std::string& where) {
  // Behind the first line, which says what it is.
  const std::size_t end = source.starts_with("//") ? source.find('\n') + 1 : 0;
  std::string text = source.substr(0, end);
  text += fmt::format("//\n// Decisions in the order taken (with all that follow from them: {}):\n",
                      where);
  for (const std::string& decision : taken) text += "//   " + decision + "\n";
  return text + source.substr(end);
}

std::string TryRestrict(runtime::Candidate& candidate, const runtime::Action& action) {
  const Bits left = candidate.domain(action.decision);
  if ((left & action.values) == 0) {
    return fmt::format("left is only {}", candidate.instance().ValuesText(action.decision, left));
  }
  if (candidate.Restrict(action.decision, action.values) == runtime::Propagation::kFixpoint) {
    return {};
  }
  return OriginText(candidate.instance().space(), candidate.conflict().origin);
}

std::string SuccessorNote(std::string_view decision) {
  if (!decision.starts_with("pad(")) return "";
  return "; 'pad', in elements, became 'skew', in bytes: of floats pad=0 is skew=PLAIN, 1 is "
         "PAD_4_BYTES and 4 is PAD_16_BYTES";
}

std::string HashText(const std::string& text) {
  return fmt::format("{:016x}", Fnv1a64(text));
}

std::uint64_t HashOfText(const std::string& digits) {
  std::uint64_t hash = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, hash, 16);
  if (digits.size() != 16 || result.ec != std::errc() || result.ptr != end) {
    throw Error(fmt::format("'{}' is no hash: 16 hexadecimal digits", digits));
  }
  return hash;
}

}  // namespace exh::search
