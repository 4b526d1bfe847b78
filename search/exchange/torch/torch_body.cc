// SPDX-License-Identifier: MIT
#include "search/exchange/torch/torch_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "search/exchange/torch/torch_shapes.h"

namespace exh::search::torch {
namespace {

constexpr std::string_view kLetters = "ijklmnopqrstuvwabcdefgh";

bool IsName(const std::string& index) {
  if (const auto pair = PairIn(index); !pair.empty()) return IsName(pair[0]) && IsName(pair[1]);
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !index.empty() && !(index[0] >= '0' && index[0] <= '9') &&
         std::ranges::all_of(index, is_word);
}

std::string NameOfReduced(const std::string& reduction) {
  if (reduction == "sum") return "total";
  if (reduction == "max") return "top";
  return reduction == "min" ? "least" : reduction == "prod" ? "product" : "holds";
}

ElementText ReadOf(const std::string& name, const TorchIndex& index) {
  return {index.empty() ? name : fmt::format("{}[{}]", name, fmt::join(index, ", "))};
}

}  // namespace

TorchBody::TorchBody(std::set<std::string> taken, std::optional<TorchSize> pair)
    : taken_(std::move(taken)), pair_(std::move(pair)) {}

TorchTensor TorchBody::Repeated(const TorchTensor& tensor, std::size_t dim, std::int64_t times) {
  const TorchSize& own = tensor.shape[dim];
  TorchSize size = SizeIn(Combined("*", NumberOf(own), NumberOf(static_cast<double>(times), true)));
  size.parts = {own.text, fmt::format("{}", times)};
  repeated_.push_back(size);
  const bool is_pair = pair_ && pair_->parts == size.parts;
  if (!is_pair) size.parts.clear();
  std::vector<TorchSize> shape = tensor.shape;
  shape[dim] = is_pair ? *pair_ : size;
  return Viewed(tensor, shape, [dim, times, is_pair](TorchIndex index) {
    const auto pair = PairIn(index[dim]);
    if (pair.empty() == is_pair) throw UsageError("a repeated dimension that is none elsewhere");
    index[dim] = is_pair ? pair[0] : fmt::format("{} / {}", OneWord(index[dim]), times);
    return index;
  });
}

TorchTensor TorchBody::Array(const std::string& name, const std::string& type,
                             const std::vector<TorchSize>& shape) const {
  TorchTensor array;
  array.type = type;
  array.shape = shape;
  array.is_plain = true;
  array.at = [name, shape](const TorchIndex& index) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].parts.empty() != PairIn(index[i]).empty()) {
        throw UsageError(fmt::format("'{}' is read at '{}'", name, index[i]));
      }
    }
    return ReadOf(name, index);
  };
  return array;
}

TorchTensor TorchBody::Scalar(const std::string& name, const std::string& type) const {
  TorchTensor scalar = Array(name, type, {});
  scalar.is_python = true;
  return scalar;
}

std::string TorchBody::Free(const std::string& name) {
  std::string free = name;
  for (int i = 2; !taken_.insert(free).second; ++i) free = fmt::format("{}_{}", name, i);
  return free;
}

std::string TorchBody::Letter(const std::string& size, std::set<std::string>& used) {
  for (const auto& [of, letter] : letters_) {
    if (of == size && used.insert(letter).second) return letter;
  }
  const auto* const free =
      std::ranges::find_if(kLetters, [&](char c) { return !taken_.contains(std::string(1, c)); });
  const std::string letter = free != kLetters.end() ? Free(std::string(1, *free)) : Free("i");
  letters_.emplace_back(size, letter);
  used.insert(letter);
  return letter;
}

TorchIndex TorchBody::Letters(const std::vector<TorchSize>& shape, bool all) {
  TorchIndex index;
  std::set<std::string> used;
  for (const TorchSize& size : shape) {
    if (size.IsOne() && !all) {
      index.emplace_back("0");
    } else if (size.parts.empty()) {
      index.push_back(Letter(size.text, used));
    } else {
      const std::string first = Letter(size.parts[0], used);
      index.push_back(first + ", " + Letter(size.parts[1], used));
    }
  }
  return index;
}

/// `tensor` says what it is; its indices of more than one step are `left`, in their order.
TorchTensor TorchBody::Added(const std::string& name, const TorchTensor& tensor,
                             const std::string& left, const std::string& right) {
  // What is no reduction is written out again where it is read at a distance.
  // What is the same is computed once.
  const auto same = std::ranges::find_if(values_, [&](const Value& value) {
    return !value.is_output && value.left == left && value.right == right;
  });
  const int number = static_cast<int>(same - values_.begin());
  if (same == values_.end()) {
    values_.push_back({.name = Free(name), .left = left, .right = right, .reads = reads_});
  }
  TorchTensor value = tensor;
  value.statement = number;
  value.is_plain = true;
  value.is_part = false;
  value.unrounded.reset();
  value.at = [this, number, shape = tensor.shape, again = tensor.at](const TorchIndex& index) {
    TorchIndex own;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].IsOne()) continue;
      if (!IsName(index[i]) && again) return again(index);
      if (!IsName(index[i])) {
        throw UsageError(
            fmt::format("'{}' is computed and then read at '{}': only arrays can be read at a "
                        "distance",
                        values_[static_cast<std::size_t>(number)].name, index[i]));
      }
      own.push_back(index[i]);
    }
    reads_.insert(number);
    values_[static_cast<std::size_t>(number)].is_read = true;
    return ReadOf(values_[static_cast<std::size_t>(number)].name, own);
  };
  return value;
}

