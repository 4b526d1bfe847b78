// SPDX-License-Identifier: MIT
//
// Integer terms in MiniZinc. Its `div` cuts towards 0 and its `mod` takes the sign of what is
// divided; ours round down, so that both are written out where something may be negative. What
// divides by 0 has no value there either, and the comparison around it then does not hold. MiniZinc
// forgets that where the quotient is one number whatever the divisor is, such as `0 div x`, so
// divisors that may be 0 are compared with it, too. Fractions are compared by multiplying
// crosswise.
#include <algorithm>

#include "base/error.h"
#include "runtime/internal/minizinc/minizinc_writer.h"
#include "runtime/internal/network/term_ranges.h"
#include "runtime/objective/grounded_term.h"

namespace exh::runtime::internal {
namespace {

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 30;

constexpr const char* kOperators[] = {"<", ">", "<=", ">=", "=", "!="};

/// The form's root, with what counters can reach as `largest` says.
template <typename Largest>
struct RootView {
  const GroundForm& form;
  const Largest& largest;
  Bits domain(std::uint32_t variable) const { return form.variables[variable].root; }
  Interval counter(std::uint32_t number) const { return {0, largest(number)}; }
};

std::string Joined(const std::string& a, const char* op, const std::string& b) {
  return "(" + a + op + b + ")";
}

std::string Product(const std::string& a, const std::string& b) {
  if (a == "1") return b;
  return b == "1" ? a : Joined(a, "*", b);
}

}  // namespace

MiniZincWriter::Quotient MiniZincWriter::TermText(const TermTest& test,
                                                  std::uint32_t position) const {
  using Op = GroundTermNode::Op;
  const GroundTermNode& node = form_.terms.nodes[test.node_begin + position];
  const auto left = [&] { return TermText(test, node.left); };
  const auto right = [&] { return TermText(test, node.right); };
  const auto whole = [&](const Quotient& quotient) {
    if (quotient.under != "1") {
      throw Error(form_.terms.texts[test.text] +
                  ": a smaller or larger one of two fractions cannot "
                  "be written for solvers");
    }
    return quotient.over;
  };
  switch (node.op) {
    case Op::kNumber:
      return {
          node.number < 0 ? "(" + std::to_string(node.number) + ")" : std::to_string(node.number),
          "1"};
    case Op::kDecision:
      return {variable_names_[form_.terms.leaves[test.leaf_begin + node.left].slot], "1"};
    case Op::kCounter: {
      const std::string& name = counter_names_[node.left];
      return {node.number == 0 ? name : "(" + name + " - " + std::to_string(-node.number) + ")",
              "1"};
    }
    case Op::kNegate:
      return {"(-" + left().over + ")", left().under};
    case Op::kAdd:
    case Op::kSubtract: {
      const Quotient a = left(), b = right();
      return {Joined(Product(a.over, b.under), node.op == Op::kAdd ? " + " : " - ",
                     Product(b.over, a.under)),
              Product(a.under, b.under)};
    }
    case Op::kMultiply: {
      const Quotient a = left(), b = right();
      return {Joined(a.over, "*", b.over), Product(a.under, b.under)};
    }
    case Op::kDivide: {
      const Quotient a = left();
      return {a.over, Product(a.under, whole(right()))};
    }
    case Op::kDiv:
    case Op::kMod: {
      const std::string a = whole(left()), b = whole(right());
      const auto nothing = [](std::uint32_t) { return kSaturated; };
      const TermView term{form_.terms, form_.universes, test};
      TermRanges<Whole> ranges;
      bool is_positive = false;
      if (!test.fractions) {
        ForwardsFrom(term, RootView<decltype(nothing)>{form_, nothing}, &ranges);
        is_positive = ranges[node.left].min.sign() >= 0 && ranges[node.right].min.sign() >= 0;
      }
      const std::string mod = is_positive
                                  ? Joined(a, " mod ", b)
                                  : Joined(Joined(Joined(a, " mod ", b), " + ", b), " mod ", b);
      if (node.op == Op::kMod) return {mod, "1"};
      return {is_positive ? Joined(a, " div ", b) : Joined(Joined(a, " - ", mod), " div ", b), "1"};
    }
    case Op::kMin:
    case Op::kMax:
      return {std::string(node.op == Op::kMin ? "min(" : "max(") + whole(left()) + "," +
                  whole(right()) + ")",
              "1"};
  }
  return {};
}

/// "x != 0 /\\ ", for each divisor that is not known to be another number.
std::string MiniZincWriter::DivisorsText(const TermTest& test) const {
  std::string text;
  for (std::uint32_t i = 0; i < test.node_end - test.node_begin; ++i) {
    const GroundTermNode& node = form_.terms.nodes[test.node_begin + i];
    if (node.op != GroundTermNode::Op::kDiv && node.op != GroundTermNode::Op::kMod) continue;
    const GroundTermNode& divisor = form_.terms.nodes[test.node_begin + node.right];
    if (divisor.op == GroundTermNode::Op::kNumber && divisor.number != 0) continue;
    text += TermText(test, node.right).over + " != 0 /\\ ";
  }
  return text;
}

std::string MiniZincWriter::ComparedText(const TermTest& test) const {
  const std::string defined = DivisorsText(test);
  return defined.empty() ? ValuesText(test) : defined + "(" + ValuesText(test) + ")";
}

/// The comparison, as long as both sides have values.
std::string MiniZincWriter::ValuesText(const TermTest& test) const {
  const Quotient a = TermText(test, test.left), b = TermText(test, test.right);
  const std::string op = std::string(" ") + kOperators[static_cast<int>(test.op)] + " ";
  const std::string under = Product(a.under, b.under);
  if (under == "1") return a.over + op + b.over;
  const std::string left = Product(a.over, b.under), right = Product(b.over, a.under);
  return "(" + under + " > 0 /\\ " + left + op + right + ") \\/ (" + under + " < 0 /\\ " + right +
         op + left + ")";
}

void MiniZincWriter::AddObjective() {
  const auto& objective = instance_.space().objective;
  if (!objective) return;
  const GroundedTerm term(instance_, objective->term, objective->text);
  const TermTables& own = term.tables();
  TermTables& all = form_.terms;
  TermTest test = own.tests.front();
  test.text = static_cast<std::uint32_t>(all.texts.size());
  all.texts.push_back("the objective '" + objective->text + "'");
  test.node_begin = static_cast<std::uint32_t>(all.nodes.size());
  all.nodes.insert(all.nodes.end(), own.nodes.begin(), own.nodes.end());
  test.node_end = static_cast<std::uint32_t>(all.nodes.size());
  test.leaf_begin = static_cast<std::uint32_t>(all.leaves.size());
  for (TermLeaf leaf : own.leaves) {
    DecisionId decision = 0;
    while (instance_.slot(decision) != leaf.slot) ++decision;
    const GroundVariable& variable = form_.variables[decision];
    leaf.slot = variable.num_words != 0 ? variable.first_word : decision;
    const std::uint32_t universe = leaf.universe;
    leaf.universe = static_cast<std::uint32_t>(form_.universes.size());
    form_.universes.push_back(term.universes()[universe]);
    all.leaves.push_back(leaf);
  }
  test.leaf_end = static_cast<std::uint32_t>(all.leaves.size());
  objective_ = test;
}

void MiniZincWriter::NeedTerm(const TermTest& test) {
  LargestTerm(test);
  for (std::uint32_t i = test.node_begin; i < test.node_end; ++i) {
    const GroundTermNode& node = form_.terms.nodes[i];
    if (node.op == GroundTermNode::Op::kCounter)
      Need(node.left, SaturatingAdd(Largest(node.left), 1));
  }
}

/// The largest that the term can be. Throws Error when some part of it is too large for solvers.
std::uint64_t MiniZincWriter::LargestTerm(const TermTest& test) {
  if (test.fractions) return 0;
  const TermView term{form_.terms, form_.universes, test};
  const auto largest = [&](std::uint32_t counter) { return Largest(counter); };
  TermRanges<Whole> ranges;
  ForwardsFrom(term, RootView<decltype(largest)>{form_, largest}, &ranges);
  for (std::uint32_t i = 0; i < term.num_nodes(); ++i) {
    if (ranges[i].IsEmpty()) continue;
    if (ranges[i].min.value < -kLargestNumber || ranges[i].max.value > kLargestNumber) {
      throw Error(form_.terms.texts[test.text] +
                  ": may exceed 2^30, up to which a model for solvers goes");
    }
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ranges[test.left].max.value, 0));
}

}  // namespace exh::runtime::internal
