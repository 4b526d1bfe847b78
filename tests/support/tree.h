// SPDX-License-Identifier: MIT

// Where the tree and its build lie. They are constants of one object file, and no macros: a file
// that has a path in its text would be compiled once more in every clone.
#pragma once

namespace exh {

/// The root of the sources, without a slash at its end.
extern const char* const kSourceDir;
/// The folder of the build, without a slash at its end.
extern const char* const kBinaryDir;

}  // namespace exh
