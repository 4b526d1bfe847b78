// SPDX-License-Identifier: MIT
//
// Spaces of huge numbers against brute force in numbers of any size: a space is either refused,
// with the term and what would be right, or what the engine says of it is true: that there is no
// solution, all solutions, how many there are, and what is drawn of them. Terms read three and more
// decisions, long ones and counters. EXH_RANDOM_SPACES=2000 looks at more, EXH_RANDOM_SEED=n starts
// elsewhere.
#include <gmock/gmock.h>
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "load/load.h"
#include "runtime/explain.h"
#include "search/exact/exact_count.h"
#include "search/solve/solver.h"

namespace exh::load {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Propagation;
using testing::HasSubstr;

/// Numbers of the decisions, in the order in which they are declared.
using Point = std::vector<std::int64_t>;

/// A term of a text that is written here. Its value is calculated as it stands.
struct Term {
  enum class Kind { kNumber, kChoice, kCounter, kNegate, kBinary };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;  ///< The number, or which choice or counter.
  std::string op;           ///< kBinary.
  std::vector<Term> of;
};

struct Counter {
  bool product = false;
  std::int64_t base = 0;
  std::vector<Term> weights;  ///< Several: the first if the second is at least the third.
};

struct Comparison {
  Term left, right;
  std::string op;
  bool negated = false;
};

mpz_class FloorOf(const mpz_class& a, const mpz_class& b) {
  mpz_class quotient;
  mpz_fdiv_q(quotient.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return quotient;
}

/// A random space as a text, and what is true of it.
class HugeSpace {
 public:
  explicit HugeSpace(std::uint64_t seed) : random_(seed) {
    const int num_choices = 3 + Below(2);
    const bool has_long = Below(5) == 0;
    for (int i = 0; i < num_choices; ++i) {
      std::set<std::int64_t> numbers;
      if (has_long && i == 0) {
        const std::int64_t first = Number() / 2;
        for (std::int64_t n = 0; n < 66; ++n) numbers.insert(first + n);
      } else {
        const int size = 1 + Below(has_long ? 3 : 4);
        while (std::ssize(numbers) < size) numbers.insert(Number());
      }
      universes_.emplace_back(numbers.begin(), numbers.end());
    }
    if (Below(3) == 0) AddCounter();
    if (Below(6) == 0) AddCounter();
    for (int count = 1 + Below(3); count > 0; --count) {
      std::vector<Comparison>& clause = clauses_.emplace_back();
      for (int parts = Below(3) == 0 ? 2 : 1; parts > 0; --parts)
        clause.push_back(RandomComparison());
    }
  }

  std::string Text() const {
    std::string text;
    for (std::size_t i = 0; i < universes_.size(); ++i) {
      text += "choice integer " + Name(i) + "(): ";
      for (std::size_t n = 0; n < universes_[i].size(); ++n) {
        text += (n == 0 ? "" : " | ") + std::to_string(universes_[i][n]);
      }
      text += " end\n";
    }
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      const Counter& counter = counters_[i];
      text += "choice counter n" + std::to_string(i) + "():\n";
      if (counter.base != (counter.product ? 1 : 0)) {
        text += "  base " + std::to_string(counter.base) + "\n";
      }
      text += std::string(counter.product ? "  mul " : "  sum ") + TextOf(counter.weights[0]) +
              " when:";
      if (counter.weights.size() > 1) {
        text += " " + TextOf(counter.weights[1]) + " >= " + TextOf(counter.weights[2]);
      }
      text += "\nend\n";
    }
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      text += "require r" + std::to_string(i) + ": ";
      for (std::size_t part = 0; part < clauses_[i].size(); ++part) {
        const Comparison& comparison = clauses_[i][part];
        const std::string inner =
            TextOf(comparison.left) + " " + comparison.op + " " + TextOf(comparison.right);
        text += (part == 0 ? "" : " || ") + (comparison.negated ? "not (" + inner + ")" : inner);
      }
      text += "\n";
    }
    return text;
  }

  /// All points that satisfy every clause; notes the largest part of a term that was met.
  std::set<Point> Solve() {
    std::set<Point> solutions;
    point_.assign(universes_.size(), 0);
    const auto visit = [&](const auto& self, std::size_t choice) -> void {
      if (choice == universes_.size()) {
        bool legal = true;
        for (const auto& clause : clauses_) {
          bool holds = false;
          // All parts are looked at: what is refused is judged by the largest of all.
          for (const Comparison& comparison : clause) holds |= Holds(comparison);
          legal &= holds;
        }
        if (legal) solutions.insert(point_);
        return;
      }
      for (const std::int64_t number : universes_[choice]) {
        point_[choice] = number;
        self(self, choice + 1);
      }
    };
    visit(visit, 0);
    return solutions;
  }

