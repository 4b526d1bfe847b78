// SPDX-License-Identifier: MIT
//
// The pages of docs/diagnostics, compiled in: an installed exhc explains without its source tree.
#pragma once

#include <string_view>

#include "dsl/diagnostics/diagnostic_codes.h"

namespace exh::dsl {

/// The Markdown text of docs/diagnostics/<code>.md; empty when there is no such page.
std::string_view DiagnosticPage(Diag diag);

}  // namespace exh::dsl
