// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::search {

/// The folder that the running program lies in, symbolic links followed; empty when nobody knows.
std::string ProgramFolder();

}  // namespace exh::search
