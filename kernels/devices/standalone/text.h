// SPDX-License-Identifier: MIT
//
// Text of C++ and CUDA C++ that leaves this program: templates, lists, comments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels::standalone {

inline constexpr std::size_t kColumns = 100;

/// `text` with every $NAME$ replaced.
std::string Fill(std::string text, const std::map<std::string, std::string>& values);

/// `before` + "a, b, c" + `after`, broken into lines of 100 columns where it is longer; those are
/// indented by four more than the first.
std::string Listed(const std::string& before, const std::vector<std::string>& items,
                   const std::string& after);

/// A line of comment that begins a part.
std::string Heading(const std::string& title);

/// Every line as a comment. A backslash at the end would make the next line part of it.
std::string Comment(std::string_view text);

/// A printed source without its first comment, which lists every decision: some thousands of lines.
std::string_view WithoutHeader(std::string_view source);

}  // namespace exh::kernels::standalone
