// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "lsp/languages/language.h"

namespace exh::lsp {

/// The spaces that a `.exh` file is a part of: those files of its folder that include it, at first
/// or second hand, and that none of them includes. Alone it may use names that they declare. The
/// file itself where nobody includes it.
std::vector<std::string> SpacesOf(const std::string& path, const OpenTexts& texts);

}  // namespace exh::lsp
