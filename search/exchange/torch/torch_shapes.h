// SPDX-License-Identifier: MIT
//
// Functions of PyTorch that compute nothing: views, types, and tensors of numbers that are known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/exchange/torch/torch_functions.h"

namespace exh::search::torch {

/// -1 is the last. Throws UsageError when there is no such dimension.
std::size_t DimOf(std::int64_t dim, std::size_t rank);

/// The same elements at other indices: `index` makes those of the tensor.
TorchTensor Viewed(const TorchTensor& tensor, const std::vector<TorchSize>& shape,
                   const std::function<TorchIndex(const TorchIndex&)>& index);
/// An index in brackets, unless it is one word.
std::string OneWord(const std::string& index);

/// Dimension i of the result is dimension order[i].
TorchTensor Permuted(const TorchTensor& tensor, const std::vector<std::size_t>& order);
TorchTensor Transposed(const TorchTensor& tensor, std::int64_t a, std::int64_t b);
/// With a dimension of one step at that place.
TorchTensor Unsqueezed(const TorchTensor& tensor, std::size_t place);
/// Without that dimension, which has one step. Throws UsageError.
TorchTensor Squeezed(const TorchTensor& tensor, std::size_t place);
/// With a dimension for each of `all`: those of the tensor are called `own`. Throws UsageError.
TorchTensor Placed(const TorchTensor& tensor, const std::string& own, const std::string& all);
/// Where the last index is at most the one before, and `diagonal` more.
TorchTensor Triangle(const TorchTensor& like, std::int64_t diagonal);

/// Nothing: it is no function of shapes.
std::optional<TorchObject> CallShapeFunction(const std::string& name,
                                             const TorchArguments& arguments);
std::vector<std::string> ShapeFunctions();

}  // namespace exh::search::torch
