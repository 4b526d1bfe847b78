// SPDX-License-Identifier: MIT
//
// A statement of rank r has its r dimensions in the first r rows of a schedule, because each must
// be independent of those before. So its innermost dimension is row r - 1, whatever other
// statements have.
#include "poly/scenarios.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace exh::poly {
namespace {

int RankOf(const Scop& scop, int statement) {
  return static_cast<int>(scop.statements[statement].iterators.size());
}

// The best widths that stores and loads have along an iterator.
int WidthOf(const Scop& scop, int statement, int iterator) {
  int width = 0;
  for (int access = 0; access < static_cast<int>(scop.statements[statement].accesses.size());
       ++access) {
    const VectorAccess vector = VectorAccessOf(scop, statement, access, iterator);
    // What is constant along the iterator makes no vector by itself.
    if (vector.is_contiguous) width = std::max(width, vector.width);
  }
  return width;
}

// Algorithm 2 for one statement, with the innermost iterator given: it reserves from the inside
// out.
Reserved ReservedFrom(const Scop& scop, int statement, int innermost,
                      const ScenarioOptions& options) {
  Reserved reserved{.iterators = {innermost},
                    .vector_width = WidthOf(scop, statement, innermost),
                    .cost = CostOf(scop, statement, innermost, true,
                                   static_cast<double>(options.max_threads), options)};
  const int rank = RankOf(scop, statement);
  double threads = static_cast<double>(options.max_threads);
  while (static_cast<int>(reserved.iterators.size()) < std::min(rank, options.max_dimensions)) {
    threads /= static_cast<double>(
        scop.statements[statement].iterators[reserved.iterators.front()].extent);
    int best = -1;
    double best_cost = 0;
    // Of equals the inner one of the program is taken.
    for (int iterator = rank; iterator-- > 0;) {
      const auto& taken = reserved.iterators;
      if (std::find(taken.begin(), taken.end(), iterator) != taken.end()) continue;
      const double cost = CostOf(scop, statement, iterator, false, threads, options);
      if (best >= 0 && cost <= best_cost) continue;
      best = iterator;
      best_cost = cost;
    }
    reserved.iterators.insert(reserved.iterators.begin(), best);
  }
  return reserved;
}

// Iterators that could be innermost, the best first.
std::vector<Reserved> Candidates(const Scop& scop, int statement, const ScenarioOptions& options) {
  std::vector<Reserved> candidates;
  for (int iterator = RankOf(scop, statement); iterator-- > 0;) {
    candidates.push_back(ReservedFrom(scop, statement, iterator, options));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Reserved& a, const Reserved& b) { return a.cost > b.cost; });
  return candidates;
}

// ---- the tree
// ------------------------------------------------------------------------------------

using Rows = std::vector<std::vector<InfluenceRow>>;  // By depth.

void Add(Rows& rows, int depth, InfluenceRow row) {
  if (static_cast<int>(rows.size()) <= depth) rows.resize(depth + 1);
  rows[depth].push_back(std::move(row));
}

// The last `num` reserved iterators are the last dimensions of a statement, and no other dimension
// has them.
void Reserve(const Scop& scop, int statement, const Reserved& reserved, int num, Rows& rows) {
  const int rank = RankOf(scop, statement);
  num = std::min(num, static_cast<int>(reserved.iterators.size()));
  for (int place = 0; place < num; ++place) {
    const int own = reserved.iterators[reserved.iterators.size() - 1 - place];
    const int depth = rank - 1 - place;
    for (int iterator = 0; iterator < rank; ++iterator) {
      Add(rows, depth, Fixed(statement, depth, iterator, iterator == own ? 1 : 0));
    }
    // Dimensions between that of a reserved iterator and the next one say so already.
    for (int outer = 0; outer < rank - num; ++outer)
      Add(rows, outer, Fixed(statement, outer, own, 0));
  }
}

