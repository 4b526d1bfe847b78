// SPDX-License-Identifier: MIT
//
// Wake tables: which kinds of work of a slot can tell its domain of before from the one of now. Any
// change puts a slot on the queue, but few changes matter to a given table or clause. For slots of
// up to kMaxWakeValues values the answer is tabulated for all pairs of domains, so that the loop
// skips a whole list with one look. The table has the bit of a kind at (before, now) when some
// entry of that list may say something else of the two domains. Where row_loop.h and row_runs.h
// test single entries the test is the same, and must stay so. "Nothing was seen" (0xFF) is outside
// of the table: the loop then takes all kinds.
//
// A slot with the values A and B has two lists. A table on its list of pairs leaves another slot
// {X, Y} with A and with {A, B}, and {X} with B. A clause on the other list has the literal "is B".
//
//   before    now     pairs                clauses                bits of the wake table
//   {A, B}    {A}     same: nothing new    B is gone: look        kScalarWork
//   {A, B}    {B}     {X}: look            it holds               kPairWork
//
// Slots with the same tables and values on their lists have the same wake table, nearly all of a
// choice. So a description of the lists is looked up before a table is made.
#include <algorithm>
#include <map>
#include <vector>

#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {
namespace {

class WakeBuilder {
 public:
  explicit WakeBuilder(Network* network) : network_(*network) {}

  void Build(Slot slot, int num_values) {
    // Slots with the same tables and values on their lists have the same wake table.
    Describe(slot, num_values);
    const auto [described, is_first] = built_.try_emplace(description_, 0);
    if (!is_first) {
      network_.work[slot].wake = described->second;
      return;
    }
    const unsigned num_domains = 1u << num_values;
    std::vector<std::uint8_t> table(std::size_t{1} << 2 * kMaxWakeValues, kAllWork);
    for (unsigned before = 1; before < num_domains; ++before) {
      for (unsigned now = 1; now < num_domains; ++now) {
        if ((before & now) == now) {
          table[before << kMaxWakeValues | now] =
              Needed(slot, static_cast<std::uint8_t>(before), static_cast<std::uint8_t>(now));
        }
      }
    }
    const auto [it, is_new] = known_.try_emplace(
        std::move(table), static_cast<std::uint32_t>(network_.wake_tables.size()));
    if (is_new) {
      network_.wake_tables.insert(network_.wake_tables.end(), it->first.begin(), it->first.end());
    }
    network_.work[slot].wake = described->second = it->second;
  }

 private:
  /// All that Needed() asks of the lists of a slot.
  void Describe(Slot slot, int num_values) {
    const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
    description_.assign(1, static_cast<std::uint64_t>(num_values));
    const auto add = [&](std::uint32_t begin, std::uint32_t end, const auto& of) {
      const auto first = static_cast<std::ptrdiff_t>(description_.size());
      for (std::uint32_t i = begin; i < end; ++i) description_.push_back(of(i));
      std::sort(description_.begin() + first, description_.end());
      description_.erase(std::unique(description_.begin() + first, description_.end()),
                         description_.end());
      description_.push_back(~std::uint64_t{0});  // The end of a kind.
    };
    add(work.pairs, next.pairs, [&](auto i) { return network_.pairs[i].lut; });
    add(work.triples, next.triples, [&](auto i) { return network_.triples[i].classes; });
    add(work.pair_runs, next.pair_runs, [&](auto i) { return network_.pair_runs[i].masks; });
    add(work.triple_runs, next.triple_runs, [&](auto i) { return network_.triple_runs[i].table; });
    add(work.clause_lists, next.clause_lists,
        [&](auto i) { return network_.clause_lists[i].values; });
    const UniformBlock* const uniform = UniformOf(slot);
    if (uniform != nullptr) {
      const auto [begin, end] = PartsOf(slot, *uniform);
      add(begin, end, [&](auto i) { return network_.uniform.parts[i].table; });
      add(uniform->clause_begin, uniform->clause_end,
          [&](auto i) { return network_.uniform.clauses[i].values; });
    }
    add(work.wides, next.wides, [&](auto i) { return network_.wides[i].classes; });
    add(work.clauses, next.clauses, [&](auto i) { return network_.clause_watches[i].mask; });
    add(work.counters, next.counters, [&](auto i) { return network_.counter_watches[i].values; });
  }

