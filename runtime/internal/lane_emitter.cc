// SPDX-License-Identifier: MIT
#include "runtime/internal/lane_emitter.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "runtime/check.h"
#include "runtime/internal/objects.h"
#include "runtime/internal/row_kernels.h"

namespace exh::runtime::internal {
namespace {

/// A table of a run is indexed by the domain of its slot: more values than these stay single.
constexpr int kMaxTableValues = 6;

int TableWidth(int size) {
  return std::max(16, 1 << size);
}

/// Index in the look-up table of the target at `position` for domains of the two other positions.
std::uint32_t LutIndex(const Relation& relation, int p, Bits p_values, int q, Bits q_values) {
  return static_cast<std::uint32_t>(p < q ? p_values << relation.sizes[q] | q_values
                                          : q_values << relation.sizes[p] | p_values);
}

/// Fewer runs are as well kept one by one.
constexpr std::size_t kMinFamily = 4;

/// Runs of neighbouring lanes that differ in where their rows begin, by as much from each lane to
/// the next, and perhaps in that each lacks its own lane.
class Family {
 public:
  Family(const ClauseRun& run, std::uint32_t lane) : first_(&run), first_lane_(lane) {
    own_[0] = run.lanes;
    own_[1] = run.lanes | Bit(lane);
    may_be_[1] = (run.lanes & Bit(lane)) == 0;
  }

  /// Adds the run when it fits.
  bool Takes(const ClauseRun& run, std::uint32_t lane) {
    if (run.num_rows != first_->num_rows) return false;
    const std::uint32_t steps = lane - first_lane_;
    std::array<std::uint32_t, kMaxRunRows> strides = strides_;
    for (int i = 0; i < run.num_rows; ++i) {
      if (ValuesOf(run.rows[i]) != ValuesOf(first_->rows[i])) return false;
      const std::uint32_t from = CellOf(first_->rows[i]), to = CellOf(run.rows[i]);
      if (!has_strides_) {
        if (to < from || (to - from) % steps != 0) return false;
        strides[i] = (to - from) / steps;
      }
      if (from + steps * strides[i] != to) return false;
    }
    const std::array<bool, 2> may_be = {
        may_be_[0] && run.lanes == own_[0],
        may_be_[1] && (run.lanes & Bit(lane)) == 0 && (run.lanes | Bit(lane)) == own_[1]};
    if (has_strides_ ? !may_be[0] && !may_be[1] : !FitFirst(run, lane)) return false;
    if (has_strides_) may_be_ = may_be;
    strides_ = strides;
    has_strides_ = true;
    return true;
  }

  void Describe(ClauseFilter* filter, ClauseRun* run) const {
    filter->is_family = true;
    filter->but_own = !may_be_[0];
    filter->first_lane = static_cast<std::uint8_t>(first_lane_);
    filter->strides = strides_;
    run->lanes = own_[may_be_[0] ? 0 : 1];
  }

 private:
  static std::uint64_t Bit(std::uint32_t lane) { return std::uint64_t{1} << lane; }
  /// The second run says whether each lacks its own lane.
  bool FitFirst(const ClauseRun& run, std::uint32_t lane) {
    may_be_[0] = run.lanes == own_[0];
    may_be_[1] = may_be_[1] && (run.lanes & Bit(lane)) == 0 && (run.lanes | Bit(lane)) == own_[1];
    return may_be_[0] || may_be_[1];
  }

  const ClauseRun* first_;
  std::uint32_t first_lane_;
  std::array<std::uint32_t, kMaxRunRows> strides_{};
  bool has_strides_ = false;
  /// All have the same lanes; or all but their own.
  std::array<bool, 2> may_be_ = {true, true};
  std::array<std::uint64_t, 2> own_{};
};

/// In the order of their slots, and of those with the same as they are.
template <typename H>
std::vector<const H*> BySlot(const std::vector<H>& hung, std::size_t num_slots) {
  std::vector<std::uint32_t> begin(num_slots + 1, 0);
  for (const H& one : hung) ++begin[one.slot + 1];
  for (std::size_t slot = 0; slot < num_slots; ++slot) begin[slot + 1] += begin[slot];
  std::vector<const H*> sorted(hung.size());
  for (const H& one : hung) sorted[begin[one.slot]++] = &one;
  return sorted;
}

std::span<const std::uint32_t> CellsOf(const LaneView& view) {
  return {view.cells.data(), view.arity};
}

}  // namespace

std::uint32_t LaneEmitter::RestOf(std::uint32_t gate, Slot slot, bool make) {
  if (gate == 0) return 0;
  const auto [known, is_new] =
      rests_.try_emplace({gate, instance_.live_gate(instance_.decision_at(slot))}, gate);
  if (!is_new) return known->second;
  const std::vector<Slot>& certain = root_.memberships[slot];
  std::vector<Slot> rest;
  for (const Slot member : clauses_.gate(gate)) {
    if (!std::ranges::binary_search(certain, member)) rest.push_back(member);
  }
  if (make) return known->second = clauses_.InternGate(rest);
  return known->second = clauses_.FindGate(rest).value_or(gate);
}

std::uint32_t LaneEmitter::PresenceOf(int root, std::uint32_t first, bool always) const {
  const std::uint32_t word = network_.presence_words[root];
  return word == 0 || always ? 0 : word + first / kLanes;
}

std::array<Slot, LaneClause::kMaxLiterals> LaneEmitter::SlotsAt(
    std::span<const std::uint32_t> cells, int num_scalars, std::uint32_t lane) const {
  std::array<Slot, LaneClause::kMaxLiterals> slots{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    slots[i] = static_cast<int>(i) < num_scalars ? cells[i] : network_.cells[cells[i] + lane].slot;
  }
  return slots;
}

void LaneEmitter::Prepare() {
  // Tables of four: a single clause says as much by itself; several are a record.
  const std::size_t num_views = store_.views().size();
  for (std::size_t v = 0; v < num_views; ++v) {
    const LaneView view = store_.views()[v];
    if (view.arity != kMaxTableArity) continue;
    for (std::uint32_t c = view.classes; c != 0; c = store_.classes()[c - 1].next) {
      const LaneClass lanes = store_.classes()[c - 1];
      const std::optional<std::uint32_t> only = store_.pattern_sets().Only(lanes.patterns);
      if (only && network_.patterns[*only].num_pairs == 0) {
        const Pattern& pattern = network_.patterns[*only];
        LaneClause clause;
        for (int i = 0; i < view.arity; ++i) {
          clause.literals[i] =
              PackLiteral(view.cells[i], static_cast<std::uint8_t>(pattern.masks[i]));
        }
        clause.num_scalars = view.num_scalars;
        clause.num_rows = static_cast<std::uint8_t>(view.arity - view.num_scalars);
        clause.lanes = lanes.active;
        clause.gate = lanes.gate.rest;
        clause.always = lanes.gate.always;
        clause.origin = pattern.origin;
        clause.root = view.root;
        clause.first = view.first;
        store_.AddClause(clause);
        continue;
      }
      for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto all = SlotsAt(CellsOf(view), view.num_scalars, lane);
        const std::span<const Slot> slots(all.data(), view.arity);
        const RootObject object{view.root, static_cast<Object>(view.first + lane)};
        const RowPlaces::Lanes of_slots = places_.LanesOf(slots);
        if (object != *std::ranges::max_element(of_slots.all())) continue;
        std::vector<std::uint32_t> patterns;
        store_.pattern_sets().Append(lanes.patterns, &patterns);
        const Seen seen = See(view, slots, lane);
        for (const std::uint32_t pattern : patterns) {
          clauses_.AddToGroup(seen.sorted, view.arity,
                              store_.WithLane(lanes.gate, places_.MembershipOf(object)),
                              Canonical(pattern, seen));
        }
      }
    }
  }
  // All gates that anything asks for later, with what lanes wait for and without.
  const auto intern = [&](LaneGate gate, int root, std::uint32_t first, std::uint64_t lanes) {
    for (const RowPlaces::Needed& needed : places_.NeededIn(root, first)) {
      if ((needed.lanes & lanes) != 0) store_.WithLane(gate, needed.membership);
    }
  };
  for (const LaneView& view : store_.views()) {
    if (view.arity == kMaxTableArity) continue;
    for (std::uint32_t c = view.classes; c != 0; c = store_.classes()[c - 1].next) {
      const LaneClass& lanes = store_.classes()[c - 1];
      intern(lanes.gate, view.root, view.first, lanes.lanes);
      if (view.num_scalars == 1) RestOf(lanes.gate.rest, view.cells[0], true);
    }
  }
  for (const LaneClause& clause : store_.clauses()) {
    intern({clause.gate, clause.always}, clause.root, clause.first, clause.lanes);
    for (int i = 0; i < clause.num_scalars; ++i) {
      RestOf(clause.gate, CellOf(clause.literals[i]), true);
    }
  }
}

