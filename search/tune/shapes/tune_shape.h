// SPDX-License-Identifier: MIT
//
// A shape to be tuned: a kernel at given sizes and types, or a program of a user. Whatever a file
// says (a kernel of the library, a file, statements), it ends as a kernel and its sizes, so that
// `search --kernel … --size …` searches it; or as a space and its sizes, `search --space …`. What
// is no kernel of the library travels as its text: a fleet needs no other file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/own/own_text.h"

namespace exh::search {

/// Names and values, as --size takes them, in the order of the kernel.
using SizeList = std::vector<std::pair<std::string, std::string>>;

/// What a line of a file asks for.
struct AskedShape {
  int line = 0;         ///< In its file, from 1.
  std::string kernel;   ///< A name of the library, or a file; empty where one of the next is there.
  std::string compute;  ///< Statements.
  std::string text;     ///< A kernel as text.
  SizeList sizes;
  std::string type;         ///< As --type; empty: the usual one.
  std::string space, data;  ///< Of a program of a user: its .exh, and a file with data.
  OwnProgram program = {};  ///< Of `space`.
};

/// A shape that can be searched.
struct TuneShape {
  int line = 0;         ///< In the file that it came of; 0: nobody knows.
  std::string name;     ///< Of its folder: "matmul-m512-n512-k512-f16". Unique in a fleet.
  std::string kernel;   ///< Its name.
  std::string text;     ///< Empty: the library has the kernel.
  bool is_own = false;  ///< A program of a user: `text` is that of its runs (own/own_text.h).
  SizeList sizes;       ///< All sizes, and the options that are not as usual.
};

/// "m=512,n=512".
std::string SizeText(const SizeList& sizes);

/// Looks up the kernel, checks sizes and types against it, and names the shape. Statements become a
/// kernel of a name of their own, of which other sizes are the same kernel. Throws UsageError that
/// says what is wrong with it, and what would be right.
TuneShape Resolve(const AskedShape& asked);

/// "dense-1a2b3c4d.kernel", or "my-1a2b3c4d.own" of a program of a user: the file that a fleet
/// keeps the text in.
std::string KernelFileName(const TuneShape& shape);

}  // namespace exh::search