// Pairs of iterators that are equal on all pairs of a dependence.
std::vector<std::pair<int, int>> EqualIterators(const Dependence& dependence, int source_rank) {
  std::vector<std::pair<int, int>> equal;
  for (const IntRow& row : dependence.pairs.equalities) {
    std::vector<int> used;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != 0) used.push_back(static_cast<int>(i));
    }
    if (used.size() != 2 || used[0] >= source_rank || used[1] < source_rank) continue;
    if (used[1] >= dependence.pairs.num_variables || row[used[0]] != -row[used[1]]) continue;
    equal.emplace_back(used[0], used[1] - source_rank);
  }
  return equal;
}

// Outer dimensions are those that both have, but for the innermost of the deeper one.
void Fuse(const Scop& scop, const std::vector<Dependence>& dependences, Rows& rows) {
  std::set<InfluenceRow> known;
  for (const Dependence& dependence : dependences) {
    if (dependence.source == dependence.target) continue;
    if (scop.statements[dependence.source].is_aside ||
        scop.statements[dependence.target].is_aside) {
      continue;
    }
    const int source_rank = RankOf(scop, dependence.source),
              target_rank = RankOf(scop, dependence.target);
    const int num_outer =
        std::min({source_rank, target_rank, std::max(source_rank, target_rank) - 1});
    for (const auto& [from, to] : EqualIterators(dependence, source_rank)) {
      for (int depth = 0; depth < num_outer; ++depth) {
        InfluenceRow row = Same(depth, dependence.source, from, dependence.target, to);
        if (known.insert(row).second) Add(rows, depth, std::move(row));
      }
    }
  }
}

void AddLeaf(InfluenceTree& tree, Rows rows, const std::string& label) {
  std::vector<InfluenceNode> path;
  for (std::vector<InfluenceRow>& of_depth : rows) {
    std::sort(of_depth.begin(), of_depth.end());
    path.push_back({.rows = std::move(of_depth), .label = label});
  }
  AddPath(tree, path);
}

}  // namespace

VectorAccess VectorAccessOf(const Scop& scop, int statement, int access, int iterator) {
  const ScopStatement& of = scop.statements[statement];
  const ScopAccess& chosen = of.accesses[access];
  const ScopArray& array = scop.arrays[chosen.array];
  const std::int64_t stride = StrideOf(scop, chosen, iterator);
  VectorAccess result{.is_contiguous = stride == 1, .is_constant = stride == 0};
  if (!result.is_contiguous && !result.is_constant) return result;
  std::int64_t offset = 0, pitch = 1;
  for (std::size_t dim = array.extents.size(); dim-- > 0;) {
    offset += chosen.map[dim].back() * pitch;
    pitch *= array.extents[dim];
  }
  for (const int width : {4, 2}) {
    if (width * array.element_bytes > 16 || of.iterators[iterator].extent % width != 0) continue;
    bool is_aligned = result.is_constant || offset % width == 0;
    for (int other = 0; other < static_cast<int>(of.iterators.size()) && result.is_contiguous;
         ++other) {
      if (other != iterator) is_aligned = is_aligned && StrideOf(scop, chosen, other) % width == 0;
    }
    if (!is_aligned) continue;
    result.width = width;
    break;
  }
  return result;
}

