// SPDX-License-Identifier: MIT
//
// The bound with what led to it: its terms, longest first, and what was open.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/inventory/work_view.h"
#include "models/lower_bound.h"
#include "models/tally.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

/// "LOOP or UNROLL".
template <class Domain>
std::string ValuesText(Domain values) {
  std::string text;
  for (const auto value : values) {
    text += (text.empty() ? "" : " or ") + std::string(ToString(value));
  }
  return text;
}

/// "128 a clock at 1.99 GHz".
std::string RateText(const terms::Rate& rate, const DeviceRates& rates) {
  using Unit = terms::Rate::Unit;
  switch (rate.unit) {
    case Unit::kPerClock:
      return fmt::format("{:g} a clock at {:g} GHz", rate.number, rates.clock_ghz);
    case Unit::kGhz:
      return fmt::format("{:g} GHz", rate.number);
    case Unit::kGbs:
      return fmt::format("{:g} GB/s", rate.number);
  }
  return "";
}

/// Those that the device has rates for.
std::vector<BoundTerm> TermsOf(const Tally& tally, const WorkView& view, Tally::Parts parts) {
  std::vector<BoundTerm> all;
  auto part = parts.begin();
  terms::ForEach(tally.terms(), [&](const auto& term) {
    std::vector<BoundPart>& its_parts = *part++;
    const terms::Rate rate = term.RateOf(view.rates());
    const double amount = term.amount();
    if (rate.per_ns <= 0 || amount <= 0) return;
    all.push_back({term.kResource, amount, term.Unit(view), rate.per_ns,
                   RateText(rate, view.rates()), terms::EndsNsOf(term, view),
                   terms::TimeOf(term, view), std::move(its_parts)});
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const BoundTerm& a, const BoundTerm& b) { return a.ns > b.ns; });
  return all;
}

/// What is open and was taken at its best, one line each.
std::vector<std::string> AssumedOf(const Inventory& inventory, const Domains& domains) {
  const ir::Target& function = inventory.function;
  std::vector<std::string> assumed;
  for (const Nest& nest : inventory.nests) {
    if (nest.planned) continue;
    for (const NestAxis& axis : nest.axes) {
      for (const ir::DimId id : axis.dims) {
        const DimDomain& dim = domains.dims[id.index()];
        const bool is_open = dim.kinds.size() > 1;
        if (!is_open && dim.min == dim.max) continue;
        std::string line = fmt::format("{}: {}", function.dim(id).name(), ValuesText(dim.kinds));
        if (dim.min != dim.max) line += fmt::format(", {} to {} iterations", dim.min, dim.max);
        assumed.push_back(std::move(line));
      }
    }
  }
  for (const Division& division : inventory.divisions) {
    const AcrossBlocksDomain ways = domains.insts[division.reduction.index()].across;
    if (ways.size() < 2) continue;
    assumed.push_back(
        fmt::format("{}: {}", function.inst(division.reduction).name(), ValuesText(ways)));
  }
  for (const OperandRead& read : inventory.operands) {
    if (!read.block.valid()) continue;
    if (domains.blocks[read.block.index()].presence != Presence::kPossible) continue;
    assumed.push_back(
        fmt::format("{}: in registers or through memory", function.comm(read.comm).name()));
  }
  for (const ir::MemBlock& block : function.blocks) {
    const MemDomain& mem = domains.blocks[block.id.index()];
    if (mem.presence != Presence::kCertain) continue;
    if (mem.spaces != (MemSpace::GLOBAL | MemSpace::SHARED)) continue;
    assumed.push_back(fmt::format("{}: SHARED or GLOBAL", block.name()));
  }
  return assumed;
}

}  // namespace

Bound LowerBound::Explain(const Domains& domains) const {
  const WorkView view(inventory_, domains);
  Tally::Parts parts;
  Tally tally(view, &parts);
  const double throughput = tally.CountThroughput();
  Bound bound;
  bound.ns = std::max(throughput, tally.CountWaits());
  bound.least_blocks = view.min_blocks();
  bound.most_blocks = view.max_blocks();
  bound.terms = TermsOf(tally, view, std::move(parts));
  if (!bound.terms.empty()) bound.bottleneck = bound.terms.front().resource;
  bound.assumed = AssumedOf(inventory_, domains);
  return bound;
}

}  // namespace exh::models
