// SPDX-License-Identifier: MIT
#include "kernels/fused/space/mapping_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/code/transform.h"
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
  const std::vector<const NestNode*> loops = LoopsOf(nest);
  const std::vector<bool> may_be_tiled = MayBeTiled(nest);
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
    mapped.is_parallel = loop.is_parallel;
    mapped.end = mapped.id + LoopsOf(loop).size();
    std::string name = fmt::format("s{}_{}", leaf, loop.node.variable.name);
    for (int number = 2; named.contains(name); ++number) {
      name = fmt::format("s{}_{}_{}", leaf, loop.node.variable.name, number);
    }
    named[name] = 1;
    mapped.name_ = name;
    const std::int64_t extent = loop.node.extent.value_or(1);
    for (const std::uint32_t tile : kTiles) {
      if (may_be_tiled[i] && extent > tile && extent % tile == 0) mapped.tiles.push_back(tile);
    }
    for (const std::uint32_t width : kWidths) {
      if (loop.vector > 1 && extent >= width) mapped.widths.push_back(width);
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
    std::vector<LoopDecision> decisions(LoopsOf(nest).size());
    for (LoopDecision& decision : decisions) {
      decision.has_threads = view.bind(next).MustBe(space::Bind::THREADS);
      decision.vector = static_cast<int>(NumberOf(view.width(next)));
      decision.tile = NumberOf(view.tile(next));
      ++next;
    }
    nests.push_back(Decided(nest, decisions));
  }
  return nests;
}

std::vector<Recipe> MappingSpace::Recipes() const {
  std::vector<Recipe> recipes;
  for (std::size_t leaf = 0; leaf < mappings_.leaves.size(); ++leaf) {
    Recipe recipe{mappings_.leaves[leaf], {{"leaf(op)", {std::to_string(leaf)}}}};
    std::size_t loop = first_loops_[leaf];
    for (const NestNode& nest : nests_[leaf]) {
      for (const NestNode* of : LoopsOf(nest)) {
        const char* const bind = of->has_threads  ? "THREADS"
                                 : of->vector > 1 ? "VECTOR"
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
