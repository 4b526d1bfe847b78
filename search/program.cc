// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include "base/system/stack_limit.h"
#include "base/system/standard_streams.h"
#include "search/main.h"

int main(int argc, char** argv) {
  exh::OpenStandardFiles();
  exh::ForgiveOutput();
  if (const std::string why = exh::EnsureStack(); !why.empty()) {
    std::fprintf(stderr, "search: %s\n", why.c_str());
    return exh::FinishOutput(1);
  }
  return exh::FinishOutput(exh::search::SearchMain(argc, argv));
}