std::uint32_t LaneEmitter::Intern(std::vector<std::uint8_t> bytes) {
  const auto [it, is_new] = contents_.try_emplace(
      std::move(bytes), static_cast<std::uint32_t>(network_.run_tables.size()));
  if (is_new) {
    auto& tables = network_.run_tables;
    tables.insert(tables.end(), it->first.begin(), it->first.end());
    tables.resize((tables.size() + kRowAlignment - 1) / kRowAlignment * kRowAlignment +
                  kRowAlignment);
  }
  return it->second;
}

/// From position 0 to position 1.
std::uint32_t LaneEmitter::PairTable(const Relation& relation) {
  const auto [known, is_new] = tables_.try_emplace({relation.luts[1], relation.sizes[0], 0, 0}, 0);
  if (!is_new) return known->second;
  std::vector<std::uint8_t> masks(256, 0xFF);
  for (unsigned values = 1; values < 1u << relation.sizes[0]; ++values) {
    masks[values] = network_.luts[relation.luts[1] + values];
  }
  return known->second = Intern(std::move(masks));
}

/// From position 0 to the rows at 1 and 2.
std::uint32_t LaneEmitter::TripleTable(const Relation& relation) {
  const auto [known, is_new] =
      tables_.try_emplace({relation.luts[0], relation.luts[1], relation.luts[2], 1}, 0);
  if (!is_new) return known->second;
  const int width_b = TableWidth(relation.sizes[1]), width_c = TableWidth(relation.sizes[2]);
  const unsigned num_domains = 1u << relation.sizes[0];
  std::vector<std::uint8_t> bytes(256 + num_domains * static_cast<unsigned>(width_b + width_c), 0);
  std::map<std::vector<std::uint8_t>, std::uint8_t> classes;
  for (unsigned from_values = 1; from_values < num_domains; ++from_values) {
    std::uint8_t* const lut_b =
        bytes.data() + 256 + from_values * static_cast<unsigned>(width_b + width_c);
    std::uint8_t* const lut_c = lut_b + width_c;
    for (unsigned v = 1; v < 1u << relation.sizes[2]; ++v) {
      lut_b[v] = network_.luts[relation.luts[1] + LutIndex(relation, 0, from_values, 2, v)];
    }
    for (unsigned v = 1; v < 1u << relation.sizes[1]; ++v) {
      lut_c[v] = network_.luts[relation.luts[2] + LutIndex(relation, 0, from_values, 1, v)];
    }
    const auto is_all = [](const std::uint8_t* lut, int size, int target_size) {
      return std::all_of(lut + 1, lut + (1 << size),
                         [&](std::uint8_t values) { return values == (1 << target_size) - 1; });
    };
    if (is_all(lut_b, relation.sizes[2], relation.sizes[1]) &&
        is_all(lut_c, relation.sizes[1], relation.sizes[2])) {
      bytes[from_values] = kUniversalClass;
      continue;
    }
    const std::vector<std::uint8_t> row(lut_b, lut_b + width_b + width_c);
    bytes[from_values] =
        classes.try_emplace(row, static_cast<std::uint8_t>(classes.size())).first->second;
  }
  // "Nothing is known of what was seen before" is a domain of its own.
  for (unsigned values = num_domains; values < 256; ++values) bytes[values] = 0xFF;
  return known->second = Intern(std::move(bytes));
}

