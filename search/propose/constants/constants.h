// SPDX-License-Identifier: MIT
//
// The numbers that decide how a search proposes, by name: one table, for who tries others of them
// (simulate/whole) and for messages. A new one is one line in constants.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/propose/exploration.h"

namespace exh::search {

/// One number of ProposerOptions.
struct ProposerConstant {
  std::string_view name;  ///< Most often that of the member: "walks".
  std::string_view what;  ///< In words, as the end of "… is".
  double least = 0;       ///< Legal from here …
  double most = 0;        ///< … to here, both included.
  bool is_whole = false;  ///< Whole numbers alone are legal.
  double (*get)(const ProposerOptions& options) = nullptr;
  /// `value` is legal.
  void (*set)(ProposerOptions& options, double value) = nullptr;

  /// "a whole number from 1 to 64".
  std::string LegalText() const;
};

/// All of them, those of a screen first.
std::span<const ProposerConstant> ProposerConstants();

/// The one with this name. Throws UsageError, which begins with `option` and has the legal names.
const ProposerConstant& FindConstant(std::string_view option, std::string_view name);

/// One constant with another value.
struct ChangedConstant {
  const ProposerConstant* constant = nullptr;
  double value = 0;

  /// "walks=4".
  std::string Text() const;
};

/// `walks=1,2,4`: that constant with each of these values. Throws UsageError, which begins with
/// `option`, quotes the text, and says what is legal.
std::vector<ChangedConstant> ParseConstant(std::string_view option, std::string_view text);

}  // namespace exh::search