  /// Is there a reason to refuse it: a part above 2^61, a weight that is negative or has no value?
  bool is_beyond() const { return is_beyond_; }
  std::size_t num_choices() const { return universes_.size(); }

 private:
  static std::string Name(std::size_t choice) {
    return std::string(1, static_cast<char>('a' + choice));
  }

  int Below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

  std::int64_t Number() {
    static constexpr std::int64_t kLarge[] = {65535,         65536,      65537,      1 << 20,
                                              (1 << 20) + 1, 2147483647, 2147483648, 2147483649,
                                              3000000000,    4294967291, 4294967294, 4294967295};
    switch (Below(4)) {
      case 0:
        return Below(8);
      case 1:
        return static_cast<std::int64_t>(random_() % 4294967296);
      case 2:
        return Below(100'000);
      default:
        return kLarge[Below(std::size(kLarge))];
    }
  }

  Term RandomLeaf(bool counters) {
    Term term;
    if (counters && !counters_.empty() && Below(3) == 0) {
      term.kind = Term::Kind::kCounter;
      term.number = Below(static_cast<int>(counters_.size()));
    } else if (Below(5) != 0) {
      term.kind = Term::Kind::kChoice;
      term.number = Below(static_cast<int>(universes_.size()));
    } else {
      term.number = Below(2) == 0 ? 1 + Below(9) : std::min<std::int64_t>(Number(), 2147483648);
    }
    return term;
  }

  static bool HasFractions(const Term& term) {
    return term.op == "/" || std::ranges::any_of(term.of, HasFractions);
  }
  static bool ReadsChoices(const Term& term) {
    return term.kind == Term::Kind::kChoice || term.kind == Term::Kind::kCounter ||
           std::ranges::any_of(term.of, ReadsChoices);
  }

  Term RandomTerm(int depth, bool counters) {
    if (depth == 0 || Below(8) == 0) return RandomLeaf(counters);
    static const char* const kOps[] = {"*", "*", "*", "+", "-", "%", "div", "/", "min", "max"};
    Term term;
    if (Below(12) == 0) {
      term.kind = Term::Kind::kNegate;
      term.of = {RandomTerm(depth - 1, counters)};
      return term;
    }
    term.kind = Term::Kind::kBinary;
    term.op = kOps[Below(std::size(kOps))];
    term.of = {RandomTerm(depth - 1, counters), RandomTerm(depth - 1, counters)};
    const bool of_wholes = term.op == "%" || term.op == "div";
    if ((of_wholes && HasFractions(term.of[0])) ||
        ((of_wholes || term.op == "/") &&
         (HasFractions(term.of[1]) || !ReadsChoices(term.of[1])))) {
      term.op = "+";
    }
    return term;
  }

  void AddCounter() {
    Counter counter;
    counter.product = Below(2) == 0;
    counter.base = Below(2) == 0 ? counter.product ? 1 : 0 : Number();
    if (!counter.product && Below(2) == 0) counter.base = -counter.base;
    counter.base = std::clamp<std::int64_t>(counter.base, -2147483647, 2147483647);
    Term weight;
    do {
      weight = RandomTerm(1 + Below(2), false);
    } while (HasFractions(weight) || !ReadsChoices(weight));
    counter.weights = {weight};
    if (Below(2) == 0) {
      Term left;
      do {
        left = RandomTerm(1, false);
      } while (!ReadsChoices(left));
      counter.weights.push_back(left);
      counter.weights.push_back(RandomTerm(1, false));
    }
    counters_.push_back(counter);
  }

  Comparison RandomComparison() {
    static const char* const kOps[] = {"==", "!=", "<", "<=", ">", ">="};
    Comparison comparison;
    comparison.negated = Below(5) == 0;
    comparison.op = kOps[Below(std::size(kOps))];
    if (counters_.size() > 1 && Below(3) == 0) {  // Counters as they are.
      comparison.left.kind = comparison.right.kind = Term::Kind::kCounter;
      comparison.right.number = 1;
      return comparison;
    }
    do {
      comparison.left = RandomTerm(1 + Below(3), true);
    } while (!ReadsChoices(comparison.left));
    comparison.right = Below(2) == 0 ? RandomTerm(Below(3), true) : RandomLeaf(false);
    return comparison;
  }

  std::string TextOf(const Term& term) const {
    switch (term.kind) {
      case Term::Kind::kNumber:
        return std::to_string(term.number);
      case Term::Kind::kChoice:
        return Name(static_cast<std::size_t>(term.number)) + "()";
      case Term::Kind::kCounter:
        return "n" + std::to_string(term.number) + "()";
      case Term::Kind::kNegate:
        return "(-" + TextOf(term.of[0]) + ")";
      case Term::Kind::kBinary:
        break;
    }
    if (term.op == "min" || term.op == "max") {
      return term.op + "(" + TextOf(term.of[0]) + ", " + TextOf(term.of[1]) + ")";
    }
    return "(" + TextOf(term.of[0]) + " " + term.op + " " + TextOf(term.of[1]) + ")";
  }

  const mpq_class& Noted(const mpq_class& value) {
    static const mpz_class kMost = mpz_class(1) << 61;
    is_beyond_ |= abs(value.get_num()) > kMost || value.get_den() > kMost;
    return value;
  }

  std::optional<mpq_class> ValueOf(const Term& term) {
    std::optional<mpq_class> value = Calculated(term);
    if (value) {
      value->canonicalize();
      Noted(*value);
    }
    return value;
  }

  std::optional<mpq_class> Calculated(const Term& term) {
    switch (term.kind) {
      case Term::Kind::kNumber:
        return mpq_class(std::to_string(term.number));
      case Term::Kind::kChoice:
        return mpq_class(std::to_string(point_[static_cast<std::size_t>(term.number)]));
      case Term::Kind::kCounter:
        return CounterValue(counters_[static_cast<std::size_t>(term.number)]);
      case Term::Kind::kNegate: {
        const auto value = ValueOf(term.of[0]);
        return value ? std::optional<mpq_class>(-*value) : std::nullopt;
      }
      case Term::Kind::kBinary:
        break;
    }
    const auto a = ValueOf(term.of[0]), b = ValueOf(term.of[1]);
    if (!a || !b) return std::nullopt;
    if (term.op == "+") return mpq_class(*a + *b);
    if (term.op == "-") return mpq_class(*a - *b);
    if (term.op == "*") return mpq_class(*a * *b);
    if (term.op == "min") return *a < *b ? *a : *b;
    if (term.op == "max") return *a < *b ? *b : *a;
    if (*b == 0) return std::nullopt;
    if (term.op == "/") return mpq_class(*a / *b);
    const mpz_class quotient = FloorOf(a->get_num(), b->get_num());
    if (term.op == "div") return mpq_class(quotient);
    return mpq_class(a->get_num() - quotient * b->get_num());
  }

  mpq_class CounterValue(const Counter& counter) {
    mpq_class value(std::to_string(counter.base));
    // A weight must be right wherever it may count.
    const auto weight = ValueOf(counter.weights[0]);
    is_beyond_ |= !weight || *weight < 0;
    if (counter.weights.size() > 1) {
      const auto left = ValueOf(counter.weights[1]), right = ValueOf(counter.weights[2]);
      if (!left || !right || *left < *right) return value;
    }
    if (!weight) return value;
    if (counter.product) {
      value *= *weight;
    } else {
      value += *weight;
    }
    return value;
  }

  bool Holds(const Comparison& comparison) {
    const auto a = ValueOf(comparison.left), b = ValueOf(comparison.right);
    bool holds = false;
    if (a && b) {
      const std::string& op = comparison.op;
      holds = op == "=="   ? *a == *b
              : op == "!=" ? *a != *b
              : op == "<"  ? *a < *b
              : op == "<=" ? *a <= *b
              : op == ">"  ? *a > *b
                           : *a >= *b;
    }
    return holds != comparison.negated;
  }

  std::mt19937_64 random_;
  std::vector<std::vector<std::int64_t>> universes_;
  std::vector<Counter> counters_;
  std::vector<std::vector<Comparison>> clauses_;
  Point point_;
  bool is_beyond_ = false;
};

Point PointOf(const Candidate& solution) {
  Point point;
  const Instance& instance = solution.instance();
  for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
    point.push_back(instance.universe(d)[static_cast<std::size_t>(solution.FirstValue(d))]);
  }
  return point;
}

