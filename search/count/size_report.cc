// SPDX-License-Identifier: MIT
#include "search/count/size_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "search/run/stopper.h"

namespace exh::search {
namespace {

/// Fewer than two samples tell nothing.
void AddIfKnown(SizeEstimate estimate, SizeReport& report) {
  if (estimate.samples() >= 2) report.estimates.push_back(std::move(estimate));
}

/// 161980 as it is, 1.83e+21 with three digits.
std::string Number(long double number) {
  return number < 1e6L && number == std::floor(number) ? fmt::format("{:.0f}", number)
                                                       : fmt::format("{:.3g}", number);
}

SizeEstimate Estimate(const runtime::Candidate& root, const ChoiceOrder& order,
                      const SizeRequest& request, Strata strata, const Clock& clock,
                      const Cut& cut) {
  SampleOptions options;
  options.seed = request.seed;
  options.jobs = request.jobs;
  if (request.samples) options.samples = *request.samples;
  std::unique_ptr<Stopper> budget;
  if (!request.budget.empty()) budget = ParseBudget(request.budget, clock);
  options.progress = [&](const SizeEstimate& estimate) {
    if (!request.progress) return;
    request.progress([&] {
      return fmt::format("{}: {} samples, about {} implementations", StrataName(strata),
                         estimate.samples(), Number(estimate.implementations.mean()));
    });
  };
  options.enough = options.cancelled = [&] {
    return (request.interrupted && request.interrupted()) || (budget && budget->Reason({}));
  };
  return EstimateSize(root, order, strata, options, cut);
}

std::string Percent(long double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string EstimateText(std::string_view name, const SizeEstimate& estimate,
                         const SizeClaim& claim) {
  const SampleMean& size = estimate.implementations;
  std::string text = fmt::format("{}: {} implementations, ", name, Number(size.mean()));
  if (claim.high) {
    text += fmt::format("95 % interval {} to {}\n", Number(claim.low), Number(*claim.high));
  } else {
    text += fmt::format("at least {} with 95 % certainty\n", Number(claim.low));
  }
  text += fmt::format("  {}: {} samples, as good as {} equal ones; median of means {}\n",
                      StrataName(estimate.strata), size.count(),
                      Number(std::round(size.effective_samples())), Number(size.median_of_means()));
  if (size.heavy_tailed()) {
    text += "  few samples carry the sum: how many more there may be is not known\n";
  } else if (!claim.high) {
    text += "  the estimators contradict each other: how many more there may be is not known\n";
  }
  return text;
}

std::string DetailsText(const SizeEstimate& estimate) {
  long double nodes = 0;
  for (const LevelEstimate& level : estimate.levels) nodes += level.nodes;
  std::string text =
      fmt::format("  {} nodes in {} levels; {} of the leaves are dead ends\n", Number(nodes),
                  estimate.levels.size(), Percent(estimate.dead_leaves()));
  if (estimate.strata == Strata::kKnuth) {
    const auto [low, high] = estimate.descents.Interval();
    text += fmt::format("  {} of the descents met a dead end, 95 % interval {:.2f} to {:.2f} %\n",
                        Percent(estimate.descents.share()), 100 * low, 100 * high);
  }
  if (estimate.choices.empty()) return text;
  text += "  decisions of an implementation, and the product of their valid values:\n";
  for (const auto& [name, choice] : estimate.choices) {
    text += fmt::format("    {:<16} {:>7.2f}   10^{:.2f}, {:.2f} each\n", name, choice.decisions,
                        choice.log10_children,
                        std::pow(10.0L, choice.log10_children / choice.decisions));
  }
  return text;
}

/// What one mean of samples tells with this probability.
SizeClaim ClaimOf(const SampleMean& mean, double confidence) {
  if (mean.heavy_tailed()) return {mean.AtLeast(confidence), std::nullopt};
  const auto [low, high] = mean.Interval(confidence);
  return {low, high};
}

/// JSON has neither infinity nor long double.
nlohmann::ordered_json JsonNumber(long double number) {
  if (!std::isfinite(number)) return nullptr;
  return static_cast<double>(number);
}

nlohmann::ordered_json MeanJson(const SampleMean& mean, const SizeClaim& claim) {
  return {{"mean", JsonNumber(mean.mean())},
          {"low", JsonNumber(claim.low)},
          {"high", claim.high ? JsonNumber(*claim.high) : nullptr},
          {"median_of_means", JsonNumber(mean.median_of_means())},
          {"effective_samples", JsonNumber(mean.effective_samples())},
          {"heavy_tailed", mean.heavy_tailed()}};
}

nlohmann::ordered_json EstimateJson(const SizeEstimate& estimate, const SizeClaim& claim) {
  nlohmann::ordered_json json;
  json["estimator"] = StrataName(estimate.strata);
  json["samples"] = estimate.samples();
  json["implementations"] = MeanJson(estimate.implementations, claim);
  json["dead_ends"] = MeanJson(estimate.dead_ends, ClaimOf(estimate.dead_ends, 0.95));
  json["dead_leaves"] = JsonNumber(estimate.dead_leaves());
  if (estimate.strata == Strata::kKnuth) {
    const auto [low, high] = estimate.descents.Interval();
    json["dead_descents"] = {{"share", estimate.descents.share()}, {"low", low}, {"high", high}};
  }
  json["choices"] = nlohmann::ordered_json::object();
  for (const auto& [name, choice] : estimate.choices) {
    json["choices"][name] = {{"decisions", JsonNumber(choice.decisions)},
                             {"log10_children", JsonNumber(choice.log10_children)}};
  }
  json["levels"] = nlohmann::ordered_json::array();
  for (const LevelEstimate& level : estimate.levels) {
    json["levels"].push_back({{"nodes", JsonNumber(level.nodes)},
                              {"dead_ends", JsonNumber(level.dead_ends)},
                              {"implementations", JsonNumber(level.implementations)},
                              {"cut", JsonNumber(level.cut)}});
  }
  return json;
}

/// As that of an estimate.
nlohmann::ordered_json ExactJson(const std::vector<LevelCount>& levels) {
  const LevelCount total = Total(levels);
  nlohmann::ordered_json json;
  json["implementations"] = total.implementations;
  json["dead_ends"] = total.childless;
  json["levels"] = nlohmann::ordered_json::array();
  for (const LevelCount& level : levels) {
    json["levels"].push_back({{"nodes", level.nodes},
                              {"dead_ends", level.childless},
                              {"implementations", level.implementations},
                              {"cut", level.cut}});
  }
  return json;
}

}  // namespace

SizeMethod ParseSizeMethod(std::string_view text) {
  const std::vector<std::string> names = {"auto", "knuth", "chen"};
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    throw UsageError("--estimate: " + UnknownName("estimator", text, names));
  return static_cast<SizeMethod>(found - names.begin());
}

std::vector<SizeClaim> ClaimsOf(const std::vector<SizeEstimate>& estimates) {
  // Each may be wrong in its part of the 5 %.
  const double confidence =
      1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, estimates.size()));
  std::vector<SizeClaim> claims;
  for (const SizeEstimate& estimate : estimates) {
    claims.push_back(ClaimOf(estimate.implementations, confidence));
  }
  bool contradict = false;
  for (const SizeClaim& one : claims) {
    for (const SizeClaim& other : claims) contradict |= one.high && *one.high < other.low;
  }
  for (std::size_t i = 0; contradict && i < claims.size(); ++i) {
    claims[i] = {estimates[i].implementations.AtLeast(confidence), std::nullopt};
  }
  return claims;
}

