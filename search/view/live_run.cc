// SPDX-License-Identifier: MIT
#include "search/view/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>
#include <vector>

#include "search/log/log_reader.h"
#include "search/log/run_folder.h"
#include "search/page/page.h"
#include "search/page/run_json.h"
#include "search/page/script_json.h"
#include "search/page/worths.h"

namespace exh::search {
namespace {

/// Of what there are few in a log of ours; one that is damaged or made up may have any number.
constexpr std::size_t kMostProblems = 1000, kMostViolations = 1000;
/// A tree of more is not drawn while a run goes on.
constexpr std::size_t kTreeNodes = 5000, kInRoofline = 600;
/// Loops and code are made again when there is a new best, the rest when a tenth more is known, and
/// never more often than so. It takes of the processor that the run may be measured on.
constexpr double kLeastPause = 2, kPause = 20, kPauseFactor = 20;
constexpr const char* kTreeTrouble =
    "they are made again from the log when the run has ended, for that takes time of the processor";

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void CutTo(std::size_t most, auto& list) {
  if (list.size() > most) list.resize(most);
}

}  // namespace

LiveRun::LiveRun(std::string name) : name_(std::move(name)), follower_(LogPath(name_)) {}

void LiveRun::Forget() {
  ++log_number_;
  ++events_number_;
  log_ = Log();
  has_selects_ = false;
  missing_.clear();
  evals_ = EvalColumns();
  decisions_ = GrowingDecisions();
  dead_ends_ = DeadEndsByLabel();
  prefixes_ = PrefixTree();
  sample_ = EvalSample();
  rebuilt_.reset();
  again_.clear();
  report_.clear();
}

bool LiveRun::Look() {
  const LogFollower::News news = follower_.Read();
  bool is_news = TakeMade() || news != LogFollower::News::kNone;
  {
    const std::lock_guard lock(mutex_);
    if (news == LogFollower::News::kAnew) {
      Forget();
      made_at_ = {};
      made_best_ = made_count_ = 0;
    }
    if (news == LogFollower::News::kLines) TakeRecords();
    std::string trouble = follower_.trouble();
    if (trouble.empty()) trouble = Refusal();
    if (trouble != trouble_ || half_line_ != follower_.ends_in_half_line()) {
      is_news = true;
      ++events_number_;
    }
    half_line_ = follower_.ends_in_half_line();
    trouble_ = std::move(trouble);
  }
  MakeAgain();
  return is_news;
}

std::string LiveRun::Refusal() const {
  if (log_.run && log_.run->version > kNewestLog) {
    return fmt::format("the log '{}' is of version {}; this program reads 1 and {}", LogPath(name_),
                       log_.run->version, kNewestLog);
  }
  if (log_.run || log_.tail.lines + log_.problems.size() == 0) return "";
  return fmt::format("'{}' is not the log of a run: no header{}", LogPath(name_),
                     log_.problems.empty() ? "" : fmt::format(" ({})", log_.problems.front()));
}

std::string LiveRun::WhyRefused() {
  const std::lock_guard lock(mutex_);
  return Refusal();
}

std::string LiveRun::WhyNoPage() {
  const std::lock_guard lock(mutex_);
  if (std::string why = Refusal(); !why.empty()) return why;
  if (log_.run) return "";
  return trouble_.empty() ? "the log has no header yet" : trouble_;
}

void LiveRun::TakeRecords() {
  Log& read = follower_.log();
  std::vector<ChoiceRecord> choices = std::move(log_.choices);
  if (choices.size() < read.choices.size()) choices.resize(read.choices.size());
  for (ChoiceRecord& choice : read.choices) {
    if (choice.index < 0) continue;
    const auto index = static_cast<std::size_t>(choice.index);
    choices[index] = std::move(choice);
  }
  read.choices.clear();
  std::vector<EvalRecord> evals = std::exchange(read.evals, {});
  const std::vector<DeadRecord> deads = std::exchange(read.deads, {});
  const std::vector<SelectRecord> selects = std::exchange(read.selects, {});
  read.results.clear();
  read.checks.clear();
  CutTo(kMostProblems, read.problems);
  CutTo(kMostViolations, read.violations);
  log_ = read;
  log_.choices = std::move(choices);
  missing_ = follower_.Missing();
  for (const DeadRecord& dead : deads) dead_ends_.Add(dead);
  has_selects_ = has_selects_ || !selects.empty();
  for (const SelectRecord& select : selects) prefixes_.Add(select);
  for (EvalRecord& eval : evals) {
    evals_.Add(eval);
    decisions_.Add(eval);
    prefixes_.Add(eval, /*counts_visits=*/!has_selects_);
    sample_.Add(std::move(eval));
  }
  decisions_.Show(log_);
  if (!log_.bests.empty()) sample_.SetBest(log_.bests.back().n);
  report_.clear();
  ++events_number_;
}

std::string LiveRun::PlaceText() const {
  return fmt::format("{}:{}:{}:{}:{}:{}", log_number_, evals_.count(), evals_.num_reasons(),
                     decisions_.num_shown(), again_number_, events_number_);
}

std::optional<LiveRun::Place> LiveRun::PlaceOf(const std::string& text) const {
  Place place;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint64_t* const count :
       {&place.log, &place.evals, &place.reasons, &place.decisions, &place.again, &place.events}) {
    const auto read = std::from_chars(at, end, *count);
    if (read.ec != std::errc()) return std::nullopt;
    const bool is_last = count == &place.events;
    if (is_last ? read.ptr != end : read.ptr == end || *read.ptr != ':') return std::nullopt;
    at = is_last ? end : read.ptr + 1;
  }
  const bool is_here = place.log == log_number_ && place.evals <= evals_.count() &&
                       place.reasons <= evals_.num_reasons() &&
                       place.decisions <= decisions_.num_shown();
  return is_here ? std::optional(place) : std::nullopt;
}

