// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/contain/shared_arrays.h"
#include "kernels/cpu/problem_file.h"

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
  std::vector<ArrayShape> shapes_;
  std::size_t capacity_;
  SharedArrays arrays_;
  SharedMemory kept_;
  std::vector<Known> known_;
  std::string error_;
};

}  // namespace exh::kernels::cpu
