// SPDX-License-Identifier: MIT
#include "search/commands/parts/standard_main.h"

#include <cstdio>
#include <string>

#include "base/system/stack_limit.h"
#include "base/system/standard_streams.h"
#include "search/commands/parts/parts.h"

namespace exh::search {

int StandardMain(int argc, char** argv, const Parts& parts) {
  OpenStandardFiles();
  ForgiveOutput();
  if (const std::string why = EnsureStack(); !why.empty()) {
    std::fprintf(stderr, "search: %s\n", why.c_str());
    return FinishOutput(1);
  }
  return FinishOutput(RunProgram(argc, argv, parts));
}

}  // namespace exh::search
