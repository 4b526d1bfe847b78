// SPDX-License-Identifier: MIT
#pragma once

namespace exh::search {

/// `search list --spaces`: the spaces without kernels, what --size says of them, and what a file of
/// data holds. Returns the exit code.
int ListSpaces();

}  // namespace exh::search
