// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/statuses.h"

#include <utility>

namespace exh_shim {

void Statuses::Tell(std::int64_t offset, std::uint64_t before, std::uint64_t word) {
  const auto [place, is_first] = said_.try_emplace(offset);
  if (is_first) place->second.before = before;
  place->second.words.push_back(word);
  all_.insert(offset);
}

std::optional<std::uint64_t> Statuses::Hear(std::int64_t offset) {
  const auto place = said_.find(offset);
  if (place == said_.end()) return std::nullopt;
  Said& said = place->second;
  if (order_ == 0) return said.words.back();
  if (order_ == 1) return std::exchange(said.is_heard, true) ? said.words.front() : said.before;
  const std::size_t heard = random_() % (said.words.size() + 1);
  return heard == 0 ? said.before : said.words[heard - 1];
}

}  // namespace exh_shim
