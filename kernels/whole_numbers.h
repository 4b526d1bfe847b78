// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels {

/// How whole numbers are drawn. The larger they are, the more mistakes show: a sum that is kept in
/// half precision, an input that was rounded to it. But every sum must stay below what its type
/// holds exactly, 2^24 in f32, and no integer may overflow.
struct WholeNumbers {
  /// Numbers are ±1 … ±range; none is 0, which would hide a term.
  std::int64_t range = 1;
  /// The same of an array that nothing sums over; where its type does not hold them all exactly, up
  /// to Largest().
  std::int64_t element = 1;
  /// Positions along a sum, for each array, at which its numbers have WideBits(), the largest and
  /// the smallest of them set. What meets them there is ±1.
  int wide = 0;
  /// Of integers, those of all lengths, from one bit to as many as `range` has: what is computed in
  /// fewer bits than its type has, or at the end of a range, shows. Floats are in [-1, 1].
  bool are_of_all_lengths = false;

  /// The largest that is drawn for an array of the type.
  std::int64_t Largest(ir::Type type) const;
};

/// How many bits the wide numbers of an array have: twelve, or as many as its elements hold.
int WideBits(ir::Type type);
/// The largest number that has them.
int LargestWhole(ir::Type type);

/// The largest for which the sums of this computation should be exact, and no integer overflows;
/// then smaller ones. In the last one all numbers are ±1, whatever comes of them.
std::vector<WholeNumbers> WholeNumberPlans(const derived::Expression& expression);

/// The largest for which no integer of this computation overflows, beside floats in [-1, 1].
WholeNumbers LargestIntegers(const derived::Expression& expression);

/// Every step of a computation on whole numbers yields a multiple of this; 0 when it may be any
/// number at all.
double WholeNumberUnit(const derived::Expression& expression);

/// On the way to an output nothing is rounded that is a multiple of the unit and less than this
/// many of them: 2^24 where anything is computed in f32. Infinity where all are integers. Where
/// products of floats of 8 bits are added up it is 2^14 (derived/tolerance.h), unless inputs are
/// drawn by a plan with which no kShortTerms of them come to as much.
double ExactLimit(const derived::Expression& expression, ir::ArrayId output,
                  const WholeNumbers* plan = nullptr);

/// Does a float become an integer? What comes of a NaN or an infinity there no language says.
bool CutsFloats(const derived::Expression& expression);

/// Arrays whose elements reach a float that becomes an integer.
std::vector<bool> CutArrays(const derived::Expression& expression);

/// Arrays with elements that the computation takes a root, a logarithm or a power of: they are
/// drawn positive.
std::vector<bool> PositiveArrays(const derived::Expression& expression);

/// Arrays with elements that integers are divided by: none of them may be 0.
std::vector<bool> DivisorArrays(const derived::Expression& expression);

/// Whole numbers from `least` to `most`.
struct IndexRange {
  std::int64_t least = 0, most = 0;
};

/// By array: of one whose elements say which element another array is read at, those that name
/// elements. Nothing of other arrays, nor where none would do.
std::vector<std::optional<IndexRange>> IndexRanges(const derived::Expression& expression);

/// May finite inputs have a result that is no number, or infinite? A quotient may, a sum in f16,
/// and what an infinite number is written in.
bool MayLeaveNumbers(const derived::Expression& expression);

/// How an input lies along the axes of the computation.
struct InputShape {
  struct Axis {
    std::int64_t stride = 1, total = 1;  ///< Of the array's elements.
    bool is_summed = false;
  };
  std::vector<Axis> axes;

  bool is_summed() const;
  /// The number of an element along all axes that are summed over; along all others.
  std::uint64_t Position(std::uint64_t element) const { return Number(element, true); }
  std::uint64_t Slice(std::uint64_t element) const { return Number(element, false); }
  std::uint64_t Positions() const;  ///< How many there are.
  bool has_slices() const;          ///< Is there any axis that is not summed over?

 private:
  std::uint64_t Number(std::uint64_t element, bool summed) const;
};

/// By array; outputs have no axes.
std::vector<InputShape> InputShapes(const derived::Expression& expression);

/// Reductions that the values of another one reach count on from it. Scans are among them.
int SumsInARow(const derived::Expression& expression);

/// Terms of the longest reduction or scan; 1 where there is none.
double LongestSum(const derived::Expression& expression);

}  // namespace exh::kernels
