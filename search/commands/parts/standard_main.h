// SPDX-License-Identifier: MIT
#pragma once

namespace exh::search {

struct Parts;

/// As in parts.h, which is not included: it brings all of CLI11 with it.
const Parts& WholeParts();
const Parts& NoParts();

/// What main() does: sees to standard files, to output that nobody reads any more and to the stack,
/// and runs the program. Returns the exit code.
int StandardMain(int argc, char** argv, const Parts& parts);

}  // namespace exh::search
