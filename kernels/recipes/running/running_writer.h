// SPDX-License-Identifier: MIT
//
// What recipes for two products with a softmax between them have in common: the parts of such a
// kernel, by the names of attention. Scores s[i, j] = sum(p) q[i, p] k[j, p], results
// y[i, o] = sum(j) e[i, j] v[j, o], where e comes of s and of its maximum over j.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {

class RunningWriter : protected RecipeWriter {
 protected:
  explicit RunningWriter(const Target& function) : RecipeWriter(function) {}

  using RecipeWriter::AxisOf;
  /// Null: the instruction has no axis of that name.
  const LogicalDim* AxisOf(const Instruction& inst, std::string_view name) const;

  /// Finds all that is below. False: the kernel is none of that kind.
  bool FindProducts();
  bool IsCopied(const Communication& comm) const;

  const Instruction *first_ = nullptr, *top_ = nullptr, *second_ = nullptr;
  std::string_view rows_, keys_, columns_, depth_;  ///< Names of axes: i, j, o and p.
  std::vector<const Communication*> copies_;        ///< Of arguments, that may be copied.
  const Communication* terms_ = nullptr;            ///< What the second product has of the first.

 private:
  void FindOperands();
};

}  // namespace exh::kernels