std::set<Point> SolutionsOf(const std::shared_ptr<const Instance>& instance) {
  std::set<Point> found;
  const search::ChoiceOrder order = search::ChoiceOrder::Default(*instance);
  search::Solver(*instance, order).Run(Candidate(instance), [&](const Candidate& solution) {
    EXPECT_TRUE(found.insert(PointOf(solution)).second) << "a solution was found twice";
    return true;
  });
  return found;
}

/// Nothing when the space is refused; then `why` says why.
std::shared_ptr<const Instance> Frozen(const std::string& text, std::string* why) {
  dsl::DiagnosticSink sink;
  const auto loaded = LoadText("huge.exh", text, sink);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink) << text;
  if (!loaded) return nullptr;
  try {
    return Freeze(*loaded);
  } catch (const Error& error) {
    *why = error.what();
    return nullptr;
  }
}

std::string RefusalOf(const std::string& text) {
  std::string why = "it was taken";
  EXPECT_EQ(Frozen(text, &why), nullptr);
  return why;
}

std::size_t NumSolutions(const std::string& text) {
  std::string why;
  const auto instance = Frozen(text, &why);
  EXPECT_NE(instance, nullptr) << why;
  if (instance == nullptr || instance->root_result() == Propagation::kDeadEnd) return 0;
  return SolutionsOf(instance).size();
}

