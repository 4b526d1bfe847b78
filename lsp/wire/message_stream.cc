// SPDX-License-Identifier: MIT
#include "lsp/wire/message_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

namespace exh::lsp {
namespace {

constexpr std::string_view kLength = "Content-Length:";
constexpr std::size_t kLongestHeader = std::size_t{8} << 10;

bool StartsWithLetters(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The length that a header says, or why it says none.
std::optional<std::size_t> LengthOf(std::string_view header, std::string* why) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    const std::string_view line = WithoutBlanks(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    if (!StartsWithLetters(line, kLength)) {
      if (line.find(':') != std::string_view::npos) continue;  // `Content-Type: …`.
      *why =
          "a message begins with lines like 'Content-Length: 52', and one of its lines has no ':'";
      return std::nullopt;
    }
    const std::string_view digits = WithoutBlanks(line.substr(kLength.size()));
    std::size_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
      *why = fmt::format("'Content-Length' is a number of bytes, got '{}'", digits.substr(0, 40));
      return std::nullopt;
    }
    if (number > kLargestMessage) {
      *why = fmt::format("a message of {} bytes is not read: at most {}", number, kLargestMessage);
      return std::nullopt;
    }
    length = number;
  }
  if (!length) *why = "a message begins with 'Content-Length: 52', and this one does not say it";
  return length;
}

}  // namespace

MessageCutter::Found MessageCutter::Skip(std::string* text, std::string why, std::size_t from) {
  const std::size_t next = buffer_.find(kLength, from);
  // The first letters of the word may have come already.
  const std::size_t keep = std::min(buffer_.size(), kLength.size() - 1);
  buffer_.erase(0, next == std::string::npos ? buffer_.size() - keep : next);
  if (std::exchange(is_skipping_, true)) return Found::kNothing;
  *text = std::move(why);
  return Found::kGarbage;
}

MessageCutter::Found MessageCutter::Next(std::string* text) {
  while (!buffer_.empty()) {
    if (is_skipping_ && !buffer_.starts_with(kLength)) {
      Skip(text, "", 0);
      if (!buffer_.starts_with(kLength)) return Found::kNothing;
    }
    const auto head = std::string_view(buffer_).substr(0, kLongestHeader + 4);
    const std::size_t returns = head.find("\r\n\r\n");
    const std::size_t newlines = head.find("\n\n");
    const std::size_t end = std::min(returns, newlines);
    const bool has_end = end <= kLongestHeader;
    if (!has_end && buffer_.size() <= head.size()) return Found::kNothing;
    std::string why = "a message begins with 'Content-Length: 52' and an empty line";
    std::optional<std::size_t> length;
    if (has_end) {
      length = LengthOf(head.substr(0, end), &why);
    }
    if (!length) {
      const Found found = Skip(text, std::move(why), 1);
      if (found == Found::kGarbage) return found;
      continue;
    }
    const std::size_t begin = end + (end == returns ? 4 : 2);
    if (buffer_.size() - begin < *length) return Found::kNothing;
    is_skipping_ = false;
    *text = buffer_.substr(begin, *length);
    buffer_.erase(0, begin + *length);
    return Found::kMessage;
  }
  return Found::kNothing;
}

MessageStream::Got MessageStream::Next(int wait_ms, std::string* text) {
  while (true) {
    switch (cutter_.Next(text)) {
      case MessageCutter::Found::kMessage:
        return Got::kMessage;
      case MessageCutter::Found::kGarbage:
        return Got::kGarbage;
      case MessageCutter::Found::kNothing:
        break;
    }
    if (has_ended_) return Got::kEnd;
    pollfd input = {in_, POLLIN, 0};
    const int ready = ::poll(&input, 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Got::kNothing;
    std::array<char, 65536> bytes;
    const ssize_t read = ::read(in_, bytes.data(), bytes.size());
    if (read < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    has_ended_ = read <= 0;
    if (read > 0) cutter_.Add({bytes.data(), static_cast<std::size_t>(read)});
  }
}

bool MessageStream::Send(std::string_view json) const {
  std::string message = fmt::format("Content-Length: {}\r\n\r\n", json.size());
  message += json;
  std::string_view rest = message;
  while (!rest.empty()) {
    const ssize_t written = ::write(out_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace exh::lsp
