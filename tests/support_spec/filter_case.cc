// SPDX-License-Identifier: MIT
#include "tests/support_spec/filter_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "runtime/interval.h"

namespace exh::tests {

using dsl::ChoiceKind;
using dsl::Symmetry;
using Kind = dsl::Condition::Kind;
using runtime::Bits;
using runtime::ChoiceUse;
using runtime::FilterArgument;
using runtime::FilterResult;
using runtime::kSaturated;

namespace {

/// Universes of the integers of a clause, in turn.
const std::array<std::vector<std::uint32_t>, 3> kUniverses = {{{1, 2, 4}, {0, 2, 3, 4}, {1, 3}}};
/// What a snippet that yields numbers may yield. The universes of domains are other lists.
const std::array<std::vector<std::uint32_t>, 8> kNumbers = {
    {{}, {0}, {1}, {2}, {3}, {4}, {1, 2}, {0, 3, 4}}};
/// Numbers at which the domain of a counter may end.
constexpr std::array<std::uint64_t, 5> kEnds = {0, 1, 2, 4, kSaturated};
/// Enums with more values have a selection of their domains looked at.
constexpr int kAllDomains = 7;

void AddDomains(std::span<const std::uint32_t> universe, FilterAxis& axis) {
  const std::size_t size = axis.values.size();
  const Bits all = size == 64 ? ~Bits{0} : (Bits{1} << size) - 1;
  const auto add = [&](Bits bits) {
    axis.domains.push_back(bits);
    axis.arguments.push_back({.bits = bits, .numbers = universe});
  };
  if (size <= kAllDomains) {
    for (Bits bits = 1; bits <= all; ++bits) add(bits);
    return;
  }
  add(all);
  for (std::size_t i = 0; i < size; ++i) {
    add(Bits{1} << i);
    add(all & ~(Bits{1} << i));
    add(all & (Bits{0x5555'5555'5555'5555} << i));
  }
}

void AddIntervals(const std::set<std::uint64_t>& counts, FilterAxis& axis) {
  axis.values.assign(counts.begin(), counts.end());
  axis.universe.assign(axis.values.begin(), axis.values.end() - 2);
  for (const std::uint64_t min : kEnds) {
    for (const std::uint64_t max : kEnds) {
      if (max < min) continue;
      Bits bits = 0;
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        if (min <= axis.values[i] && axis.values[i] <= max) bits |= Bits{1} << i;
      }
      axis.domains.push_back(bits);
      axis.arguments.push_back({.interval = {min, max}});
    }
  }
}

/// What the host may say of the condition.
FilterAxis SnippetAxis(const dsl::Condition& condition) {
  FilterAxis axis;
  if (condition.kind != Kind::kCompareCode) {
    axis.arguments = {{.holds = false}, {.holds = true}};
    return axis;
  }
  for (const auto& numbers : kNumbers) {
    if (!condition.single || numbers.size() == 1) axis.arguments.push_back({.numbers = numbers});
  }
  return axis;
}

/// Whether the filter has a parameter for what the host says.
bool AsksHost(const dsl::Condition& condition) {
  switch (condition.kind) {
    case Kind::kCode:
    case Kind::kAscending:
    case Kind::kPresent:
      return true;
    case Kind::kCompareCode:
      return condition.numbers.empty();
    case Kind::kIs:
    case Kind::kCompare:
    case Kind::kTerms:
    case Kind::kConstant:
      return false;
  }
  std::abort();
}

}  // namespace

bool Holds(dsl::CompareOp op, std::uint64_t left, std::uint64_t right) {
  switch (op) {
    case dsl::CompareOp::kLt:
      return left < right;
    case dsl::CompareOp::kGt:
      return left > right;
    case dsl::CompareOp::kLe:
      return left <= right;
    case dsl::CompareOp::kGe:
      return left >= right;
    case dsl::CompareOp::kEq:
      return left == right;
    case dsl::CompareOp::kNe:
      return left != right;
  }
  std::abort();
}

FilterCase::FilterCase(const dsl::Spec& spec, const runtime::SpecFilter& filter)
    : spec_(spec), name_(filter.name) {
  if (!Locate(filter)) return;
  target_ = DecisionAxis(0);
  for (int input = 1; input < num_decisions(); ++input) axes_.push_back(DecisionAxis(input));
  for (Atom& atom : atoms_) {
    if (!AsksHost(*atom.condition)) continue;
    atom.snippet = num_axes() - num_inputs();
    axes_.push_back(SnippetAxis(*atom.condition));
  }
}

/// Finds the clause, and that it mentions the filter's decisions and no others.
bool FilterCase::Locate(const runtime::SpecFilter& filter) {
  decisions_ = {filter.target};
  decisions_.insert(decisions_.end(), filter.inputs.begin(), filter.inputs.end());
  int number = filter.clause;
  for (const dsl::Requirement& requirement : spec_.requirements) {
    const int count = static_cast<int>(requirement.clauses.size());
    if (number >= 0 && number < count) {
      requirement_ = &requirement;
      AddAtoms(requirement.clauses[number]);
    }
    number -= count;
  }
  if (requirement_ == nullptr) fault_ = name_ + " is of a clause that does not exist";
  std::vector<bool> mentioned(decisions_.size(), false);
  for (const Atom& atom : atoms_) {
    if (atom.lhs.decision >= 0) mentioned[atom.lhs.decision] = true;
    if (atom.rhs.decision >= 0) mentioned[atom.rhs.decision] = true;
  }
  if (fault_.empty() && std::ranges::count(mentioned, false) > 0) {
    fault_ = name_ + " reads a decision that its clause does not mention";
  }
  return fault_.empty();
}

void FilterCase::AddAtoms(const std::vector<dsl::Condition>& clause) {
  for (const dsl::Condition& condition : clause) {
    Atom atom;
    atom.condition = &condition;
    switch (condition.kind) {
      case Kind::kCompare:
        atom.rhs = Find(condition.rhs);
        [[fallthrough]];
      case Kind::kIs:
      case Kind::kCompareCode:
        atom.lhs = Find(condition.lhs);
        break;
      case Kind::kTerms:
        fault_ = name_ + " is of a clause with terms, of which there is no filter";
        break;
      case Kind::kCode:
      case Kind::kAscending:
      case Kind::kPresent:
      case Kind::kConstant:
        break;
    }
    atoms_.push_back(atom);
  }
}

FilterCase::Operand FilterCase::Find(const dsl::Instance& instance) {
  for (int i = 0; i < num_decisions(); ++i) {
    if (decisions_[i].choice != instance.choice) continue;
    if (decisions_[i].arguments == instance.arguments) return {i, false};
    const bool pair = spec_.choices[instance.choice].symmetry != Symmetry::kNone;
    if (pair && decisions_[i].arguments[0] == instance.arguments[1] &&
        decisions_[i].arguments[1] == instance.arguments[0]) {
      return {i, true};
    }
  }
  fault_ = fmt::format("{} does not read {}({}) of its clause", name_,
                       spec_.choices[instance.choice].name, fmt::join(instance.arguments, ", "));
  return {};
}

ChoiceKind FilterCase::kind(int decision) const {
  return spec_.choices[decisions_[decision].choice].kind;
}

int FilterCase::num_mentions() const {
  return static_cast<int>(std::ranges::count_if(
      atoms_, [](const Atom& atom) { return atom.lhs.decision == 0 || atom.rhs.decision == 0; }));
}

FilterAxis FilterCase::DecisionAxis(int decision) const {
  const dsl::Choice& choice = spec_.choices[decisions_[decision].choice];
  FilterAxis axis;
  switch (choice.kind) {
    case ChoiceKind::kEnum:
      for (std::size_t i = 0; i < choice.values.size(); ++i) axis.values.push_back(i);
      AddDomains({}, axis);
      break;
    case ChoiceKind::kInteger:
      axis.universe = kUniverses[static_cast<std::size_t>(decision) % kUniverses.size()];
      for (const Atom& atom : atoms_) {
        const auto& numbers = atom.condition->numbers;
        axis.universe.insert(axis.universe.end(), numbers.begin(), numbers.end());
      }
      std::ranges::sort(axis.universe);
      axis.universe.erase(std::unique(axis.universe.begin(), axis.universe.end()),
                          axis.universe.end());
      axis.values.assign(axis.universe.begin(), axis.universe.end());
      AddDomains(axis.universe, axis);  // A move keeps the universe where it is.
      break;
    case ChoiceKind::kCounter:
      AddIntervals(Counts(), axis);
      break;
  }
  return axis;
}

/// Numbers that a counter may be: those that it is compared with and their neighbours, and the
/// largest.
std::set<std::uint64_t> FilterCase::Counts() const {
  std::set<std::uint64_t> counts = {kSaturated - 1, kSaturated};
  const auto add = [&counts](const std::vector<std::uint32_t>& numbers) {
    for (const std::uint64_t number : numbers) {
      counts.insert({number == 0 ? 0 : number - 1, number, number + 1});
    }
  };
  for (const auto& numbers : kNumbers) add(numbers);
  for (const Atom& atom : atoms_) add(atom.condition->numbers);
  return counts;
}

std::uint64_t FilterCase::NumCombinations(std::uint64_t limit) const {
  std::uint64_t count = 1;
  for (const FilterAxis& axis : axes_) {
    count *= axis.arguments.size();
    if (count > limit) break;
  }
  return count;
}

std::uint64_t FilterCase::Value(const Operand& operand, std::span<const int> assignment) const {
  const FilterAxis& axis =
      operand.decision == 0 ? target_ : axes_[static_cast<std::size_t>(operand.decision) - 1];
  const std::uint64_t value = axis.values[static_cast<std::size_t>(assignment[operand.decision])];
  const dsl::Choice& choice = spec_.choices[decisions_[operand.decision].choice];
  if (!operand.swapped || choice.symmetry != Symmetry::kAntisymmetric) return value;
  return static_cast<std::uint64_t>(choice.inverse[value]);
}

/// A comparison with a list holds if it does for some number of it; a counter equals a list if it
/// is between its ends.
bool FilterCase::HoldsFor(const Atom& atom, std::uint64_t value,
                          std::span<const std::uint32_t> numbers) const {
  const dsl::CompareOp op = atom.condition->op;
  if (numbers.empty()) return false;
  if (kind(atom.lhs.decision) == ChoiceKind::kCounter && op == dsl::CompareOp::kEq) {
    return numbers.front() <= value && value <= numbers.back();
  }
  return std::ranges::any_of(numbers,
                             [&](std::uint32_t number) { return tests::Holds(op, value, number); });
}

bool FilterCase::Holds(const Atom& atom, std::span<const int> assignment,
                       std::span<const int> snippets) const {
  const dsl::Condition& condition = *atom.condition;
  const auto argument = [&]() -> const FilterArgument& {
    const FilterAxis& axis = axes_[static_cast<std::size_t>(num_inputs() + atom.snippet)];
    return axis.arguments[static_cast<std::size_t>(snippets[atom.snippet])];
  };
  switch (condition.kind) {
    case Kind::kIs:
      return (condition.values >> Value(atom.lhs, assignment) & 1) != 0;
    case Kind::kCompare:
      return tests::Holds(condition.op, Value(atom.lhs, assignment), Value(atom.rhs, assignment));
    case Kind::kCompareCode:
      return HoldsFor(atom, Value(atom.lhs, assignment),
                      atom.snippet < 0 ? condition.numbers : argument().numbers);
    case Kind::kCode:
    case Kind::kAscending:
    case Kind::kPresent:
      return argument().holds != condition.negated;
    case Kind::kConstant:
      return condition.constant;
    case Kind::kTerms:
      break;  // A fault.
  }
  std::abort();
}

std::vector<Bits> FilterCase::Table(std::span<const int> snippets) const {
  std::size_t size = 1;
  for (int input = 0; input < num_inputs(); ++input) size *= axes_[input].values.size();
  std::vector<Bits> table(size, 0);
  std::vector<int> assignment(decisions_.size());
  for (std::size_t row = 0; row < size; ++row) {
    std::size_t rest = row;
    for (int input = num_inputs(); input >= 1; --input) {
      const std::size_t values = axes_[input - 1].values.size();
      assignment[input] = static_cast<int>(rest % values);
      rest /= values;
    }
    for (std::size_t value = 0; value < target_.values.size(); ++value) {
      assignment[0] = static_cast<int>(value);
      const bool holds = std::ranges::any_of(
          atoms_, [&](const Atom& atom) { return Holds(atom, assignment, snippets); });
      if (holds) table[row] |= Bits{1} << value;
    }
  }
  return table;
}

std::vector<FilterArgument> FilterCase::Arguments(std::span<const int> combination) const {
  std::vector<FilterArgument> arguments;
  if (kind(0) == ChoiceKind::kInteger) arguments.push_back({.numbers = target_.universe});
  for (int i = 0; i < num_axes(); ++i) arguments.push_back(axes_[i].arguments[combination[i]]);
  return arguments;
}

bool FilterCase::IsExactly(const FilterResult& result, Bits values) const {
  if (kind(0) != ChoiceKind::kCounter) return result.bits == values;
  return values == 0 ? result.interval.IsEmpty() : result.interval == IntervalOf(values);
}

runtime::Interval FilterCase::IntervalOf(Bits values) const {
  if (values == 0) return {1, 0};
  return {target_.values[std::countr_zero(values)], target_.values[63 - std::countl_zero(values)]};
}

std::string FilterCase::ValuesText(const FilterAxis& axis, Bits values) const {
  std::vector<std::uint64_t> shown;
  for (; values != 0; values &= values - 1) shown.push_back(axis.values[std::countr_zero(values)]);
  return fmt::format("{{{}}}", fmt::join(shown, ", "));
}

std::string FilterCase::Describe(std::span<const int> combination, Bits values,
                                 const FilterResult& result) const {
  std::string text = name_ + " given";
  for (int i = 0; i < num_axes(); ++i) {
    const auto chosen = static_cast<std::size_t>(combination[i]);
    if (i >= num_inputs()) {
      const FilterArgument& argument = axes_[i].arguments[chosen];
      text += fmt::format(" snippet {} {{{}}}", argument.holds, fmt::join(argument.numbers, ", "));
    } else {
      text += fmt::format(" {}({}) in {}", spec_.choices[decisions_[i + 1].choice].name,
                          fmt::join(decisions_[i + 1].arguments, ", "),
                          ValuesText(axes_[i], axes_[i].domains[chosen]));
    }
  }
  text += fmt::format(": {} satisfy the clause, left are ", ValuesText(target_, values));
  if (kind(0) != ChoiceKind::kCounter) return text + ValuesText(target_, result.bits);
  return text + fmt::format("[{}, {}]", result.interval.min, result.interval.max);
}

}  // namespace exh::tests
