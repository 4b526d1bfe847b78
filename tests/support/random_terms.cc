// SPDX-License-Identifier: MIT
#include "tests/support/random_terms.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/oracle.h"
#include "tests/support/rational.h"
#include "tests/support/space_builder.h"
#include "tests/support/terms.h"

namespace exh::tests {
namespace {

using runtime::Choice;
using runtime::ChoiceKind;
using runtime::CompareOp;
using runtime::Condition;
using runtime::Term;
using runtime::TermNode;
using runtime::Variable;
using runtime::Visibility;
using Kind = TermNode::Kind;
using Numbers = std::vector<std::uint32_t>;

constexpr Kind kOperations[] = {Kind::kNegate,   Kind::kAdd,    Kind::kSubtract,
                                Kind::kMultiply, Kind::kDivide, Kind::kDiv,
                                Kind::kMod,      Kind::kMin,    Kind::kMax};

class TermSpaceBuilder final : public SpaceBuilder {
 public:
  using SpaceBuilder::SpaceBuilder;

 private:
  // ---- Integer decisions.

  /// How many values a decision has: up to 8, up to 64, more.
  enum class Width { kNarrow, kWide, kLong };

  int NumNumbers(Width width) {
    if (width == Width::kNarrow) return Chance(70) ? 2 + Below(3) : 2 + Below(7);
    if (width == Width::kWide) return Chance(20) ? 64 : 9 + Below(55);
    if (Chance(60)) return 65 + Below(6);
    return Chance(30) ? 127 + Below(3) : 65 + Below(236);
  }

  Numbers RandomNumbers(int count) {
    const auto first = static_cast<std::uint32_t>(Chance(60) ? 0 : Below(6));
    const auto size = static_cast<std::uint32_t>(count);
    switch (Below(4)) {
      case 0: {
        const std::uint32_t step = 2 + static_cast<std::uint32_t>(Below(3));
        return Range(first, first + (size - 1) * step, step);
      }
      case 1: {
        std::set<std::uint32_t> numbers;
        while (std::ssize(numbers) < count) numbers.insert(Below(count * 2 + 4));
        return {numbers.begin(), numbers.end()};
      }
      case 2:
        if (count <= 8) {
          Numbers powers = {static_cast<std::uint32_t>(Below(2))};
          while (std::ssize(powers) < count) powers.push_back(std::max(1u, powers.back()) * 2);
          return powers;
        }
        [[fallthrough]];
      default:
        return Range(first, first + size - 1);
    }
  }

  /// Of no object, of one or of several; of each the same numbers, or others.
  void AddIntegerChoice(const std::string& name, Width width) {
    std::vector<Variable> arguments;
    const int kind = Below(10);
    if (width == Width::kNarrow ? kind < 8 : kind < 1) {
      arguments = RandomVariables(1);
    } else if (kind < 6) {
      arguments = {Var(one_)};
    }
    const int count = NumNumbers(width);
    const int number = static_cast<int>(test_.space.choices.size());
    if (Chance(50)) {
      samples_[number] = RandomNumbers(count);
      test_.AddInteger(name, std::move(arguments), samples_[number]);
      return;
    }
    std::vector<Numbers> universes;
    for (int object = 0; object < 4; ++object) {
      const bool other = !universes.empty() && Chance(30);
      universes.push_back(RandomNumbers(other ? NumNumbers(Width::kNarrow) : count));
      samples_[number].insert(samples_[number].end(), universes.back().begin(),
                              universes.back().end());
    }
    test_.AddInteger(name, std::move(arguments), [universes](TableHost::Tuple tuple) {
      return universes[tuple.empty() ? 0 : tuple.back()];
    });
  }

  void AddChoices() override {
    // A set of one object, the planned one if there is one: few decisions, of many values each.
    const auto size = static_cast<int>(test_.host.set_members[items_].size());
    const Object object =
        planned_ != runtime::kNoObject && Chance(70) ? planned_ : static_cast<Object>(Below(size));
    one_ = test_.AddSubset("One", items_, {object});
    sets_.push_back(one_);
    std::vector<Width> widths(1 + static_cast<std::size_t>(Below(2)), Width::kNarrow);
    const int kind = Below(10);
    if (kind >= 4) widths[0] = kind < 6 ? Width::kWide : Width::kLong;
    if (kind == 9 && widths.size() > 1) widths[1] = Chance(50) ? Width::kWide : Width::kLong;
    for (int i = 0; i < Below(3); ++i) {
      AddRandomChoice("c" + std::to_string(i));
      const int number = static_cast<int>(test_.space.choices.size()) - 1;
      if (test_.space.choices[number].kind == ChoiceKind::kInteger) {
        samples_[number] = Range(1, 6);
      }
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
      AddIntegerChoice("i" + std::to_string(i), widths[i]);
    }
  }

