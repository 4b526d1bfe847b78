// SPDX-License-Identifier: MIT
#include "lsp/text/uri.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace exh::lsp {

std::string PathOfUri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  uri.remove_prefix(kFile.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // The name of this machine.
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned int code = 0;
    const char* const digits = uri.data() + i + 1;
    const bool is_escaped = uri[i] == '%' && i + 2 < uri.size() &&
                            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    path += is_escaped ? static_cast<char>(code) : uri[i];
    i += is_escaped ? 2 : 0;
  }
  return path;
}

std::string UriOfPath(std::string_view path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  std::string uri = "file://";
  for (const char c :
       (error ? std::filesystem::path(path) : absolute).lexically_normal().string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' ||
                          c == '-' || c == '_' || c == '.' || c == '~';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace exh::lsp
