// SPDX-License-Identifier: MIT
//
// Rates of what was found in this machine: measured once, and kept in the user's cache.
#pragma once

#include <string>

namespace exh::kernels {

/// Where the rates of a model are kept: a file in the user's cache. Empty: the user has none.
std::string KeptRatesFile(const std::string& model);

/// The same, in a folder that is there. Throws UsageError: there is no place to keep them.
std::string MakeKeptRatesFile(const std::string& model);

}  // namespace exh::kernels
