// SPDX-License-Identifier: MIT
//
// Long columns of a page in fewer bytes: browsers take long to read megabytes of HTML, and most
// views need few of the columns.
#pragma once

#include <string>
#include <string_view>

namespace exh::search {

/// The text compressed (zlib's format, RFC 1950), as letters of base64 (RFC 4648).
std::string Packed(std::string_view text);

}  // namespace exh::search
