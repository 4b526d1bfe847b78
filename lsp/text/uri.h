// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh::lsp {

/// The path of `file:///a%20b`, which is "/a b". Of other schemes (`untitled:1`) it is the
/// text as it stands: a name without a file.
std::string PathOfUri(std::string_view uri);

/// `file:///a%20b` for an absolute path.
std::string UriOfPath(std::string_view path);

}  // namespace exh::lsp