TorchTensor TorchBody::Named(const std::string& name, const TorchTensor& tensor) {
  if (tensor.statement >= 0 || tensor.is_part || tensor.is_python || tensor.is_plain ||
      tensor.is_free) {
    return tensor;
  }
  const TorchIndex index = Letters(tensor.shape, false);
  TorchIndex left;
  for (const std::string& one : index) {
    if (one != "0") left.push_back(one);
  }
  reads_.clear();
  const std::string right = tensor.at(index).text;
  const auto unrounded = tensor.unrounded;
  TorchTensor value = Added(name, tensor, fmt::format("{}", fmt::join(left, ", ")), right);
  value.unrounded = unrounded;
  return value;
}

TorchTensor TorchBody::Plain(const std::string& name, const TorchTensor& tensor) {
  return tensor.is_plain ? tensor : Named(name, tensor);
}

void TorchBody::Rename(int statement, const std::string& name) {
  Value& value = values_[static_cast<std::size_t>(statement)];
  if (value.is_read || value.name == name) return;
  taken_.erase(value.name);
  value.name = Free(name);
}

TorchTensor TorchBody::Reduced(const std::string& reduction, const TorchTensor& tensor,
                               std::size_t kept) {
  if (tensor.is_part || tensor.is_free) {
    throw UsageError("a reduction over a part of an array, or of no array, is not understood");
  }
  EXH_CHECK(kept <= tensor.rank());
  const TorchIndex index = Letters(tensor.shape, false);
  TorchIndex left, over;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] != "0") (i < kept ? left : over).push_back(index[i]);
  }
  reads_.clear();
  const ElementText body = tensor.at(index);
  TorchTensor value;
  value.type = tensor.type == "bool" || tensor.type == "i8" ? "i32" : tensor.type;
  // Sums of halves are in f32, and what is read of them is not rounded.
  value.shape.assign(tensor.shape.begin(),
                     tensor.shape.begin() + static_cast<std::ptrdiff_t>(kept));
  const std::string right = over.empty()
                                ? body.text
                                : fmt::format("{}({}) {}", reduction, fmt::join(over, ", "),
                                              body.AtLeast(Strength::kProduct));
  return Added(NameOfReduced(reduction), value, fmt::format("{}", fmt::join(left, ", ")), right);
}

void TorchBody::Output(const std::string& name, const std::string& type,
                       const std::vector<TorchSize>& shape, const TorchTensor& tensor) {
  const bool has_shape =
      shape.size() == tensor.rank() &&
      std::ranges::equal(shape, tensor.shape,
                         [](const TorchSize& a, const TorchSize& b) { return a.Equals(b); });
  if (!has_shape) {
    throw UsageError(fmt::format("the shape of '{}' is {}, and what is returned has {}", name,
                                 ShapeText(shape), ShapeText(tensor.shape)));
  }
  // The output is rounded, whatever it is.
  const TorchTensor& exact = tensor.unrounded && tensor.type == type ? *tensor.unrounded : tensor;
  const bool is_converted = IsFloat(exact.type) == IsFloat(type) || exact.type == "bool";
  const TorchTensor written = is_converted ? exact : Converted(exact, type);
  const TorchIndex index = Letters(shape, true);
  reads_.clear();
  const std::string right = written.at(IndexFor(shape, index)).text;
  values_.push_back({.name = name,
                     .left = fmt::format("{}", fmt::join(index, ", ")),
                     .right = right,
                     .reads = reads_,
                     .is_output = true});
}

std::set<int> TorchBody::Needed() const {
  std::set<int> needed;
  for (int i = static_cast<int>(values_.size()) - 1; i >= 0; --i) {
    const Value& value = values_[static_cast<std::size_t>(i)];
    if (!value.is_output && !needed.contains(i)) continue;
    needed.insert(i);
    needed.insert(value.reads.begin(), value.reads.end());
  }
  return needed;
}

std::string TorchBody::Text() const {
  const std::set<int> needed = Needed();
  // Who reads a value; an output that is one alone takes its place.
  std::vector<int> readers(values_.size(), 0);
  for (const int i : needed) {
    for (const int read : values_[static_cast<std::size_t>(i)].reads) {
      ++readers[static_cast<std::size_t>(read)];
    }
  }
  std::map<int, int> output_of;
  std::set<int> placed;
  for (const int i : needed) {
    const Value& output = values_[static_cast<std::size_t>(i)];
    for (const int read : output.reads) {
      const Value& value = values_[static_cast<std::size_t>(read)];
      const bool is_same = output.right == value.LeftSide() && output.left == value.left;
      if (!output.is_output || !is_same || readers[static_cast<std::size_t>(read)] > 1) continue;
      output_of[read] = i;
      placed.insert(i);
    }
  }
  std::string text;
  for (const int i : needed) {
    if (placed.contains(i)) continue;
    const Value& value = values_[static_cast<std::size_t>(i)];
    const auto found = output_of.find(i);
    const Value& left =
        found == output_of.end() ? value : values_[static_cast<std::size_t>(found->second)];
    text += fmt::format("  {} = {}\n", left.LeftSide(), value.right);
  }
  return text;
}

}  // namespace exh::search::torch
