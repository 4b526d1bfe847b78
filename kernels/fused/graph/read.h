// SPDX-License-Identifier: MIT
//
// The public JSON of fused operators to a checked graph (docs/fused.md has every key). Nothing that
// a file says is trusted: what is wrong is said with its place.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/fused/graph/graph.h"
#include "kernels/fused/graph/mistake.h"

namespace exh::kernels::fused {

struct ReadResult {
  std::optional<Graph> graph;  ///< Nothing: see the mistakes.
  /// The first of each operation; of the operator, all.
  Mistakes mistakes;
  /// What a batch says of the operator, beside it: empty where it says nothing.
  std::string network, level, file;

  /// The JSON makes sense, whether or not all of it is supported.
  bool is_parsed() const;
};

/// One operator: an object with `op_desc`, or one that has such an object under the key `operator`.
ReadResult ReadOperator(std::string_view text);

}  // namespace exh::kernels::fused
