// SPDX-License-Identifier: MIT
#include "search/propose/constants/constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"

namespace exh::search {
namespace {

/// The number at the end of these members.
template <auto... kMembers>
constexpr ProposerConstant NumberAt(std::string_view name, double least, double most,
                                    std::string_view what) {
  using Number = std::remove_cvref_t<decltype((std::declval<ProposerOptions&>().*....*kMembers))>;
  return {
      name,
      what,
      least,
      most,
      std::is_integral_v<Number>,
      [](const ProposerOptions& options) { return static_cast<double>((options.*....*kMembers)); },
      [](ProposerOptions& options, double value) {
        (options.*....*kMembers) = static_cast<Number>(value);
      }};
}

constexpr std::array kConstants = {
    // Screen, and the mix.
    NumberAt<&ProposerOptions::screen>("screen", 1, 1000,
                                       "implementations that are looked at for each one compiled"),
    NumberAt<&ProposerOptions::most_exploration>("most_exploration", 0, 20,
                                                 "the largest exploration weight of a walk"),
    NumberAt<&ProposerOptions::inside>("inside", 1, 1000,
                                       "neighbours that are looked at of each neighbourhood"),
    NumberAt<&ProposerOptions::best_weight>(
        "best_weight", 0, 100, "what being one of the best tenth counts, by the classifier"),
    NumberAt<&ProposerOptions::likeness_weight>(
        "likeness_weight", 0, 100, "what being alike to something in flight counts against it"),
    NumberAt<&ProposerOptions::local_share>("local_share", 0, 1,
                                            "the share of descents near the elite set"),
    // Walks near the elite set.
    NumberAt<&ProposerOptions::near, &NearElitesOptions::tries>(
        "tries", 1, 1000, "random neighbours that are drawn until one is of use"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::from_anywhere>(
        "from_anywhere", 0, 1, "the share of walks that start at random"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::across>(
        "across", 0, 1, "the share of walks near an elite that may lead to another structure"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::worthwhile>(
        "worthwhile", 0, 1000, "how many times the cut a score may be without another walk"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::walks>("walks", 1, 64,
                                                                "walks for one proposal, at most"),
    // Elite sets.
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::elites>(
        "elites", 1, 1000, "the size of an elite set"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::related>(
        "related", 1, 1000, "elites of one family"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::progress>(
        "progress", 0, 0.5, "the gain of a structure that is progress"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::patience>(
        "patience", 1, 1e6, "evaluations of a structure that halve its due without progress"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::window>(
        "window", 1, 1e6, "evaluations that shares of structures look back"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::elites, &LocalSearchOptions::always>(
        "always", 0, 1, "what a structure keeps of its due in any case"),
    // Islands.
    NumberAt<&ProposerOptions::near, &NearElitesOptions::on_islands>(
        "on_islands", 0, 1, "the share of walks on islands"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::islands, &IslandOptions::at_once>(
        "islands", 1, 1000, "the number of islands at once"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::islands, &IslandOptions::head_start>(
        "head_start", 0, 1e6, "evaluations that a new island counts as"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::islands, &IslandOptions::progress>(
        "island_progress", 0, 0.5, "the gain of an island that is progress"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::islands, &IslandOptions::patience>(
        "island_patience", 1, 1e6, "evaluations without progress that end an island"),
    NumberAt<&ProposerOptions::near, &NearElitesOptions::islands, &IslandOptions::local,
             &LocalSearchOptions::elites>("island_elites", 1, 1000,
                                          "the size of an island's elite set"),
    // Rollouts of the tree.
    NumberAt<&ProposerOptions::rollouts, &TreeRolloutsOptions::weighted_depth>(
        "weighted_depth", 0, 1000, "decisions of a rollout that are drawn by bounds"),
    // The end.
    NumberAt<&ProposerOptions::last, &LastNeighboursOptions::share>(
        "last_share", 0, 1, "the part of a run that is its end"),
    NumberAt<&ProposerOptions::last, &LastNeighboursOptions::fastest>(
        "last_fastest", 1, 1000, "implementations of a structure whose neighbours end a run"),
    NumberAt<&ProposerOptions::last, &LastNeighboursOptions::first_of_pair>(
        "first_of_pair", 1, 1000, "how much slower a step may be that is part of pairs"),
    NumberAt<&ProposerOptions::last, &LastNeighboursOptions::looks>(
        "last_looks", 0, 10000, "neighbours found for each that is proposed at the end; 0: screen"),
};

}  // namespace

std::string ProposerConstant::LegalText() const {
  return fmt::format("a {}number from {:g} to {:g}", is_whole ? "whole " : "", least, most);
}

std::span<const ProposerConstant> ProposerConstants() {
  return kConstants;
}

const ProposerConstant& FindConstant(std::string_view option, std::string_view name) {
  const auto found = std::ranges::find(kConstants, name, &ProposerConstant::name);
  if (found != kConstants.end()) return *found;
  std::vector<std::string> names;
  for (const ProposerConstant& constant : kConstants) names.emplace_back(constant.name);
  throw UsageError(fmt::format("{}: there is no constant '{}'{}; legal: {}", option, name,
                               DidYouMean(name, names), fmt::join(names, ", ")));
}

std::string ChangedConstant::Text() const {
  return fmt::format("{}={:.6g}", constant->name, value);
}

std::vector<ChangedConstant> ParseConstant(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = Trim(text.substr(0, equals));
  const ProposerConstant& constant = FindConstant(option, name);
  std::vector<ChangedConstant> changed;
  if (equals != text.npos) {
    for (const std::string_view piece : Split(text.substr(equals + 1), ',')) {
      const std::optional<double> value = ParseReal(piece);
      const bool is_legal = value && *value >= constant.least && *value <= constant.most &&
                            (!constant.is_whole || *value == std::floor(*value));
      if (!is_legal) {
        throw UsageError(fmt::format("bad {} '{}': '{}'; {} ({}) is {}", option, text, piece, name,
                                     constant.what, constant.LegalText()));
      }
      changed.push_back({&constant, *value});
    }
  }
  if (changed.empty()) {
    throw UsageError(fmt::format("bad {} '{}': there is no value; {} ({}) is {}", option, text,
                                 name, constant.what, constant.LegalText()));
  }
  return changed;
}

}  // namespace exh::search
