// SPDX-License-Identifier: MIT
#include "lsp/answers/diagnostics.h"

#include <fmt/format.h>

#include <optional>

#include "lsp/answers/places.h"

namespace exh::lsp {
namespace {

/// Where in `file` the include stands that leads to the range; the range itself in that file.
/// Nothing where nothing leads there.
std::optional<dsl::SourceRange> SeenFrom(std::uint32_t file, dsl::SourceRange range,
                                         const dsl::SourceSet& sources) {
  while (range.file != file) {
    const auto& from = sources.file(range.file).included_from;
    if (!from) return std::nullopt;
    range = *from;
  }
  return range;
}

bool IsOpen(const dsl::SourceFile& file, const Workspace& workspace) {
  return workspace.documents().OfPath(RealPath(file.path)) != nullptr;
}

}  // namespace

Json DiagnosticsOf(const AskedPlace& place, const Workspace& workspace) {
  const Analysis& analysis = *place.analysis;
  const dsl::SourceSet& sources = analysis.sources();
  Json list = Json::array();
  for (const dsl::Diagnostic& each : analysis.sink().Sorted()) {
    const auto range = SeenFrom(place.file, each.range, sources);
    if (!range) continue;
    std::string message = each.message;
    if (each.range.file != place.file) {
      const dsl::SourceFile& file = sources.file(each.range.file);
      if (IsOpen(file, workspace)) continue;  // It is told there.
      message = fmt::format("in '{}', line {}: {}", file.display,
                            dsl::Locate(file.text, each.range.begin).line, each.message);
    }
    Json entry = {{"range", JsonOf(analysis, *range)},
                  {"severity", each.severity() == dsl::Severity::kError ? 1 : 2},
                  {"code", dsl::CodeOf(each.diag)},
                  {"source", "exhaust"},
                  {"message", std::move(message)}};
    for (const dsl::Note& note : each.notes) {
      entry["relatedInformation"].push_back(
          {{"location", LocationOf(analysis, note.range, workspace)}, {"message", note.message}});
    }
    list.push_back(std::move(entry));
  }
  return {{"uri", place.document->uri},
          {"version", place.document->version},
          {"diagnostics", std::move(list)}};
}

}  // namespace exh::lsp
