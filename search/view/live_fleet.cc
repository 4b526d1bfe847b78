// SPDX-License-Identifier: MIT
#include "search/view/live_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"
#include "search/page/page.h"
#include "search/page/script_json.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/status/fleet_status.h"

namespace exh::search {
namespace {

/// Between two looks, and how many times as long as one takes.
constexpr double kPause = 2, kPauseFactor = 10;

}  // namespace

LiveFleet::Said LiveFleet::Read(const std::string& folder) {
  const Clock::time_point begin = Clock::now();
  Said said;
  try {
    const FleetStatus fleet = ReadFleetStatus(folder);
    said.json = ScriptSafe(StatusJson(fleet, -1));
    // An event is a line.
    std::erase(said.json, '\n');
    const std::size_t count = fleet.shapes.size();
    said.title =
        fmt::format("{} {} on {}", count, count == 1 ? "shape" : "shapes", fleet.options.device);
    for (const ShapeStatus& status : fleet.shapes) said.shapes.push_back(status.shape.name);
    said.has_ended = std::ranges::none_of(fleet.shapes, [](const ShapeStatus& status) {
      return status.state.phase == ShapePhase::kWaiting ||
             status.state.phase == ShapePhase::kRunning;
    });
  } catch (const std::exception& error) {
    said.trouble = error.what();
  }
  said.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return said;
}

LiveFleet::LiveFleet(std::string folder) : folder_(std::move(folder)), said_(Read(folder_)) {
  if (!said_.trouble.empty()) throw UsageError(said_.trouble);
  read_at_ = Clock::now();
}

bool LiveFleet::Look() {
  if (!reading_.valid()) {
    const double since = std::chrono::duration<double>(Clock::now() - read_at_).count();
    const std::lock_guard lock(mutex_);
    if (since > std::max(kPause, kPauseFactor * said_.seconds)) {
      reading_ = std::async(std::launch::async, Read, folder_);
    }
    return false;
  }
  if (reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  Said said = reading_.get();
  read_at_ = Clock::now();
  const std::lock_guard lock(mutex_);
  const bool is_new =
      said.trouble != said_.trouble || (said.trouble.empty() && said.json != said_.json);
  if (said.trouble.empty()) {
    said_ = std::move(said);
  } else {
    said_.trouble = std::move(said.trouble);  // The rest is what was known last.
  }
  if (is_new) ++number_;
  return is_new;
}

std::string LiveFleet::State() const {
  ScriptJson json;
  json.Open('{');
  json.Key("place").Text(std::to_string(number_));
  json.Key("state").Text(!said_.trouble.empty() ? "trouble"
                         : said_.has_ended      ? "ended"
                                                : "running");
  json.Key("text").Text(said_.trouble);
  json.Close();
  return json.Take();
}

std::string LiveFleet::PageData(const std::string& made) {
  const std::lock_guard lock(mutex_);
  return FleetPageData(said_.json, folder_, made, State());
}

std::string LiveFleet::Title() {
  const std::lock_guard lock(mutex_);
  return said_.title;
}

PageNews LiveFleet::Since(const std::string& place) {
  const std::lock_guard lock(mutex_);
  PageNews news;
  news.place = std::to_string(number_);
  if (place == news.place) return news;
  ScriptJson json;
  json.Open('{');
  json.Key("fleet").Written(said_.json);
  json.Key("state").Written(State());
  json.Close();
  news.data = json.Take();
  return news;
}

std::optional<std::string> LiveFleet::RunOf(const std::string& shape) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(said_.shapes, shape) == said_.shapes.end()) return std::nullopt;
  return folder_ + "/" + shape;
}

}  // namespace exh::search
