// SPDX-License-Identifier: MIT
//
// Two texts of lines beside each other, such as the loops of two implementations:
//
//   block m0:16          | block m0:8
//     loop k0:4              loop k0:4
//       unroll m1:4      <
//       exec mad             exec mad
//
// Lines that both have stand in one row, with nothing between. `|` stands between lines that
// differ,
// `<` and `>` beside what only the left and only the right has. Which lines both have is their
// longest common subsequence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace exh::search {

/// `width`: columns of each side; longer lines are cut, with a '…'.
std::string SideBySide(std::string_view left, std::string_view right, std::size_t width);

}  // namespace exh::search