void LiveRun::WriteState(ScriptJson& json) const {
  const bool is_running = trouble_.empty() && log_.run && !log_.end;
  json.Open('{');
  json.Key("place").Text(PlaceText());
  json.Key("state").Text(!trouble_.empty() ? "trouble"
                         : !log_.run       ? "waiting"
                         : log_.end        ? "ended"
                                           : "running");
  json.Key("text").Text(trouble_);
  json.Key("halfLine").Bool(is_running && half_line_);
  json.Close();
}

void LiveRun::WriteEventsAndDamage(ScriptJson& json) const {
  Log log;
  log.problems = log_.problems;
  log.problems.insert(log.problems.end(), missing_.begin(), missing_.end());
  log.repairs = log_.repairs;
  log.resumes = log_.resumes;
  WriteDamage(log, json);
  WriteEvents(log_, dead_ends_, json);
}

std::string LiveRun::WriteAll() const {
  ScriptJson json;
  json.Open('{');
  json.Key("name").Text(name_);
  WriteHeader(*log_.run, json);
  WriteEventsAndDamage(json);
  evals_.Write(json);
  decisions_.Write(log_, json);
  if (again_.empty()) {
    json.Members(R"({"winner":null,"requirements":[],"roofline":null,"why":null,"tree":null})");
  } else {
    json.Members(again_);
  }
  json.Key("bounds").Open('[');
  json.Close();
  json.Key("treeTrouble").Text(kTreeTrouble);
  json.Close();
  return json.Take();
}

std::string LiveRun::PageData(const std::string& made) {
  const std::lock_guard lock(mutex_);
  if (HasEnded() && trouble_.empty() && evals_.count() > 0) {
    if (report_.empty()) {
      try {
        const std::string live =
            fmt::format(R"({{"place":"{}:report","state":"ended","text":""}})", log_number_);
        report_ = search::PageData(ReadRuns({name_}), made, live);
      } catch (const std::exception&) {
        report_.clear();  // It has just gone. What is known of it is shown.
      }
    }
    if (!report_.empty()) return report_;
  }
  ScriptJson state;
  WriteState(state);
  return RunPageData(WriteAll(), made, state.Take());
}

std::string LiveRun::Title() {
  const std::lock_guard lock(mutex_);
  return log_.run ? PageTitle(*log_.run) : name_;
}

PageNews LiveRun::Since(const std::string& text) {
  const std::lock_guard lock(mutex_);
  PageNews news;
  if (text == fmt::format("{}:report", log_number_)) {
    news.place = text;
    news.anew = !HasEnded();
    return news;
  }
  const std::optional<Place> place = PlaceOf(text);
  news.place = PlaceText();
  news.anew = !place;
  if (!place || news.place == text) return news;
  ScriptJson json;
  json.Open('{');
  json.Key("run").Open('{');
  json.Key("from").Integer(static_cast<std::int64_t>(place->evals));
  evals_.WriteFrom(place->evals, place->reasons, json);
  decisions_.WriteNew(log_, place->decisions, json);
  decisions_.WritePieces(place->decisions, place->evals, json);
  if (place->events != events_number_) WriteEventsAndDamage(json);
  if (place->again != again_number_) json.Members(again_);
  json.Close();
  json.Key("state");
  WriteState(json);
  json.Close();
  news.data = json.Take();
  return news;
}

bool LiveRun::TakeMade() {
  if (!making_.valid() || making_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return false;
  }
  Making made = making_.get();
  made_at_ = Clock::now();
  made_s_ = made.seconds;
  const std::lock_guard lock(mutex_);
  if (made.log_number != log_number_) return false;
  rebuilt_ = std::move(made.rebuilt);
  again_ = std::move(made.members);
  ++again_number_;
  return true;
}

void LiveRun::MakeAgain() {
  if (making_.valid() || follower_.has_more()) return;
  const std::lock_guard lock(mutex_);
  if (!log_.run || !trouble_.empty() || HasEnded() || evals_.count() == 0) return;
  const std::uint64_t best = log_.bests.empty() ? 0 : log_.bests.back().n;
  const double since = Seconds(Clock::now() - made_at_);
  const bool has_best = best != made_best_ && since > std::max(kLeastPause, kPauseFactor * made_s_);
  const bool has_more =
      10 * evals_.count() > 11 * made_count_ && since > std::max(kPause, kPauseFactor * made_s_);
  if (!has_best && !has_more) return;
  made_best_ = best;
  made_count_ = evals_.count();
  ScriptJson tree;
  tree.Open('{');
  WritePrefixTree(log_, prefixes_, kTreeNodes, tree);
  tree.Close();
  Log some = log_;
  some.evals = sample_.evals();
  making_ = std::async(std::launch::async, [number = log_number_, name = name_, rebuilt = rebuilt_,
                                            some = std::move(some), labels = dead_ends_.labels(),
                                            tree = tree.Take()]() mutable {
    const Clock::time_point begin = Clock::now();
    Making made;
    made.log_number = number;
    if (!rebuilt) rebuilt = std::make_shared<const Rebuilt>(some, name);
    ScriptJson json;
    json.Open('{');
    json.Members(AgainMembers(some, labels, *rebuilt, kInRoofline));
    json.Members(tree);
    WriteWorths(name, some, json);
    json.Close();
    made.members = json.Take();
    made.rebuilt = std::move(rebuilt);
    made.seconds = Seconds(Clock::now() - begin);
    return made;
  });
}

}  // namespace exh::search
