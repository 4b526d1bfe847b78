// SPDX-License-Identifier: MIT
//
// A mix of proposers. Each time one of them is drawn by its share; when it has nothing to propose,
// those behind it are asked in their order. All of them learn from every result, in the same order.
#pragma once

#include <memory>
#include <vector>

#include "search/propose/proposer.h"

namespace exh::search {

class Mix final : public Proposer {
 public:
  struct Part {
    std::unique_ptr<Proposer> proposer;
    double share = 0;  ///< Of what is proposed, 0 to 1.
  };
  /// At least one. What the shares leave of 1 goes to the last part.
  explicit Mix(std::vector<Part> parts);

  bool Propose(Random& random, Attempt& attempt) override;
  bool learns() const override;
  void Learn(Lesson& lesson) override;

 private:
  std::vector<Part> parts_;
};

}  // namespace exh::search
