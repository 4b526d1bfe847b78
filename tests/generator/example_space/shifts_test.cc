// SPDX-License-Identifier: MIT
//
// All that a new space takes: shifts.exh, one line of CMake, and this.
#include <gtest/gtest.h>

#include "spaces/shifts.exh.h"

namespace exh {
namespace {

TEST(ExampleSpace, OneTaskByNight) {
  toy::Shop shop;
  const toy::TaskId sweep = shop.AddTask("sweep"), wash = shop.AddTask("wash");

  const spaces::shifts::SpaceHost host(shop);
  const auto instance = runtime::Instance::Freeze(spaces::shifts::GetSpace(), host);
  runtime::Candidate candidate(instance);
  const spaces::shifts::View view(candidate, host);

  using spaces::shifts::Shift;
  const runtime::Action by_night[] = {view.ShiftAction(sweep, Shift::NIGHT)};
  ASSERT_EQ(candidate.Restrict(by_night), runtime::Propagation::kFixpoint);
  EXPECT_EQ(ToString(view.shift(wash)), "DAY");
}

}  // namespace
}  // namespace exh