LaneEmitter::Sizes LaneEmitter::SizesAt(const LaneView& view, std::uint32_t lane) const {
  Sizes sizes{};
  const auto slots = SlotsAt(CellsOf(view), view.num_scalars, lane);
  for (int i = 0; i < view.arity; ++i) sizes[i] = root_.sizes[slots[i]];
  return sizes;
}

bool LaneEmitter::HasNumbers(const LaneView& view) const {
  for (int i = view.num_scalars; i < view.arity; ++i) {
    if (row_numbers_[view.cells[i] / kLanes]) return true;
  }
  return false;
}

/// The table of these patterns and of those over two of the cells: positions as bits, patterns.
std::uint32_t LaneEmitter::RelationOf(
    const LaneView& view, std::uint32_t patterns,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> subsets, const Sizes& sizes) {
  key_.assign({patterns, static_cast<std::uint32_t>(sizes[0] | sizes[1] << 8 | sizes[2] << 16)});
  for (const auto& [positions, subset] : subsets) {
    key_.push_back(positions);
    key_.push_back(subset);
  }
  const auto [known, is_new] = made_.try_emplace(key_, 0);
  if (!is_new) return known->second;
  std::vector<std::uint32_t> all;
  store_.pattern_sets().Append(patterns, &all);
  for (const auto& [positions, subset] : subsets) {
    std::vector<std::uint32_t> smaller;
    store_.pattern_sets().Append(subset, &smaller);
    for (const std::uint32_t id : smaller) {
      all.push_back(clauses_.Widen(id, positions));
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return known->second = relations_.InternRelation(view.arity, sizes, all);
}

/// The lanes of a class, by what clauses over two of the three cells are merged into the table.
void LaneEmitter::AppendPieces(const LaneView& view, const LaneClass& lanes,
                               std::vector<Piece>* pieces) {
  struct Part {
    std::uint64_t lanes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> subsets;
  };
  std::vector<Part> parts = {{lanes.active, {}}};
  const auto merge = [&](std::uint32_t positions, std::uint64_t where, std::uint32_t patterns) {
    const std::size_t size = parts.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t here = parts[i].lanes & where;
      if (here == 0) continue;
      Part part{here, parts[i].subsets};
      part.subsets.emplace_back(positions, patterns);
      if (here == parts[i].lanes) {
        parts[i] = std::move(part);
      } else {
        parts[i].lanes &= ~here;
        parts.push_back(std::move(part));
      }
    }
  };
  if (view.arity == 3) {
    for (int left_out = 2; left_out >= 0; --left_out) {
      std::array<std::uint32_t, 2> cells{};
      std::uint32_t positions = 0;
      int size = 0, num_scalars = 0;
      for (int i = 0; i < 3; ++i) {
        if (i == left_out) continue;
        cells[size++] = view.cells[i];
        num_scalars += i < view.num_scalars;
        positions |= 1u << i;
      }
      EXH_CHECK(num_scalars < 2);
      if (!store_.has_arity(2)) continue;
      const LaneView* const pair = store_.Find(cells, num_scalars);
      if (pair == nullptr) continue;
      for (std::uint32_t c = pair->classes; c != 0; c = store_.classes()[c - 1].next) {
        const LaneClass& smaller = store_.classes()[c - 1];
        std::uint64_t where = smaller.lanes & lanes.active;
        if (where == 0) continue;
        if (smaller.gate != lanes.gate) {
          std::uint64_t holds = 0;
          for (const RowPlaces::Needed& needed : places_.NeededIn(view.root, view.first)) {
            const std::uint64_t here = where & needed.lanes;
            if (here == 0) continue;
            const std::uint32_t own = store_.WithLane(smaller.gate, needed.membership);
            const std::uint32_t gate = store_.WithLane(lanes.gate, needed.membership);
            if (own == 0 || own == gate) {
              holds |= here;
            } else if (clauses_.IsPartOf(own, gate)) {
              // Only what its own decisions need.
              for (std::uint64_t rest = here; rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
                const auto slots = SlotsAt(cells, num_scalars, lane);
                if (clauses_.OwnGate({slots.data(), 2}) == own) holds |= std::uint64_t{1} << lane;
              }
            }
          }
          where = holds;
        }
        merge(positions, where, smaller.patterns);
      }
    }
  }
  for (const Part& part : parts) {
    // The decisions of a row may differ in how many values they have: those of numbers do.
    for (std::uint64_t rest = part.lanes; rest != 0;) {
      const Sizes sizes = SizesAt(view, static_cast<std::uint32_t>(std::countr_zero(rest)));
      std::uint64_t alike = rest;
      if (HasNumbers(view)) {
        for (std::uint64_t others = rest; others != 0; others &= others - 1) {
          const auto lane = static_cast<std::uint32_t>(std::countr_zero(others));
          if (SizesAt(view, lane) != sizes) alike &= ~(std::uint64_t{1} << lane);
        }
      }
      rest &= ~alike;
      pieces->push_back({alike, lanes.gate, RelationOf(view, lanes.patterns, part.subsets, sizes)});
    }
  }
}

bool LaneEmitter::IsEntailed(std::uint32_t relation,
                             const std::array<Bits, kMaxTableArity>& domains) {
  if (entailments_.empty()) entailments_.resize(4096);
  std::uint64_t hash = relation;
  for (const Bits domain : domains) hash = (hash ^ domain) * 0x9E3779B97F4A7C15u;
  Entailment& known = entailments_[hash >> 52];
  if (known.relation != relation || known.domains != domains) {
    known = {relation, domains, clauses_.IsTableEntailed(network_.relations[relation], domains)};
  }
  return known.result;
}

/// Lanes in which the root does not say all that the table does. The first cells are shared.
std::uint64_t LaneEmitter::OpenLanes(std::uint32_t relation, std::span<const std::uint32_t> cells,
                                     int num_scalars, std::uint64_t lanes) {
  std::uint64_t open = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::array<Bits, kMaxTableArity> domains{};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      domains[i] = root_cells_[cells[i] + (static_cast<int>(i) < num_scalars ? 0 : lane)];
    }
    if (!IsEntailed(relation, domains)) open |= std::uint64_t{1} << lane;
  }
  return open;
}

