// SPDX-License-Identifier: MIT
#include "examples/job_shop.h"

#include "base/data_file.h"
#include "base/error.h"
#include "examples/all.h"
#include "spaces/job_shop.exh.h"

namespace exh::examples {
namespace {

/// Three jobs on three machines, which take 11 at least.
constexpr const char* kThreeJobs = R"({"jobs": [
  [{"machine": "a", "time": 3}, {"machine": "b", "time": 2}, {"machine": "c", "time": 2}],
  [{"machine": "a", "time": 2}, {"machine": "c", "time": 1}, {"machine": "b", "time": 4}],
  [{"machine": "b", "time": 4}, {"machine": "c", "time": 3}]
]})";

Shop ReadShop(const std::string& text, std::int64_t horizon) {
  const nlohmann::json json = ParseData(text);
  const DataValue file{json, ""};
  CheckKeys(file, {"jobs"});
  Shop shop;
  shop.horizon = horizon;
  std::size_t job = 0;
  for (const DataValue& tasks : ListOf(At(file, "jobs"), 1, 100)) {
    std::size_t place = 0;
    for (const DataValue& task : ListOf(tasks, 1, 100)) {
      CheckKeys(task, {"machine", "time"});
      const std::string machine = NameOf(At(task, "machine"));
      const std::int64_t time = NumberOf(At(task, "time"), 1, 4000);
      if (time > horizon) {
        throw Error("'" + task.place + ".time' is " + std::to_string(time) +
                    ", more than the horizon, " + std::to_string(horizon));
      }
      shop.tasks.push_back({shop.tasks.size(), job, place, machine, time,
                            std::to_string(job + 1) + machine + std::to_string(place + 1)});
      ++place;
    }
    ++job;
  }
  return shop;
}

class JobShop final : public Example {
 public:
  std::string_view name() const override { return "job_shop"; }
  std::string_view summary() const override {
    return "when the tasks of jobs begin on their machines, so that all are done by the horizon";
  }
  std::vector<Parameter> parameters() const override {
    return {{"horizon", 11, 1, 4096, "by when all is done"}};
  }
  std::string_view data() const override {
    return R"(jobs, {"jobs": [[{"machine": "a", "time": 3}, …], …]}; without it three jobs)";
  }
  const runtime::Space& space() const override { return spaces::job_shop::GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                const std::string* data) const override {
    return HostOf<spaces::job_shop::SpaceHost>(
        ReadShop(data == nullptr ? kThreeJobs : *data, parameters.at("horizon")));
  }
};

}  // namespace

const Example& JobShopExample() {
  static const JobShop example;
  return example;
}

}  // namespace exh::examples
