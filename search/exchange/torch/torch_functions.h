// SPDX-License-Identifier: MIT
//
// The functions of PyTorch that references are made of, as statements of a kernel. A method is the
// function of the same name with the tensor as its first argument: `x.softmax(-1)` is
// `softmax(x, -1)`, whatever module it comes from.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "search/exchange/torch/torch_body.h"
#include "search/exchange/torch/torch_value.h"

namespace exh::search::torch {

struct TorchObject;
using TorchList = std::vector<TorchObject>;

/// What a name of a reference stands for.
struct TorchObject {
  struct Type {
    std::string word;  ///< "f32"
  };
  struct Module {};
  struct Nothing {};  ///< None, a device, and what else does not matter.
  std::variant<Nothing, TorchTensor, TorchList, Type, Module, std::string> held;

  bool IsTensor() const { return std::holds_alternative<TorchTensor>(held); }
  bool IsList() const { return std::holds_alternative<TorchList>(held); }
  bool IsNothing() const { return std::holds_alternative<Nothing>(held); }
  const TorchTensor& tensor() const;  ///< Throws UsageError when it is none.
  const TorchList& list() const;      ///< Likewise.
};

struct TorchArguments {
  std::vector<TorchObject> places;
  std::map<std::string, TorchObject, std::less<>> names;

  /// The argument at a place or of that name; null: not given.
  const TorchObject* Find(std::size_t place, const std::string& name) const;
  const TorchTensor& Tensor(std::size_t place, const std::string& name) const;
  /// A dimension, or several; those from the end are counted from there.
  std::vector<std::size_t> Dims(std::size_t place, const std::string& name, std::size_t rank) const;
  bool Flag(std::size_t place, const std::string& name, bool otherwise) const;
};

/// Throws UsageError for a function that is not known, and for what it cannot be given.
TorchObject CallFunction(const std::string& name, const TorchArguments& arguments, TorchBody& body);

/// `a @ b`.
TorchTensor Product(const TorchTensor& a, const TorchTensor& b, TorchBody& body);
/// `a ** b`.
TorchTensor Power(const TorchTensor& a, const TorchTensor& b, TorchBody& body);

/// `x[items]`, where an item is a slice (three objects in a list), a number, a tensor of whole
/// numbers, None, or the text "...".
TorchTensor ElementOf(const TorchTensor& tensor, const std::vector<TorchObject>& items);

}  // namespace exh::search::torch
