// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/candidate.h"

namespace exh::search {

/// No implementation below the candidate runs in less than so many nanoseconds. Called from many
/// threads at once. An empty function stands for 0: nothing is known.
using BoundFunction = std::function<double(const runtime::Candidate&)>;

/// Numbers that say what an implementation takes of a device, for a model that learns from them
/// (cost_model.h): as many for each, in one order, 0 or more. Called from many threads at once.
struct AmountsFunction {
  std::size_t count = 0;  ///< 0: nothing is known, and `fill` is empty.
  /// Throws Refused where code generation has no code to count in.
  std::function<void(const runtime::Candidate&, std::span<double>)> fill = {};
  /// Of each, what it counts: equal numbers are the same thing in spaces of any kernel. Empty, or
  /// `count` of them.
  std::vector<std::uint16_t> kinds = {};
  /// Of each, what it is called: "waves of blocks". The same kind has the same name; an empty one
  /// is called by the number of its kind. Empty, or `count` of them.
  std::vector<std::string> names = {};
  /// Which of them is a guess of the time in nanoseconds, that of the bound or more. Nothing: none
  /// is.
  std::optional<std::size_t> guess = {};
};

/// What is known of how fast a device can be, which a bound rests on.
enum class WhichRates {
  kOfThisMachine,  ///< Of the one that is in it.
  kRecorded,       ///< Of all that have the device's name.
};

/// What a bound rests on, in words, for the reader of a bound that turned out wrong.
using ResourceFunction = std::function<std::string(const runtime::Candidate&)>;

/// The bound of a space as a search takes it, and a name for it: the same name is the same bound.
struct SearchBound {
  BoundFunction bound;
  ResourceFunction resource;
  AmountsFunction amounts;
  std::string name;  ///< "warm 8f14e45f": caches, and a hash of the rates.
  /// The file with what was measured on this machine that it rests on; empty: nothing was.
  std::string measured = {};
};

}  // namespace exh::search
