// SPDX-License-Identifier: MIT
#include "base/spelling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace exh {
namespace {

constexpr std::size_t kMostNamesListed = 12;
constexpr std::size_t kLongestMistyped = 64;  // Nobody mistypes a longer name; a fuzzer does.

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table are enough.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string> NearestName(std::string_view written,
                                       std::span<const std::string> legal) {
  std::optional<std::string> nearest;
  // A third of the letters may be wrong: more is another word.
  std::size_t best = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const std::string& name : legal) {
    const std::size_t distance = EditDistance(Lower(written), Lower(name));
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  if (nearest || written.size() < 2) return nearest;
  // A beginning or a part of exactly one name is meant as that name.
  for (const std::string& name : legal) {
    if (Lower(name).find(Lower(written)) == std::string::npos) continue;
    if (nearest) return std::nullopt;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestMistyped) return "";
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate == name || candidate.size() > kLongestMistyped) continue;
    const std::size_t longer = std::max(candidate.size(), name.size());
    const std::size_t shorter = std::min(candidate.size(), name.size());
    if (longer - shorter >= best) continue;  // At least that many insertions.
    const std::size_t distance =
        Lower(name) == Lower(candidate) ? 0 : EditDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", *nearest);
}

std::string UnknownName(std::string_view what, std::string_view written,
                        const std::vector<std::string>& legal) {
  std::string message = fmt::format("unknown {} '{}'", what, written);
  if (const auto nearest = NearestName(written, legal)) {
    message += fmt::format("; did you mean '{}'?", *nearest);
  } else if (!legal.empty() && legal.size() <= kMostNamesListed) {
    message += fmt::format("; legal: {}", fmt::join(legal, ", "));
  }
  return message;
}

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return fmt::format("{}… ({} bytes more)", text.substr(0, end), text.size() - end);
}

std::string ShortLines(std::string_view text, std::size_t most) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    lines += Shortened(line, most);
    if (line.size() > most) {  // What is wrong stands at the end of many messages.
      std::size_t last = line.size() - most / 4;
      while (last < line.size() && (static_cast<unsigned char>(line[last]) & 0xC0) == 0x80) ++last;
      lines += fmt::format(" …{}", line.substr(last));
    }
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace exh
