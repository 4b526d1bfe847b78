// SPDX-License-Identifier: MIT
#include "search/view/view_site.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/log/run_folder.h"
#include "search/page/page.h"
#include "search/page/script_json.h"
#include "search/view/live_run.h"

namespace exh::search {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Between two looks at a log, and between two messages to a browser.
constexpr auto kLook = milliseconds(100), kLeastBetween = milliseconds(200);
/// How long a run of a fleet is followed that nobody looks at.
constexpr auto kUnwatched = seconds(60);
/// Something is sent now and then, so that one notices who has gone.
constexpr auto kQuiet = seconds(10);
constexpr std::string_view kEventsPath = "events", kRunPath = "run/";

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// Nothing of elsewhere, and no script or style but those of the page, which have the nonce.
std::string PolicyOf(const std::string& nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
      "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
}

constexpr const char* kNoPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A page of one sentence. `again`: seconds after which a browser asks again; 0: it does not.
HttpAnswer Message(int status, std::string_view text, int again = 0) {
  HttpAnswer answer;
  answer.status = status;
  answer.policy = kNoPolicy;
  answer.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{}<title>search "
      "view</title></head><body><p>{}</p></body></html>\n",
      again > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", again) : "",
      Escaped(text));
  return answer;
}

/// "localhost:8765" -> this machine. The port is that of a tunnel, where there is one.
bool IsThisMachine(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') : host.rfind(':');
  std::string name(host.starts_with('[') && end != host.npos ? host.substr(0, end + 1)
                                                             : host.substr(0, end));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

/// In a time that does not say how much of it is right.
bool AreSame(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

/// A place of a page, or nothing: it goes back to the browser, and may have no line of its own.
std::string PlaceIn(const std::string& text) {
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == ':'; });
  return is_plain ? text : "";
}

/// The page with the nonce on its own style and script. What stands before the data has no script,
/// and the data have no `<`.
std::string WithNonce(std::string html, const std::string& nonce) {
  constexpr std::string_view kStyle = "<style>", kScript = "<script>";
  const std::size_t style = html.find(kStyle);
  if (style != html.npos) html.insert(style + kStyle.size() - 1, " nonce=\"" + nonce + "\"");
  const std::size_t script = html.find(kScript);
  if (script != html.npos) html.insert(script + kScript.size() - 1, " nonce=\"" + nonce + "\"");
  return html;
}

std::string Event(std::string_view name, std::string_view id, std::string_view data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, data);
}

}  // namespace

std::string RandomDigits(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    throw Error("the system has no random numbers");
  }
  std::string digits;
  for (const unsigned char byte : random) digits += fmt::format("{:02x}", byte);
  return digits;
}

/// What changes, for one browser.
class ViewSite::Events : public EventStream {
 public:
  Events(ViewSite& site, std::shared_ptr<Watched> watched, std::string place)
      : site_(site),
        watched_(std::move(watched)),
        place_(std::move(place)),
        is_one_too_many_(++site_.num_clients_ > kMostClients) {}
  ~Events() override { --site_.num_clients_; }

  std::string Next() override {
    if (is_one_too_many_) {
      has_ended_ = true;
      return "retry: 10000\n" +
             Event("full", place_, fmt::format("{{\"most\":{}}}", ViewSite::kMostClients));
    }
    Wait();
    if (site_.has_ended_) {
      has_ended_ = true;
      return Event("bye", place_, "{}");
    }
    const bool is_first = sent_ == Clock::time_point();
    const PageNews news = watched_->Since(place_);
    std::string text = is_first ? "retry: 2000\n\n" : "";
    if (news.anew) {
      text += Event("anew", news.place, "{}");
      has_ended_ = true;
    } else if (!news.data.empty()) {
      text += Event("news", news.place, news.data);
      place_ = news.place;
    } else if (Clock::now() - sent_ > kQuiet) {
      text += ": nothing new\n\n";
    }
    if (!text.empty()) sent_ = Clock::now();
    return text;
  }
  bool HasEnded() const override { return has_ended_; }

 private:
  /// Until there may be news, and never less than a browser has time to draw.
  void Wait() {
    std::this_thread::sleep_until(sent_ + kLeastBetween);
    std::unique_lock lock(site_.mutex_);
    site_.is_new_.wait_for(lock, kLook * 5,
                           [&] { return site_.news_ != seen_ || site_.has_ended_; });
    seen_ = site_.news_;
  }

