// SPDX-License-Identifier: MIT
#include "tests/generator/oracle/toy_world.h"

#include <gtest/gtest.h>

#include "dsl/dsl.h"
#include "tests/support/tree.h"

namespace exh::tests {

toy::Shop SomeTasks(int count) {
  toy::Shop shop;
  for (int i = 0; i < count; ++i) shop.AddTask("task_" + std::string(1, char('a' + i)), i);
  return shop;
}

SpecWorld WorldOf(const toy::Shop& shop) {
  SpecWorld world;
  world.members["Tasks"] = {};
  world.members["Jobs"] = {};
  world.members["JobTasks"] = {};
  for (const toy::Task& task : shop.tasks) world.members["Tasks"].push_back({-1, task.id.value});
  for (const toy::Job& job : shop.jobs) {
    world.members["Jobs"].push_back({-1, job.id.value});
    for (const toy::TaskId task : job.tasks) {
      world.members["JobTasks"].push_back({job.id.value, task.value});
    }
  }
  return world;
}

SpecDriveResult DriveGolden(const std::string& feature, const runtime::Space& space,
                            const runtime::Host& host, const SpecWorld& world,
                            const std::function<void(const runtime::Candidate&)>& check,
                            const std::string& file) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions options;
  options.root = kSourceDir;
  const auto spec = dsl::Compile(
      std::string(kSourceDir) + "/tests/generator/golden/" + feature + "/" + file, options, sink);
  if (!spec) {
    ADD_FAILURE() << dsl::RenderText(sink);
    return {};
  }
  SpecDriveResult result;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SpecDriveResult once = DriveGenerated(space, host, *spec, world, check, seed);
    result.solutions = once.solutions;
    result.root_is_dead = once.root_is_dead;
    result.implementations += once.implementations;
    result.dead_ends += once.dead_ends;
  }
  return result;
}

}  // namespace exh::tests
