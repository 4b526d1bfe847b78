// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/plan.h"

#include <algorithm>

#include "kernels/derived/reference/contraction.h"
#include "kernels/derived/reference/op_rules.h"
#include "kernels/derived/reference/rows.h"

namespace exh::kernels::derived {
Plan::Plan(const Expression& expression, const Sample& of_values)
    : roundings(RoundingsInARow(expression)),
      has_tensor(expression.nodes.size(), false),
      last_reader(expression.nodes.size(), -1),
      sample(of_values),
      expression_(expression) {
  CutChains();
  for (const Expression::Node& node : expression.nodes) {
    if (node.store >= 0) stores.push_back(node.store);
  }
  std::ranges::sort(stores);
  stores.erase(std::unique(stores.begin(), stores.end()), stores.end());
  for (int node = static_cast<int>(expression.nodes.size()) - 1; node >= 0; --node) {
    PlanReader(node);
  }
  PlanStrips();
}

/// All points of a nest.
double Plan::Points(const Expression::Node& node) const {
  return static_cast<double>(expression_.Points(node.axes)) *
         static_cast<double>(expression_.Points(node.reduced));
}

bool Plan::IsRead(const Expression::Node& node) const {
  if (node.op == ir::Op::kLoad) return node.index < 0;
  return node.op == ir::Op::kIndex || expression_.PassesOn(node);
}

/// Of a long chain of nodes some have tensors: what a row takes is in caches, or at least in
/// memory.
void Plan::CutChains() {
  constexpr int kLongest = 256;
  std::vector<int> depths;
  for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
    int depth = 0;
    Expression::ForEachValue(expression_.nodes[i], [&](int read) {
      if (!has_tensor[At(read)]) depth = std::max(depth, depths[At(read)] + 1);
    });
    has_tensor[i] = depth >= kLongest && expression_.nodes[i].op != ir::Op::kStore;
    depths.push_back(depth);
  }
}

/// Which of the nodes that this one reads have tensors, and until when. Its own readers come
/// first.
void Plan::PlanReader(int index) {
  const Expression::Node& node = expression_.node(index);
  if (node.accumulates()) has_tensor[At(index)] = true;
  const bool is_computed = has_tensor[At(index)] || node.op == ir::Op::kStore;
  const int reader = is_computed ? index : last_reader[At(index)];
  const bool has_matrices = ContractionOf(expression_, node).has_value();
  const auto read = [&](int input) {
    last_reader[At(input)] = std::max(last_reader[At(input)], reader);
    const Expression::Node& of = expression_.node(input);
    if (IsRead(of) || has_matrices) return;
    if (Points(of) < Points(node)) has_tensor[At(input)] = true;
  };
  for (const Expression::Input& input : node.inputs) {
    if (!input.is_number()) read(input.node);
  }
  if (node.index >= 0) read(node.index);
  if (node.store >= 0) last_reader[At(node.store)] = std::max(last_reader[At(node.store)], reader);
  if (node.init >= 0) last_reader[At(node.init)] = std::max(last_reader[At(node.init)], reader);
}

/// Values of a node that are computed.
double Plan::Computed(const Expression::Node& node) const {
  const auto all = static_cast<double>(expression_.Points(node.axes));
  const bool is_sampled = sample.is_there() && Contains(node.axes, sample.axis);
  return is_sampled ? all / static_cast<double>(sample.stratum) : all;
}

void Plan::PlanStrips() {
  if (!stores.empty()) return;
  double arrays = 0;
  for (const ir::Array& array : expression_.arrays) arrays += static_cast<double>(array.elements);
  constexpr double kLittle = 1 << 22;
  arrays = std::max(arrays, kLittle);
  double all = 0;
  Axes candidates = expression_.node(expression_.outputs.at(0)).axes;
  for (int index = 0; index < static_cast<int>(expression_.nodes.size()); ++index) {
    const Expression::Node& node = expression_.node(index);
    if (has_tensor[At(index)]) all += Computed(node);
    std::erase_if(candidates, [&](int axis) {
      return Contains(node.reduced, axis) || axis == node.along ||
             (node.op == ir::Op::kStore && !Contains(node.axes, axis));
    });
  }
  if (sample.is_there()) {
    candidates = {sample.axis};
    strip_axis = sample.axis;
    strip = expression_.axis(sample.axis).total;  // In one go.
  }
  if (all <= arrays) return;
  double most = 0;
  for (const int axis : candidates) {
    double with = 0;
    for (int index = 0; index < static_cast<int>(expression_.nodes.size()); ++index) {
      const Expression::Node& node = expression_.node(index);
      if (has_tensor[At(index)] && Contains(node.axes, axis)) with += Computed(node);
    }
    const double total =
        static_cast<double>(expression_.axis(axis).total) / static_cast<double>(sample.stratum);
    const double saved = with - with / total;
    if (saved <= most) continue;
    constexpr double kLeast = 64;  // Thin matrices are slow.
    most = saved;
    strip_axis = axis;
    strip = static_cast<std::int64_t>(
        std::clamp(total * arrays / with, std::min(kLeast, total), total));
  }
}

}  // namespace exh::kernels::derived
