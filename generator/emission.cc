// SPDX-License-Identifier: MIT
#include "generator/emission.h"

#include <array>
#include <utility>

namespace exh::generator {
namespace {

constexpr std::array<std::pair<std::string_view, bool Emission::*>, 4> kWords = {
    {{"cpp", &Emission::cpp},
     {"filters", &Emission::filters},
     {"ir", &Emission::ir},
     {"tables", &Emission::tables}}};

}  // namespace

const std::vector<std::string>& EmissionWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const auto& [word, member] : kWords) all.emplace_back(word);
    return all;
  }();
  return words;
}

bool ParseEmission(std::string_view text, Emission* emission, std::string* unknown) {
  Emission chosen{false, false, false, false};
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    bool known = false;
    for (const auto& [name, member] : kWords) {
      if (word != name) continue;
      chosen.*member = true;
      known = true;
    }
    if (!known) {
      *unknown = word;
      return false;
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  *emission = chosen;
  return true;
}

}  // namespace exh::generator
