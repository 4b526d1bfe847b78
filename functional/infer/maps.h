// SPDX-License-Identifier: MIT
//
// The tree of concrete maps of a kernel: those whose function reaches a user function, and so
// writes memory. It is what mappings of parallelism are about (docs/lift.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "functional/meaning/program.h"

namespace exh::functional {

struct ConcreteMap {
  std::string name;  ///< `A` of map@A; others are called map1, map2, …
  std::optional<std::size_t> parent;
  bool may_fuse = false;    ///< It is the whole body of its parent.
  bool is_perfect = false;  ///< And it is applied to the element of its parent, as it is.
  /// Its result or its argument lies, in part, in private or local memory.
  bool is_private = false, is_local = false;
  /// How the program says that it runs, as a code of docs/lift.md; -1: it leaves that open.
  int code = -1;
  const Node* node = nullptr;  ///< Of the kernel.
};

/// In the order in which they run; parents come before what is in them.
std::vector<ConcreteMap> MapsOf(const ProgramKernel& kernel);

}  // namespace exh::functional
