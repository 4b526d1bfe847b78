// SPDX-License-Identifier: MIT
#include "tests/dsl/verify.h"

#include "dsl/dsl.h"
#include "tests/support/tree.h"

namespace exh::dsl {

std::vector<std::string> VerifyDiagnostics(const std::string& path, const std::string& text) {
  return VerifyDiagnostics(path, text, [&](DiagnosticSink& sink) {
    CompileOptions options;
    options.root = kSourceDir;
    CompileText(path, text, options, sink);
  });
}

std::vector<std::string> ExhFiles(const std::string& folder) {
  return FilesIn(folder, ".exh");
}

}  // namespace exh::dsl
