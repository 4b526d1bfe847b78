// SPDX-License-Identifier: MIT
//
// What could stand at a place of a text that somebody writes: what an editor offers there. The
// parsers of all languages of the tree answer in these words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/source_range.h"

namespace exh::dsl {

/// Nothing where a comment is written.
struct Expected {
  /// Words of the language: reserved ones, and others that mean something there.
  std::vector<std::string> words;
  bool choices = false;  ///< Names of choices, and of what else has arguments.
  bool sets = false;     ///< Names of sets.
  bool values = false;   ///< Names of values: of the choice `tested`, or of any where it is empty.
  bool constants = false;  ///< Names of constants.
  bool names = false;      ///< Names, in languages in which all look alike.
  std::string tested;
  std::vector<std::string> variables;  ///< With their `$`, where one may stand.
};

/// What could go on a `.exh` text that ends in the middle of something. A word that is begun is no
/// part of `text`. Of included files nothing is known here, nor needed.
Expected ExpectedBehind(std::string_view text);

/// Where words of the language stand in a `.exh` text: those that mean something there, not the
/// names that look like them. `file` of the ranges is 0.
std::vector<SourceRange> KeywordsOf(std::string_view text);

/// Whether the end of `skipped`, which a lexer made no token of, lies in a comment that ends with
/// its line.
bool EndsInComment(std::string_view skipped);

/// The part of a text that says nothing of the word that its end lies in: all but the letters of a
/// name, and a `$` before them.
std::string_view WithoutLastWord(std::string_view text);

}  // namespace exh::dsl