/// Do the tables say the same of all that the root leaves possible in these lanes?
bool LaneEmitter::SayTheSame(const LaneView& view, std::uint32_t one, std::uint32_t other,
                             std::uint64_t lanes) const {
  if (one == other) return true;
  const Relation &a = network_.relations[one], &b = network_.relations[other];
  if (a.masks == b.masks) return true;
  if (a.sizes != b.sizes) return false;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const auto domain = [&](int i) -> Bits {
      return i >= view.arity ? 1 : root_cells_[view.cells[i] + (i < view.num_scalars ? 0 : lane)];
    };
    const auto other_domain = [&](int i) { return i + 1 < a.arity ? domain(a.others[i]) : 1; };
    const Bits target = domain(a.mask_position);
    for (Bits p = other_domain(0); p != 0; p &= p - 1) {
      for (Bits q = other_domain(1); q != 0; q &= q - 1) {
        const std::size_t at = a.strides[0] * static_cast<std::size_t>(std::countr_zero(p)) +
                               a.strides[1] * static_cast<std::size_t>(std::countr_zero(q));
        if (((network_.masks[a.masks + at] ^ network_.masks[b.masks + at]) & target) != 0) {
          return false;
        }
      }
    }
  }
  return true;
}

void LaneEmitter::MarkCells(std::uint32_t gate, std::span<const std::uint32_t> cells,
                            int num_scalars, std::uint64_t lanes) {
  if (gate == 0) return;
  std::vector<std::uint64_t>& marked = cells_by_gate_[gate];
  if (marked.empty()) marked.assign(instance_.layout().num_narrow / kLanes, 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (static_cast<int>(i) < num_scalars) {
      marked[cells[i] / kLanes] |= std::uint64_t{1} << cells[i] % kLanes;
      continue;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const Slot slot =
          network_.cells[cells[i] + static_cast<std::uint32_t>(std::countr_zero(rest))].slot;
      marked[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
    }
  }
}

/// The runs of the one cell that the lanes share, as few as say the same.
void LaneEmitter::HangTables(const LaneView& view, std::span<const Slot> slots,
                             const RowPlaces::Lanes& others, std::span<const Piece> pieces) {
  std::uint64_t here = ~std::uint64_t{0};
  for (const RootObject other : others.all()) {
    // Another object that all but the slot read would do as well: the last of them is the lane.
    if (places_.Reads(slots[0], other)) continue;
    bool all = true;
    for (std::size_t i = 1; i < slots.size(); ++i) all &= places_.Reads(slots[i], other);
    if (all) here &= LanesAfter(other, view.root, view.first);
  }
  struct Part {
    std::uint64_t lanes;
    std::uint32_t presence, gate, relation;
  };
  std::vector<Part> parts;
  for (const Piece& piece : pieces) {
    const std::uint64_t lanes = piece.lanes & here;
    if (lanes == 0) continue;
    const std::uint32_t presence = PresenceOf(view.root, view.first, piece.gate.always);
    const std::uint32_t gate = RestOf(piece.gate.rest, slots[0], false);
    bool merged = false;
    for (Part& known : parts) {
      if (known.presence != presence || known.gate != gate) continue;
      if (SayTheSame(view, known.relation, piece.relation, lanes)) {
        merged = true;
      } else if (SayTheSame(view, piece.relation, known.relation, known.lanes)) {
        known.relation = piece.relation;
        merged = true;
      }
      if (!merged) continue;
      known.lanes |= lanes;
      break;
    }
    if (!merged) parts.push_back({lanes, presence, gate, piece.relation});
  }
  for (const Part& part : parts) {
    const Relation& relation = network_.relations[part.relation];
    Run run;
    run.lanes = part.lanes;
    run.presence = part.presence;
    run.gate = part.gate;
    run.slot = slots[0];
    run.blame = part.relation;
    if (view.arity == 2) {
      PairRun pairs{run};
      pairs.row = view.cells[1];
      pairs.masks = PairTable(relation);
      pairs_.push_back({slots[0], 0, 0, pairs});
      continue;
    }
    TripleRun triples{run};
    triples.row_b = view.cells[1];
    triples.row_c = view.cells[2];
    triples.table = TripleTable(relation);
    triples.width_b = static_cast<std::uint16_t>(TableWidth(relation.sizes[1]));
    triples.width_c = static_cast<std::uint16_t>(TableWidth(relation.sizes[2]));
    triples_.push_back({slots[0], 0, 0, triples});
  }
}

LaneEmitter::Seen LaneEmitter::See(const LaneView& view, std::span<const Slot> slots,
                                   std::uint32_t lane) const {
  Seen seen;
  seen.size = view.arity;
  std::copy(slots.begin(), slots.end(), seen.sorted.begin());
  std::sort(seen.sorted.begin(), seen.sorted.begin() + view.arity);
  for (int i = 0; i < view.arity; ++i) {
    seen.position[i] =
        static_cast<std::uint8_t>(std::ranges::find(seen.sorted, slots[i]) - seen.sorted.begin());
    if (i < view.num_scalars) continue;
    const std::uint32_t cell = view.cells[i] + lane;
    if (network_.cells[cell].slot != cell) seen.inverse[i] = network_.cells[cell].inverse;
  }
  return seen;
}

std::uint32_t LaneEmitter::Canonical(std::uint32_t id, const Seen& seen) {
  const Pattern placed = network_.patterns[id];
  Pattern pattern;
  pattern.origin = placed.origin;
  pattern.num_pairs = placed.num_pairs;
  for (int i = 0; i < seen.size; ++i) {
    // A mask of no position is none.
    if (placed.masks[i] == 0) continue;
    pattern.masks[seen.position[i]] = network_.inverses[seen.inverse[i]][placed.masks[i]];
  }
  for (int i = 0; i < placed.num_pairs; ++i) {
    const auto [left, right] = placed.pair_positions[i];
    pattern.pair_positions[i] = {seen.position[left], seen.position[right]};
    pattern.pair_relations[i] =
        store_.MirrorPairs(placed.pair_relations[i], seen.inverse[left], seen.inverse[right]);
  }
  return relations_.InternPattern(pattern);
}

std::uint32_t LaneEmitter::CanonicalRelation(std::uint32_t id, const Seen& seen) {
  std::array<std::uint32_t, kMaxTableArity + 1> key{id};
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  for (int i = 0; i < seen.size; ++i) {
    sizes[seen.position[i]] = network_.relations[id].sizes[i];
    key[i + 1] = seen.inverse[i] * 4u + seen.position[i];
  }
  const auto [known, is_new] = canonical_.try_emplace(key, 0);
  if (!is_new) return known->second;
  const Relation relation = network_.relations[id];
  std::vector<std::uint32_t> patterns;
  for (std::uint32_t p = relation.patterns_begin; p < relation.patterns_end; ++p) {
    patterns.push_back(Canonical(network_.pattern_lists[p], seen));
  }
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  return known->second = relations_.InternRelation(seen.size, sizes, patterns);
}

/// Records for lanes that some slot has in no run.
void LaneEmitter::AppendRecords(const LaneView& view, const Piece& piece, std::uint64_t lanes,
                                std::uint8_t covered) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const auto all = SlotsAt(CellsOf(view), view.num_scalars, lane);
    const std::span<const Slot> slots(all.data(), view.arity);
    const Seen seen = See(view, slots, lane);
    Constraint constraint;
    constraint.kind =
        view.arity == 2 ? Constraint::Kind::kPairTable : Constraint::Kind::kTripleTable;
    constraint.arity = view.arity;
    constraint.gate = store_.WithLane(
        piece.gate, places_.MembershipOf({view.root, static_cast<Object>(view.first + lane)}));
    constraint.slots = seen.sorted;
    constraint.relation = CanonicalRelation(piece.relation, seen);
    std::uint8_t bits = 0;
    for (int i = 0; i < view.arity; ++i) {
      bits |= static_cast<std::uint8_t>((covered >> i & 1) << seen.position[i]);
    }
    network_.constraints.push_back(constraint);
    covered_->push_back(bits);
  }
}