double CostOf(const Scop& scop, int statement, int iterator, bool is_innermost, double threads,
              const ScenarioOptions& options) {
  const ScopStatement& of = scop.statements[statement];
  const ScenarioWeights& weights = options.weights;
  double vectors = 0, scattered = 0;
  bool has_vector = false;
  std::int64_t least = 0;
  int num_least = 0;
  for (int i = 0; i < static_cast<int>(of.accesses.size()); ++i) {
    const bool is_store = of.accesses[i].is_write;
    const VectorAccess vector = VectorAccessOf(scop, statement, i, iterator);
    if (vector.width > 0) vectors += is_store ? weights.vector_stores : weights.vector_loads;
    has_vector = has_vector || (vector.width > 0 && vector.is_contiguous);
    if (!vector.is_contiguous && !vector.is_constant) {
      scattered += is_store ? weights.scattered_stores : weights.scattered_loads;
    }
    // A stride of 0 is as good as one of 1.
    const std::int64_t stride =
        std::max<std::int64_t>(1, std::abs(StrideOf(scop, of.accesses[i], iterator)));
    if (num_least == 0 || stride < least) {
      least = stride;
      num_least = 0;
    }
    num_least += stride == least;
  }
  const double extent = static_cast<double>(of.iterators[iterator].extent);
  double cost = 0;
  if (is_innermost) {
    // What is constant along the iterator makes no vector by itself.
    cost = (has_vector ? vectors : 0) - scattered;
  }
  if (num_least > 0) {
    const double near = options.as_printed ? 1 : 1 / static_cast<double>(least);
    cost += weights.stride / static_cast<double>(least) + weights.accesses * num_least * near;
  }
  if (options.as_printed) {
    if (extent < threads) cost += weights.threads * threads / extent;
  } else {
    cost += weights.threads * std::min(1.0, extent / threads);
  }
  return cost;
}

std::vector<Scenario> ScenariosOf(const Scop& scop, const ScenarioOptions& options) {
  Scenario best;
  std::vector<Scenario> others;
  std::vector<std::vector<Reserved>> candidates;
  for (int s = 0; s < static_cast<int>(scop.statements.size()); ++s) {
    candidates.push_back(scop.statements[s].is_aside ? std::vector<Reserved>()
                                                     : Candidates(scop, s, options));
    best.statements.push_back(candidates.back().empty() ? Reserved{} : candidates.back().front());
    best.cost += best.statements.back().cost;
  }
  for (std::size_t s = 0; s < candidates.size(); ++s) {
    for (std::size_t i = 1; i < candidates[s].size(); ++i) {
      Scenario other = best;
      other.statements[s] = candidates[s][i];
      other.cost += candidates[s][i].cost - candidates[s][0].cost;
      others.push_back(std::move(other));
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Scenario& a, const Scenario& b) { return a.cost > b.cost; });
  std::vector<Scenario> scenarios{std::move(best)};
  for (Scenario& other : others) {
    if (static_cast<int>(scenarios.size()) >= options.max_scenarios) break;
    scenarios.push_back(std::move(other));
  }
  return scenarios;
}

InfluenceTree TreeOf(const Scop& scop, const std::vector<Dependence>& dependences,
                     const std::vector<Scenario>& scenarios) {
  InfluenceTree tree;
  std::set<Rows> known;
  for (std::size_t number = 0; number < scenarios.size(); ++number) {
    const Scenario& scenario = scenarios[number];
    std::size_t leader = 0;
    for (std::size_t s = 0; s < scenario.statements.size(); ++s) {
      if (scenario.statements[s].cost > scenario.statements[leader].cost) leader = s;
    }
    Rows plain, inner, only_leader;
    for (std::size_t s = 0; s < scenario.statements.size(); ++s) {
      const Reserved& reserved = scenario.statements[s];
      const int all = static_cast<int>(reserved.iterators.size());
      Reserve(scop, static_cast<int>(s), reserved, all, plain);
      Reserve(scop, static_cast<int>(s), reserved, 1, inner);
      if (s == leader) Reserve(scop, static_cast<int>(s), reserved, all, only_leader);
    }
    Rows fused = plain, fused_inner = inner;
    Fuse(scop, dependences, fused);
    Fuse(scop, dependences, fused_inner);
    const std::pair<const char*, Rows*> variants[] = {{"fused", &fused},
                                                      {"fused inner", &fused_inner},
                                                      {"plain", &plain},
                                                      {"inner", &inner},
                                                      {"leader", &only_leader}};
    for (const auto& [name, rows] : variants) {
      if (rows->empty() || !known.insert(*rows).second) continue;
      AddLeaf(tree, *rows, std::to_string(number) + " " + name);
    }
  }
  return tree;
}

}  // namespace exh::poly
