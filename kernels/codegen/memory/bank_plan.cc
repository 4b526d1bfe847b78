// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/bank_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kBanks = 32, kWordBytes = 4;
/// Matrices that are tried all: with more, single columns are.
constexpr std::uint64_t kMostMatrices = 4096;

std::size_t Nth(int i) {
  return static_cast<std::size_t>(i);
}

/// Lanes that an access of so many bytes takes at once.
std::uint32_t LanesAtOnce(std::uint32_t bytes) {
  return ir::kWarpLanes * kWordBytes / std::max(bytes, kWordBytes);
}

/// Words that lanes want at once, each once. `act(word)` is called for each.
template <typename Action>
void ForEachWord(std::span<const std::int64_t> lanes, std::uint32_t bytes, const Action& act) {
  std::array<std::int64_t, ir::kWarpLanes>
      known;  // An access has ir::kWarpLanes words at most at once.
  std::size_t size = 0;
  for (const std::int64_t lane : lanes) {
    if (lane == kIdleLane) continue;
    for (std::uint32_t byte = 0; byte < bytes; byte += kWordBytes) {
      const std::int64_t word = (lane + byte) / kWordBytes;
      const auto end = known.begin() + static_cast<std::ptrdiff_t>(size);
      if (std::find(known.begin(), end, word) != end) continue;
      known[size++] = word;
      act(word);
    }
  }
}

/// Calls `act` for the lanes that an access takes at once, group by group; those of which some do
/// something.
template <typename Action>
void ForEachGroup(std::span<const std::int64_t> lanes, std::uint32_t bytes, const Action& act) {
  const std::size_t at_once = LanesAtOnce(bytes);
  for (std::size_t first = 0; first < lanes.size(); first += at_once) {
    const auto group = lanes.subspan(first, std::min(at_once, lanes.size() - first));
    if (std::ranges::any_of(group, [](std::int64_t lane) { return lane != kIdleLane; })) act(group);
  }
}

/// How many words the busiest bank has to yield.
class BankCounter {
 public:
  void Add(std::uint32_t bank) { most_ = std::max(most_, ++counts_[bank]); }
  std::uint32_t most() const { return most_; }

 private:
  std::array<std::uint8_t, kBanks> counts_ = {};
  std::uint8_t most_ = 0;
};

/// Finds a matrix: a column for each bit of the row's number in which lanes differ.
class LayoutSearch {
 public:
  LayoutSearch(std::span<const WarpAccess> accesses, std::uint32_t element_bytes,
               std::uint32_t piece_elements, std::uint32_t row_elements) {
    layout_.piece_bits = static_cast<std::uint32_t>(std::countr_zero(piece_elements));
    layout_.row_bits = static_cast<std::uint32_t>(std::countr_zero(row_elements));
    const std::uint32_t piece_words = piece_elements * element_bytes / kWordBytes;
    piece_shift_ = static_cast<std::uint32_t>(std::countr_zero(piece_words));
    values_ = std::min(kBanks / piece_words, row_elements / piece_elements);
    FindBits(accesses);
    for (const WarpAccess& access : accesses) AddGroups(access, element_bytes);
    columns_.assign(bits_.size(), 0);
  }

