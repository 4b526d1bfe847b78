// SPDX-License-Identifier: MIT
#include "kernels/fused/space/mapping_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "kernels/fused/code/code.h"
#include "kernels/loops/tiles.h"
#include "spaces/fused.exh.h"

namespace exh::kernels::fused {
namespace {

namespace space = spaces::fused;

/// Sizes of tiles, and of vectors, which processors have.
constexpr std::uint32_t kTiles[] = {8, 16, 32, 64};
constexpr std::uint32_t kWidths[] = {4, 8, 16};

std::uint32_t NumberOf(const runtime::IntDomain& domain) {
  EXH_CHECK(std::has_single_bit(domain.bits()));
  return domain.universe()[static_cast<std::size_t>(std::countr_zero(domain.bits()))];
}

}  // namespace

struct MappingSpace::Host {
  explicit Host(const Mappings& mappings) : host(mappings) {}
  space::SpaceHost host;
};

MappingSpace::MappingSpace(const Schedules& schedules, int most_leaves,
                           const runtime::FreezeOptions& freeze) {
  const auto add = [&](const ProgramSchedule& schedule) {
    if (schedule.why.empty()) {
      AddLeaf(schedule.way, fused::NestsOf(schedules, schedule, /*has_vectors=*/true));
    }
  };
  add(schedules.Influenced());
  for (const ProgramSchedule& leaf : schedules.Leaves(most_leaves)) add(leaf);
  add(schedules.ByIsl(poly::IslSettings().front()));
  host_ = std::make_unique<Host>(mappings_);
  instance_ = runtime::Instance::Freeze(space::GetSpace(), host_->host, freeze);
}

MappingSpace::~MappingSpace() = default;

void MappingSpace::AddLeaf(const std::string& name, std::vector<NestNode> nests) {
  const std::size_t leaf = mappings_.leaves.size();
  mappings_.leaves.push_back(name);
  first_loops_.push_back(mappings_.loops.size());
  for (const NestNode& nest : nests) AddLoops(nest, leaf);
  nests_.push_back(std::move(nests));
}

void MappingSpace::AddLoops(const NestNode& nest, std::size_t leaf) {
  const std::vector<const NestNode*> loops = loops::LoopsOf(nest);
  const std::vector<bool> may_be_tiled = loops::MayBeTiled(nest);
  const std::size_t first = mappings_.loops.size();
  std::map<std::string, int> named;
  for (std::size_t i = 0; i < first; ++i) {
    if (mappings_.loops[i].leaf == leaf) ++named[mappings_.loops[i].name_];
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const NestNode& loop = *loops[i];
    MappedLoop mapped;
    mapped.id = first + i;
    mapped.leaf = leaf;
    mapped.is_parallel = loop.facts.is_parallel;
    mapped.end = mapped.id + loops::LoopsOf(loop).size();
    std::string name = fmt::format("s{}_{}", leaf, loop.range.variable.name);
    for (int number = 2; named.contains(name); ++number) {
      name = fmt::format("s{}_{}_{}", leaf, loop.range.variable.name, number);
    }
    named[name] = 1;
    mapped.name_ = name;
    const std::int64_t extent = loop.range.extent().value_or(1);
    for (const std::uint32_t tile : kTiles) {
      if (may_be_tiled[i] && extent > tile && extent % tile == 0) mapped.tiles.push_back(tile);
    }
    for (const std::uint32_t width : kWidths) {
      if (loop.mapping.vector > 1 && extent >= width) mapped.widths.push_back(width);
    }
    mappings_.loops.push_back(std::move(mapped));
  }
}

std::vector<NestNode> MappingSpace::NestsOf(const runtime::Candidate& implementation) const {
  const space::View view(implementation, host_->host);
  const std::size_t leaf = NumberOf(view.leaf(0));
  std::vector<NestNode> nests;
  std::size_t next = first_loops_[leaf];
  for (const NestNode& nest : nests_[leaf]) {
    std::vector<loops::LoopDecision> decisions(loops::LoopsOf(nest).size());
    for (loops::LoopDecision& decision : decisions) {
      decision.has_threads = view.bind(next).MustBe(space::Bind::THREADS);
      decision.vector = static_cast<int>(NumberOf(view.width(next)));
      decision.tile = NumberOf(view.tile(next));
      ++next;
    }
    nests.push_back(loops::Decided(nest, decisions));
  }
  return nests;
}

std::vector<Recipe> MappingSpace::Recipes() const {
  std::vector<Recipe> recipes;
  for (std::size_t leaf = 0; leaf < mappings_.leaves.size(); ++leaf) {
    Recipe recipe{mappings_.leaves[leaf], {{"leaf(op)", {std::to_string(leaf)}}}};
    std::size_t loop = first_loops_[leaf];
    for (const NestNode& nest : nests_[leaf]) {
      for (const NestNode* of : loops::LoopsOf(nest)) {
        const char* const bind = of->mapping.has_threads  ? "THREADS"
                                 : of->mapping.vector > 1 ? "VECTOR"
                                                          : "SEQUENTIAL";
        recipe.wishes.push_back({fmt::format("bind({})", mappings_.loops[loop].name()), {bind}});
        recipe.wishes.push_back({fmt::format("tile({})", mappings_.loops[loop].name()), {"1"}});
        recipe.wishes.push_back(
            {fmt::format("width({})", mappings_.loops[loop].name()), {"16", "8", "4", "1"}});
        ++loop;
      }
    }
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

}  // namespace exh::kernels::fused
