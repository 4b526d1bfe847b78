// SPDX-License-Identifier: MIT
#include "search/main.h"

#include "search/commands/parts/parts.h"

namespace exh::search {

int SearchMain(int argc, char** argv) {
  return RunProgram(argc, argv, WholeParts());
}

}  // namespace exh::search
