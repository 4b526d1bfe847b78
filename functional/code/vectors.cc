// SPDX-License-Identifier: MIT
#include "functional/code/vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace exh::functional {

void Vectors::BeginLane(std::int64_t lane) {
  lane_ = static_cast<std::size_t>(lane);
  read_ = 0;
}

bool Vectors::AreSame(const Lanes& lanes) {
  return std::ranges::all_of(
      lanes, [&](const Access& access) { return access.address == lanes[0].address; });
}

bool Vectors::AreSideBySide(const Lanes& lanes) {
  const Index vector = lanes[0].address.Div(kLanes);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const Access& access = lanes[lane];
    if (access.address.Mod(kLanes) != Index(static_cast<std::int64_t>(lane)) ||
        access.name != lanes[0].name || access.condition != lanes[0].condition ||
        access.address.Div(kLanes) != vector) {
      return false;
    }
  }
  return true;
}

std::string Vectors::VectorOf(const Access& access, const char* type) {
  return fmt::format("*reinterpret_cast<{}*>({} + {})", type, access.name, access.address.Text());
}

std::string Vectors::NameOf(std::size_t read) const {
  return fmt::format("{}_{}", name_, loads_[read]);
}

std::string Vectors::Plan() {
  is_planned_ = true;
  bool is_some = false;
  for (std::size_t read = 0; read < reads_.size(); ++read) {
    const Lanes& lanes = reads_[read];
    loads_.push_back(read);
    if (AreSame(lanes)) continue;
    if (!AreSideBySide(lanes)) {
      return fmt::format("what it reads in {} memory does not lie side by side, four by four",
                         WordOf(lanes[0].space));
    }
    is_some = true;
    for (std::size_t other = 0; other < read; ++other) {
      const Access &a = reads_[other][0], &b = lanes[0];
      if (a.name == b.name && a.condition == b.condition && a.address == b.address &&
          !AreSame(reads_[other])) {
        loads_[read] = loads_[other];
        break;
      }
    }
  }
  for (const Lanes& lanes : writes_) {
    if (!AreSideBySide(lanes)) {
      return fmt::format("what it writes in {} memory does not lie side by side, four by four",
                         WordOf(lanes[0].space));
    }
    is_some = true;
  }
  return is_some ? "" : "nothing that it reads or writes lies side by side";
}

std::string Vectors::Read(const Place& place, const std::vector<Condition>& conditions) {
  const std::size_t read = read_++;
  if (!is_planned_) {
    if (read == reads_.size()) reads_.emplace_back();
    Condition all;
    for (const Condition& condition : conditions) all = all && condition;
    reads_[read][lane_] = {place.leaf->name, std::move(all), place.leaf->space, place.address};
  } else if (!AreSame(reads_[read])) {
    return fmt::format("{}.{}", NameOf(read), "xyzw"[lane_]);
  }
  return place.Text();
}

void Vectors::Write(const Place& place, const std::string& value) {
  if (place.leaf->space == MemorySpace::kPrivate) {
    if (is_planned_) to_registers_.push_back(fmt::format("{} = {};", place.Text(), value));
  } else if (is_planned_) {
    values_[lane_] = value;
  } else {
    if (writes_.empty()) writes_.emplace_back();
    writes_[0][lane_] = {place.leaf->name, {}, place.leaf->space, place.address};
  }
}

std::vector<std::string> Vectors::Text(const std::vector<std::string>& guards,
                                       const std::vector<std::string>& owners) const {
  std::vector<std::string> text;
  bool is_replaced = false;
  for (std::size_t read = 0; read < reads_.size(); ++read) {
    const Access& access = reads_[read][0];
    if (!writes_.empty() && access.name == writes_[0][0].name) is_replaced = true;
    if (AreSame(reads_[read]) || loads_[read] != read) continue;
    const std::string name = NameOf(read), vector = VectorOf(access, "const float4");
    if (access.condition.always()) {
      text.push_back(fmt::format("const float4 {} = {};", name, vector));
    } else {
      text.push_back(fmt::format("float4 {} = make_float4(0.0f, 0.0f, 0.0f, 0.0f);", name));
      text.push_back(fmt::format("if ({}) {} = {};", access.condition.Text(), name, vector));
    }
  }
  text.insert(text.end(), to_registers_.begin(), to_registers_.end());
  if (writes_.empty()) return text;
  std::vector<std::string> all = guards;
  if (is_replaced) all.insert(all.end(), owners.begin(), owners.end());
  text.push_back(fmt::format("{}{} = make_float4({});",
                             all.empty() ? "" : fmt::format("if ({}) ", fmt::join(all, " && ")),
                             VectorOf(writes_[0][0], "float4"), fmt::join(values_, ", ")));
  return text;
}

}  // namespace exh::functional
