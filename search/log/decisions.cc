// SPDX-License-Identifier: MIT
#include "search/log/decisions.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What a record says of a long decision's numbers.
std::vector<LoggedRange> RangesOf(std::span<const std::uint32_t> numbers) {
  std::vector<LoggedRange> ranges;
  for (const std::uint32_t number : numbers) {
    if (!ranges.empty() && ranges.back().last + 1 == number) {
      ranges.back().last = number;
    } else {
      ranges.push_back({number, number});
    }
  }
  return ranges;
}

/// All values that are left.
std::string DomainText(const runtime::Candidate& candidate, DecisionId decision) {
  const Instance& instance = candidate.instance();
  std::string text;
  for (int word = 0; word < instance.num_words(decision); ++word) {
    const Bits values = candidate.word(decision, word);
    if (values == 0) continue;
    if (!text.empty()) text += '|';
    text += instance.ValuesText(decision, values, word);
  }
  return text;
}

/// What all actions together would leave of a word of their decision's domain.
Bits Left(const runtime::Candidate& candidate, std::span<const runtime::Action> actions, int word) {
  Bits left = candidate.word(actions.front().decision, word);
  for (const runtime::Action& action : actions) {
    left &= action.word == word ? action.values : action.keeps_other_words ? ~Bits{0} : 0;
  }
  return left;
}

}  // namespace

namespace internal {

int FarValueAt(std::string_view vector, std::size_t place) {
  if (place + 2 > vector.size()) return -1;
  const int high = kValueOfDigit[static_cast<unsigned char>(vector[place])];
  const int low = kValueOfDigit[static_cast<unsigned char>(vector[place + 1])];
  return high < 0 || low < 0 ? -1 : 64 * high + low;
}

}  // namespace internal

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
    if (instance.IsLong(decision)) {
      record.ranges = RangesOf(instance.universe(decision));
    } else {
      for (int value = 0; value < instance.num_values(decision); ++value) {
        record.domain.push_back(instance.ValueName(decision, value));
      }
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::string VectorText(const runtime::Candidate& candidate) {
  std::string text, behind;
  const DecisionId count = candidate.instance().num_decisions();
  text.reserve(count);
  for (DecisionId decision = 0; decision < count; ++decision) {
    if (!candidate.IsLive(decision)) {
      text += '.';
    } else if (!candidate.IsConstrained(decision)) {
      text += '?';
    } else if (const Bits near = candidate.word(decision, 0); near != 0) {
      text += internal::kDigits[static_cast<std::size_t>(std::countr_zero(near))];
    } else {
      const auto value = static_cast<std::size_t>(candidate.FirstValue(decision));
      text += kFarValue;
      behind += internal::kDigits[value / 64];
      behind += internal::kDigits[value % 64];
    }
  }
  text += behind;
  return text;
}

std::size_t VectorSize(std::string_view vector) {
  const auto far = static_cast<std::size_t>(std::ranges::count(vector, kFarValue));
  return vector.size() - std::min(vector.size(), 2 * far);
}

int VectorValue(std::string_view vector, std::size_t decision) {
  const char c = vector[decision];
  if (c != kFarValue) return internal::kValueOfDigit[static_cast<unsigned char>(c)];
  const auto before =
      static_cast<std::size_t>(std::ranges::count(vector.substr(0, decision), kFarValue));
  return internal::FarValueAt(vector, VectorSize(vector) + 2 * before);
}

std::string StepText(const Instance& instance, const PathStep& step) {
  EXH_CHECK(step.decision >= 0 && step.value >= 0);
  const auto decision = static_cast<DecisionId>(step.decision);
  return ActionText(instance, runtime::Action::Take(decision, step.value));
}

std::string AllDecisionsText(const runtime::Candidate& implementation) {
  const Instance& instance = implementation.instance();
  std::string text;
  for (DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (!implementation.IsLive(decision) || instance.IsDerived(decision)) continue;
    text += instance.DecisionName(decision) + "=" + DomainText(implementation, decision) + "\n";
  }
  return text;
}

std::string WithDecisions(const std::string& source, const std::vector<std::string>& taken,
                          const std::string& where, const std::string& mark) {
  // Behind the first line, which says what it is.
  const std::size_t end = source.starts_with(mark) ? source.find('\n') + 1 : 0;
  std::string text = source.substr(0, end);
  text +=
      fmt::format("{0}\n{0} Decisions in the order taken (with all that follow from them: {1}):\n",
                  mark, where);
  for (const std::string& decision : taken) text += fmt::format("{}   {}\n", mark, decision);
  return text + source.substr(end);
}

std::string TryRestrict(runtime::Candidate& candidate, std::span<const runtime::Action> actions) {
  const DecisionId decision = actions.front().decision;
  Bits left = 0;
  for (int word = 0; word < candidate.instance().num_words(decision); ++word) {
    left |= Left(candidate, actions, word);
  }
  if (left == 0) return fmt::format("left is only {}", DomainText(candidate, decision));
  if (candidate.Restrict(actions) == runtime::Propagation::kFixpoint) return {};
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
