// SPDX-License-Identifier: MIT
//
// Loops in C, C++ and their dialects: what all that write loops have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/loops/nest.h"

namespace exh::kernels::loops {

/// "for (long i = 0; i < 16; ++i)". `type`: of the variable; `step`: "4" or what is one.
std::string ForText(std::string_view type, std::string_view variable, std::string_view first,
                    std::string_view condition, std::string_view step = "1");
/// From a number or text to another, in steps of 1.
std::string ForText(std::string_view type, std::string_view variable, std::int64_t first,
                    std::int64_t end);

/// "t / 16 % 8": the digit of a number in which `size` of them follow one another, each of which
/// stands for `stride`. `is_first`: no digit is in front of it, so it is what is left. Where the
/// digit is all of the number, it is that.
std::string DigitText(std::string_view number, std::int64_t stride, std::int64_t size,
                      bool is_first);

/// A nest as indented text, one node a line; for tests and for people. What is known of a loop
/// stands behind its size, and what is decided of it behind that.
std::string ToText(const NestNode& nest);

}  // namespace exh::kernels::loops
