// SPDX-License-Identifier: MIT
#include "search/subject/freeze_progress.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace exh::search {
namespace {

/// What a freeze of these seconds shows.
std::string Shown(bool is_terminal, std::initializer_list<double> seconds) {
  std::FILE* const out = std::tmpfile();
  EXPECT_NE(out, nullptr);
  {
    const runtime::FreezeOptions options = ShownFreeze(nullptr, out, is_terminal);
    for (const double at : seconds) EXPECT_TRUE(options.progress({"rows", at / 25, at}));
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

TEST(FreezeProgress, AShortFreezeIsSilent) {
  EXPECT_EQ(Shown(true, {0.2, 0.4, 1.9}), "");
  EXPECT_EQ(Shown(false, {0.2, 0.4, 1.9}), "");
}

TEST(FreezeProgress, ALongOneHasALine) {
  EXPECT_EQ(Shown(true, {1.9, 2.1, 12}),
            "\r\033[Kthe space is being built: 8 %, rows, 2 s"
            "\r\033[Kthe space is being built: 48 %, rows, 12 s\r\033[K");
}

TEST(FreezeProgress, InAFileLinesAreFew) {
  EXPECT_EQ(Shown(false, {1.9, 2.1, 2.3, 12, 12.3, 14}),
            "the space is being built: 8 %, rows, 2 s\n"
            "the space is being built: 49 %, rows, 12 s\n");
}

TEST(FreezeProgress, StopsWithItsToken) {
  StopToken stop;
  const runtime::FreezeOptions options = ShownFreeze(&stop, stderr, false);
  EXPECT_TRUE(options.progress({"rows", 0, 0.2}));
  stop.Stop();
  EXPECT_FALSE(options.progress({"rows", 0, 0.4}));
}

}  // namespace
}  // namespace exh::search
