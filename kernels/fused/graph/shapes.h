// SPDX-License-Identifier: MIT
//
// What an operation makes of its attributes and of the shapes and types of its operands.
#pragma once

#include <optional>
#include <string>

#include "kernels/fused/graph/attributes.h"
#include "kernels/fused/graph/graph.h"

namespace exh::kernels::fused {

/// The shape that both become when they are broadcast: dimensions are matched from the last one
/// on, and an extent of 1, or none, is as often the same element. Nothing: they do not fit.
std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b);

/// An operation whose operands are known, while it is checked.
struct Checked {
  Operation& operation;       ///< Kind and operands; gets its attributes.
  const NamedFields& fields;  ///< As ReadAttributes() returns them.
  const GraphTensor& output;  ///< As the JSON describes it.
  const std::string& place;   ///< Of the operation: "op_desc[3]".
  Mistakes& mistakes;
};

/// Are types, attributes and shapes what the kind asks for? Adds what is wrong otherwise.
bool CheckOperation(const Checked& checked);

}  // namespace exh::kernels::fused
