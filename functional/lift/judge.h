// SPDX-License-Identifier: MIT
//
// What the rules say of a mapping that somebody proposes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "functional/lift/program.h"
#include "functional/lift/tree_file.h"
#include "runtime/candidate.h"

namespace exh::lift {

/// The space of the mappings of a tree.
std::shared_ptr<const runtime::Instance> FreezeTree(const std::vector<Map>& maps,
                                                    const Rules& rules);

struct Judgement {
  /// What is left when the mapping is taken; nothing: it is refused. When the mapping says nothing
  /// of some maps, it may still turn out that none of the ways to complete it is valid.
  std::optional<runtime::Candidate> candidate;
  /// Refused: labels of lift.exh, each of which refuses it by itself; where none does, those that
  /// do so together.
  std::vector<std::string> requirements;
};

Judgement Judge(const std::vector<Map>& maps, const Rules& rules, const Mapping& mapping);

}  // namespace exh::lift
