// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::load {

/// A task of timed.exh.
struct Job {
  int id = 0;
  std::uint8_t length = 0;
  int on = 0;
  bool in_haste = false;

  std::string name() const { return "t" + std::to_string(id); }
};

/// The backbone of timed.exh.
struct Workshop {
  std::vector<Job> jobs;
  int until = 0;

  int horizon() const { return until; }
  std::uint8_t time(const Job& job) const { return job.length; }
  long gap(const Job& a, const Job& b) const { return (a.id * 2 + b.id) % 3 - 1; }
  int machine(const Job& job) const { return job.on; }
  bool urgent(const Job& job) const { return job.in_haste; }
};

}  // namespace exh::load
