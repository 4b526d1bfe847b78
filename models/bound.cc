// SPDX-License-Identifier: MIT
#include "models/bound.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace exh::models {
namespace {

std::string TimeText(double ns) {
  if (ns >= 1e6) return fmt::format("{:.4g} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:.4g} us", ns / 1e3);
  return fmt::format("{:.4g} ns", ns);
}

}  // namespace

std::string BoundText(const Bound& bound) {
  std::string text =
      fmt::format("no implementation takes less than {}: {}\n", TimeText(bound.ns),
                  bound.bottleneck.empty() ? "nothing is known to take time" : bound.bottleneck);
  if (bound.most_blocks > 0) {
    text += bound.least_blocks == bound.most_blocks
                ? fmt::format("blocks: {:.0f}\n", bound.least_blocks)
                : fmt::format("blocks: {:.0f} to {:.0f}\n", bound.least_blocks, bound.most_blocks);
  }
  for (const BoundTerm& term : bound.terms) {
    text += fmt::format("  {:<12} {:>9}  {:.6g} {} / {}", term.resource, TimeText(term.ns),
                        term.amount, term.unit, term.rate_text);
    if (term.ends_ns > 0) text += fmt::format(" + {} between launches", TimeText(term.ends_ns));
    text += '\n';
    if (term.parts.size() < 2) continue;
    for (const BoundPart& part : term.parts) {
      text += fmt::format("  {:<12} {:>9}  {:.6g} {}\n", "", "", part.amount, part.what);
    }
  }
  if (!bound.assumed.empty()) text += "open, and taken at its best:\n";
  for (const std::string& line : bound.assumed) text += "  " + line + "\n";
  return text;
}

std::string BoundJson(const Bound& bound) {
  nlohmann::ordered_json object;
  object["bound_ns"] = bound.ns;
  object["bottleneck"] = bound.bottleneck;
  object["blocks"] = nullptr;
  if (bound.most_blocks > 0) object["blocks"] = {bound.least_blocks, bound.most_blocks};
  object["terms"] = nlohmann::ordered_json::array();
  for (const BoundTerm& term : bound.terms) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const BoundPart& part : term.parts) {
      parts.push_back({{"what", part.what}, {"amount", part.amount}});
    }
    object["terms"].push_back({{"resource", term.resource},
                               {"ns", term.ns},
                               {"amount", term.amount},
                               {"unit", term.unit},
                               {"rate_per_ns", term.rate},
                               {"rate", term.rate_text},
                               {"ends_ns", term.ends_ns},
                               {"parts", parts}});
  }
  object["assumed"] = bound.assumed;
  return object.dump(2) + "\n";
}

}  // namespace exh::models
