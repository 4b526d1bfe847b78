// SPDX-License-Identifier: MIT
//
// What a processor can do with a block of kLanes cells at once: tests of all cells that yield a
// mask of lanes, and look-ups that yield 64 new cells. There is a portable form of every kernel,
// which says what it computes, and wider ones that are chosen at run time; all give the same
// results, bit for bit. Rows begin at multiples of kLanes bytes.
//
//   row                {A}    {A, B}    {B}
//   excluded(A)                         1        holds no A
//   certain(A)          1                        holds nothing but A
//   open                        1                has several values
//   keep(A)            {A}     {A}      {}       changes lanes 1 and 2
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/propagation.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

class Propagator;

/// A file with kernels defines a class with those below as static members (Count, Excluded …), for
/// RowLoop to inline, and this table of them.
struct RowKernels {
  std::string_view name;  ///< "portable", "avx2", "avx512".

  /// Number of lanes in a mask.
  std::uint64_t (*count)(std::uint64_t lanes);
  /// Lanes that hold none of the values.
  std::uint64_t (*excluded)(const std::uint8_t* row, std::uint8_t values);
  /// Lanes that hold only values of the set.
  std::uint64_t (*certain)(const std::uint8_t* row, std::uint8_t values);
  /// Lanes with two values or more.
  std::uint64_t (*open)(const std::uint8_t* row);
  /// out = row & values; the lanes that change.
  std::uint64_t (*keep)(const std::uint8_t* row, std::uint8_t values, std::uint8_t* out);
  /// out = row & other; the lanes that change.
  std::uint64_t (*intersect)(const std::uint8_t* row, const std::uint8_t* other, std::uint8_t* out);
  /// Lanes that differ.
  std::uint64_t (*differ)(const std::uint8_t* row, const std::uint8_t* other);
  /// Both rows of a TripleRun: out_b = b & lut_b[c], then out_c = c & lut_c[out_b]. The tables
  /// have width_c and width_b bytes (16, 32 or 64; 128 and 256 in the portable form alone). Sets
  /// the lanes of `lanes` that change in b and in c; only those lanes of the outputs count.
  void (*compose)(const std::uint8_t* b, const std::uint8_t* c, const std::uint8_t* lut_b,
                  const std::uint8_t* lut_c, int width_b, int width_c, std::uint64_t lanes,
                  std::uint8_t* out_b, std::uint8_t* out_c, std::uint64_t* changed_b,
                  std::uint64_t* changed_c);

  /// The fixpoint loop with these kernels in it.
  Propagation (*propagate)(Propagator& propagator);
};

/// The table of a class of kernels.
template <typename Rows, template <typename> typename Loop>
constexpr RowKernels TableOf(std::string_view name) {
  return {name,
          Rows::Count,
          Rows::Excluded,
          Rows::Certain,
          Rows::Open,
          Rows::Keep,
          Rows::Intersect,
          Rows::Differ,
          Rows::Compose,
          [](Propagator& propagator) { return Loop<Rows>(propagator).Run(); }};
}

/// The kernels that this processor can run, the portable ones first.
std::span<const RowKernels* const> SupportedRowKernels();

/// The widest of them; EXH_ROWS=portable|avx2|avx512 in the environment picks another.
const RowKernels& ActiveRowKernels();

/// For tests and benchmarks: propagation in this process uses these from now on. No propagation may
/// run meanwhile.
void UseRowKernels(const RowKernels& kernels);

// Null where they were not built.
const RowKernels* PortableRowKernels();
const RowKernels* Avx2RowKernels();
const RowKernels* Avx512RowKernels();

}  // namespace exh::runtime::internal