  XorLayout Run() {
    best_ = {Cost(), 0};
    const Score plain = best_;
    std::uint64_t matrices = 1;
    for (std::size_t i = 0; i < bits_.size() && matrices <= kMostMatrices; ++i) matrices *= values_;
    if (best_.wavefronts > least_) {
      matrices <= kMostMatrices ? TryAll(0) : Descend();
    }
    if (best_.wavefronts >= plain.wavefronts) return {};
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (best_columns_[i] == 0) continue;
      layout_.columns.resize(std::max<std::size_t>(layout_.columns.size(), bits_[i] + 1));
      layout_.columns[bits_[i]] = best_columns_[i];
    }
    return layout_;
  }

 private:
  struct Score {
    double wavefronts = 0;
    int changes = 0;  ///< Bits that are set in the matrix.
    friend auto operator<=>(const Score&, const Score&) = default;
  };
  struct Word {
    std::uint32_t bank = 0;  ///< In plain rows.
    std::uint32_t row = 0;   ///< Of the row's number those of `bits_`.
  };
  struct Group {
    std::vector<Word> words;
    double weight = 1;
  };

  std::int64_t RowOf(std::int64_t element) const { return element >> layout_.row_bits; }

  /// Where all lanes of an access agree, a column moves them alike.
  void FindBits(std::span<const WarpAccess> accesses) {
    std::uint64_t differ = 0;
    for (const WarpAccess& access : accesses) {
      std::int64_t first = kIdleLane;
      for (const std::int64_t element : access.elements) {
        if (element == kIdleLane) continue;
        if (first == kIdleLane) first = element;
        differ |= static_cast<std::uint64_t>(RowOf(first) ^ RowOf(element));
      }
    }
    for (; differ != 0; differ &= differ - 1) {
      bits_.push_back(static_cast<std::uint32_t>(std::countr_zero(differ)));
    }
  }

  void AddGroups(const WarpAccess& access, std::uint32_t element_bytes) {
    std::vector<std::int64_t> lanes;
    for (const std::int64_t element : access.elements) {
      lanes.push_back(element == kIdleLane ? kIdleLane : element * element_bytes);
    }
    ForEachGroup(lanes, access.width * element_bytes, [&](std::span<const std::int64_t> group) {
      Group& added = groups_.emplace_back();
      added.weight = access.weight;
      least_ += access.weight;
      ForEachWord(group, access.width * element_bytes, [&](std::int64_t word) {
        const std::int64_t row = RowOf(word * kWordBytes / element_bytes);
        Word& one = added.words.emplace_back();
        one.bank = static_cast<std::uint32_t>(word % kBanks);
        for (std::size_t i = 0; i < bits_.size(); ++i) {
          one.row |= static_cast<std::uint32_t>(row >> bits_[i] & 1) << i;
        }
      });
    });
  }

  double Cost() const {
    double sum = 0;
    for (const Group& group : groups_) {
      BankCounter banks;
      for (const Word& word : group.words) {
        std::uint32_t change = 0;
        for (std::uint32_t rest = word.row; rest != 0; rest &= rest - 1) {
          change ^= columns_[static_cast<std::size_t>(std::countr_zero(rest))];
        }
        banks.Add(word.bank ^ change << piece_shift_);
      }
      sum += group.weight * banks.most();
    }
    return sum;
  }

  Score ScoreNow() const {
    int changes = 0;
    for (const std::uint32_t column : columns_) changes += std::popcount(column);
    return {Cost(), changes};
  }

  void Try() {
    const Score score = ScoreNow();
    if (!best_columns_.empty() && score >= best_) return;
    best_ = score;
    best_columns_ = columns_;
  }

  void TryAll(std::size_t column) {
    if (column == columns_.size()) return Try();
    for (std::uint32_t value = 0; value < values_; ++value) {
      columns_[column] = value;
      TryAll(column + 1);
    }
  }

  /// From rows one after the other, and from those in which a bit of the row changes one of the
  /// piece: as long as another column in one place is better.
  void Descend() {
    const auto bits = static_cast<std::size_t>(std::countr_zero(values_));
    for (std::size_t first = 0; first <= bits_.size(); ++first) {
      columns_.assign(bits_.size(), 0);
      for (std::size_t i = 0; i < bits && first + i < bits_.size(); ++i) {
        columns_[first + i] = 1u << i;
      }
      Try();
    }
    Score before;
    do {
      before = best_;
      for (std::size_t i = 0; i < bits_.size(); ++i) {
        columns_ = best_columns_;
        for (std::uint32_t value = 0; value < values_; ++value) {
          columns_[i] = value;
          Try();
        }
      }
    } while (best_ < before);
  }

  XorLayout layout_;
  std::uint32_t piece_shift_ = 0, values_ = 1;
  std::vector<std::uint32_t> bits_;  ///< Of the row's number: those that matter.
  std::vector<Group> groups_;
  double least_ = 0;
  std::vector<std::uint32_t> columns_, best_columns_;
  Score best_;
};

/// Of an access that stands for all like it within `around`: its first warp.
WarpAccess FirstWarp(const Schedule& schedule, const LoopTree& tree, const Affine& address,
                     const ir::Instruction& inst, int around) {
  WarpAccess access;
  access.width = WidthOf(schedule, tree, address, inst);
  const int node = tree.node_of_inst[inst.id.index()], band = tree.BandAround(node);
  const ThreadLayout all{.threads = tree.num_threads};
  const ThreadLayout& layout = band < 0 ? all : tree.layouts[Nth(tree.node(band).layout)];
  const std::uint32_t threads = layout.threads;
  for (std::uint32_t lane = 0; lane < ir::kWarpLanes; ++lane) {
    access.elements.push_back(lane < threads ? ElementTaken(tree, address, layout.PlaceOf(lane))
                                             : kIdleLane);
  }
  access.weight =
      static_cast<double>((threads + ir::kWarpLanes - 1) / ir::kWarpLanes) / access.width;
  for (int at = node; at != around; at = tree.node(at).parent) {
    const int repeated = tree.node(at).dim_class;
    if (repeated >= 0) access.weight *= tree.classes[Nth(repeated)].size;
  }
  return access;
}

}  // namespace

std::uint32_t LeastWavefronts(std::span<const std::int64_t> lanes, std::uint32_t bytes) {
  std::uint32_t groups = 0;
  ForEachGroup(lanes, bytes, [&](std::span<const std::int64_t>) { ++groups; });
  return groups;
}

