// SPDX-License-Identifier: MIT
//
// The backbone of the generator's tests: jobs with tasks that run on machines. Small, and with
// every kind of relation that a `.exh` can describe.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace exh::toy {

template <typename Tag>
struct Id {
  std::uint16_t value = 0xFFFF;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TaskId = Id<struct TaskTag>;
using JobId = Id<struct JobTag>;

/// A task that needs attention: a subset with ids and items of its own.
struct HotId {
  std::uint16_t value = 0xFFFF;
  constexpr operator TaskId() const { return TaskId{value}; }  // NOLINT: ids convert upwards
  friend constexpr auto operator<=>(HotId, HotId) = default;
};

struct Task {
  TaskId id;
  std::string name_;
  JobId job;
  int priority = 0;
  bool planned = false;  ///< Exists only once a trigger adds it.
  std::vector<std::uint32_t> sizes = {1, 2, 4};
  const std::string& name() const { return name_; }
};

struct Hot {
  HotId id;
  int heat = 0;
};

/// Has no name of its own.
struct Job {
  JobId id;
  std::vector<TaskId> tasks;
  std::uint32_t limit = 2;
};

/// What a trigger adds.
struct Added {
  std::vector<TaskId> tasks;
  std::vector<JobId> jobs;
  std::vector<HotId> hot;
  std::vector<std::pair<JobId, TaskId>> job_tasks;
};

struct Shop {
  std::vector<Task> tasks;
  std::vector<Hot> hot;
  std::vector<Job> jobs;
  std::uint32_t limit = 2;
  std::vector<Added> splits;  ///< By task: what splitting it adds.
  mutable int num_alike_calls = 0;
  bool forget_very_hot = false;  ///< very_hot() is wrong, for a test.

  const Task& task(TaskId id) const { return tasks.at(id.value); }
  const Job& job(JobId id) const { return jobs.at(id.value); }
  const Hot& hot_task(HotId id) const { return *find_hot(id); }
  const Hot* find_hot(TaskId id) const {
    for (const Hot& each : hot) {
      if (each.id.value == id.value) return &each;
    }
    return nullptr;
  }
  std::vector<Hot> very_hot() const {
    std::vector<Hot> found;
    for (const Hot& each : hot) {
      if (each.heat > 1 && !forget_very_hot) found.push_back(each);
    }
    return found;
  }
  std::vector<Task> tasks_of(JobId id) const {
    std::vector<Task> found;
    for (const TaskId task_id : job(id).tasks) found.push_back(task(task_id));
    return found;
  }
  const Task* find_task_of(const Job& of, TaskId id) const {
    for (const TaskId task_id : of.tasks) {
      if (task_id == id) return &task(id);
    }
    return nullptr;
  }
  std::vector<Job> jobs_of(TaskId id) const {
    std::vector<Job> found;
    for (const Job& each : jobs) {
      if (find_task_of(each, id) != nullptr) found.push_back(each);
    }
    return found;
  }
  /// Tasks of neighbouring priorities.
  bool alike(const Task& a, const Task& b) const {
    ++num_alike_calls;
    return a.priority - b.priority <= 1 && b.priority - a.priority <= 1;
  }
  bool hurries(const Task& task) const { return task.priority > 1 && task.name() != "idler"; }
  /// The first task that splitting adds; null when it adds none.
  const Task* first_part(const Task& task) const {
    const std::vector<TaskId>& parts = splits.at(task.id.value).tasks;
    return parts.empty() ? nullptr : &this->task(parts.front());
  }
  bool has_part(const Task& task) const { return first_part(task) != nullptr; }
  const Added& split(TaskId id) const { return splits.at(id.value); }

  // ---- Filling one.
  TaskId AddTask(std::string name, int priority = 0) {
    const TaskId id{static_cast<std::uint16_t>(tasks.size())};
    tasks.push_back({id, std::move(name), JobId{}, priority, false, {1, 2, 4}});
    splits.emplace_back();
    return id;
  }
  void Heat(TaskId id, int heat = 1) { hot.push_back({HotId{id.value}, heat}); }
  JobId AddJob(std::vector<TaskId> members, std::uint32_t job_limit = 2) {
    const JobId id{static_cast<std::uint16_t>(jobs.size())};
    for (const TaskId task_id : members) tasks.at(task_id.value).job = id;
    jobs.push_back({id, std::move(members), job_limit});
    return id;
  }
};

}  // namespace exh::toy
