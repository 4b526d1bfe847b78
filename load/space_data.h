// SPDX-License-Identifier: MIT
//
// What the externs of a space stand for: objects, numbers and predicates out of a data file, of
// sizes on a command line, and of the space itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/spec.h"
#include "runtime/host.h"

namespace exh::load {

/// What is said of a space beside its text.
struct Given {
  std::map<std::string, std::int64_t, std::less<>> sizes;  ///< Of `extern constant`s.
  std::string data;                                        ///< The text of a JSON object, or empty.
  std::string data_name;                                   ///< What messages call it.
};

/// Objects are those of the root of a set, numbered as they are listed.
using ObjectTuple = std::vector<runtime::Object>;

struct SpaceData {
  // By set of the Spec.
  std::vector<std::vector<std::string>> names;  ///< Of the objects of a root.
  std::vector<std::int64_t> first_numbers;      ///< Of a root of numbers.
  std::vector<std::vector<runtime::Host::Member>> members;
  // By extern of the Spec.
  std::vector<std::map<ObjectTuple, std::int64_t>> constants;
  std::vector<std::set<ObjectTuple>> predicates;  ///< Tuples for which it holds.

  /// The number of an extern constant; 0 for a tuple that it has none for, which has an object
  /// twice.
  std::int64_t Number(int external, const ObjectTuple& tuple) const;
};

/// Nothing when something is not given: that is in `sink`, at the extern. Sets and externs that
/// need C++ are left out. Throws UsageError for sizes and data that the space does not have, and
/// for what is wrong with them, with the place in the data.
std::optional<SpaceData> ReadSpaceData(const dsl::Spec& spec, const Given& given,
                                       dsl::DiagnosticSink& sink);

}  // namespace exh::load
