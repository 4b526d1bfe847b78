// SPDX-License-Identifier: MIT
//
// A fleet that goes on, as what a page shows of it: what `search tune --status` says, again and
// again. A place is the number of what was said, "17".
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "search/view/watched.h"

namespace exh::search {

class LiveFleet : public Watched {
 public:
  /// Throws UsageError when it is no fleet.
  explicit LiveFleet(std::string folder);

  bool Look() override;
  std::string WhyNoPage() override { return ""; }
  std::string PageData(const std::string& made) override;
  std::string Title() override;
  PageNews Since(const std::string& place) override;

  /// The folder of the run of a shape; nothing: no shape has this name.
  std::optional<std::string> RunOf(const std::string& shape);

 private:
  using Clock = std::chrono::steady_clock;

  /// What was read of the folder, beside the thread that looks.
  struct Said {
    std::string json, title;
    std::vector<std::string> shapes;
    bool has_ended = false;  ///< No shape runs or waits.
    std::string trouble;     ///< Why there is nothing of all that.
    double seconds = 0;
  };

  static Said Read(const std::string& folder);
  std::string State() const;

  const std::string folder_;
  std::future<Said> reading_;
  Clock::time_point read_at_{};

  std::mutex mutex_;  ///< Of everything below.
  std::uint64_t number_ = 1;
  Said said_;
};

}  // namespace exh::search