std::uint32_t Wavefronts(std::span<const std::int64_t> lanes, std::uint32_t bytes) {
  std::uint32_t sum = 0;
  ForEachGroup(lanes, bytes, [&](std::span<const std::int64_t> group) {
    BankCounter banks;
    ForEachWord(group, bytes,
                [&](std::int64_t word) { banks.Add(static_cast<std::uint32_t>(word % kBanks)); });
    sum += banks.most();
  });
  return sum;
}

std::int64_t XorLayout::Place(std::int64_t element) const {
  if (is_cut()) {
    const std::int64_t row = element / length, within = element % length;
    element = within / cut * (std::int64_t{rows} * cut) + row * cut + within % cut;
  }
  std::uint32_t change = 0;
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    if ((element >> (row_bits + bit) & 1) != 0) change ^= columns[bit];
  }
  return element ^ static_cast<std::int64_t>(change) << piece_bits;
}

XorLayout FindXorLayout(std::span<const WarpAccess> accesses, std::uint32_t element_bytes,
                        std::uint32_t piece_elements, std::uint32_t row_elements) {
  return LayoutSearch(accesses, element_bytes, piece_elements, row_elements).Run();
}

XorLayout SwizzleOf(Skew skew, std::uint32_t element_bytes, std::uint32_t rows,
                    std::uint32_t row_elements) {
  constexpr std::uint32_t kPieceBytes = 16, kWide = 128, kNarrow = 64;
  const std::uint32_t bytes = skew == Skew::SWIZZLE_128 ? kWide : kNarrow;
  XorLayout layout;
  layout.cut = bytes / element_bytes;
  if (row_elements % layout.cut != 0 || rows % 8 != 0) return {};
  layout.rows = rows;
  layout.length = row_elements;
  layout.piece_bits = static_cast<std::uint32_t>(std::countr_zero(kPieceBytes / element_bytes));
  layout.row_bits = static_cast<std::uint32_t>(std::countr_zero(layout.cut));
  // The bits of the address above 128 bytes: of narrow rows two lie there.
  if (skew == Skew::SWIZZLE_64) layout.columns = {0, 1, 2};
  if (skew == Skew::SWIZZLE_128) layout.columns = {1, 2, 4};
  return layout;
}

std::uint32_t AlignmentOf(Skew skew) {
  constexpr std::uint32_t kRows = 8;
  return skew == Skew::SWIZZLE_128 ? kRows * 128 : kRows * 64;
}

std::uint32_t PaddingOf(Skew skew) {
  switch (skew) {
    case Skew::PLAIN:
    case Skew::XOR:
    case Skew::SWIZZLE_64:
    case Skew::SWIZZLE_128:
      return 0;
    case Skew::PAD_4_BYTES:
      return 4;
    case Skew::PAD_16_BYTES:
      return 16;
    case Skew::PAD_64_BYTES:
      return 64;
  }
  return 0;
}

std::int64_t ElementTaken(const LoopTree& tree, const Affine& address, std::uint32_t thread) {
  return address.At([&](int dim_class) {
    const int axis = tree.classes[Nth(dim_class)].axis;
    return axis < 0 ? std::int64_t{0} : std::int64_t{tree.axes[Nth(axis)].IndexOf(thread)};
  });
}

std::uint32_t WidthOf(const Schedule& schedule, const LoopTree& tree, const Affine& address,
                      const ir::Instruction& inst) {
  if (tree.reads[inst.id.index()].depth_class >= 0) return kMatrixRow;
  const std::uint32_t vec = schedule.vec.Or(1, inst.id);
  std::uint32_t width = 1;
  for (const auto& [dim_class, stride] : address.strides) {
    const DimClass& moved = tree.classes[Nth(dim_class)];
    if (stride != 1) continue;
    if (moved.kind == DimKind::VECTOR) width = std::max(width, moved.size);
    if (moved.kind == DimKind::UNROLL) width = std::max(width, vec);
  }
  return width;
}

XorLayout PlanXorLayout(const ir::Function& function, const Schedule& schedule,
                        const LoopTree& tree, const ir::MemBlock& block, const Affine& store,
                        const Affine& load, std::uint32_t row_elements) {
  const int around = tree.CommonAncestor(tree.node_of_inst[block.store.index()],
                                         tree.node_of_inst[block.load.index()]);
  const std::vector<WarpAccess> accesses = {
      FirstWarp(schedule, tree, store, function.inst(block.store), around),
      FirstWarp(schedule, tree, load, function.inst(block.load), around)};
  const std::uint32_t piece = std::max({accesses[0].width, accesses[1].width,
                                        kWordBytes / std::min(block.element_bytes, kWordBytes)});
  const bool has_pieces = std::has_single_bit(row_elements) && std::has_single_bit(piece) &&
                          row_elements >= 2 * piece && piece * block.element_bytes <= 16;
  if (!has_pieces) return {};
  return FindXorLayout(accesses, block.element_bytes, piece, row_elements);
}

}  // namespace exh::kernels::codegen
