// SPDX-License-Identifier: MIT
#include "dsl/syntax/ast.h"

#include <cstddef>

namespace exh::dsl::ast {

SourceRange Code::RangeOf(std::uint32_t offset, std::uint32_t length) const {
  std::size_t piece = 0;
  while (piece + 1 < pieces.size() && pieces[piece + 1].offset <= offset) ++piece;
  if (pieces.empty()) return range;
  SourceRange place = pieces[piece].range;
  place.begin += offset - pieces[piece].offset;
  place.end = place.begin + length;
  return place;
}

}  // namespace exh::dsl::ast
