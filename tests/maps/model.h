// SPDX-License-Identifier: MIT
//
// Model: what `exhc_maps` says of a space beside its code: choices (auxiliary ones
// included), and where filters, counters and triggers apply. Only what runs when objects appear
// goes by these tables; a change of a decision runs generated loops (Model::on_change).
#pragma once

#include <vector>

#include "runtime/interval.h"
#include "runtime/space.h"
#include "tests/maps/sets.h"
#include "tests/maps/table.h"

namespace exh::maps {

using runtime::Interval;

class Engine;

/// Bits of an enum or integer decision in `a`, or the interval [a, b] of a counter.
struct Value {
  std::uint64_t a = 0, b = 0;
  static Value Of(Interval interval) { return {interval.min, interval.max}; }
  static Value Of(Bits bits) { return {bits, 0}; }
  Interval interval() const { return {a, b}; }
};

/// A decision that changed, and its domain before.
struct Change {
  Key key = kNoKey;
  Value old;
};

struct Choice {
  const char* name = "";
  runtime::ChoiceKind kind = runtime::ChoiceKind::kEnum;
  std::vector<Variable> arguments;
  bool is_symmetric = false;       ///< Symmetric or antisymmetric: the smaller id first.
  Bits (*invert)(Bits) = nullptr;  ///< Antisymmetric only.
  int num_values = 0;              ///< Enum.
  int value_bytes = 0;             ///< Of an entry in the store.
  runtime::CodeId universe = -1;   ///< Integer.
  bool is_auxiliary = false;       ///< A flag of a quotient or increment: never branched on.
};

/// The filters of one target that read the same inputs over the same variables, merged. Exactly one
/// function is set. `variables`: those of the target, then the loops.
struct Filter {
  int target = -1;
  int num_arguments = 0;
  std::vector<Variable> variables;
  Bits (*bits)(const Engine&, const Object*) = nullptr;
  Interval (*interval)(const Engine&, const Object*) = nullptr;
};

/// Whether an increment is counted, as far as is known.
enum class Status : std::uint8_t { kExcluded, kMaybe, kCounted };

/// One increment of a counter: status and the least and largest value.
struct Term {
  Status status = Status::kMaybe;
  std::uint64_t lo = 1, hi = 1;
};

struct Counter {
  int choice = -1;
  runtime::Visibility visibility = runtime::Visibility::kFull;
  bool is_product = false;
  runtime::CodeId base = -1;
  int num_arguments = 0;
  std::vector<Variable> variables;  ///< The arguments, then what it counts over.
  int increment = -1;               ///< The choice that says what counts,
  std::vector<int> increment_arguments;
  Bits counted = 0;  ///< … with these values.
  Term (*term)(const Engine&, const Object*) = nullptr;
  /// Back-propagation of a bound.
  bool (*bound)(Engine&, const Object*, Interval) = nullptr;
};

struct Trigger {
  std::vector<Variable> variables;
  bool (*certain)(const Engine&, const Object*) = nullptr;
  int planned = -1;        ///< Its number for Host::Plan, or
  int quotient = -1;       ///< … the set that gets a representative,
  int flag = -1;           ///< whose flag becomes TRUE
  int class_counter = -1;  ///< if no member is equivalent.
};

struct Model {
  const runtime::Space* space = nullptr;  ///< For its sets.
  std::vector<Choice> choices;            ///< Those of the space first, with its numbers.
  std::vector<int> emission_order;        ///< Counters after what they read.
  std::vector<Filter> filters;
  std::vector<Counter> counters;
  std::vector<Trigger> triggers;
  bool (*on_change)(Engine&, int choice, const Change&) = nullptr;
};

}  // namespace exh::maps
