// SPDX-License-Identifier: MIT
#include "search/propose/in_flight.h"

#include <algorithm>
#include <utility>

#include "search/log/decisions.h"

namespace exh::search {

namespace {

std::vector<int> ValuesOf(std::string_view vector) {
  std::vector<int> values(VectorSize(vector), -1);
  ForEachVectorValue(vector, [&](std::size_t decision, int value) { values[decision] = value; });
  return values;
}

double ShareOfEqual(const std::vector<int>& a, const std::vector<int>& b) {
  std::size_t equal = 0, valued = 0;
  for (std::size_t decision = 0; decision < std::min(a.size(), b.size()); ++decision) {
    if (a[decision] < 0 && b[decision] < 0) continue;
    ++valued;
    equal += a[decision] == b[decision] ? 1 : 0;
  }
  return valued == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(valued);
}

}  // namespace

Likeness::Likeness(const std::vector<std::string>& vectors) {
  for (const std::string& vector : vectors) values_.push_back(ValuesOf(vector));
}

double Likeness::Of(std::string_view vector) const {
  if (values_.empty()) return 0;
  const std::vector<int> values = ValuesOf(vector);
  double most = 0;
  for (const std::vector<int>& other : values_) most = std::max(most, ShareOfEqual(values, other));
  return most;
}

void InFlight::Add(std::string vector) {
  const std::lock_guard lock(mutex_);
  vectors_.push_back(std::move(vector));
  if (vectors_.size() > kMost) vectors_.pop_front();
}

void InFlight::Remove(std::string_view vector) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(vectors_, vector);
  if (found != vectors_.end()) vectors_.erase(found);
}

std::vector<std::string> InFlight::All() const {
  const std::lock_guard lock(mutex_);
  return {vectors_.begin(), vectors_.end()};
}

}  // namespace exh::search
