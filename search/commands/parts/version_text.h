// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::search {

/// What logs say that they were written by: "search 0.1.0".
std::string ToolName();

/// `search --version`: the tool, then a line each for the commit, the devices whose code is in this
/// program, the compiler that made it, and the numbers of what it shares with other programs
/// (docs/versions.md). Without a line end. Nothing of the machine is asked: `search doctor` does.
std::string VersionText();

}  // namespace exh::search
