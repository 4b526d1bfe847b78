// SPDX-License-Identifier: MIT
#include "search/own/filter.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "base/user_json.h"

namespace exh::search {

using Json = nlohmann::ordered_json;

bool OwnFilter::Allows(const std::string& text) {
  std::unique_lock lock(mutex_);
  const auto [place, is_new] = answers_.try_emplace(text);
  if (is_new) waiting_.push_back(text);
  // Who comes while somebody asks waits, and is part of the next question.
  while (!place->second.is_known) {
    if (is_asking_) {
      answered_.wait(lock);
    } else {
      AskAll(lock);
    }
  }
  const Answer answer = place->second;
  if (answer.problem.empty()) return answer.is_valid;
  if (IsStopped(stop_)) throw Interrupted("the filter was stopped");
  throw Error(answer.problem);
}

void OwnFilter::AskAll(std::unique_lock<std::mutex>& lock) {
  is_asking_ = true;
  const std::vector<std::string> texts = std::exchange(waiting_, {});
  lock.unlock();
  std::vector<bool> valid;
  const std::string problem = Ask(texts, valid);
  lock.lock();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    answers_[texts[i]] = {true, problem.empty() && valid[i], problem};
  }
  is_asking_ = false;
  answered_.notify_all();
}

std::string OwnFilter::Ask(const std::vector<std::string>& texts, std::vector<bool>& valid) {
  const std::uint64_t id = ++last_id_;
  Json decisions = Json::array();
  for (const std::string& text : texts) decisions.push_back(values_.JsonOf(text));
  Json question = {{"v", 1}, {"id", id}, {"decisions", std::move(decisions)}};
  if (Json sizes = values_.SizesJson(); !sizes.empty()) question["sizes"] = std::move(sizes);
  const LineProcess::Reply reply =
      process_.Ask(question.dump(), timeout_s_, stop_, [](const std::string&) { return false; });
  if (reply.end != LineProcess::End::kAnswered) return "the filter: " + reply.why;
  const Json json = TryUserJson<Json>(reply.line);
  const std::string shown = Shortened(reply.line, 200);
  if (!json.is_object() || !json.contains("valid") || !json["valid"].is_array()) {
    return fmt::format("the filter is to answer {{\"id\":{},\"valid\":[true]}}; it says: {}", id,
                       shown);
  }
  if (json.contains("id") && json["id"] != id) {
    return fmt::format("the filter was asked {}, and answers: {}", id, shown);
  }
  for (const Json& one : json["valid"]) {
    if (!one.is_boolean()) return "the filter is to answer with true and false; it says: " + shown;
    valid.push_back(one.get<bool>());
  }
  if (valid.size() == texts.size()) return "";
  return fmt::format("the filter was asked of {}, and answers of {}", texts.size(), valid.size());
}

}  // namespace exh::search
