// SPDX-License-Identifier: MIT
//
// A fused operator as a kernel: what --kernel takes, too.
#pragma once

#include <string>
#include <string_view>

namespace exh::search {

/// "operator.json", or "operators.jsonl:12": the operator on a line of a file, from 1 on. Behind
/// both may stand "#2", one of its parts.
bool IsOperator(std::string_view path);

/// The operator as the text of a kernel (docs/kernels.md). `size` is empty. Throws UsageError with
/// what is wrong in the file, and where the operator is no kernel.
std::string KernelOfOperator(const std::string& path, const std::string& size);

}  // namespace exh::search