  const UniformBlock* UniformOf(Slot slot) const {
    return network_.uniform.is_empty() ? nullptr : &network_.uniform.blocks[slot / kLanes];
  }
  /// In Uniform::parts, from … to.
  std::pair<std::uint32_t, std::uint32_t> PartsOf(Slot slot, const UniformBlock& block) const {
    if (block.tables == UniformBlock::kNone) return {0, 0};
    const Uniform& uniform = network_.uniform;
    const UniformTables& tables = uniform.tables[block.tables];
    const std::uint8_t* const types = uniform.types.data() + tables.types;
    const std::uint32_t* const begin = uniform.part_begin.data() + tables.parts +
                                       types[block.row] * tables.num_types +
                                       types[block.first + slot % kLanes];
    return {begin[0], begin[1]};
  }

  bool Tells(std::uint32_t classes, std::uint8_t before, std::uint8_t now) const {
    const std::uint8_t* const table = network_.run_tables.data() + classes;
    return table[before] != table[now] && table[now] != kUniversalClass;
  }

  std::uint8_t Needed(Slot slot, std::uint8_t before, std::uint8_t now) const {
    const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
    unsigned needed = 0;
    for (std::uint32_t i = work.pairs; i < next.pairs; ++i) {
      const std::uint8_t* const lut = network_.luts.data() + network_.pairs[i].lut;
      if (lut[before] != lut[now]) needed |= kPairWork;
    }
    for (std::uint32_t i = work.triples; i < next.triples; ++i) {
      if (Tells(network_.triples[i].classes, before, now)) needed |= kTripleWork;
    }
    for (std::uint32_t i = work.pair_runs; i < next.pair_runs; ++i) {
      const std::uint8_t* const masks = network_.run_tables.data() + network_.pair_runs[i].masks;
      if (masks[before] != masks[now]) needed |= kRunWork;
    }
    for (std::uint32_t i = work.triple_runs; i < next.triple_runs; ++i) {
      if (Tells(network_.triple_runs[i].table, before, now)) needed |= kRunWork;
    }
    for (std::uint32_t i = work.clause_lists; i < next.clause_lists; ++i) {
      const std::uint32_t values = network_.clause_lists[i].values;
      if ((now & values) == 0 && (before & values) != 0) needed |= kClauseRunWork;
    }
    if (const UniformBlock* const uniform = UniformOf(slot)) {
      const auto [begin, end] = PartsOf(slot, *uniform);
      for (std::uint32_t i = begin; i < end; ++i) {
        if (Tells(network_.uniform.parts[i].table, before, now)) needed |= kRunWork;
      }
      for (std::uint32_t i = uniform->clause_begin; i < uniform->clause_end; ++i) {
        const std::uint32_t values = network_.uniform.clauses[i].values;
        if ((now & values) == 0 && (before & values) != 0) needed |= kClauseRunWork;
      }
    }
    if (WakesScalars(work, next, before, now)) needed |= kScalarWork;
    return static_cast<std::uint8_t>(needed);
  }

  bool WakesScalars(const SlotWork& work, const SlotWork& next, std::uint8_t before,
                    std::uint8_t now) const {
    for (std::uint32_t i = work.wides; i < next.wides; ++i) {
      if (network_.wides[i].classes == kNoLut || Tells(network_.wides[i].classes, before, now)) {
        return true;
      }
    }
    for (std::uint32_t i = work.clauses; i < next.clauses; ++i) {
      const Bits values = network_.clause_watches[i].mask;
      if ((now & values) == 0 && (values == 0 || (before & values) != 0)) return true;
    }
    for (std::uint32_t i = work.counters; i < next.counters; ++i) {
      const std::uint32_t values = network_.counter_watches[i].values;
      if (values == 0 || ((now & values) == 0 && (before & values) != 0) ||
          ((now & ~values) == 0 && (before & ~values) != 0)) {
        return true;
      }
    }
    return false;
  }

  Network& network_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> known_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> built_;
  std::vector<std::uint64_t> description_;
};

}  // namespace

void IndexWakes(const RootDomains& root, std::span<const Slot> slots, Network* network) {
  WakeBuilder builder(network);
  for (const Slot slot : slots) {
    if (slot < network->cells.size() && root.sizes[slot] <= kMaxWakeValues) {
      builder.Build(slot, root.sizes[slot]);
    }
  }
}

}  // namespace exh::runtime::internal