void LaneEmitter::EmitView(const LaneView& view) {
  std::vector<Piece> pieces;
  for (std::uint32_t c = view.classes; c != 0; c = store_.classes()[c - 1].next) {
    const LaneClass& lanes = store_.classes()[c - 1];
    if (lanes.active != 0) AppendPieces(view, lanes, &pieces);
  }
  if (pieces.empty()) return;
  // The objects of a view are the same in all lanes but for the lane itself.
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(pieces.front().lanes));
  const auto all = SlotsAt(CellsOf(view), view.num_scalars, lane);
  const std::span<const Slot> slots(all.data(), view.arity);
  const RootObject object{view.root, static_cast<Object>(view.first + lane)};
  const RowPlaces::Lanes lanes = places_.LanesOf(slots);
  // An object can be the lane of a run of slot i when all other slots read it.
  const auto is_lane_of = [&](std::size_t i, RootObject candidate) {
    for (std::size_t j = 0; j < slots.size(); ++j) {
      if (places_.Reads(slots[j], candidate) == (j == i)) return false;
    }
    return true;
  };
  std::uint8_t covered = 0;
  std::uint64_t is_first = ~std::uint64_t{0};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const int choice = instance_.choice(instance_.decision_at(slots[i]));
    const bool small = view.arity == 2 || most_values_[choice] <= kMaxTableValues;
    for (const RootObject candidate : lanes.all()) {
      if (small && is_lane_of(i, candidate)) covered |= static_cast<std::uint8_t>(1u << i);
    }
  }
  for (const RootObject other : lanes.all()) {
    if (other == object) continue;
    if (view.arity == 3) {
      bool stands = false;
      for (std::size_t i = 0; i < slots.size(); ++i) stands |= is_lane_of(i, other);
      if (!stands) continue;
    }
    is_first &= LanesAfter(other, view.root, view.first);
  }
  if (view.num_scalars == 1 && (covered & 1) != 0) {
    RowPlaces::Lanes others = lanes;
    others.size = 0;
    for (const RootObject other : lanes.all()) {
      if (other != object) others.objects[others.size++] = other;
    }
    HangTables(view, slots, others, pieces);
  }
  for (const Piece& piece : pieces) {
    const std::uint64_t first = piece.lanes & is_first;
    if (first == 0) continue;
    if (covered != (1u << view.arity) - 1) {
      AppendRecords(view, piece, first, covered);
      continue;
    }
    for (const RowPlaces::Needed& needed : places_.NeededIn(view.root, view.first)) {
      LaneTable table;
      table.lanes = first & needed.lanes;
      if (table.lanes == 0) continue;
      std::copy_n(view.cells.begin(), 3, table.cells.begin());
      table.relation = piece.relation;
      table.gate = store_.WithLane(piece.gate, needed.membership);
      table.arity = view.arity;
      table.num_scalars = view.num_scalars;
      network_.lane_tables.push_back(table);
    }
  }
}

/// The literals that read the object, as the rows in which it is the lane show them: choices and
/// values, in ascending order.
LaneEmitter::Terms LaneEmitter::TermsOf(const LaneClause& clause, std::span<const Slot> slots,
                                        std::uint32_t lane, RootObject object) const {
  Terms terms{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::optional<RowPlace> place = places_.InRow(slots[i], object);
    if (!place || !places_.Reads(slots[i], object)) continue;
    std::uint8_t values = ValuesOf(clause.literals[i]);
    const std::uint32_t cell =
        CellOf(clause.literals[i]) + (static_cast<int>(i) < clause.num_scalars ? 0 : lane);
    const Cell& at = network_.cells[cell];
    if ((at.slot != cell) != place->mirrored) values = network_.inverses[at.inverse][values];
    terms[size++] = static_cast<std::uint32_t>(
                        instance_.choice(instance_.decision_at(slots[i])) << 8 | values) +
                    1;
  }
  std::sort(terms.begin(), terms.begin() + size);
  return terms;
}

