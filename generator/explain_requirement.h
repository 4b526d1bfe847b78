// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/spec.h"

namespace exh::generator {

/// `exhc explain`: for people, the requirements called `label` (a quotient or value may give
/// several the same one) with their place and text, and the filters derived from each: the decision
/// whose domain it restricts, the decisions that it reads, and the conditions of its clause. When
/// nothing is called so, returns "" and sets `*error` to one line that names the nearest label.
std::string ExplainRequirement(const dsl::Spec& spec, const std::string& label, std::string* error);

}  // namespace exh::generator
