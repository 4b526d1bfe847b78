// SPDX-License-Identifier: MIT
//
// The backbone of job_shop.exh: tasks of jobs on machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace exh::examples {

struct Task {
  std::size_t id = 0;
  std::size_t job = 0, place = 0;  ///< It is the task at this place of its job.
  std::string machine;
  std::int64_t time = 1;
  std::string name_;
  const std::string& name() const { return name_; }
  /// It is the next one of the same job.
  bool comes_after(const Task& other) const { return job == other.job && place == other.place + 1; }
};

struct Shop {
  std::vector<Task> tasks;
  std::int64_t horizon = 11;

  /// So that it ends by the horizon.
  std::vector<std::uint32_t> starts(const Task& task) const {
    std::vector<std::uint32_t> all(
        static_cast<std::size_t>(horizon < task.time ? 0 : horizon - task.time + 1));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

}  // namespace exh::examples
