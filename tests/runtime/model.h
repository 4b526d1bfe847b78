// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "runtime/candidate.h"
#include "tests/support/table_host.h"

namespace exh::tests {

/// A candidate with choices read and restricted by object numbers, in either orientation.
class Model {
 public:
  explicit Model(const TestSpace& test)
      : candidate_(runtime::Instance::Freeze(test.space, test.host)) {}

  runtime::Bits operator()(int choice, std::vector<Object> objects) const {
    const auto found = *candidate_.instance().FindDecision(choice, objects);
    const runtime::Bits bits = candidate_.domain(found.id);
    return found.swapped ? candidate_.instance().Invert(choice, bits) : bits;
  }
  /// False: a dead end.
  bool Set(int choice, std::vector<Object> objects, runtime::Bits values) {
    const auto found = *candidate_.instance().FindDecision(choice, objects);
    if (found.swapped) values = candidate_.instance().Invert(choice, values);
    return candidate_.Restrict(found.id, values) == runtime::Propagation::kFixpoint;
  }
  runtime::Interval Counter(int choice, std::vector<Object> objects = {}) const {
    return candidate_.counter(choice, objects);
  }
  runtime::Membership Membership(int set, Object object,
                                 Object parameter = runtime::kNoObject) const {
    return candidate_.membership(set, parameter, object);
  }
  const runtime::Candidate& candidate() const { return candidate_; }

 private:
  runtime::Candidate candidate_;
};

}  // namespace exh::tests
