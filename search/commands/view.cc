// SPDX-License-Identifier: MIT
//
// `search view`: the page of a run, or of a fleet, in a browser while it goes on.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/log/log_reader.h"
#include "search/page/page.h"
#include "search/tune/fleet_folder.h"
#include "search/view/live_fleet.h"
#include "search/view/live_run.h"
#include "search/view/load_http.h"
#include "search/view/view_site.h"

namespace exh::search {
namespace {

struct ViewOptions {
  std::string run;
  int port = 8765;
  std::string page;
};

/// Throws UsageError when there is none, or when it can never be shown.
std::shared_ptr<LiveRun> OpenRun(const std::string& run) {
  OpenLog(LogPath(run));
  auto live = std::make_shared<LiveRun>(run);
  live->Look();
  if (const std::string why = live->WhyRefused(); !why.empty()) throw UsageError(why);
  return live;
}

[[noreturn]] void RefusePort(int port, int error) {
  if (error == EADDRINUSE) {
    throw UsageError(fmt::format(
        "port {} of 127.0.0.1 is in use, perhaps by another search view: give another one with "
        "--port, or let --port 0 pick one that is free",
        port));
  }
  if (error == EACCES) {
    throw UsageError(fmt::format(
        "port {} is for the system: give one from 1024 on with --port, or let --port 0 pick one",
        port));
  }
  throw Error(fmt::format("port {} of 127.0.0.1 cannot be used: {}", port, std::strerror(error)));
}

/// Serves until somebody wants the end. A client that is slow does not hold that up.
void ServeUntil(const std::atomic<bool>& stop, HttpServer& server, ViewSite& site) {
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::thread serving([&] {
    server.Serve();
    const std::lock_guard lock(mutex);
    has_ended = true;
    ended.notify_all();
  });
  site.Watch(stop);
  server.Stop();
  std::unique_lock lock(mutex);
  if (!ended.wait_for(lock, std::chrono::seconds(2), [&] { return has_ended; })) {
    // Nothing of what is open is ours: no file, no process.
    std::fflush(nullptr);
    std::_Exit(0);
  }
  lock.unlock();
  serving.join();
}

int View(const ViewOptions& options) {
  if (options.run.empty()) {
    throw UsageError("view which run? search view RUN, or the folder of a fleet");
  }
  constexpr int kMostPort = 65535;
  if (options.port < 0 || options.port > kMostPort) {
    throw UsageError(fmt::format("bad --port '{}': a number from 0 to {}; 0 picks one that is free",
                                 options.port, kMostPort));
  }
  std::string page = ReadTemplate(options.page);
  std::shared_ptr<LiveFleet> fleet;
  std::shared_ptr<Watched> watched;
  if (IsFleet(options.run)) {
    watched = fleet = std::make_shared<LiveFleet>(options.run);
  } else {
    watched = OpenRun(options.run);
  }
  constexpr std::size_t kTokenBytes = 16;
  const std::string token = RandomDigits(kTokenBytes);
  ViewSite site(std::move(page), token, watched, fleet);
  const std::unique_ptr<HttpServer> server = LoadHttp(site);
  const int port = server->Bind(options.port);
  if (port < 0) RefusePort(options.port, -port);
  // Many threads write long pages now and then: what one has freed another one may have.
  ::mallopt(M_ARENA_MAX, 2);
  // What is measured on this machine meanwhile comes first.
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  const std::atomic<bool>& stop = ListenForSignals();
  fmt::print("http://127.0.0.1:{}/{}/\n", port, token);
  std::fflush(stdout);
  fmt::print(stderr, "for up to {} browsers of this machine; Ctrl-C ends it\n",
             ViewSite::kMostClients);
  ServeUntil(stop, *server, site);
  return 0;
}

}  // namespace

void AddViewCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("view", "the page of a run, or of a fleet, in a browser while it goes on");
  const auto options = std::make_shared<ViewOptions>();
  command->add_option("run", options->run,
                      "the folder of a run, or its log; or a fleet, which search tune made");
  command->add_option("--port", options->port, "of 127.0.0.1 (default 8765); 0: one that is free");
  command->add_option("--page", options->page,
                      "the page to fill (default: what ./exh report-assets made)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return View(*options); }; });
}

}  // namespace exh::search
