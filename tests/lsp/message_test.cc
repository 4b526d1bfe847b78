// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "lsp/wire/message_stream.h"

namespace exh::lsp {
namespace {

std::string Message(const std::string& body) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

/// What is made of the bytes when they arrive in pieces of at most `most`.
std::vector<std::string> Cut(std::string_view bytes, std::size_t most) {
  MessageCutter cutter;
  std::vector<std::string> found;
  while (!bytes.empty()) {
    cutter.Add(bytes.substr(0, most));
    bytes.remove_prefix(std::min(most, bytes.size()));
    std::string text;
    for (auto next = cutter.Next(&text); next != MessageCutter::Found::kNothing;
         next = cutter.Next(&text)) {
      found.push_back(next == MessageCutter::Found::kMessage ? text : "garbage");
    }
  }
  return found;
}

TEST(Messages, AreCut) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(Cut(Message("{}") + Message("") + Message("[1]"), 1000), (Found{"{}", "", "[1]"}));
  EXPECT_EQ(Cut("content-length:2\n\n{}", 1000), (Found{"{}"}));
  EXPECT_EQ(Cut("hello " + Message("{}"), 1000), (Found{"garbage", "{}"}));
  EXPECT_EQ(Cut("Content-Length: 1e3\r\n\r\n" + Message("{}"), 1000), (Found{"garbage", "{}"}));
  EXPECT_EQ(Cut(std::string(20000, 'x') + Message("{}"), 1000), (Found{"garbage", "{}"}));
  EXPECT_EQ(Cut("Content-Length: 5\r\n", 1000), Found{});
}

// However the bytes arrive, the same comes out.
TEST(Messages, DoNotDependOnHowTheyArrive) {
  std::mt19937 random(58);
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (int i = 0; i < 6; ++i) {
      std::string piece = Message(std::string(random() % 40, "{x\n:"[random() % 4]));
      const int changes = random() % 3;
      for (int change = 0; change < changes; ++change) {
        piece[random() % piece.size()] = "Cx\r\n: 9"[random() % 7];
      }
      if (random() % 9 == 0) piece.insert(0, std::string(random() % 12000, "x\n"[random() % 2]));
      bytes += piece;
    }
    const auto whole = Cut(bytes, bytes.size());
    for (const std::size_t most : {1, 7, 8191}) EXPECT_EQ(Cut(bytes, most), whole) << bytes;
  }
}

}  // namespace
}  // namespace exh::lsp