  // ---- Terms.

  std::int64_t Sample(int choice) {
    const auto numbers = samples_.find(choice);
    if (numbers == samples_.end()) return Below(10);
    return numbers->second[Below(static_cast<int>(numbers->second.size()))];
  }

  /// A use of an integer decision or a full counter; a number when nothing fits.
  Expr RandomUse(const std::vector<Variable>& scope, bool counters) {
    for (int tries = 0; tries < 6; ++tries) {
      const int number =
          Below(static_cast<int>(test_.space.choices.size()) - (drawing_weight_ ? 1 : 0));
      const Choice& choice = test_.space.choices[number];
      const bool counter = choice.kind == ChoiceKind::kCounter;
      if (choice.kind == ChoiceKind::kEnum) continue;
      if (counter && (!counters || choice.visibility != Visibility::kFull)) continue;
      const std::vector<int> arguments = Arguments(number, scope);
      if (arguments.size() == choice.arguments.size()) return Use(number, arguments);
    }
    return Num(1 + Below(4));
  }

  /// What the host says: a number from `least` on that differs from tuple to tuple.
  Expr RandomIntegerCode(int least, int count) {
    const std::uint64_t salt = random_();
    const runtime::CodeId code = test_.Integer([salt, least, count](TableHost::Tuple tuple) {
      std::uint64_t hash = salt;
      for (const Object object : tuple) hash = (hash ^ object) * 0x9E3779B97F4A7C15u;
      return least + static_cast<std::int64_t>((hash >> 33) % static_cast<std::uint64_t>(count));
    });
    return CodeOf(code);
  }

  Expr RandomLeaf(const std::vector<Variable>& scope, bool counters) {
    const int kind = Below(10);
    if (kind < 6) return RandomUse(scope, counters);
    if (kind < 9) return Num(Chance(80) ? Below(7) : -1 - Below(4));
    if (Chance(25)) return CodeOf(test_.Number(Below(5)), /*external=*/true);
    return RandomIntegerCode(-2, 6);
  }

  Expr RandomTerm(const std::vector<Variable>& scope, bool counters, int depth) {
    if (depth == 0 || Chance(20)) return RandomLeaf(scope, counters);
    const Kind kind = kOperations[Below(std::ssize(kOperations))];
    Expr left = RandomTerm(scope, counters, depth - 1);
    if (kind == Kind::kNegate) return -left;
    Expr right = RandomTerm(scope, counters, depth - 1);
    // Whole numbers are divided by whole numbers alone; of `/` the left one may be a fraction.
    const bool is_whole = kind == Kind::kDiv || kind == Kind::kMod;
    const bool needs_whole = is_whole || kind == Kind::kDivide;
    if ((is_whole && HasFractions(left.term)) || (needs_whole && HasFractions(right.term))) {
      return Operation(Kind::kAdd, std::move(left), std::move(right));
    }
    return Operation(kind, std::move(left), std::move(right));
  }

  static bool HasFractions(const Term& term) {
    return std::ranges::any_of(term, [](const TermNode& n) { return n.kind == Kind::kDivide; });
  }

  static bool ReadsDecisions(const Term& term) {
    return std::ranges::any_of(term, [](const TermNode& n) { return n.kind == Kind::kChoice; });
  }

  /// A number that the term can well be, rounded.
  std::int64_t SomeValue(const Term& term) {
    const auto value = TermValue(term, [this](const TermNode& node) -> Rational {
      if (node.kind == Kind::kChoice) return Sample(node.use.choice);
      return node.kind == Kind::kNumber ? node.number : 1;
    });
    return value ? value->Floor() : 1;
  }

  bool TermCondition(const std::vector<Variable>& scope, bool counters, Condition* condition) {
    Expr left = RandomTerm(scope, counters, 1 + Below(2));
    if (!ReadsDecisions(left.term)) return false;
    Expr right = Num(SomeValue(left.term));
    if (Chance(50)) right = RandomTerm(scope, counters, Below(3));
    if (Chance(20)) std::swap(left, right);
    *condition = CompareTerms(std::move(left), static_cast<CompareOp>(Below(6)), std::move(right));
    condition->negated = Chance(25);
    return true;
  }

