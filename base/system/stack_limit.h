// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh {

/// Programs call themselves as deep as what they read nests, which is bounded. Where the stack may
/// have less than is usual (ulimit -s), this raises the limit as far as it may be raised, also of
/// threads and of processes that are started. Returns what is wrong when that is not enough, or
/// nothing. The first thing in a main.
std::string EnsureStack();

}  // namespace exh
