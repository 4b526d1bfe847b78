// SPDX-License-Identifier: MIT
//
// Known answers: small programs whose results are known. A compiler is asked for them when a
// machine uses it for the first time: a compiler that compiles wrongly what is printed for it is
// known before a search, and is called with options that mend it, as far as there are such.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels {

/// A program with a known result.
struct KnownText {
  std::string what;  ///< "sums of a matrix unit of doubles".
  std::string mark;  ///< Stands in every printed text that it speaks for; empty: it speaks for all.
  std::string source;  ///< What it computes and compares is a matter of who runs it.
  /// Nothing is printed in this form any more, because a compiler got it wrong.
  bool is_avoided = false;
};

/// What became of such a program.
struct KnownAnswer {
  enum class Outcome : std::uint8_t {
    kRight,
    kWrong,
    kUnknown,  ///< It was not compiled, or not run.
  };
  std::string what, mark;  ///< Of the text.
  bool is_avoided = false;
  Outcome outcome = Outcome::kUnknown;
  std::string why;                   ///< What was wrong, or why nothing is known.
  std::vector<std::string> options;  ///< Of kWrong: those with which it is right; empty: none are.
  friend bool operator==(const KnownAnswer&, const KnownAnswer&) = default;
};

/// All that one compiler was asked for.
struct KnownAnswers {
  std::string compiler;  ///< Its name and version, and what it compiles for.
  std::vector<KnownAnswer> answers;
  std::string trouble;  ///< Not empty: it could not be asked.
  friend bool operator==(const KnownAnswers&, const KnownAnswers&) = default;

  /// What a text has to be compiled with besides, so that what was wrong is right.
  std::vector<std::string> OptionsFor(std::string_view text) const;
  /// What a person should know before a run, a line each: what is wrong, and what is done about it.
  std::vector<std::string> Notes() const;
  /// All in a few lines, for `search doctor`; the first one counts.
  std::vector<std::string> Report() const;
};

/// Compiles a text with these options more, and runs it.
struct KnownTry {
  KnownAnswer::Outcome outcome = KnownAnswer::Outcome::kUnknown;
  std::string why;
};
using TryKnownText =
    std::function<KnownTry(const KnownText& text, const std::vector<std::string>& options)>;

/// Asks for all of them. What is wrong, and not avoided, is tried again with each of the `remedies`
/// until one makes it right.
KnownAnswers AskForKnownAnswers(const std::string& compiler, std::span<const KnownText> texts,
                                std::span<const std::vector<std::string>> remedies,
                                const TryKnownText& attempt);

std::string ToJson(const KnownAnswers& answers);
/// Nothing for a text that is no such JSON, or is not as it was written.
std::optional<KnownAnswers> ParseKnownAnswers(const std::string& json);

/// What the user's cache has under a key: all that the answers depend on, as a text.
std::optional<KnownAnswers> FindKnownAnswers(const std::string& key);
/// Keeps them there, unless the compiler could not be asked. A disk that is full is no failure.
void KeepKnownAnswers(const std::string& key, const KnownAnswers& answers);

/// One text for all the texts, as a part of such a key.
std::string DigestOf(std::span<const KnownText> texts);

}  // namespace exh::kernels