/// Descents that take any value next: a dead end has an explanation that holds no solution.
void CheckDeadEnds(const std::shared_ptr<const Instance>& instance,
                   const std::set<Point>& solutions, std::mt19937_64& random) {
  for (int descent = 0; descent < 3; ++descent) {
    Candidate candidate(instance);
    std::vector<runtime::Action> actions;
    for (DecisionId d = 0; d < instance->num_decisions(); ++d) {
      const auto size = static_cast<std::uint64_t>(instance->num_values(d));
      const auto value = static_cast<int>(random() % size);
      if (!Candidate(instance).MayTake(d, value)) continue;
      actions.push_back(runtime::Action::Take(d, value));
      if (candidate.Restrict(actions.back()) == Propagation::kFixpoint) continue;
      const auto explanation = runtime::ExplainDeadEnd(instance, actions);
      ASSERT_TRUE(explanation);
      for (const Point& solution : solutions) {
        const bool allowed =
            std::ranges::all_of(explanation->decisions, [&](const runtime::Action& action) {
              const auto universe = instance->universe(action.decision);
              const auto at = std::ranges::find(universe, solution[action.decision]);
              const auto its = static_cast<std::size_t>(at - universe.begin());
              return action.word == its / 64 && (action.values >> its % 64 & 1) != 0;
            });
        ASSERT_FALSE(allowed) << "an explanation contradicts a solution";
      }
      break;
    }
  }
}

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(HugeNumbers, ProveNothingFalse) {
  const std::size_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 400);
  const std::uint64_t first = FromEnvironment("EXH_RANDOM_SEED", 1);
  std::size_t refused = 0, needlessly = 0, empty = 0, with_solutions = 0, beyond = 0;
  for (std::uint64_t seed = first; seed < first + spaces && !testing::Test::HasFailure(); ++seed) {
    HugeSpace space(seed);
    const std::string text = space.Text();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const std::set<Point> solutions = space.Solve();
    std::string why;
    const auto instance = Frozen(text, &why);
    if (instance == nullptr) {
      ++refused;
      needlessly += !space.is_beyond();
      EXPECT_THAT(why, HasSubstr("(huge.exh:"));
      EXPECT_THAT(why,
                  testing::AnyOf(HasSubstr("up to 2^61: list smaller numbers"),
                                 HasSubstr("may exceed 2^64"), HasSubstr("may be negative"),
                                 HasSubstr("may divide by 0"), HasSubstr("no number of 0 to")));
      continue;
    }
    beyond += space.is_beyond();
    (solutions.empty() ? empty : with_solutions) += 1;
    if (instance->root_result() == Propagation::kDeadEnd) {
      EXPECT_TRUE(solutions.empty()) << "refuted, though there are " << solutions.size();
      continue;
    }
    EXPECT_EQ(SolutionsOf(instance), solutions);
    const Candidate root(instance);
    search::ExactCounter counter(instance, {});
    EXPECT_EQ(counter.Count(root).count, solutions.size());
    if (!solutions.empty()) {
      Random random(seed);
      for (int draw = 0; draw < 3; ++draw) {
        const auto drawn = counter.Draw(root, random);
        ASSERT_TRUE(drawn);
        EXPECT_TRUE(solutions.contains(PointOf(*drawn)));
      }
    }
    std::mt19937_64 random(seed);
    CheckDeadEnds(instance, solutions, random);
  }
  std::printf(
      "%zu spaces: %zu refused (%zu of them would have been possible), %zu without and %zu "
      "with solutions, %zu with numbers beyond 2^61 that the root rules out\n",
      spaces, refused, needlessly, empty, with_solutions, beyond);
  // The sample is no test when it is empty.
  EXPECT_GT(with_solutions, spaces / 8);
  EXPECT_GT(empty, spaces / 50);
  EXPECT_GT(beyond, spaces / 100);
  EXPECT_LT(needlessly, spaces / 10);
}

