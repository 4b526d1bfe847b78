// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include "lsp/answers/writing.h"
#include "lsp/wire/rpc_error.h"

namespace exh::lsp {
namespace {

/// How many bytes of whole lines two texts begin with alike.
std::size_t CommonLines(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto same = static_cast<std::size_t>(differ.first - a.begin());
  const std::size_t newline = a.substr(0, same).rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

/// And how many they end with, behind those: from the beginning of a line on.
std::size_t CommonEnd(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const auto same = static_cast<std::size_t>(differ.first - a.rbegin());
  const std::size_t newline = a.find('\n', a.size() - same);
  return newline == std::string_view::npos ? 0 : a.size() - newline - 1;
}

}  // namespace

Json FormattingOf(const AskedPlace& place) {
  const std::string& text = place.document->text;
  std::string problem;
  const auto formatted = place.language->Format(place.document->path, text, &problem);
  if (!formatted && problem.empty()) return nullptr;
  if (!formatted) throw RpcError(RpcCode::kRequestFailed, "not formatted: " + problem);
  if (*formatted == text) return Json::array();
  const std::size_t begin = CommonLines(text, *formatted);
  const std::string_view old_rest = std::string_view(text).substr(begin);
  const std::string_view new_rest = std::string_view(*formatted).substr(begin);
  const std::size_t end = CommonEnd(old_rest, new_rest);
  const LineTable lines(text);
  const auto place_of = [&](std::size_t offset) {
    return JsonOf(lines.PositionOf(static_cast<std::uint32_t>(offset)));
  };
  const Json range = {{"start", place_of(begin)}, {"end", place_of(text.size() - end)}};
  return Json::array({{{"range", range}, {"newText", new_rest.substr(0, new_rest.size() - end)}}});
}

}  // namespace exh::lsp
