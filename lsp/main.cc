// SPDX-License-Identifier: MIT
//
// exhc-lsp: what `exhc lsp` starts. An editor talks to it over the standard input and output.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/system/stack_limit.h"
#include "base/system/standard_streams.h"
#include "lsp/server.h"

int main(int argc, char** argv) {
  exh::OpenStandardFiles();
  if (const std::string why = exh::EnsureStack(); !why.empty()) {
    std::fprintf(stderr, "exhc-lsp: %s\n", why.c_str());
    return 1;
  }
  // Editors add words of their own, such as --stdio. There is nothing to choose.
  if (argc > 1 && std::string_view(argv[1]) != "--stdio") {
    std::fprintf(stderr, "exhc-lsp: unexpected '%s': an editor starts 'exhc lsp' and talks to it\n",
                 argv[1]);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // An editor that is gone ends it, by itself.
  return exh::lsp::Serve(STDIN_FILENO, STDOUT_FILENO);
}
