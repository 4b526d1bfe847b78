// SPDX-License-Identifier: MIT
//
// Functional programs (docs/functional.md) as trees of maps.
#pragma once

#include <map>
#include <string>

#include "functional/lift/tree_file.h"
#include "functional/meaning/program.h"

namespace exh::lift {

/// The tree of the maps of a program's kernel, which must be one. Maps that the program tells how
/// to run are the mapping `manual`. Throws exh::Error.
TreeFile TreeOfKernels(const functional::Program& program);

/// The tree of the maps of the program's kernel, which is one. Maps that the program tells how to
/// run are the mapping `manual`. Throws exh::Error with all messages when the program has mistakes.
TreeFile TreeOfProgram(const std::string& text);
/// The same for the file at `path`.
TreeFile TreeOfProgramFile(const std::string& path);

/// A file given as --data: a tree as JSON, or a functional program.
TreeFile ReadTreeOrProgram(const std::string& text);

/// As a file of a tree: what ReadTree reads.
std::string TreeText(const TreeFile& tree);

}  // namespace exh::lift
