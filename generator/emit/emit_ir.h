// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/spec.h"

namespace exh::generator {

/// Grows when a reader of the older form could misread the newer one.
inline constexpr int kIrVersion = 3;

/// The checked space as JSON, for tools: docs/ir.md. The same Spec gives the same bytes.
std::string IrText(const dsl::Spec& spec, const std::string& space);

}  // namespace exh::generator
