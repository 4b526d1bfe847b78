// SPDX-License-Identifier: MIT
#include "search/exact/exact_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"

namespace exh::search {
namespace {

/// 4711 as it is, 12.3M with three digits.
std::string Short(std::uint64_t number) {
  constexpr double kThousand = 1000;
  auto value = static_cast<double>(number);
  if (number < 10'000) return std::to_string(number);
  for (const char* const unit : {"k", "M", "G"}) {
    value /= kThousand;
    if (value < kThousand) return fmt::format("{:.3g}{}", value, unit);
  }
  return fmt::format("{:.3g}T", value / kThousand);
}

}  // namespace

std::size_t ParseCacheBytes(const std::string& text) {
  if (text.empty()) return ExactRequest().max_cache_bytes;
  const auto bytes = ParseBytes(text);
  if (!bytes) throw UsageError(fmt::format("bad --cache '{}'; legal: 512MiB, 4GiB", text));
  return *bytes;
}

ExactCounter MakeCounter(const runtime::Candidate& root, const ExactRequest& request,
                         StatusLine& line) {
  ExactOptions options;
  options.max_cache_bytes = request.max_cache_bytes;
  options.stop = [&line, request](const CountStatus& status) {
    if (line.IsDue())
      line.Show(fmt::format("counting: {}, {:.0f} s", StatusText(status), line.seconds()));
    return (request.interrupted && request.interrupted()) ||
           (request.seconds > 0 && line.seconds() >= request.seconds);
  };
  return ExactCounter(root.shared_instance(), std::move(options));
}

std::string StatusText(const CountStatus& status) {
  std::string text =
      fmt::format("{} nodes, {} parts met again", Short(status.nodes), Short(status.known));
  if (status.cached > 0) {
    text += fmt::format(", {} parts in {:.3g} MiB", Short(status.cached),
                        static_cast<double>(status.cache_bytes) / (1 << 20));
  }
  if (status.forgotten > 0) text += fmt::format(", {} forgotten", Short(status.forgotten));
  return text;
}

std::string ExactText(std::string_view name, std::string_view things, const ExactCount& count,
                      const CountStatus& status) {
  // `things` are several: "1 solution" has no s.
  const std::string counted =
      Digits(count.count) + " " +
      std::string(things.substr(0, things.size() - (count.count == 1 ? 1 : 0)));
  if (count.complete) {
    return fmt::format("{}: {}, counted: {}\n", name, counted, StatusText(status));
  }
  if (count.count == 0) {
    return fmt::format("{}: the count was ended before anything is known: {}\n", name,
                       StatusText(status));
  }
  return fmt::format("{}: at least {}; the count was ended: {}\n", name, counted,
                     StatusText(status));
}

nlohmann::ordered_json ExactJson(std::string_view things, const ExactCount& count,
                                 const CountStatus& status) {
  nlohmann::ordered_json json;
  const std::string name =
      count.complete ? std::string(things) : fmt::format("at_least_{}", things);
  json[name] = Digits(count.count);
  json["complete"] = count.complete;
  json["nodes"] = status.nodes;
  json["dead_ends"] = status.dead_ends;
  json["parts_met_again"] = status.known;
  json["parts_forgotten"] = status.forgotten;
  return json;
}

}  // namespace exh::search
