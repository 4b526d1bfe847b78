// SPDX-License-Identifier: MIT
#include "kernels/notation/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kernels/ir/tiling.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;

const Index* IndexOf(const PendingRead& read, std::string_view name) {
  return *std::ranges::find(read.scope, name, [](const Index* index) { return index->name; });
}

/// `farthest`: from 0, to either side.
bool NoteLeaving(const PendingRead& read, std::size_t dimension, __int128 farthest,
                 std::int64_t extent, ResolvedKernel& resolution, dsl::DiagnosticSink& sink) {
  const IndexMap& map = read.maps[dimension];
  if (farthest > ir::kLargestExtent) {
    sink.Report(
        Diag::kTooLarge, read.expr->args[dimension].range,
        fmt::format("this goes more than {} elements far at these sizes", ir::kLargestExtentText));
    return false;
  }
  Leaving& leaving = resolution.reads.at(read.expr).leaves.emplace_back();
  leaving.offset = map.offset;
  leaving.extent = extent;
  for (const auto& [name, factor] : map.factors) {
    leaving.factors.emplace_back(IndexOf(read, name), factor);
  }
  return true;
}

}  // namespace

bool IsKnown(const PendingRead& read) {
  return std::ranges::all_of(read.maps, [&](const IndexMap& map) {
    return std::ranges::all_of(map.factors, [&](const auto& factor) {
      return IndexOf(read, factor.first)->extent.has_value();
    });
  });
}

bool CheckBounds(const PendingRead& read, ResolvedKernel& resolution, dsl::DiagnosticSink& sink) {
  const ArrayShape& array = resolution.arrays[static_cast<std::size_t>(read.array)];
  bool is_good = true;
  for (std::size_t i = 0; i < read.maps.size(); ++i) {
    __int128 first = read.maps[i].offset, last = first;
    for (const auto& [name, factor] : read.maps[i].factors) {
      const __int128 way = static_cast<__int128>(factor) * (*IndexOf(read, name)->extent - 1);
      (way < 0 ? first : last) += way;
    }
    const std::int64_t extent = array.extents[i];
    if (first >= 0 && last < extent) continue;
    if (array.outside && last >= 0 && first < extent) {
      is_good &= NoteLeaving(read, i, std::max(-first, last), extent, resolution, sink);
      continue;
    }
    is_good = false;
    const auto reached = static_cast<std::int64_t>(first < 0 ? first : last);
    const Expr& subscript = read.expr->args[i];
    // `a[i, k] * b[k, j]` without a sum.
    const bool is_size = subscript.kind == Expr::Kind::kName && read.maps[i].factors.empty();
    const std::string cause =
        is_size ? fmt::format(
                      ": '{0}' is the size, and no index, for nothing runs over it; "
                      "sum({0}) would",
                      subscript.text)
                : "";
    sink.Report(Diag::kOutOfBounds, subscript.range,
                fmt::format("this reaches {} at these sizes; '{}' has 0 to {} there{}", reached,
                            array.decl->name.text, extent - 1, cause))
        .WithNote(array.decl->name.range, "declared here");
  }
  return is_good;
}

}  // namespace exh::kernels::notation
