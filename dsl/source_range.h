// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace exh::dsl {

/// A half-open range of bytes [begin, end) in one source file. `file` is the index of the file in
/// `Spec::files`; line and column are computed on demand (source.h).
struct SourceRange {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

}  // namespace exh::dsl
