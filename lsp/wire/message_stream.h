// SPDX-License-Identifier: MIT
//
// Messages of an editor: `Content-Length: 52`, an empty line, and as many bytes of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace exh::lsp {

/// Bytes of a message; a header that says more is not believed.
inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;

/// Cuts bytes into messages, however they arrive. What is none is skipped up to the next
/// `Content-Length:`, and said once.
class MessageCutter {
 public:
  enum class Found {
    kNothing,  ///< More bytes are needed.
    kMessage,
    kGarbage,  ///< `text` says what is wrong, in words for people.
  };

  void Add(std::string_view bytes) { buffer_ += bytes; }
  /// The next one that the bytes so far make.
  Found Next(std::string* text);

 private:
  Found Skip(std::string* text, std::string why, std::size_t from);

  std::string buffer_;
  bool is_skipping_ = false;
};

/// Messages between an editor and a server, over two file descriptors.
class MessageStream {
 public:
  MessageStream(int in, int out) : in_(in), out_(out) {}

  enum class Got {
    kNothing,  ///< Nothing has come in this time.
    kMessage,
    kGarbage,
    kEnd,  ///< The other side has closed.
  };
  /// The next message, or what is wrong instead of one. Waits for so many milliseconds; below 0,
  /// for ever.
  Got Next(int wait_ms, std::string* text);

  /// False when it cannot be written: nobody reads any more.
  bool Send(std::string_view json) const;

 private:
  int in_, out_;
  bool has_ended_ = false;
  MessageCutter cutter_;
};

}  // namespace exh::lsp
