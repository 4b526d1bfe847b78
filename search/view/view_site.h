// SPDX-License-Identifier: MIT
//
// What `search view` answers to a browser. Every path begins with a token that is drawn at the
// start, so that nobody who was not told the URL sees anything:
//
//   /TOKEN/                    the page of the run or of the fleet
//   /TOKEN/events?from=PLACE   what changes from there on, as server-sent events
//   /TOKEN/run/NAME/           the same of a run of the fleet, and NAME/events
//
// Anything else is refused, and so is a request that calls this machine by another name: a web page
// elsewhere may have its own name lead here.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "search/view/http/http_server.h"
#include "search/view/live_fleet.h"
#include "search/view/watched.h"

namespace exh::search {

class ViewSite : public HttpHandler {
 public:
  static constexpr int kMostClients = 8;

  /// `page`: the template of a page (page.h). `fleet`: the same as `watched`, when that is a fleet.
  ViewSite(std::string page, std::string token, std::shared_ptr<Watched> watched,
           std::shared_ptr<LiveFleet> fleet = nullptr);

  HttpAnswer Answer(const HttpRequest& request) override;

  /// Looks for what is new until `stop` is raised, and tells who waits for it.
  void Watch(const std::atomic<bool>& stop);
  /// Browsers that are told what changes.
  int num_clients() const { return num_clients_; }

 private:
  class Events;
  using Clock = std::chrono::steady_clock;

  struct Seen {
    std::shared_ptr<Watched> watched;
    Clock::time_point last{};  ///< When somebody asked for it.
  };

  HttpAnswer Page(Watched& watched);
  /// What a path is of, and whether it asks for events; null: nothing has this path.
  std::shared_ptr<Watched> Find(std::string_view path, bool& is_events);
  std::shared_ptr<Watched> RunOfFleet(const std::string& name);

  const std::string page_, token_;
  const std::shared_ptr<Watched> watched_;
  const std::shared_ptr<LiveFleet> fleet_;
  std::atomic<int> num_clients_ = 0;
  std::atomic<bool> has_ended_ = false;

  std::mutex mutex_;  ///< Of what follows.
  std::condition_variable is_new_;
  std::uint64_t news_ = 0;
  std::map<std::string, Seen> runs_;  ///< Of a fleet, by name.
};

/// So many bytes that nobody can guess, as hexadecimal digits. Throws Error when the system has
/// none.
std::string RandomDigits(std::size_t bytes);

}  // namespace exh::search
