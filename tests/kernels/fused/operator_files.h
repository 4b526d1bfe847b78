// SPDX-License-Identifier: MIT
//
// The operators of tests/kernels/fused/operators.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "kernels/fused/graph/graph.h"

namespace exh::kernels::fused::testing {

std::string ReadFile(const std::filesystem::path& path);

/// By the name of the file, without ".json".
std::map<std::string, Graph> AllOperators();

}  // namespace exh::kernels::fused::testing