void LaneEmitter::EmitClause(const LaneClause& clause) {
  const std::uint64_t open = clause.lanes;
  std::array<std::uint32_t, LaneClause::kMaxLiterals> cells{};
  const int size = clause.size();
  for (int i = 0; i < size; ++i) cells[i] = CellOf(clause.literals[i]);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(open));
  const std::span<const std::uint32_t> all_cells(cells.data(), static_cast<std::size_t>(size));
  const auto all = SlotsAt(all_cells, clause.num_scalars, lane);
  const std::span<const Slot> slots(all.data(), static_cast<std::size_t>(size));
  const RootObject object{clause.root, static_cast<Object>(clause.first + lane)};
  const RowPlaces::Lanes lanes = places_.LanesOf(slots);
  std::uint64_t is_first = ~std::uint64_t{0};
  for (const RootObject other : lanes.all()) {
    if (other != object) is_first &= LanesAfter(other, clause.root, clause.first);
  }

  std::uint8_t covered = 0;
  for (int i = 0; i < size; ++i) {
    RowPlaces::Lanes also;
    const std::optional<RootObject> picked =
        places_.PickLane(slots, static_cast<std::size_t>(i), lanes, &also);
    if (!picked) continue;
    int rows = 0;
    for (const Slot slot : slots) rows += places_.Reads(slot, *picked);
    if (rows > kMaxRunRows || size - rows - 1 > kMaxRunScalars) continue;
    covered |= static_cast<std::uint8_t>(1u << i);
    if (i >= clause.num_scalars) continue;
    // In this view? Of objects that would do as well the one that is read first in the clause's
    // own terms is the lane, so that runs of a slot are alike; of equal ones the last.
    also.objects[also.size++] = *picked;
    if (std::ranges::count(also.all(), object) == 0) continue;
    std::uint64_t run_lanes = open;
    if (also.size > 1) {
      const Terms terms = TermsOf(clause, slots, lane, object);
      for (const RootObject other : also.all()) {
        if (other == object) continue;
        const Terms theirs = TermsOf(clause, slots, lane, other);
        if (theirs < terms) run_lanes = 0;
        if (theirs == terms) run_lanes &= LanesAfter(other, clause.root, clause.first);
      }
    }
    if (run_lanes == 0) continue;
    ClauseRun run;
    run.lanes = run_lanes;
    run.presence = PresenceOf(clause.root, clause.first, clause.always);
    run.gate = RestOf(clause.gate, slots[i], false);
    run.slot = slots[i];
    run.blame = kBlamesOrigin | clause.origin;
    const std::span<const RootObject> shared = places_.ObjectsOf(slots[i]);
    for (int j = 0; j < clause.num_scalars; ++j) {
      if (j == i) continue;
      // The same side of a pair for all runs of a slot: what the slot reads stands first.
      std::uint32_t cell = cells[j];
      std::uint8_t values = ValuesOf(clause.literals[j]);
      const Cell& stored = network_.cells[cell];
      if (stored.mirror != cell) {
        const std::span<const RootObject> pair = places_.ObjectsOf(cell);
        if (std::ranges::count(shared, pair[1]) != 0 && std::ranges::count(shared, pair[0]) == 0) {
          values = network_.inverses[stored.inverse][values];
          cell = stored.mirror;
        }
      }
      run.scalars[run.num_scalars++] = PackLiteral(cell, values);
    }
    std::sort(run.scalars.begin(), run.scalars.begin() + run.num_scalars);
    for (int j = clause.num_scalars; j < size; ++j) {
      run.rows[run.num_rows++] = clause.literals[j];
    }
    clause_runs_.push_back({slots[i], ValuesOf(clause.literals[i]), clause.first, run});
  }
  const std::uint64_t first = open & is_first;
  if (first == 0) return;
  if (covered == (1u << size) - 1) {
    for (const RowPlaces::Needed& needed : places_.NeededIn(clause.root, clause.first)) {
      if ((first & needed.lanes) == 0) continue;
      network_.lane_clauses.push_back(clause);
      network_.lane_clauses.back().lanes = first & needed.lanes;
      network_.lane_clauses.back().gate =
          store_.WithLane({clause.gate, clause.always}, needed.membership);
    }
    return;
  }
  for (std::uint64_t rest = first; rest != 0; rest &= rest - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(rest));
    Constraint constraint;
    constraint.gate = store_.WithLane(
        {clause.gate, clause.always},
        places_.MembershipOf({clause.root, static_cast<Object>(clause.first + at)}));
    constraint.origin = clause.origin;
    constraint.literal_begin = static_cast<std::uint32_t>(network_.literals.size());
    for (int i = 0; i < size; ++i) {
      std::uint32_t cell = cells[i] + (i < clause.num_scalars ? 0 : at);
      std::uint8_t values = ValuesOf(clause.literals[i]);
      if (network_.cells[cell].slot != cell) {
        values = network_.inverses[network_.cells[cell].inverse][values];
        cell = network_.cells[cell].slot;
      }
      network_.literals.push_back({Literal::Kind::kSlot, {}, cell, 0, values, 0});
    }
    constraint.literal_end = static_cast<std::uint32_t>(network_.literals.size());
    network_.constraints.push_back(constraint);
    covered_->push_back(covered);
  }
}

