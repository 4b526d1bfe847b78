// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/programs/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernels/derived/reference/contraction.h"

namespace exh::kernels::derived {
namespace {

/// Fewer values of an axis are no sample.
constexpr std::int64_t kFewest = 16;

thread_local const SampledReferences* scope_of_thread = nullptr;

/// About the steps that a node takes.
double StepsOf(const Expression& expression, const Expression::Node& node) {
  constexpr double kProductsInAStep = 128;
  const double points = static_cast<double>(expression.Points(node.axes)) *
                        static_cast<double>(expression.Points(node.reduced));
  return ContractionOf(expression, node) ? points / kProductsInAStep : points;
}

/// The axes that all results have, and that nothing accumulates along.
Axes AxesOfResults(const Expression& expression) {
  Axes axes = expression.node(expression.outputs.at(0)).axes;
  for (const Expression::Node& node : expression.nodes) {
    std::erase_if(axes, [&](int axis) {
      return Contains(node.reduced, axis) || axis == node.along ||
             (node.op == ir::Op::kStore && !Contains(node.axes, axis));
    });
  }
  return axes;
}

}  // namespace

Sample SampleOf(const Expression& expression, double affordable) {
  const bool has_wide = std::ranges::any_of(
      expression.arrays, [](const ir::Array& array) { return array.type == ir::Type::kI64; });
  const bool loads_again =
      std::ranges::any_of(expression.nodes, [](const auto& node) { return node.store >= 0; });
  if (has_wide || loads_again) return {};
  double all = 0;
  for (const Expression::Node& node : expression.nodes) all += StepsOf(expression, node);
  if (all <= affordable) return {};
  Sample best;
  double least = all;
  for (const int axis : AxesOfResults(expression)) {
    double with = 0;
    for (const Expression::Node& node : expression.nodes) {
      if (Contains(node.axes, axis)) with += StepsOf(expression, node);
    }
    Sample sample{axis, 1};
    const std::int64_t total = expression.axis(axis).total;
    const auto left = [&] { return all - with + with / static_cast<double>(sample.stratum); };
    while (left() > affordable / 2 && total / (2 * sample.stratum) >= kFewest) sample.stratum *= 2;
    // Of two that do as well, the one that takes more values.
    if (sample.stratum == 1 || left() > least) continue;
    if (left() == least && total <= expression.axis(best.axis).total) continue;
    least = left();
    best = sample;
  }
  return best;
}

std::vector<std::int64_t> ValuesOf(const Sample& sample, std::int64_t total, std::uint64_t seed) {
  std::vector<std::int64_t> places(At(sample.stratum));
  std::iota(places.begin(), places.end(), 0);
  std::mt19937_64 generator(seed);
  // No shuffle of the library: those of two libraries differ.
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[generator() % i]);
  std::vector<std::int64_t> values = {0, total - 1};
  for (std::int64_t first = 0, number = 0; first < total; first += sample.stratum, ++number) {
    const std::int64_t long_as = std::min(sample.stratum, total - first);
    values.push_back(first + places[At(number % sample.stratum)] % long_as);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string SampleText(const Expression& expression) {
  const Sample sample = SampleOf(expression);
  if (!sample.is_there()) return "";
  const Expression::Axis& axis = expression.axis(sample.axis);
  return fmt::format("1 in {} of the {} values of {}, also the first and the last", sample.stratum,
                     axis.total, axis.name);
}

SampledReferences::SampledReferences(std::uint64_t seed, double affordable)
    : seed_(seed), affordable_(affordable), before_(scope_of_thread) {
  scope_of_thread = this;
}

SampledReferences::~SampledReferences() {
  scope_of_thread = before_;
}

const SampledReferences* SampledReferences::Current() {
  return scope_of_thread;
}

}  // namespace exh::kernels::derived
