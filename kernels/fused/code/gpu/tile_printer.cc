// SPDX-License-Identifier: MIT
#include "kernels/fused/code/gpu/tile_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/loops/loop_text.h"

namespace exh::kernels::fused {
namespace {

constexpr std::int64_t kRow = TilePrinter::kTile + 1;  ///< Elements of a row in shared memory.
constexpr std::uint64_t kAligned = 16;
constexpr std::uint64_t kMostShared = 48 << 10;  ///< Every GPU has that for a block.

std::uint64_t BytesOf(std::uint32_t element_bytes) {
  const auto bytes = static_cast<std::uint64_t>(TilePrinter::kTile * kRow) * element_bytes;
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

}  // namespace

TilePair TilePrinter::PairIn(const std::vector<const NestNode*>& parallel,
                             const NestNode& body) const {
  std::vector<const NestNode*> tiled;
  for (const NestNode* loop : parallel) {
    if (loop->mapping.is_in_tile) tiled.push_back(loop);
  }
  const auto is_whole = [](const NestNode* loop) { return *loop->range.count == kTile; };
  if (tiled.size() != 2 || !std::ranges::all_of(tiled, is_whole) || loops::HasLoops(body))
    return {};
  // Of equals the loop along which writes are neighbours: to store is dearer.
  std::ranges::sort(tiled, [&](const NestNode* a, const NestNode* b) {
    return std::pair(a->facts.near(), a->facts.near_writes) >
           std::pair(b->facts.near(), b->facts.near_writes);
  });
  const TilePair pair{tiled[0], tiled[1]};
  const std::uint64_t bytes = StagedBytes(pair, body);
  return bytes == 0 || bytes > kMostShared ? TilePair{} : pair;
}

std::uint64_t TilePrinter::StagedBytes(const TilePair& pair, const NestNode& body) const {
  std::uint64_t bytes = 0;
  for (const Staged& staged :
       StagedIn(body, pair.along->range.variable, pair.across->range.variable)) {
    bytes += BytesOf(program().arrays[static_cast<std::size_t>(staged.cell.first)].element_bytes);
  }
  return bytes;
}

void TilePrinter::OpenPoints(const NestNode& fast, const NestNode& slow) {
  constexpr std::int64_t kAtOnce = kTileThreads / kTile;
  Line("#pragma unroll");
  Open(loops::ForText("int", "exh_round", 0, kTile / kAtOnce));
  Line("const int exh_fast = threadIdx.x % 32;");
  Line(fmt::format("const int exh_slow = static_cast<int>(threadIdx.x) / 32 + exh_round * {};",
                   kAtOnce));
  Line(VariableLine(fast, "exh_fast", 1));
  Line(VariableLine(slow, "exh_slow", 1));
  for (const NestNode* loop : {&fast, &slow}) {
    if (loop->range.end)
      Line(fmt::format("if ({} >= {}) continue;", loop->range.variable.name, *loop->range.end));
  }
}

void TilePrinter::ClosePoints() {
  Close();
}

void TilePrinter::PrintTile(const TilePair& pair, const NestNode& body) {
  const std::vector<Staged> staged =
      StagedIn(body, pair.along->range.variable, pair.across->range.variable);
  std::vector<std::string> tiles;
  std::uint64_t offset = 0;
  for (const Staged& one : staged) {
    tiles.push_back(fmt::format("exh_tile_{}", tiles.size()));
    const StatementTensor& array = program().arrays[static_cast<std::size_t>(one.cell.first)];
    Line(fmt::format("{0}* const {1} = reinterpret_cast<{0}*>(exh_shared) + {2};",
                     ir::ElementName(array.type), tiles.back(), offset / array.element_bytes));
    offset += BytesOf(array.element_bytes);
  }
  // Where an element is in shared memory: a row for each iteration along `along`.
  const std::string by_across = fmt::format("[exh_slow * {} + exh_fast]", kRow),
                    by_along = fmt::format("[exh_fast * {} + exh_slow]", kRow);
  const auto has = [&](bool is_write) {
    return std::ranges::any_of(staged, [&](const Staged& one) { return one.is_write == is_write; });
  };
  if (has(/*is_write=*/false)) {
    OpenPoints(*pair.across, *pair.along);
    for (std::size_t i = 0; i < staged.size(); ++i) {
      if (!staged[i].is_write) StageRead(staged[i].cell, tiles[i] + by_across);
    }
    ClosePoints();
    Line("__syncthreads();");
  }
  OpenPoints(*pair.along, *pair.across);
  for (std::size_t i = 0; i < staged.size(); ++i) {
    Stage(staged[i], tiles[i] + by_along);
  }
  Print(body);
  EndStages();
  ClosePoints();
  if (!has(/*is_write=*/true)) return;
  Line("__syncthreads();");
  OpenPoints(*pair.across, *pair.along);
  for (std::size_t i = 0; i < staged.size(); ++i) {
    if (staged[i].is_write) StoreStaged(staged[i].cell, tiles[i] + by_across);
  }
  ClosePoints();
}

}  // namespace exh::kernels::fused
