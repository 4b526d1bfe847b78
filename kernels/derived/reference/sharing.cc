// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/sharing.h"

#include <algorithm>
#include <cmath>

#include "kernels/derived/reference/programs/sample.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::derived {
namespace {

double Sharing(const Expression& expression, const std::vector<double>& roundings, int store);

class Finder {
 public:
  Finder(const Expression& expression, const std::vector<double>& roundings,
         const std::vector<int>& output)
      : expression_(expression), roundings_(roundings), output_(output) {}

  /// Of the nearest reductions that `node` reads, and the roundings on the way to them.
  void Visit(const Expression::Node& node) {
    if (node.store < 0) return Expression::ForEachValue(node, [&](int read) { VisitInput(read); });
    if (roundings_[static_cast<std::size_t>(node.store)] == 0) return;
    sharing_ = std::max(sharing_, ReadAlike(node) * Sharing(expression_, roundings_, node.store));
  }
  double sharing() const { return sharing_; }

 private:
  void VisitInput(int index) {
    if (IsSeen(index, seen_)) return;
    const Expression::Node& node = expression_.node(index);
    if (!node.accumulates()) {
      if (Rounds(node)) sharing_ = std::max(sharing_, ReadAlike(node));
      return Visit(node);
    }
    double least = static_cast<double>(expression_.Points(output_));
    std::vector<bool> seen;
    VisitTerms(index, KeptAxes(node, node.axes), seen, least);
    sharing_ = std::max(sharing_, least);
  }

  /// So many elements of the output read each value.
  double ReadAlike(const Expression::Node& node) const {
    return static_cast<double>(expression_.Points(output_)) /
           static_cast<double>(expression_.Points(node.axes));
  }
  /// Is its value rounded more often than those that it comes of?
  bool Rounds(const Expression::Node& node) const {
    double most = 0;
    const auto of = [&](int read) { return roundings_[static_cast<std::size_t>(read)]; };
    Expression::ForEachValue(node, [&](int read) { most = std::max(most, of(read)); });
    return of(static_cast<int>(&node - expression_.nodes.data())) > most;
  }

  /// Along the axis of a scan all elements have terms in common, as if it were reduced.
  static std::vector<int> KeptAxes(const Expression::Node& node, std::vector<int> axes) {
    std::erase(axes, node.along);
    return axes;
  }

  /// `kept`: axes of the reduction's value. Along all axes of the output that a load does not have,
  /// or the reduction has not kept, its elements are the same.
  void VisitTerms(int index, const std::vector<int>& kept, std::vector<bool>& seen,
                  double& least) const {
    if (IsSeen(index, seen)) return;
    const Expression::Node& node = expression_.node(index);
    if (node.op == ir::Op::kLoad) {
      double shared = 1;
      for (const int axis : output_) {
        const auto has = [axis](const std::vector<int>& axes) {
          return std::ranges::find(axes, axis) != axes.end();
        };
        const bool moves = node.index >= 0 ? has(node.axes) : node.StrideOf(axis) != 0;
        if (!has(kept) || !moves) shared *= expression_.axis(axis).total;
      }
      least = std::min(least, shared);
    }
    const std::vector<int> inside = KeptAxes(node, kept);
    for (const Expression::Input& input : node.inputs) {
      if (!input.is_number()) VisitTerms(input.node, inside, seen, least);
    }
  }

  bool IsSeen(int index, std::vector<bool>& seen) const {
    seen.resize(expression_.nodes.size(), false);
    const auto at = static_cast<std::size_t>(index);
    const bool was = seen[at];
    seen[at] = true;
    return was;
  }

  const Expression& expression_;
  const std::vector<double>& roundings_;
  const std::vector<int>& output_;
  std::vector<bool> seen_;
  double sharing_ = 1;
};

bool ErrsAtRandom(const Expression& expression, const Expression::Node& node) {
  if (node.op == ir::Op::kLoad || expression.PassesOn(node)) return true;
  if (!ir::IsFloat(node.computes) || !ir::InfoOf(node.op).errs_at_random) return false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const bool is_memory = node.op == ir::Op::kConst || node.op == ir::Op::kStore;
    const ir::Type as = is_memory ? node.type : Expression::OperandType(node, i);
    if (!expression.Keeps(node.inputs[i], as)) return false;
  }
  return true;
}

/// Is a value that errs read in several places? Its errors then add up, as those of (a - b) * (a -
/// b) do.
bool RepeatsErrors(const Expression& expression) {
  const std::vector<int> uses = expression.Uses();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Expression::Node& node = expression.nodes[i];
    const bool is_exact = node.op == ir::Op::kLoad && node.store < 0;
    const bool errs = !is_exact && node.op != ir::Op::kIndex && !expression.PassesOn(node);
    if (errs && uses[i] > 1) return true;
  }
  return false;
}

/// How many elements of the output that `store` writes err together, at least 1: they come of the
/// same rounding, their sums have rows of terms in common, or are the same sum. The last sums on
/// the way to the output count, scans among them, and of the loads that their terms come of the one
/// that fewest elements share.
double Sharing(const Expression& expression, const std::vector<double>& roundings, int store) {
  const Expression::Node& node = expression.node(store);
  Finder finder(expression, roundings, node.axes);
  finder.Visit(node);
  return finder.sharing();
}

/// Is anything a float of less than single precision?
bool HasNarrowFloats(const Expression& expression) {
  const auto is_narrow = [](ir::Type type) {
    return ir::IsFloat(type) && ir::InfoOf(type).is_narrow();
  };
  return std::ranges::any_of(expression.nodes,
                             [&](const auto& node) { return is_narrow(node.type); });
}

}  // namespace

bool ErrsAtRandom(const Expression& expression, int store) {
  const ir::TypeInfo& type = ir::InfoOf(expression.node(store).type);
  if (!type.is_float || type.is_narrow() || RepeatsErrors(expression)) return false;
  const std::vector<bool> are_values = expression.AreValues();
  for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
    if (are_values[i] && !ErrsAtRandom(expression, expression.nodes[i])) return false;
  }
  return true;
}

double MeanLimit(const Expression& expression, const std::vector<double>& roundings, int store,
                 const std::vector<double>& tolerances) {
  if (!ir::IsFloat(expression.node(store).type)) return 1;  // It is another one or it is not.
  const auto err = static_cast<double>(std::ranges::count_if(
      tolerances, [](double tolerance) { return tolerance > 0 && std::isfinite(tolerance); }));
  if (err == 0) return 1;
  const double sharing = Sharing(expression, roundings, store);
  // Of a sample no more than there is in it.
  const auto known = static_cast<double>(
      std::ranges::count_if(tolerances, [](double tolerance) { return tolerance != kNotSampled; }));
  const double independent = std::min(err, std::max(1.0, std::floor(known / sharing)));
  const double in_a_row = roundings[static_cast<std::size_t>(store)];
  if (ErrsAtRandom(expression, store)) return RmsLimit(in_a_row, independent);
  constexpr double kRepeated = 2, kNarrow = 0.01;
  const double factor = ErrorFactor(std::max(in_a_row, 1.0));
  return std::min(1.0, kRepeated * std::sqrt(1 / (factor * factor) + 1 / independent +
                                             (HasNarrowFloats(expression) ? kNarrow : 0)));
}

}  // namespace exh::kernels::derived
