// SPDX-License-Identifier: MIT
//
// Which Exhaust this is. docs/versions.md says what a change of each number means.
#pragma once

namespace exh {

/// "0.1.0": the version in the top CMakeLists.txt, and nowhere else.
const char* Version();

/// The commit that the program was built from: "7127766ab3"; "7127766ab3, changed" where files of
/// the tree were not as that commit has them; "unknown" where neither git nor an archive of it
/// could say. Programs alone have it (the library exh_commit): it is another one with each commit,
/// and what links it is linked again.
const char* Commit();

}  // namespace exh
