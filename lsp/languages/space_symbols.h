// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/reading.h"
#include "lsp/languages/analysis.h"

namespace exh::lsp {

/// Adds what the statements of a space declare, and what there is to say of it: domains, how many
/// decisions there are where the `.exh` alone says it, words of requirements.
void AddSymbols(const dsl::SpaceReading& reading, Analysis& analysis);

}  // namespace exh::lsp
