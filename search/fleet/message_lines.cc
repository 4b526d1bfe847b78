// SPDX-License-Identifier: MIT
#include "search/fleet/message_lines.h"

#include <fmt/format.h>

#include <utility>

namespace exh::search {
namespace {

constexpr char kMore = '+', kLast = '-';
constexpr std::size_t kMostPiece = kMostLineBytes - 3;  // With its mark and its end.

}  // namespace

std::string LinesOf(const std::string& message) {
  if (message.size() <= kMostPiece) return message + '\n';
  std::string lines;
  for (std::size_t at = 0; at < message.size(); at += kMostPiece) {
    lines += at + kMostPiece < message.size() ? kMore : kLast;
    lines += message.substr(at, kMostPiece);
    lines += '\n';
  }
  return lines;
}

void MessageReader::Add(std::string_view bytes) {
  if (!problem_.empty()) return;
  input_ += bytes;
}

std::optional<std::string> MessageReader::Next() {
  while (problem_.empty()) {
    const std::size_t end = input_.find('\n', seen_);
    if ((end == std::string::npos ? input_.size() : end) >= kMostLineBytes) {
      problem_ = fmt::format("a line has more than {} bytes", kMostLineBytes);
      input_.clear();
      return std::nullopt;
    }
    if (end == std::string::npos) {
      seen_ = input_.size();
      return std::nullopt;
    }
    const std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    seen_ = 0;
    if (line.starts_with(kMore) || line.starts_with(kLast)) {
      message_ += line.substr(1);
      if (message_.size() > kMostMessageBytes) {
        problem_ = fmt::format("a message has more than {} bytes", kMostMessageBytes);
        continue;
      }
      if (line.front() == kMore) continue;
      return std::exchange(message_, {});
    }
    if (!message_.empty()) {
      problem_ = "a message is not complete";
      continue;
    }
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

}  // namespace exh::search
