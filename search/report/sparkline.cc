// SPDX-License-Identifier: MIT
#include "search/report/sparkline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace exh::search {
namespace {

constexpr std::array<const char*, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void Sparkline::Add(double seconds, double best_ns) {
  if (best_ns <= 0 || (!steps_.empty() && steps_.back().ns == best_ns)) return;
  steps_.push_back({seconds, best_ns});
}

std::string Sparkline::Text(double seconds, std::size_t width) const {
  if (steps_.empty()) return std::string(width, ' ');
  const auto [least, most] = std::ranges::minmax(steps_, {}, &Step::ns);
  const double range = std::log(most.ns / least.ns);
  std::string text;
  std::size_t step = 0;
  for (std::size_t part = 1; part <= width; ++part) {
    const double end = seconds * static_cast<double>(part) / static_cast<double>(width);
    while (step < steps_.size() && steps_[step].seconds <= end) ++step;
    if (step == 0) {
      text += ' ';
      continue;
    }
    const double share = range > 0 ? std::log(steps_[step - 1].ns / least.ns) / range : 0;
    const double top = static_cast<double>(kHeights.size() - 1);
    text += kHeights[static_cast<std::size_t>(std::lround(share * top))];
  }
  return text;
}

bool TerminalDraws() {
  const std::string terminal = Environment("TERM");
  if (terminal.empty() || terminal == "dumb" || terminal == "linux") return false;
  std::string locale;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = Environment(name);
    if (!locale.empty()) break;
  }
  for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace exh::search
