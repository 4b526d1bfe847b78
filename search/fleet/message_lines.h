// SPDX-License-Identifier: MIT
//
// Messages as lines of less than a thousand bytes. What carries the lines between machines may be
// anything, and one carrier that is much used (srun) answers in 0.14 ms up to 1,000 bytes a line,
// and in 88 ms beyond 1,400. So a long message is cut: each piece but the last begins with `+`, and
// the last with `-`. A message is JSON and begins with neither.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace exh::search {

/// With its end, a line has fewer bytes.
inline constexpr std::size_t kMostLineBytes = 1000;
/// A message that is longer is none.
inline constexpr std::size_t kMostMessageBytes = std::size_t{8} << 20;

/// The lines of a message, each with its end. It has no line end in itself.
std::string LinesOf(const std::string& message);

/// Puts messages together from whatever arrives, in parts of any length.
class MessageReader {
 public:
  void Add(std::string_view bytes);
  /// The next message that is whole. Nothing: there is none yet, or `problem()`.
  std::optional<std::string> Next();
  /// What arrived cannot be messages, and this says why; nothing more comes out then. Empty: fine.
  const std::string& problem() const { return problem_; }

 private:
  std::string input_, message_, problem_;
  std::size_t seen_ = 0;  ///< No line ends before here.
};

}  // namespace exh::search
