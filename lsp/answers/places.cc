// SPDX-License-Identifier: MIT
#include "lsp/answers/places.h"

#include <algorithm>

#include "lsp/text/uri.h"

namespace exh::lsp {

Json JsonOf(const Analysis& analysis, dsl::SourceRange range) {
  const LineTable& lines = analysis.Lines(range.file);
  return {{"start", JsonOf(lines.PositionOf(range.begin))},
          {"end", JsonOf(lines.PositionOf(std::max(range.begin, range.end)))}};
}

std::string UriOf(const Analysis& analysis, std::uint32_t file, const Workspace& workspace) {
  const std::string& path = analysis.sources().file(file).path;
  for (const std::string& name : {path, RealPath(path)}) {
    const OpenDocument* const open = workspace.documents().OfPath(name);
    if (open != nullptr) return open->uri;
  }
  return UriOfPath(path);
}

Json LocationOf(const Analysis& analysis, dsl::SourceRange range, const Workspace& workspace) {
  return {{"uri", UriOf(analysis, range.file, workspace)}, {"range", JsonOf(analysis, range)}};
}

}  // namespace exh::lsp
