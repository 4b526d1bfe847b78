// SPDX-License-Identifier: MIT
//
// The space of fused.exh for one operator: schedules are found when it is made; an implementation
// becomes loops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/fused/code/nest.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/recipes/recipe.h"
#include "kernels/spaces/fused_mappings.h"
#include "runtime/candidate.h"
#include "runtime/instance.h"

namespace exh::kernels::fused {

class MappingSpace {
 public:
  /// The influenced schedule, up to `most_leaves` others, and those of isl with its default
  /// settings; equal ones are there once. The schedules must outlive it. Throws poly::IslError,
  /// TooLarge, and what a freeze with these options throws.
  MappingSpace(const Schedules& schedules, int most_leaves,
               const runtime::FreezeOptions& freeze = {});
  ~MappingSpace();

  const std::shared_ptr<const runtime::Instance>& instance() const { return instance_; }
  const Mappings& mappings() const { return mappings_; }
  /// The loops of each part, as an implementation has them.
  std::vector<NestNode> NestsOf(const runtime::Candidate& implementation) const;
  /// What a search may begin with: every schedule in the order of the tree, with threads on the
  /// outermost loops that may have them and vectors where they are aligned.
  std::vector<Recipe> Recipes() const;

 private:
  struct Host;
  void AddLeaf(const std::string& name, std::vector<NestNode> nests);
  void AddLoops(const NestNode& nest, std::size_t leaf);

  Mappings mappings_;
  std::vector<std::vector<NestNode>> nests_;  ///< By leaf and part.
  std::vector<std::size_t> first_loops_;      ///< By leaf.
  std::unique_ptr<Host> host_;
  std::shared_ptr<const runtime::Instance> instance_;
};

}  // namespace exh::kernels::fused
