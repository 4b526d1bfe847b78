// SPDX-License-Identifier: MIT
//
// Tables in lanes. EmitView() takes one view: its classes are cut into pieces of lanes with one
// relation and one gate (AppendPieces). Clauses over two of three cells hold in the table over all
// three as well, where it does not open before them, so their patterns are merged in; that is what
// makes two requirements act together. The pieces become runs of the one cell that all lanes share
// (HangTables), and records for lanes that some slot has in no run (AppendRecords).
//
// A run does not need the very relation of a piece. Pieces whose relations agree on all that the
// root leaves possible become one run, and equal look-up tables are there once, so that what is
// read during propagation stays in the cache.
#include "runtime/internal/ground/lane_emitter.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

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

std::span<const std::uint32_t> CellsOf(const LaneView& view) {
  return {view.cells.data(), view.arity};
}

}  // namespace

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

void LaneEmitter::Describe(std::uint32_t number, UniformPart* part) {
  const Relation& relation = network_.relations[number];
  part->table = TripleTable(relation);
  part->width_b = static_cast<std::uint16_t>(TableWidth(relation.sizes[1]));
  part->width_c = static_cast<std::uint16_t>(TableWidth(relation.sizes[2]));
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
            } else if (gates_.IsPartOf(own, gate)) {
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
  SortFirst(static_cast<std::size_t>(view.arity), &seen.sorted);
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
    constraint.arity = view.arity;
    constraint.gate = store_.WithLane(
        piece.gate, places_.MembershipOf({view.root, static_cast<Object>(view.first + lane)}));
    // As GroundClauses::Finish(): the entries of narrow tables have 16 bits for a gate.
    constraint.kind = constraint.gate > 0xFFFF ? Constraint::Kind::kWideTable
                      : view.arity == 2        ? Constraint::Kind::kPairTable
                                               : Constraint::Kind::kTripleTable;
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

}  // namespace exh::runtime::internal