  bool RandomCondition(const std::vector<Variable>& scope, bool counters,
                       Condition* condition) override {
    if (Chance(45)) return TermCondition(scope, counters, condition);
    if (!SpaceBuilder::RandomCondition(scope, counters, condition)) return false;
    const bool integer = condition->kind == Condition::Kind::kCompareCode &&
                         samples_.contains(condition->lhs.choice);
    if (integer && Chance(70)) {  // Numbers that the decision may be.
      Numbers numbers = {static_cast<std::uint32_t>(Sample(condition->lhs.choice))};
      if (Chance(30)) numbers.push_back(numbers.front() + 1);
      condition->code = -1;
      condition->numbers = std::move(numbers);
    }
    return true;
  }

  // ---- Counters.

  bool MayBeCounted(const Choice& choice) const override {
    return !starts_below_0_.contains(choice.name);
  }

  /// Whole and never below 0, as the ranges of its parts show.
  Expr RandomWeight(const std::vector<Variable>& scope) {
    const auto use = [&] {
      const Expr drawn = RandomUse(scope, true);
      const TermNode& node = drawn.term.back();
      const bool counter =
          node.kind == Kind::kChoice && !MayBeCounted(test_.space.choices[node.use.choice]);
      return counter ? Max(drawn, 0) : drawn;
    };
    switch (Below(8)) {
      case 0:
        return use() + use();
      case 1:
        return use() * use();
      case 2:
        return use() % (1 + Below(4));
      case 3:
        return Div(use(), 1 + Below(4));
      case 4:
        return Max(use() - use(), 0);
      case 5: {
        const Expr a = use(), b = use();
        return Max(Max(a - b, b - a), 0);  // At first sight.
      }
      case 6:
        return Min(use(), RandomIntegerCode(0, 5));
      default:
        return Max(-(use() - 12), 0);
    }
  }

  void VaryCounter(const std::vector<Variable>& scope, Choice* counter) override {
    if (Chance(50)) {
      drawing_weight_ = true;
      Expr weight = RandomWeight(scope);
      drawing_weight_ = false;
      if (counter->product && Chance(70)) weight = std::move(weight) + 1;
      counter->weight = {};
      counter->weight_code = -1;
      counter->weight_term = std::move(weight.term);
    }
    if (counter->product) return;
    if (Chance(40)) {
      counter->base = -1;
      counter->has_base_number = true;
      counter->base_number = Chance(70) ? -1 - Below(9) : Below(4);
    } else if (Chance(20)) {
      counter->base = RandomIntegerCode(-6, 8).term.front().code;
    } else {
      return;
    }
    starts_below_0_.insert(counter->name);
  }

  /// At least one of them compares terms.
  void AddRequirements() override {
    for (int count = Below(3); count > 0; --count) AddRequirement();
    for (int count = 1 + Below(2), tries = 0; count > 0 && tries < 30; ++tries) {
      const std::vector<Variable> scope = RandomVariables(Below(3));
      std::vector<Condition> conditions(1);
      if (!TermCondition(scope, true, &conditions.front())) continue;
      for (int others = Below(3); others > 0; --others) {
        Condition condition;
        if (RandomCondition(scope, true, &condition)) conditions.push_back(condition);
      }
      test_.Require(scope, std::move(conditions));
      --count;
    }
  }

  bool drawing_weight_ = false;                        ///< Of the counter that is the last choice.
  int one_ = -1;                                       ///< A set of one object.
  std::map<int, Numbers> samples_;                     ///< Of integers, by choice.
  std::set<std::string, std::less<>> starts_below_0_;  ///< Counters, or they might.
};

}  // namespace

TestSpace RandomTermSpace(std::uint64_t seed, std::uint64_t most_assignments) {
  constexpr std::uint64_t kMostToSolve = 3000;
  for (std::uint64_t draw = 0;; ++draw) {
    TestSpace test = TermSpaceBuilder(seed * 1'000'003 + draw).Build();
    const std::uint64_t assignments =
        Oracle(test.space, test.host).NumAssignments(most_assignments);
    if (assignments < 2 || assignments > most_assignments) continue;
    // Of most, some assignments are implementations, and others are not.
    if (draw >= 3 || assignments > kMostToSolve) return test;
    const std::size_t implementations = Oracle(test.space, test.host).Solve().size();
    if (implementations > 0 && implementations < assignments) return test;
  }
}

}  // namespace exh::tests