/// Each of these was answered falsely: by numbers beyond 2^62 that were met while the root was
/// propagated.
TEST(HugeNumbers, AreRefusedWithTheTermAndWhatWouldBeRight) {
  EXPECT_EQ(RefusalOf("choice integer a(): 4294967295 end\nchoice integer b(): 4294967295 end\n"
                      "choice integer c(): 4294967295 end\nrequire r: a() * b() * c() % 2 == 1\n"),
            "'a() * b() * c() % 2 == 1' in requirement r (huge.exh:4): a product in it may be "
            "1.84e+19, and terms are calculated up to 2^61: list smaller numbers, or divide before "
            "multiplying");
  EXPECT_THAT(RefusalOf("choice integer a(): 1 | 3 | 4294967295 end\n"
                        "choice integer b(): 4294967295 end\nchoice integer c(): 1 | 7 end\n"
                        "require r: (a() * b()) % (c() * 2) == (b() % 2)\n"),
              HasSubstr("a product in it may be 1.84e+19"));
  // A fraction whose denominator is too large, though itself it is small.
  EXPECT_THAT(RefusalOf("choice integer a(): 4294967295 end\nchoice integer b(): 4294967291 end\n"
                        "choice integer c(): 4294967281 end\n"
                        "require r: 1 / a() / b() / c() < 1\n"),
              HasSubstr("a fraction in it may be"));
}

/// What other requirements rule out at the root is no reason to refuse.
TEST(HugeNumbers, AreTakenWhereTheRootRulesThemOut) {
  const std::string choices =
      "choice integer a(): 1 | 3 | 4294967295 end\nchoice integer b(): 5 | 4294967295 end\n"
      "choice integer c(): 1 | 7 | 4294967295 end\n";
  EXPECT_EQ(NumSolutions(choices + "require r: a() * b() * c() <= 100\n"), 3u);
  EXPECT_EQ(NumSolutions(choices + "require r: a() * b() * c() == 35\n"), 1u);
  EXPECT_EQ(NumSolutions(choices + "require r: a() + b() + c() > 0\n"), 18u);
}

/// A weight that may be negative says nothing of its counter, until the root rules that out.
TEST(HugeNumbers, WeightsThatMayBeNegativeProveNothing) {
  const std::string choices =
      "choice integer a(): 1 | 5 end\nchoice integer b(): 3 end\nchoice integer c(): 1 | 2 end\n"
      "choice counter n(): sum a() - b() * c() when: end\n";
  EXPECT_THAT(RefusalOf(choices + "require r: n() <= 0\n"), HasSubstr("may be negative"));
  // A dead end that rests on it is none.
  EXPECT_THAT(RefusalOf(choices + "require r: n() * n() <= 3\nrequire s: n() + 5 < 4\n"),
              HasSubstr("may be negative"));
  EXPECT_EQ(
      NumSolutions(choices + "require r: n() >= 1\nrequire a: a() >= 4\nrequire c: c() <= 1\n"),
      1u);
}

/// Counters stick at 2^64: two that do are not known to be equal. (Those of one choice are compared
/// as they are: tests/runtime/terms_oracle_test.cc.)
TEST(HugeNumbers, CountersThatSaturateAreNotCompared) {
  const std::string choices =
      "choice integer a(): 7 | 4294967295 end\n"
      "choice counter n(): base 20000 mul a() * 400000000 when: end\n"
      "choice counter m(): base 20000 mul a() * 400000001 when: end\n";
  for (const std::string op : {"<", "<=", ">", ">=", "==", "!="}) {
    EXPECT_THAT(
        RefusalOf(choices + "require r: n() " + op + " m()\n"),
        HasSubstr("in requirement r (huge.exh:4): a counter in it may be 4.61e+18 or more"));
  }
  EXPECT_THAT(RefusalOf(choices + "choice counter k(): sum 1 when: n() < m() end\n"
                                  "require r: k() >= 1\n"),
              HasSubstr("in counter k (huge.exh:4): a counter in it may be 4.61e+18 or more"));
  EXPECT_EQ(NumSolutions(choices + "require r: n() >= 5\n"), 2u);
  EXPECT_EQ(NumSolutions(choices + "require r: n() <= m()\nrequire small: a() <= 9\n"), 1u);
}

}  // namespace
}  // namespace exh::load
