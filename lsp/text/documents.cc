// SPDX-License-Identifier: MIT
#include "lsp/text/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lsp/text/uri.h"
#include "lsp/wire/rpc_error.h"

namespace exh::lsp {
namespace {

std::uint32_t OffsetIn(const LineTable& lines, EditorPosition position) {
  const auto offset = lines.OffsetOf(position);
  if (offset) return *offset;
  throw RpcError(RpcCode::kInvalidParams,
                 fmt::format("there is no line {}: the text has {}, which are counted from 0",
                             position.line, lines.num_lines()));
}

void Make(const TextChange& change, std::string& text) {
  if (!change.range) {
    text = change.text;
    return;
  }
  const LineTable lines(text);
  const std::uint32_t begin = OffsetIn(lines, change.range->start);
  const std::uint32_t end = OffsetIn(lines, change.range->end);
  if (end < begin) {
    throw RpcError(RpcCode::kInvalidParams, "a range of a change ends before it begins");
  }
  text.replace(begin, end - begin, change.text);
}

}  // namespace

std::string RealPath(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return error ? path : real.string();
}

OpenDocument& Documents::Open(const std::string& uri, const std::string& language,
                              std::int64_t version, std::string text) {
  const auto [place, is_new] = by_uri_.try_emplace(uri);
  const std::string path = PathOfUri(uri);
  place->second = {
      uri,  path.starts_with('/') ? RealPath(path) : path, language, version, std::move(text),
      false};
  if (!is_new) {
    throw RpcError(RpcCode::kInvalidRequest, fmt::format("'{}' was open already", uri));
  }
  return place->second;
}

OpenDocument& Documents::Change(const std::string& uri, std::int64_t version,
                                const std::vector<TextChange>& changes) {
  Known(uri);
  OpenDocument& document = by_uri_.at(uri);
  document.version = version;
  const auto is_whole = [](const TextChange& change) { return !change.range; };
  if (document.is_lost && !std::ranges::any_of(changes, is_whole)) {
    throw RpcError(RpcCode::kInvalidRequest,
                   fmt::format("'{}' is out of step: close it and open it again", uri));
  }
  document.is_lost = true;
  std::string text = document.text;
  for (const TextChange& change : changes) Make(change, text);
  document.text = std::move(text);
  document.is_lost = false;
  return document;
}

void Documents::Close(const std::string& uri) {
  if (by_uri_.erase(uri) > 0) return;
  throw RpcError(RpcCode::kInvalidRequest, fmt::format("'{}' is not open", uri));
}

const OpenDocument& Documents::Known(const std::string& uri) const {
  const auto found = by_uri_.find(uri);
  if (found != by_uri_.end()) return found->second;
  throw RpcError(RpcCode::kInvalidParams, fmt::format("'{}' is not open", uri));
}

const OpenDocument& Documents::At(const std::string& uri) const {
  const OpenDocument& document = Known(uri);
  if (!document.is_lost) return document;
  throw RpcError(RpcCode::kRequestFailed,
                 fmt::format("'{}' is out of step: close it and open it again", uri));
}

const OpenDocument* Documents::OfPath(std::string_view path) const {
  const auto found =
      std::ranges::find_if(by_uri_, [&](const auto& each) { return each.second.path == path; });
  return found == by_uri_.end() ? nullptr : &found->second;
}

}  // namespace exh::lsp
