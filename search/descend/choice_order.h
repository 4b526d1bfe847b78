// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/candidate.h"

namespace exh::search {

/// Which decision a descent takes next: the choices in the order given, and the decisions of a
/// choice in the order of the instance. A decision that a lowering brings to life joins its choice.
class ChoiceOrder {
 public:
  /// As the space says (Space::order), then every other choice as the space lists them.
  static ChoiceOrder Default(const runtime::Instance& instance);
  /// For descents of local search, which keep most of an implementation: ways of communication
  /// first. Sizes and kinds come later, for propagation can repair them.
  static ChoiceOrder ForRepair(const runtime::Instance& instance);
  /// `text` is a list of names with commas; choices that it leaves out follow as in Default().
  /// "paper" stands for the order of the paper: memory layout (rank), size, dim_kind,
  /// thread_mapping, mem_space, order, cache; dim_mapping then follows from the others.
  /// "paper-reversed" has the same choices, the last one first.
  /// Throws UsageError with the nearest name.
  static ChoiceOrder Parse(std::string_view text, const runtime::Instance& instance);

  /// Names of the choices, first decided first.
  const std::vector<std::string>& names() const { return names_; }

  /// All decisions, first decided first: the order in which Next() looks at them.
  std::vector<runtime::DecisionId> Decisions(const runtime::Instance& instance) const;

  /// The first open decision of `candidate`; nothing when none is open.
  std::optional<runtime::DecisionId> Next(const runtime::Candidate& candidate) const;

 private:
  ChoiceOrder(const runtime::Instance& instance, const std::vector<std::string>& first);

  std::vector<std::string> names_;
  std::vector<int> choices_;  ///< Their numbers.
};

}  // namespace exh::search
