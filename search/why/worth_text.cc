// SPDX-License-Identifier: MIT
#include "search/why/worth_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/decisions.h"
#include "search/log/log_json.h"

namespace exh::search {
namespace {

using runtime::Instance;

std::string NameOf(const Instance& instance, const PathStep& step) {
  return instance.DecisionName(static_cast<runtime::DecisionId>(step.decision));
}

std::string ValueOf(const Instance& instance, const PathStep& step) {
  const std::string text = StepText(instance, step);
  return text.substr(NameOf(instance, step).size() + 1);
}

/// "2.31x"; three digits are as many as can be told apart.
std::string Times(double ratio) {
  return ratio < 100 ? fmt::format("{:.3g}x", ratio) : fmt::format("{:.0f}x", ratio);
}

std::string TimeText(const Ratio& time) {
  if (time.is_same) return "the same program";
  if (time.is_timed()) return Times(time.ratio);
  return std::string(kernels::VerdictName(time.verdict));
}

std::string Counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string OthersText(const Worth& worth, const Instance& instance) {
  std::string text;
  for (const OtherValue& other : worth.others) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ValueOf(instance, other.change),
                        TimeText(other.time));
  }
  if (const OtherValue* const fastest = worth.fastest();
      fastest != nullptr && fastest->follows > 0) {
    text +=
        fmt::format("; {} with it", Counted(static_cast<std::size_t>(fastest->follows), "other"));
  }
  return text;
}

std::size_t CountOf(const Worths& worths, bool (*is_so)(const Worth&)) {
  return static_cast<std::size_t>(std::ranges::count_if(worths.decisions, is_so));
}

std::string StepsText(const Worths& worths, const Instance& instance) {
  if (worths.steps.size() < 2) return "";
  std::string text = "one after the other, each beside those above it\n";
  double before = 1;
  for (const WorthStep& step : worths.steps) {
    text += fmt::format("  {:>6}  {}  ({} in all)\n", Times(step.time.ratio / before),
                        StepText(instance, step.change), Times(step.time.ratio));
    before = step.time.ratio;
  }
  if (!worths.again.is_timed()) return text;
  const double apart = std::max(worths.again.ratio / before, before / worths.again.ratio) - 1;
  const double noise = std::max({worths.noise, worths.again.hi / worths.again.ratio - 1,
                                 1 - worths.again.lo / worths.again.ratio});
  text += fmt::format(
      "  {:>6}  is their product; all of them measured once more: {} ({:.1f} % apart, "
      "the noise of that is {:.1f} %)\n",
      Times(before), Times(worths.again.ratio), 100 * apart, 100 * noise);
  return text;
}

Json JsonOf(const Ratio& time) {
  Json json = {{"verdict", kernels::VerdictName(time.verdict)}};
  if (time.is_timed()) {
    json["ratio"] = time.ratio;
    json["lo"] = time.lo;
    json["hi"] = time.hi;
  }
  if (time.is_same) json["same"] = true;
  if (!time.why.empty()) json["why"] = time.why;
  return json;
}

}  // namespace

std::string WorthsText(const Worths& worths, const Instance& instance, std::size_t most_lines) {
  std::string text =
      fmt::format("each alone {}, the rest kept as far as it agrees (noise {:.1f} %)\n",
                  worths.is_beside_other ? "as it is in the other record" : "with another value",
                  100 * worths.noise);
  std::size_t width = 0, lines = 0;
  const std::size_t num_worth = worths.NumWorth();
  const std::size_t shown = std::min(num_worth, most_lines);
  for (std::size_t at = 0; at < shown; ++at) {
    width = std::max(width, StepText(instance, worths.decisions[at].decision).size());
  }
  for (; lines < shown; ++lines) {
    const Worth& worth = worths.decisions[lines];
    text += fmt::format("  {:>6}  {:<{}}  {}\n", Times(worth.worth()),
                        StepText(instance, worth.decision), width, OthersText(worth, instance));
  }
  if (shown < num_worth) {
    text += fmt::format("  … and {} more (--lines {})\n", Counted(num_worth - shown, "decision"),
                        num_worth);
  }
  const std::size_t none = CountOf(worths, [](const Worth& worth) { return worth.worth() == 1; });
  const std::size_t unknown = CountOf(worths, [](const Worth& worth) {
    return worth.worth() == 0 && (worth.num_left > 0 || !worth.others.empty());
  });
  const std::size_t fixed = CountOf(worths, [](const Worth& worth) {
    return worth.worth() == 0 && worth.num_left == 0 && worth.others.empty();
  });
  std::vector<const Worth*> faster;
  for (const Worth& worth : worths.decisions) {
    if (worth.worth() > 0 && worth.worth() < 1 - worths.noise) faster.push_back(&worth);
  }
  const std::size_t little =
      worths.decisions.size() - num_worth - none - unknown - fixed - faster.size();
  text += fmt::format(
      "  {} of {} make less of a difference than the noise, {} make none: the same program\n",
      little, worths.decisions.size(), none);
  if (unknown > 0) text += fmt::format("  of {} nothing else was timed\n", unknown);
  if (fixed > 0) text += fmt::format("  {} have no other value beside the rest\n", fixed);
  for (const Worth* const worth : faster) {
    text += fmt::format("  faster with {}: {}; a longer search would find it\n",
                        StepText(instance, worth->fastest()->change), Times(worth->worth()));
  }
  text += StepsText(worths, instance);
  if (!worths.is_whole)
    text += "there was no time for all of it: a longer --budget looks at more\n";
  return text;
}

std::string WorthsJson(const Worths& worths, const Instance& instance, std::uint64_t record) {
  Json json = {{"record", record},         {"best_ns", worths.best_ns},
               {"noise", worths.noise},    {"seconds", worths.seconds},
               {"whole", worths.is_whole}, {"decisions", Json::array()},
               {"steps", Json::array()}};
  for (const Worth& worth : worths.decisions) {
    Json one = {{"name", NameOf(instance, worth.decision)},
                {"value", ValueOf(instance, worth.decision)},
                {"worth", worth.worth()},
                {"left", worth.num_left},
                {"impossible", worth.num_impossible},
                {"others", Json::array()}};
    for (const OtherValue& other : worth.others) {
      Json value = JsonOf(other.time);
      value["value"] = ValueOf(instance, other.change);
      value["follows"] = other.follows;
      one["others"].push_back(std::move(value));
    }
    json["decisions"].push_back(std::move(one));
  }
  for (const WorthStep& step : worths.steps) {
    Json one = JsonOf(step.time);
    one["name"] = NameOf(instance, step.change);
    one["value"] = ValueOf(instance, step.change);
    one["follows"] = step.follows;
    json["steps"].push_back(std::move(one));
  }
  if (worths.again.is_timed()) json["again"] = JsonOf(worths.again);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace exh::search
