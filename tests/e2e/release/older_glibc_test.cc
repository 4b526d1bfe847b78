// SPDX-License-Identifier: MIT
//
// What cmake/release/older_glibc.cc has in the place of newer functions of glibc does the same as
// these, which dlsym() finds behind ours.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

extern "C" {
std::uint32_t arc4random() noexcept;
int _dl_find_object(void* address, dl_find_object* found) noexcept;
const char* sigabbrev_np(int signal) noexcept;
const char* sigdescr_np(int signal) noexcept;
}

namespace {

template <typename Function>
Function* System(Function* /*ours*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string Said(const char* text) {
  return text == nullptr ? "nothing" : text;
}

TEST(OlderGlibc, SaysSignalsAsTheSystemDoes) {
  const auto name = System(sigabbrev_np, "sigabbrev_np"), what = System(sigdescr_np, "sigdescr_np");
  ASSERT_NE(name, nullptr);
  ASSERT_NE(what, nullptr);
  ASSERT_NE(name, &sigabbrev_np) << "ours is looked at twice";
  for (int signal = -2; signal < 70; ++signal) {
    EXPECT_EQ(Said(sigabbrev_np(signal)), Said(name(signal))) << signal;
    EXPECT_EQ(Said(sigdescr_np(signal)), Said(what(signal))) << signal;
  }
}

TEST(OlderGlibc, FindsTheTablesThatTheSystemFinds) {
  const auto system = System(_dl_find_object, "_dl_find_object");
  ASSERT_NE(system, nullptr);
  int on_the_stack = 0;
  void* const addresses[] = {reinterpret_cast<void*>(&Said), ::dlsym(RTLD_DEFAULT, "malloc"),
                             ::dlsym(RTLD_DEFAULT, "cos"), &on_the_stack, nullptr};
  for (void* const address : addresses) {
    dl_find_object ours{}, theirs{};
    const int found = _dl_find_object(address, &ours);
    ASSERT_EQ(found, system(address, &theirs)) << address;
    if (found != 0) continue;
    EXPECT_EQ(ours.dlfo_eh_frame, theirs.dlfo_eh_frame) << address;
    EXPECT_EQ(ours.dlfo_map_start, theirs.dlfo_map_start) << address;
  }
}

TEST(OlderGlibc, RandomNumbersDiffer) {
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 64; ++i) seen.insert(arc4random());
  EXPECT_GT(seen.size(), 60U);  // Two of 64 are the same once in two million times.
}

// libgcc, which is linked statically, asks ours where the tables are.
TEST(OlderGlibc, ExceptionsAreCaught) {
  EXPECT_THROW(throw std::runtime_error("caught"), std::runtime_error);
  EXPECT_THROW((void)std::string("ab").at(7), std::out_of_range);
}

}  // namespace
