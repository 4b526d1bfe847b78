// SPDX-License-Identifier: MIT
#include "lsp/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lsp/wire/rpc_error.h"

namespace exh::lsp {

const Language* Workspace::LanguageOf(const OpenDocument& document) const {
  const auto is_it = [&](const auto& each) {
    return each->id() == document.language || document.path.ends_with(each->suffix());
  };
  const auto found = std::ranges::find_if(languages_, is_it);
  return found == languages_.end() ? nullptr : found->get();
}

OpenTexts Workspace::TextsOf(const Language& language) const {
  OpenTexts texts;
  for (const auto& [uri, document] : documents_.all()) {
    if (LanguageOf(document) == &language) texts[document.path] = document.text;
  }
  return texts;
}

void Workspace::Changed(const std::string& path, bool is_on_disk) {
  if (is_on_disk) roots_.clear();
  std::set<std::string> touched = {path};
  for (auto& [root, kept] : kept_) {
    const bool is_made_of_it = kept.files.contains(path) || (is_on_disk && kept.lacks_files);
    if (!is_made_of_it) continue;
    kept.is_of_now = false;
    touched.insert(kept.files.begin(), kept.files.end());
  }
  for (const auto& [uri, document] : documents_.all()) {
    if (touched.contains(document.path)) untold_.insert(uri);
  }
  // What no open document is a part of, nobody asks about.
  std::erase_if(kept_, [&](const auto& each) {
    return std::ranges::none_of(each.second.files, [&](const std::string& file) {
      return documents_.OfPath(file) != nullptr;
    });
  });
}

std::optional<std::string> Workspace::NextUntold() {
  while (!untold_.empty()) {
    const std::string uri = untold_.extract(untold_.begin()).value();
    const auto document = documents_.all().find(uri);
    if (document == documents_.all().end() || document->second.is_lost) continue;
    if (LanguageOf(document->second) != nullptr) return uri;
  }
  return std::nullopt;
}

const std::vector<std::string>& Workspace::RootsOf(const OpenDocument& document,
                                                   const Language& language) {
  const auto known = roots_.find(document.path);
  if (known != roots_.end()) return known->second;
  return roots_[document.path] = language.RootsOf(document.path, TextsOf(language));
}

const Workspace::Kept& Workspace::Look(const std::string& root, const Language& language,
                                       bool roughly) {
  Kept& kept = kept_[root];
  if (kept.analysis && (kept.is_of_now || roughly)) return kept;
  auto analysis = std::make_shared<Analysis>(language.Analyse(root, TextsOf(language)));
  kept = {};
  kept.files.insert(root);
  const dsl::SourceSet& sources = analysis->sources();
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    kept.files.insert(RealPath(sources.file(file).path));
    kept.lacks_files |= sources.file(file).is_unreadable;
  }
  for (const dsl::Diagnostic& each : analysis->sink().Sorted()) {
    kept.lacks_files |= each.diag == dsl::Diag::kUnreadableFile;
  }
  kept.analysis = std::move(analysis);
  return kept;
}

std::shared_ptr<const Analysis> Workspace::AnalysisOf(const OpenDocument& document,
                                                      const Language& language, bool roughly) {
  for (const std::string& root : RootsOf(document, language)) {
    const auto& analysis = Look(root, language, roughly).analysis;
    if (analysis->FileOf(document.path)) return analysis;
  }
  // The include that led to it is gone.
  return Look(document.path, language, roughly).analysis;
}

std::vector<std::shared_ptr<const Analysis>> Workspace::SpacesOf(const OpenDocument& document) {
  const Language* const language = LanguageOf(document);
  std::vector<std::shared_ptr<const Analysis>> spaces;
  for (const std::string& root : RootsOf(document, *language)) {
    const auto& analysis = Look(root, *language, false).analysis;
    if (analysis->FileOf(document.path)) spaces.push_back(analysis);
  }
  if (spaces.empty()) spaces.push_back(Look(document.path, *language, false).analysis);
  return spaces;
}

AskedPlace Workspace::At(const std::string& uri, std::optional<EditorPosition> position,
                         bool roughly) {
  AskedPlace place;
  place.document = &documents_.At(uri);
  place.language = LanguageOf(*place.document);
  if (!place.language) {
    throw RpcError(RpcCode::kInvalidParams,
                   fmt::format("'{}' is of no language that is known here: its name ends in none "
                               "of .exh, .kernel and .fun",
                               uri));
  }
  if (position) {
    const LineTable lines(place.document->text);
    const auto offset = lines.OffsetOf(*position);
    if (!offset) {
      throw RpcError(RpcCode::kInvalidParams,
                     fmt::format("there is no line {}: the text has {}, which are counted from 0",
                                 position->line, lines.num_lines()));
    }
    place.offset = *offset;
  }
  place.analysis = AnalysisOf(*place.document, *place.language, roughly);
  place.file = place.analysis->FileOf(place.document->path).value_or(0);
  return place;
}

}  // namespace exh::lsp