/// The clause runs of one list, those that can be filtered together side by side.
void LaneEmitter::EmitList(std::span<const Hung<ClauseRun>* const> runs) {
  struct Entry {
    std::array<PackedLiteral, kMaxRunScalars> rows{};
    std::uint32_t num_rows = 0, lane = 0, block = 0;
    const ClauseRun* run = nullptr;
    /// Runs that go through one filter: for each lane of the filter there is one.
    auto Group() const {
      return std::tie(num_rows, rows, run->blame, block, run->presence, run->gate);
    }
  };
  std::vector<Entry> entries;
  entries.reserve(runs.size());
  for (const Hung<ClauseRun>* const hung : runs) {
    const ClauseRun& run = hung->run;
    Entry entry;
    entry.run = &run;
    entry.block = hung->block;
    entry.lane = run.num_scalars == 0 ? 0 : CellOf(run.scalars[0]) % kLanes;
    for (int i = 0; i < run.num_scalars; ++i) {
      const std::uint32_t cell = CellOf(run.scalars[i]);
      if (cell % kLanes != entry.lane) {
        entry.num_rows = 0;
        break;
      }
      entry.rows[entry.num_rows++] = PackLiteral(cell - entry.lane, ValuesOf(run.scalars[i]));
    }
    if (entry.num_rows == 0) {
      entry.lane = 0;
      entry.rows = {};
    }
    entries.push_back(entry);
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tuple_cat(a.Group(), std::tie(a.lane)) <
           std::tuple_cat(b.Group(), std::tie(b.lane));
  });
  ClauseRunList list{runs.front()->values,
                     static_cast<std::uint32_t>(network_.clause_filters.size()), 0};
  for (std::size_t first = 0; first < entries.size();) {
    // As many as go through one filter, a run a lane.
    std::size_t end = first + 1;
    while (end < entries.size() && entries[first].num_rows != 0 &&
           entries[end].Group() == entries[first].Group() &&
           entries[end].lane != entries[end - 1].lane) {
      ++end;
    }
    while (first < end) {
      ClauseFilter filter;
      const Entry& entry = entries[first];
      filter.first_run = static_cast<std::uint32_t>(network_.clause_runs.size());
      filter.num_rows = static_cast<std::uint8_t>(entry.num_rows);
      filter.rows = entry.rows;
      if (entry.num_rows == 0) {
        filter.num_scalars = entry.run->num_scalars;
        filter.rows = entry.run->scalars;
      }
      Family family(*entry.run, entry.lane);
      std::size_t members = first + 1;
      while (members < end && family.Takes(*entries[members].run, entries[members].lane)) {
        ++members;
      }
      if (members - first >= kMinFamily) {
        network_.clause_runs.push_back(*entry.run);
        family.Describe(&filter, &network_.clause_runs.back());
      } else {
        // Those that are no family stay side by side.
        members = first;
        std::size_t next = first;
        while (next < end && next - first < kMinFamily) {
          network_.clause_runs.push_back(*entries[next++].run);
        }
        members = next;
      }
      for (; first < members; ++first) filter.lanes |= std::uint64_t{1} << entries[first].lane;
      network_.clause_filters.push_back(filter);
    }
  }
  list.end = static_cast<std::uint32_t>(network_.clause_filters.size());
  network_.clause_lists.push_back(list);
}

/// By slot, as Network::work counts them.
void LaneEmitter::Sort() {
  const auto pairs = BySlot(pairs_, network_.work.size());
  const auto triples = BySlot(triples_, network_.work.size());
  auto clauses = BySlot(clause_runs_, network_.work.size());
  std::size_t pair = 0, triple = 0, clause = 0;
  for (Slot slot = 0; slot < network_.work.size(); ++slot) {
    SlotWork& work = network_.work[slot];
    work.pair_runs = static_cast<std::uint32_t>(network_.pair_runs.size());
    work.triple_runs = static_cast<std::uint32_t>(network_.triple_runs.size());
    work.clause_lists = static_cast<std::uint32_t>(network_.clause_lists.size());
    for (; pair < pairs.size() && pairs[pair]->slot == slot; ++pair) {
      network_.pair_runs.push_back(pairs[pair]->run);
    }
    for (; triple < triples.size() && triples[triple]->slot == slot; ++triple) {
      network_.triple_runs.push_back(triples[triple]->run);
    }
    const std::size_t first = clause;
    while (clause < clauses.size() && clauses[clause]->slot == slot) ++clause;
    std::stable_sort(clauses.begin() + static_cast<std::ptrdiff_t>(first),
                     clauses.begin() + static_cast<std::ptrdiff_t>(clause),
                     [](const auto* a, const auto* b) { return a->values < b->values; });
    for (std::size_t begin = first; begin < clause;) {
      std::size_t end = begin;
      while (end < clause && clauses[end]->values == clauses[begin]->values) ++end;
      EmitList({clauses.data() + begin, end - begin});
      begin = end;
    }
  }
  pairs_ = {};
  triples_ = {};
  clause_runs_ = {};
}

void LaneEmitter::ReadRoot() {
  root_cells_.assign(instance_.layout().num_narrow, 0);
  for (Slot slot = 0; slot < instance_.layout().num_narrow; ++slot) {
    const Cell& cell = network_.cells[slot];
    if (cell.slot != slot || !places_.IsDecision(slot)) continue;
    const auto values = static_cast<std::uint8_t>(root_.slots[slot]);
    root_cells_[slot] = values;
    if (cell.mirror != slot) root_cells_[cell.mirror] = network_.inverses[cell.inverse][values];
  }
}

void LaneEmitter::Emit(FreezeTicker* ticker, std::vector<std::uint8_t>* covered) {
  covered_ = covered;
  ReadRoot();
  row_numbers_.assign(instance_.layout().num_narrow / kLanes, false);
  most_values_.assign(instance_.space().choices.size(), 0);
  for (DecisionId d = 0; d < instance_.num_decisions(); ++d) {
    const Slot slot = instance_.slot(d);
    if (slot >= instance_.layout().num_narrow) continue;
    const int choice = instance_.choice(d);
    most_values_[choice] = std::max(most_values_[choice], root_.sizes[slot]);
    if (instance_.space().choices[choice].kind == ChoiceKind::kInteger) {
      row_numbers_[slot / kLanes] = true;
    }
  }
  for (const LaneView& view : store_.views()) {
    ticker->Tick();
    if (view.arity != kMaxTableArity) EmitView(view);
  }
  clause_runs_.reserve(2 * store_.clauses().size());
  for (const LaneClause& clause : store_.clauses()) {
    ticker->Tick();
    EmitClause(clause);
  }
  store_.Clear();
  Sort();
}

bool LaneEmitter::IsNeverOpen(std::uint32_t gate) const {
  return std::ranges::any_of(clauses_.gate(gate),
                             [&](Slot slot) { return root_.slots[slot] == kFalseBit; });
}

std::uint64_t LaneEmitter::OpenLanes(std::span<const PackedLiteral> scalars,
                                     std::span<const PackedLiteral> rows,
                                     std::uint64_t lanes) const {
  for (const PackedLiteral literal : scalars) {
    if ((root_cells_[CellOf(literal)] & ~ValuesOf(literal)) == 0) return 0;
  }
  for (const PackedLiteral literal : rows) {
    lanes &= ~ActiveRowKernels().certain(root_cells_.data() + CellOf(literal), ValuesOf(literal));
  }
  return lanes;
}

