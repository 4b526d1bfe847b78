// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/spec.h"

namespace exh::lsp {

/// How many decisions a choice has, and how many values each of them, as far as the space alone
/// says it: "8 decisions of 8 values each"; "4 values". What hosts and data say is not known here:
/// then it is empty, or has less in it.
std::string DomainInWords(const dsl::Spec& spec, const dsl::Choice& choice);

}  // namespace exh::lsp