  ViewSite& site_;
  const std::shared_ptr<Watched> watched_;
  std::string place_;
  const bool is_one_too_many_;
  bool has_ended_ = false;
  std::uint64_t seen_ = 0;
  Clock::time_point sent_{};
};

ViewSite::ViewSite(std::string page, std::string token, std::shared_ptr<Watched> watched,
                   std::shared_ptr<LiveFleet> fleet)
    : page_(std::move(page)),
      token_(std::move(token)),
      watched_(std::move(watched)),
      fleet_(std::move(fleet)) {}

HttpAnswer ViewSite::Page(Watched& watched) {
  constexpr int kAgain = 2;
  if (const std::string why = watched.WhyNoPage(); !why.empty()) {
    return Message(200, why + ". This page looks again every two seconds.", kAgain);
  }
  constexpr std::size_t kNonceBytes = 16;
  const std::string nonce = RandomDigits(kNonceBytes);
  HttpAnswer answer;
  answer.policy = PolicyOf(nonce);
  answer.body = WithNonce(FillPage(page_, watched.Title(), watched.PageData(TimeStamp())), nonce);
  return answer;
}

std::shared_ptr<Watched> ViewSite::RunOfFleet(const std::string& name) {
  const std::optional<std::string> run = fleet_ ? fleet_->RunOf(name) : std::nullopt;
  if (!run) return nullptr;
  const std::lock_guard lock(mutex_);
  Seen& seen = runs_[name];
  if (!seen.watched) {
    seen.watched = std::make_shared<LiveRun>(*run);
    seen.watched->Look();
  }
  seen.last = Clock::now();
  return seen.watched;
}

std::shared_ptr<Watched> ViewSite::Find(std::string_view path, bool& is_events) {
  is_events = false;
  if (path.empty()) return watched_;
  is_events = path == kEventsPath;
  if (is_events) return watched_;
  if (!path.starts_with(kRunPath)) return nullptr;
  path.remove_prefix(kRunPath.size());
  const std::size_t end = path.find('/');
  if (end == path.npos) return nullptr;
  const std::string_view rest = path.substr(end + 1);
  is_events = rest == kEventsPath;
  if (!rest.empty() && !is_events) return nullptr;
  return RunOfFleet(std::string(path.substr(0, end)));
}

HttpAnswer ViewSite::Answer(const HttpRequest& request) {
  try {
    if (!IsThisMachine(request.host)) {
      return Message(421, "search view answers to 127.0.0.1 and localhost alone.");
    }
    if (request.method != "GET") return Message(405, "search view only shows: it takes GET alone.");
    const std::string_view path = request.path;
    const bool has_token = path.size() > token_.size() + 1 && path.front() == '/' &&
                           path[token_.size() + 1] == '/' &&
                           AreSame(path.substr(1, token_.size()), token_);
    if (!has_token) {
      return Message(403, "The token is missing or wrong: open the URL that search view printed.");
    }
    bool is_events = false;
    const std::shared_ptr<Watched> watched = Find(path.substr(token_.size() + 2), is_events);
    if (!watched) return Message(404, "There is nothing of this name here.");
    if (!is_events) return Page(*watched);
    const std::string& place = request.last_event_id.empty() ? request.from : request.last_event_id;
    HttpAnswer answer;
    answer.type = "text/event-stream";
    answer.policy = kNoPolicy;
    answer.events = std::make_unique<Events>(*this, watched, PlaceIn(place));
    return answer;
  } catch (const std::exception& error) {
    return Message(500, error.what());
  }
}

void ViewSite::Watch(const std::atomic<bool>& stop) {
  while (!stop) {
    bool is_new = watched_->Look();
    std::vector<std::shared_ptr<Watched>> runs;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(runs_, [](const auto& run) {
        const Seen& seen = run.second;
        // Whoever shows it has a share of it.
        return seen.watched.use_count() == 1 && Clock::now() - seen.last > kUnwatched;
      });
      for (const auto& [name, seen] : runs_) runs.push_back(seen.watched);
    }
    for (const auto& run : runs) is_new = run->Look() || is_new;
    if (is_new) {
      const std::lock_guard lock(mutex_);
      ++news_;
      is_new_.notify_all();
    }
    std::this_thread::sleep_for(is_new ? kLook / 10 : kLook);
  }
  has_ended_ = true;
  is_new_.notify_all();
}

}  // namespace exh::search
