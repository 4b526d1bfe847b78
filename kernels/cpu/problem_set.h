// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/contain/shared_arrays.h"
#include "kernels/cpu/problem_file.h"

namespace exh::kernels {

enum class Inputs {
  kUniform,  ///< Floats in [-1, 1]; integers as large as never overflows, bools of both kinds.
  /// Whole numbers, none of them 0 (but bools), so that every step of the computation is exact in
  /// its type whatever its order: nothing is tolerated, and a wrong index cannot hide. They are as
  /// large as the reference says that they may be (whole_numbers.h); where none are small enough,
  /// the tolerances stay.
  kWholeNumbers,
  /// Whole numbers, and here and there, in arrays of floats, a NaN, an infinity, a zero of either
  /// sign or a denormal of f32, where the kernel's meaning says what must come of it.
  kSpecial,
};

/// Of the inputs that candidates are timed with, and of others that they have not seen before.
inline constexpr std::uint64_t kTimedSeed = 1, kOtherSeed = 2;

/// A problem that candidates are checked with.
struct CheckedProblem {
  const char* name;
  Inputs inputs;
  std::uint64_t seed;
  const char* what;  ///< Ends the sentence of what is wrong on it.
};
/// All of them. Candidates are timed on the first. What is not going to be called best may do
/// without the special values.
inline constexpr CheckedProblem kCheckedProblems[] = {
    {"uniform", Inputs::kUniform, kTimedSeed, ""},
    {"whole", Inputs::kWholeNumbers, kTimedSeed, "on whole numbers"},
    {"other", Inputs::kUniform, kOtherSeed, "with inputs that it had not seen"},
    {"special", Inputs::kSpecial, kTimedSeed, "on special values"},
};

}  // namespace exh::kernels

namespace exh::kernels::cpu {

/// Problems of one kernel at one size with all that it takes to check candidates: inputs where
/// candidates find them, references and tolerances where they do not. The first problem is the one
/// that is timed. One candidate is run at a time.
class ProblemSet {
 public:
  /// For problems with arrays and scalars as `like` has, at most `capacity`. `error()` says what is
  /// wrong.
  ProblemSet(const Problem& like, std::size_t capacity);

  /// Copies a problem. `what` ends the sentence of a wrong element: "on whole numbers". Empty, or
  /// why there is no memory for it.
  std::string Add(const Problem& problem, std::string what);

  const std::string& error() const { return error_; }
  std::size_t size() const { return known_.size(); }
  const Problem& problem(std::size_t index) const { return known_[index].problem; }
  const std::string& what(std::size_t index) const { return known_[index].what; }
  SharedArrays& arrays() { return arrays_; }

  /// Spoils elements of an output, so that whoever does not write them is found: NaN where a number
  /// is due, a number where NaN is; of integers and bools bits that are not the right ones.
  void Spoil(std::size_t problem, std::size_t array, std::size_t begin, std::size_t count);
  /// Remembers all outputs as they are: a run that was checked.
  void Keep();
  /// Is a part of an output, bit by bit, what was kept?
  bool IsAsKept(std::size_t array, std::size_t begin, std::size_t count);

  /// The elements of an output in what was kept.
  std::span<const std::byte> kept(std::size_t array) const;

  /// After a candidate that may have left a process behind: memory that only we have.
  std::string Renew();

 private:
  struct Known {
    Problem problem;      ///< Its spans point into `memory`, or into arrays_.
    SharedMemory memory;  ///< Shared, so that no fork copies its page tables.
    std::string what;
    /// By array: are there elements that what they are usually spoilt with would be right for?
    std::vector<bool> needs_care;
  };
  std::vector<SharedShape> shapes_;
  std::size_t capacity_;
  SharedArrays arrays_;
  SharedMemory kept_;
  std::vector<Known> known_;
  std::string error_;
};

}  // namespace exh::kernels::cpu
