// SPDX-License-Identifier: MIT
//
// Counters in MiniZinc. Solvers count in 32 bits and our counters in 64, so a counter is only exact
// up to the largest number that anything compares it with; from there on it says "this much or
// more". Sums and products of such numbers are right up to the same bound, because nothing in them
// is negative.
#include <algorithm>
#include <bit>

#include "base/error.h"
#include "runtime/internal/minizinc/minizinc_writer.h"

namespace exh::runtime::internal {
namespace {

constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 30;

std::string Condition(const std::vector<std::string>& when) {
  std::string text;
  for (const std::string& literal : when) text += (text.empty() ? "" : " /\\ ") + literal;
  return "bool2int(" + text + ")";
}

}  // namespace

std::uint64_t MiniZincWriter::LargestWeight(const GroundIncrement& increment) {
  if (increment.weight == GroundIncrement::Weight::kConstant) return increment.value;
  if (increment.weight == GroundIncrement::Weight::kCounter) return Largest(increment.source);
  if (increment.weight == GroundIncrement::Weight::kTerm) {
    return largest_terms_[increment.source] = LargestTerm(form_.terms.tests[increment.source]);
  }
  const Bits root = form_.variables[increment.source].root;
  return increment.numbers[63 - std::countl_zero(root)];
}

std::uint64_t MiniZincWriter::Largest(std::uint32_t counter) {
  if (largest_known_[counter]) return plans_[counter].largest;
  const GroundCounter& c = form_.counters[counter];
  std::uint64_t largest = c.base;
  for (const GroundIncrement& increment : c.increments) {
    const std::uint64_t weight = LargestWeight(increment);
    largest = c.product ? SaturatingMul(largest, std::max<std::uint64_t>(weight, 1))
                        : SaturatingAdd(largest, weight);
  }
  largest_known_[counter] = true;
  return plans_[counter].largest = largest;
}

void MiniZincWriter::Need(std::uint32_t counter, std::uint64_t value) {
  value = std::max<std::uint64_t>(value, 1);
  if (plans_[counter].needed >= value) return;
  const bool is_first = plans_[counter].needed == 0;
  plans_[counter].needed = value;
  for (const GroundIncrement& increment : form_.counters[counter].increments) {
    if (increment.weight == GroundIncrement::Weight::kCounter) Need(increment.source, value);
    if (is_first && increment.weight == GroundIncrement::Weight::kTerm) {
      NeedTerm(form_.terms.tests[increment.source]);
    }
    if (!is_first) continue;
    for (const GroundLiteral& literal : increment.literals) NeedLiteral(literal);
  }
}

void MiniZincWriter::NeedLiteral(const GroundLiteral& literal) {
  const auto after = [](std::uint64_t bound) { return SaturatingAdd(bound, 1); };
  switch (literal.kind) {
    case GroundLiteral::Kind::kIn:
    case GroundLiteral::Kind::kPair:
    case GroundLiteral::Kind::kLong:
      return;
    case GroundLiteral::Kind::kTerm:
      return NeedTerm(form_.terms.tests[literal.a]);
    case GroundLiteral::Kind::kCounterIn:
    case GroundLiteral::Kind::kCounterNot:
      Need(literal.a, literal.interval.min);
      if (literal.interval.max != kSaturated) Need(literal.a, after(literal.interval.max));
      return;
    case GroundLiteral::Kind::kCounterPair: {
      const std::uint64_t both = std::max(Largest(literal.a), Largest(literal.b));
      Need(literal.a, both);
      Need(literal.b, both);
      return;
    }
  }
}

void MiniZincWriter::PlanCounters() {
  plans_.resize(form_.counters.size());
  largest_known_.assign(form_.counters.size(), false);
  for (const GroundClause& clause : form_.clauses) {
    for (const GroundLiteral& literal : clause.literals) NeedLiteral(literal);
  }
  if (objective_) NeedTerm(*objective_);
  for (std::uint32_t counter = 0; counter < form_.counters.size(); ++counter) {
    const Interval root = form_.counters[counter].root;
    if (root.min > 0) Need(counter, root.min);
    if (root.max < Largest(counter)) Need(counter, root.max + 1);
  }
  for (std::uint32_t counter = 0; counter < form_.counters.size(); ++counter) {
    CounterPlan& plan = plans_[counter];
    plan.cap = std::min(Largest(counter), plan.needed);
    if (plan.needed > 0 && plan.cap >= kLargestNumber) {
      throw Error("counter " + form_.counters[counter].name + " must be exact up to " +
                  std::to_string(plan.cap) + "; a model for solvers goes up to 2^30 - 1");
    }
    counter_names_.push_back(UniqueName("n_", form_.counters[counter].name));
  }
}

std::vector<MiniZincWriter::Term> MiniZincWriter::Terms(const GroundCounter& counter,
                                                        std::uint64_t cap) const {
  std::vector<Term> terms;
  for (const GroundIncrement& increment : counter.increments) {
    Term term;
    bool never = false;
    for (const GroundLiteral& literal : increment.literals) {
      const std::string text = LiteralText(literal);
      never = never || text == "false";
      if (text != "true") term.when.push_back("(" + text + ")");
    }
    if (never) continue;
    const std::string limit = std::to_string(cap);
    if (increment.weight == GroundIncrement::Weight::kConstant) {
      term.largest = std::min(increment.value, cap);
      term.amount = std::to_string(term.largest);
      term.values = {term.largest};
    } else if (increment.weight == GroundIncrement::Weight::kVariable) {
      for (Bits rest = form_.variables[increment.source].root; rest != 0; rest &= rest - 1) {
        const std::uint64_t number = increment.numbers[std::countr_zero(rest)];
        term.values.push_back(std::min(number, cap));
        term.largest = std::max(term.largest, number);
      }
      const std::string& name = variable_names_[increment.source];
      term.amount = term.largest > cap ? "min(" + limit + "," + name + ")" : name;
    } else if (increment.weight == GroundIncrement::Weight::kTerm) {
      const TermTest& test = form_.terms.tests[increment.source];
      const std::string text = TermText(test, test.left).over;
      term.largest = largest_terms_.at(increment.source);
      term.amount = term.largest > cap ? "min(" + limit + "," + text + ")" : "(" + text + ")";
    } else {
      term.largest = plans_[increment.source].cap;
      const std::string& name = counter_names_[increment.source];
      term.amount = term.largest > cap ? "min(" + limit + "," + name + ")" : name;
    }
    term.largest = std::min(term.largest, cap);
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string MiniZincWriter::SumText(const GroundCounter& counter, const CounterPlan& plan,
                                    const std::vector<Term>& terms, const std::string& name) {
  const std::string cap = std::to_string(plan.cap);
  std::uint64_t largest = std::min(counter.base, plan.cap);
  std::string sum = std::to_string(largest);
  for (const Term& term : terms) {
    if (largest + term.largest >= kLargestNumber) {  // Cut before the solver overflows.
      const std::string part = UniqueName(name + "_s", "");
      text_ += "var 0.." + cap + ": " + part + " = min(" + cap + "," + sum + ");\n";
      sum = part;
      largest = plan.cap;
    }
    sum += " + " + term.amount;
    if (!term.when.empty()) sum += "*" + Condition(term.when);
    largest += term.largest;
  }
  return largest <= plan.cap ? sum : "min(" + cap + "," + sum + ")";
}

std::string MiniZincWriter::ProductText(const GroundCounter& counter, const CounterPlan& plan,
                                        const std::vector<Term>& terms, const std::string& name) {
  const std::string cap = std::to_string(plan.cap);
  std::uint64_t largest = std::min(counter.base, plan.cap);
  std::string product = std::to_string(largest);
  for (const Term& term : terms) {
    const std::string factor = UniqueName(name + "_f", "");
    const std::uint64_t largest_factor = std::max<std::uint64_t>(1, term.largest);
    text_ += "var 0.." + std::to_string(largest_factor) + ": " + factor + " = " +
             (term.when.empty() ? term.amount
                                : "1 + " + Condition(term.when) + "*(" + term.amount + " - 1)") +
             ";\n";
    std::string next = product + "*" + factor;
    const std::uint64_t reached = SaturatingMul(largest, largest_factor);
    if (reached >= kLargestNumber) {
      // Never multiply what would exceed the cap: zero stands in, and the cap comes after.
      const std::string above = UniqueName(name + "_above", "");
      const std::string kept = UniqueName(name + "_kept", "");
      const std::string exact = UniqueName(name + "_exact", "");
      std::string test = product + " > " + cap + " div max(1," + factor + ")";
      if (!term.values.empty()) {
        test = "false";
        for (const std::uint64_t value : term.values) {
          if (value == 0) continue;
          test += " \\/ (" + factor + " = " + std::to_string(value) + " /\\ " + product + " > " +
                  std::to_string(plan.cap / value) + ")";
        }
      }
      text_ += "var bool: " + above + " = (" + test + ");\n";
      text_ += "var 0.." + cap + ": " + kept + " = " + product + "*bool2int(not " + above + ");\n";
      text_ += "var 0.." + cap + ": " + exact + " = " + kept + "*" + factor + ";\n";
      next = "max(" + exact + "," + cap + "*bool2int(" + above + "))";
    } else if (reached > plan.cap) {
      next = "min(" + cap + "," + next + ")";
    }
    largest = std::min(reached, plan.cap);
    product = UniqueName(name + "_p", "");
    text_ += "var 0.." + std::to_string(largest) + ": " + product + " = " + next + ";\n";
  }
  return product;
}

void MiniZincWriter::WriteCounter(std::uint32_t number) {
  const GroundCounter& counter = form_.counters[number];
  const CounterPlan& plan = plans_[number];
  const std::string& name = counter_names_[number];
  const std::vector<Term> terms = Terms(counter, plan.cap);
  const std::string value = counter.product ? ProductText(counter, plan, terms, name)
                                            : SumText(counter, plan, terms, name);
  text_ += "var " + std::to_string(counter.root.min) + ".." +
           std::to_string(std::min(counter.root.max, plan.cap)) + ": " + name + " = " + value +
           ";  % " + counter.name + "\n";
}

}  // namespace exh::runtime::internal
