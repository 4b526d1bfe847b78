// SPDX-License-Identifier: MIT
#pragma once

namespace exh::search {

/// The program `search`, for programs that link it (Exhaust::search_main). Returns the exit code: 0
/// done; 1 the environment or the search failed; 2 the command line asks for something that does
/// not exist. A program that calls it runs itself, with the sub-command `run-candidate`, to measure
/// implementations: it must hand its command line on.
int SearchMain(int argc, char** argv);

}  // namespace exh::search