SizeReport FindSize(const runtime::Candidate& root, const ChoiceOrder& order,
                    const SizeRequest& request, const Clock& clock, const Cut& cut) {
  SizeReport report;
  if (request.method != SizeMethod::kAuto) {
    const Strata strata = request.method == SizeMethod::kKnuth ? Strata::kKnuth : Strata::kChen;
    AddIfKnown(Estimate(root, order, request, strata, clock, cut), report);
    return report;
  }
  if (request.max_exact_nodes > 0) {
    const auto interrupted = [&] {
      if (request.progress) request.progress([] { return std::string("counting nodes"); });
      return request.interrupted && request.interrupted();
    };
    report.exact = CountTree(root, order, request.max_exact_nodes, request.jobs, interrupted, cut);
  }
  if (!report.exact.empty() || (request.interrupted && request.interrupted())) return report;
  if (request.instead && request.instead()) return report;
  if (request.interrupted && request.interrupted()) return report;
  // On a clock that goes twice as fast each of them has half of the budget.
  const double speed = request.instead ? 2 / (1 - kInsteadShare) : 2;
  const Clock fast = [&clock, speed] { return speed * clock(); };
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    AddIfKnown(Estimate(root, order, request, strata, fast, cut), report);
  }
  std::stable_sort(report.estimates.begin(), report.estimates.end(),
                   [](const SizeEstimate& a, const SizeEstimate& b) {
                     return std::pair(a.implementations.heavy_tailed(), a.relative_error()) <
                            std::pair(b.implementations.heavy_tailed(), b.relative_error());
                   });
  return report;
}

std::string SizeText(std::string_view name, const SizeReport& report) {
  if (!report.exact.empty()) {
    const LevelCount total = Total(report.exact);
    return fmt::format("{}: {} implementation{}, counted: {} nodes in {} levels, dead ends: {}\n",
                       name, total.implementations, total.implementations == 1 ? "" : "s",
                       total.nodes, report.exact.size(), total.childless);
  }
  std::string text;
  const std::vector<SizeClaim> claims = ClaimsOf(report.estimates);
  for (std::size_t i = 0; i < report.estimates.size(); ++i) {
    if (i == 1) text += "the other estimator:\n";
    text += EstimateText(name, report.estimates[i], claims[i]);
    if (i == 0) text += DetailsText(report.estimates[i]);
  }
  return text;
}

nlohmann::ordered_json SizeJson(const SizeReport& report) {
  nlohmann::ordered_json json;
  json["exact"] = report.exact.empty() ? nlohmann::ordered_json() : ExactJson(report.exact);
  json["estimates"] = nlohmann::ordered_json::array();
  const std::vector<SizeClaim> claims = ClaimsOf(report.estimates);
  for (std::size_t i = 0; i < report.estimates.size(); ++i) {
    json["estimates"].push_back(EstimateJson(report.estimates[i], claims[i]));
  }
  return json;
}

}  // namespace exh::search