std::uint64_t LaneEmitter::OpenLanes(const PairRun& run) {
  const std::array<std::uint32_t, 2> cells = {run.slot, run.row};
  return IsNeverOpen(run.gate) ? 0 : OpenLanes(run.blame, cells, 1, run.lanes);
}

std::uint64_t LaneEmitter::OpenLanes(const TripleRun& run) {
  const std::array<std::uint32_t, 3> cells = {run.slot, run.row_b, run.row_c};
  return IsNeverOpen(run.gate) ? 0 : OpenLanes(run.blame, cells, 1, run.lanes);
}

std::uint64_t LaneEmitter::OpenLanes(const ClauseRun& run, std::uint32_t values) const {
  if (IsNeverOpen(run.gate)) return 0;
  const PackedLiteral hung = PackLiteral(run.slot, static_cast<std::uint8_t>(values));
  if (OpenLanes({&hung, 1}, {}, 1) == 0) return 0;
  return OpenLanes({run.scalars.data(), run.num_scalars}, {run.rows.data(), run.num_rows},
                   run.lanes);
}

/// Keeps the open lanes of all runs, in place and in order.
void LaneEmitter::DropEntailed(FreezeTicker* ticker) {
  ReadRoot();
  num_entailed_ = 0;
  const std::vector<SlotWork> before = network_.work;
  std::size_t pairs = 0, triples = 0, lists = 0, filters = 0, clauses = 0;
  for (Slot slot = 0; slot + 1 < network_.work.size(); ++slot) {
    ticker->Tick();
    SlotWork& work = network_.work[slot];
    const SlotWork &from = before[slot], &end = before[slot + 1];
    work.pair_runs = static_cast<std::uint32_t>(pairs);
    work.triple_runs = static_cast<std::uint32_t>(triples);
    work.clause_lists = static_cast<std::uint32_t>(lists);
    for (std::uint32_t i = from.pair_runs; i < end.pair_runs; ++i) {
      PairRun run = network_.pair_runs[i];
      run.lanes = OpenLanes(run);
      if (run.lanes != 0) network_.pair_runs[pairs++] = run;
    }
    for (std::uint32_t i = from.triple_runs; i < end.triple_runs; ++i) {
      TripleRun run = network_.triple_runs[i];
      run.lanes = OpenLanes(run);
      if (run.lanes != 0) network_.triple_runs[triples++] = run;
    }
    for (std::uint32_t l = from.clause_lists; l < end.clause_lists; ++l) {
      ClauseRunList list = network_.clause_lists[l];
      const std::uint32_t filters_end = list.end;
      const std::size_t first_filter = filters;
      for (std::uint32_t f = list.begin; f < filters_end; ++f) {
        ClauseFilter filter = network_.clause_filters[f];
        std::uint64_t kept = 0;
        const std::size_t first_run = clauses;
        std::uint32_t number = filter.first_run;
        const ClauseRun family = network_.clause_runs[number];
        for (std::uint64_t rest = filter.lanes; rest != 0; rest &= rest - 1) {
          // What is entailed in some lanes only stays as it is: families are all alike.
          const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
          const ClauseRun run =
              filter.is_family ? MemberOf(filter, family, lane) : network_.clause_runs[number++];
          if (OpenLanes(run, list.values) == 0) continue;
          if (!filter.is_family) network_.clause_runs[clauses++] = run;
          kept |= rest & (~rest + 1);
        }
        if (filter.is_family && kept != 0) network_.clause_runs[clauses++] = family;
        if (kept == 0) continue;
        filter.lanes = kept;
        filter.first_run = static_cast<std::uint32_t>(first_run);
        network_.clause_filters[filters++] = filter;
      }
      if (filters == first_filter) continue;
      list.begin = static_cast<std::uint32_t>(first_filter);
      list.end = static_cast<std::uint32_t>(filters);
      network_.clause_lists[lists++] = list;
    }
  }
  SlotWork& last = network_.work.back();
  last.pair_runs = static_cast<std::uint32_t>(pairs);
  last.triple_runs = static_cast<std::uint32_t>(triples);
  last.clause_lists = static_cast<std::uint32_t>(lists);
  network_.pair_runs.resize(pairs);
  network_.triple_runs.resize(triples);
  network_.clause_lists.resize(lists);
  network_.clause_filters.resize(filters);
  network_.clause_runs.resize(clauses);
  network_.pair_runs.shrink_to_fit();
  network_.triple_runs.shrink_to_fit();
  network_.clause_filters.shrink_to_fit();
  network_.clause_runs.shrink_to_fit();

  cells_by_gate_.assign(clauses_.num_gates(), {});
  for (LaneTable& table : network_.lane_tables) {
    const std::span<const std::uint32_t> cells(table.cells.data(), table.arity);
    const std::uint64_t open =
        IsNeverOpen(table.gate) ? 0
                                : OpenLanes(table.relation, cells, table.num_scalars, table.lanes);
    num_entailed_ += static_cast<std::size_t>(std::popcount(table.lanes & ~open));
    table.lanes = open;
    MarkCells(table.gate, cells, table.num_scalars, open);
  }
  std::erase_if(network_.lane_tables, [](const LaneTable& table) { return table.lanes == 0; });
  for (LaneClause& clause : network_.lane_clauses) {
    const std::span<const PackedLiteral> literals(clause.literals.data(),
                                                  static_cast<std::size_t>(clause.size()));
    const std::uint64_t open = IsNeverOpen(clause.gate)
                                   ? 0
                                   : OpenLanes(literals.first(clause.num_scalars),
                                               literals.subspan(clause.num_scalars), clause.lanes);
    num_entailed_ += static_cast<std::size_t>(std::popcount(clause.lanes & ~open));
    clause.lanes = open;
    std::array<std::uint32_t, LaneClause::kMaxLiterals> cells{};
    for (int i = 0; i < clause.size(); ++i) cells[i] = CellOf(clause.literals[i]);
    MarkCells(clause.gate, {cells.data(), literals.size()}, clause.num_scalars, open);
  }
  std::erase_if(network_.lane_clauses, [](const LaneClause& clause) { return clause.lanes == 0; });
  network_.lane_tables.shrink_to_fit();
  network_.lane_clauses.shrink_to_fit();
}

}  // namespace exh::runtime::internal
