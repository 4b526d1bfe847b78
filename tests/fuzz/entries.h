// SPDX-License-Identifier: MIT
//
// What holds for any bytes. Each entry aborts, after it has said which promise is broken for which
// text, so that a coverage-guided fuzzer and a plain test notice alike.
#pragma once

#include <string_view>

namespace exh::fuzz {

/// Lexer, parser, checker and renderers: no crash, an end, an error unless there is a Spec; JSON
/// that is JSON; and what parses prints to a text that parses to the same. Returns whether it is a
/// space.
bool Check(std::string_view text);

/// Generator: a space becomes the same bytes twice, in every form and for both engines, or is
/// refused with a reason. The text stands beside a golden space, whose includes it may use. Returns
/// whether it is a space.
bool Generate(std::string_view text);

/// Formatter: the result has the same words and the same meaning, and formatting it changes
/// nothing. Returns whether the text has words at all.
bool Format(std::string_view text);

/// Kernels as text: the parser, every check at the default sizes, the backbone, the formatter and
/// the renderers. A result or an error; and a formatted text has the same words and the same tree,
/// and formatting it changes nothing. Returns whether it is a kernel.
bool Kernel(std::string_view text);

/// Functional programs: the parser, everything that is inferred, and the renderers. A program or an
/// error; and what is inferred is a space that is checked and in the style of `exhc fmt`. Returns
/// whether it is a program.
bool Functional(std::string_view text);

/// Says on standard error what is broken, for which text, and aborts, unless it is kept.
void Promise(bool kept, const char* what, std::string_view text);

}  // namespace exh::fuzz
