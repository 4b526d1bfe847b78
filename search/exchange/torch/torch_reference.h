// SPDX-License-Identifier: MIT
//
// References in PyTorch as statements of a kernel. A reference is a function `run` of Python that
// says step by step what comes out. It is read line by line and never run: each name stands for
// what it would hold (torch_value.h), and a function of PyTorch for the statements that compute the
// same. What is not understood is refused with its line, so whatever becomes a kernel is one that
// computes this. Loops and branches are refused: how often they are taken may be data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/exchange/torch/torch_functions.h"

namespace exh::search::torch {

/// What `run` returns: one thing, several, or several with names.
struct ReferenceResult {
  TorchList results;
  std::vector<std::string> names;  ///< As many, or none.
};

/// `inputs` are those of `run`, in their order. Throws UsageError, "line 7 of its reference,
/// 'x = y.foo()': the function 'foo' is not known".
ReferenceResult ReadReference(const std::string& program,
                              const std::vector<std::pair<std::string, TorchTensor>>& inputs,
                              TorchBody& body);

}  // namespace exh::search::torch
