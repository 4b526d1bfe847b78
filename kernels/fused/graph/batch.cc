// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace exh::kernels::fused {
namespace {

std::string NameOf(const std::string& network) {
  return network.empty() ? "(none)" : network;
}

std::string Reasons(const std::string& title, const std::map<std::string, std::int64_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += fmt::format("{} {}: {}\n", title, reason, count);
  return text;
}

}  // namespace

void BatchCounts::Count(const ReadResult& result) {
  ++operators;
  if (result.is_parsed()) ++parsed;
  if (result.graph) {
    ++accepted;
    return;
  }
  // What is malformed is said first: the rest may come of it.
  const Mistake::What what =
      result.is_parsed() ? Mistake::What::kRefused : Mistake::What::kMalformed;
  const auto first = std::ranges::find(result.mistakes, what, &Mistake::what);
  ++(what == Mistake::What::kRefused ? refused : malformed)[first->reason];
}

std::string TextOf(const CountsByNetwork& counts) {
  BatchCounts all;
  std::size_t width = std::string("network").size();
  for (const auto& [network, of] : counts) {
    width = std::max(width, NameOf(network).size());
    all.operators += of.operators;
    all.parsed += of.parsed;
    all.accepted += of.accepted;
    for (const auto& [reason, count] : of.refused) all.refused[reason] += count;
    for (const auto& [reason, count] : of.malformed) all.malformed[reason] += count;
  }
  const auto line = [&](const std::string& name, const BatchCounts& of) {
    return fmt::format("{:<{}} {:>9} {:>7} {:>8} {:>7} {:>9}\n", name, width, of.operators,
                       of.parsed, of.accepted, of.parsed - of.accepted, of.operators - of.parsed);
  };
  std::string text = fmt::format("{:<{}} {:>9} {:>7} {:>8} {:>7} {:>9}\n", "network", width,
                                 "operators", "parsed", "accepted", "refused", "malformed");
  for (const auto& [network, of] : counts) text += line(NameOf(network), of);
  return text + line("all", all) + Reasons("refused for", all.refused) +
         Reasons("malformed for", all.malformed);
}

}  // namespace exh::kernels::fused
