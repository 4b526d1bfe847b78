// SPDX-License-Identifier: MIT
//
// The statements of a kernel, as a reference is read. A reduction is a value with a name, and so is
// what the reference gives a name to. An index is called after the dimension that it runs over, so
// that one dimension is one axis in all statements. Example, of `e = torch.exp(x)` and then
// `return e / e.sum(-1, keepdim=True)`:
//
//   e[i, j] = exp(x[i, j])
//   total[i] = sum(j) e[i, j]
//   y[i, j] = e[i, j] / total[i]
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/exchange/torch/torch_value.h"

namespace exh::search::torch {

class TorchBody {
 public:
  /// `taken`: names that values and indices cannot have. `pair`: a dimension that is one, if any.
  TorchBody(std::set<std::string> taken, std::optional<TorchSize> pair);

  /// Each step of a dimension so often, as `repeat_interleave` has it: a pair, where that is the
  /// pair; otherwise its index is divided.
  TorchTensor Repeated(const TorchTensor& tensor, std::size_t dim, std::int64_t times);
  /// What was repeated, as the pairs that it could be.
  const std::vector<TorchSize>& repeated() const { return repeated_; }

  /// An input: `name` is that in the kernel.
  TorchTensor Array(const std::string& name, const std::string& type,
                    const std::vector<TorchSize>& shape) const;
  TorchTensor Scalar(const std::string& name, const std::string& type) const;

  /// A value that is `tensor`, called `name` or nearly so. What is a part of an array is none: it
  /// stays as it is, and so do numbers.
  TorchTensor Named(const std::string& name, const TorchTensor& tensor);
  /// The same for what would be written twice; what is plain stays as it is.
  TorchTensor Plain(const std::string& name, const TorchTensor& tensor);
  /// Calls the value `name`, unless somebody has read it already.
  void Rename(int statement, const std::string& name);

  /// `sum`, `prod`, `min` or `max` over the last dimensions of `tensor`, all but the first `kept`.
  TorchTensor Reduced(const std::string& reduction, const TorchTensor& tensor, std::size_t kept);

  /// The element `name[…]` of an output. Throws UsageError where its shape is another one.
  void Output(const std::string& name, const std::string& type, const std::vector<TorchSize>& shape,
              const TorchTensor& tensor);

  /// What outputs need, in lines, two blanks before each.
  std::string Text() const;

 private:
  struct Value {
    std::string name, left, right;  ///< `name[left] = right`.
    std::set<int> reads;
    bool is_output = false, is_read = false;
    std::string LeftSide() const { return name + (left.empty() ? "" : "[" + left + "]"); }
  };

  /// A letter for each dimension; of one step: "0", unless all are wanted.
  TorchIndex Letters(const std::vector<TorchSize>& shape, bool all);
  std::string Letter(const std::string& size, std::set<std::string>& used);
  std::string Free(const std::string& name);
  TorchTensor Added(const std::string& name, const TorchTensor& tensor, const std::string& left,
                    const std::string& right);
  std::set<int> Needed() const;

  std::set<std::string> taken_;
  const std::optional<TorchSize> pair_;
  std::vector<TorchSize> repeated_;
  std::deque<Value> values_;
  /// Sizes of dimensions, and the letters of their indices.
  std::vector<std::pair<std::string, std::string>> letters_;
  std::set<int> reads_;  ///< By the texts since it was emptied.
};

}  // namespace exh::search::torch
