// SPDX-License-Identifier: MIT
//
// Which bytes of an array a bulk copy brings, and where in shared memory they go: boxes of a
// tensor, packed with the innermost axis first, and the swizzles of the PTX ISA. These change 16
// bytes at a time, by bits of the address in shared memory:
//
//   swizzle    bits that change    by bits
//   128        4, 5, 6             7, 8, 9
//   64         4, 5                7, 8
//   32         4                   7
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_shim/bulk/words.h"

namespace exh_shim {

/// What is wrong with a map, or with so many coordinates for it; empty: nothing. `bytes` are those
/// of its array.
std::string WrongMap(const exh_tensor_map& map, unsigned coordinates, std::int64_t bytes);

/// 16 neighbouring bytes of a box.
struct BoxPiece {
  std::int64_t to;    ///< Where they go in shared memory.
  std::int64_t from;  ///< Where they are in the array; some may lie outside of the tensor: …
  std::int64_t begin, end;  ///< … all but these of the 16.
};

/// All of a box, whose first element has these coordinates and goes to byte `to` of shared memory.
std::vector<BoxPiece> PiecesOf(const exh_tensor_map& map, const int* coordinates, std::int64_t to);

}  // namespace exh_shim
