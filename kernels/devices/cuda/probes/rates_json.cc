// SPDX-License-Identifier: MIT
//
// From what was measured to what a lower bound may divide by.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hash.h"
#include "kernels/devices/cuda/probes/characterize.h"
#include "kernels/devices/cuda/probes/sweeps.h"

namespace exh::kernels {
namespace {

using Json = nlohmann::ordered_json;

class Rates {
 public:
  explicit Rates(const std::vector<Characteristic>& characteristics)
      : characteristics_(characteristics) {}

  /// A number that no measurement is needed for.
  void Say(const char* name, const char* unit, double value, const std::string& source) {
    values_[name] = {{"value", value}, {"unit", unit}, {"source", source}};
  }
  /// A fact of the driver, times `scale`.
  void Fact(const char* name, const char* unit, const char* fact, double scale = 1) {
    if (const Characteristic* found = Find(fact)) {
      Say(name, unit, found->fact * scale, found->how);
    }
  }
  /// The fastest of some characteristics, times `scale` and the margin.
  void Take(const char* name, const char* unit, const std::vector<const char*>& of, double scale,
            double margin) {
    const Characteristic* best = nullptr;
    for (const char* one : of) {
      const Characteristic* found = Find(one);
      if (found == nullptr || found->Fastest() <= 0) continue;
      const bool is_faster =
          best == nullptr || (found->less_is_faster ? found->Fastest() < best->Fastest()
                                                    : found->Fastest() > best->Fastest());
      if (is_faster) best = found;
    }
    if (best == nullptr) return;
    Say(name, unit, best->Fastest() * scale * margin,
        "measured, with a margin: " + best->name + ", " + best->how);
  }
  /// What is said of `name` is no more than a fact, where there is one.
  void Cap(const char* name, const char* fact) {
    const Characteristic* const found = Find(fact);
    if (found == nullptr || !values_.contains(name)) return;
    Json& said = values_[name];
    if (said["value"].get<double>() <= found->fact) return;
    said["value"] = found->fact;
    said["source"] = found->how + "; " + said["source"].get<std::string>();
  }
  /// Of the sizes that were gone through: GB/s of any mix, of reads, and of two reads a write.
  void Sweeps(double margin) {
    std::vector<std::array<double, 4>> rows;
    for (const int megabytes : kSweepMegabytes) {
      const auto rate = [&](SweepKind kind) {
        const Characteristic* const found = Find(SweepName(megabytes, kind));
        return found == nullptr ? 0 : found->Fastest() * margin;
      };
      const double read = rate(SweepKind::kRead), write = rate(SweepKind::kWrite),
                   third = rate(SweepKind::kThird);
      if (read <= 0 || write <= 0 || third <= 0) continue;
      rows.push_back({megabytes * 1e6, std::max({read, write, third}), read, third});
    }
    // What goes through more goes through less as well.
    for (std::size_t i = rows.size(); i-- > 1;) {
      for (std::size_t k = 1; k < rows[i].size(); ++k) {
        rows[i - 1][k] = std::max(rows[i - 1][k], rows[i][k]);
      }
    }
    if (rows.empty()) return;
    values_["sweeps"] = {{"value", rows},
                         {"unit", "B, GB/s, GB/s"},
                         {"source",
                          "measured, with a margin: sweep_…, launches that go through "
                          "the same bytes again and again"}};
  }
  Json values() const { return values_; }

 private:
  const Characteristic* Find(const std::string& name) const {
    const auto found = std::ranges::find(characteristics_, name, &Characteristic::name);
    return found == characteristics_.end() ? nullptr : &*found;
  }

  const std::vector<Characteristic>& characteristics_;
  Json values_ = Json::object();
};

Json Measured(const Characteristic& c) {
  Json value = {{"fastest", c.Fastest()}, {"unit", c.unit}, {"source", c.how}};
  if (c.samples.empty()) return value;
  std::vector<double> sorted = c.samples;
  std::ranges::sort(sorted);
  value["samples"] = sorted.size();
  value["least"] = sorted.front();
  value["median"] = sorted[sorted.size() / 2];
  value["largest"] = sorted.back();
  return value;
}

}  // namespace

Margins MarginsOf(Care care) {
  return care == Care::kFull
             ? Margins{}
             : Margins{.rate = 1.08, .stream = 1.03, .latency = 0.85, .gap = 0.8, .clock = 1.01};
}

std::string RatesToJson(const RatesHeader& header,
                        const std::vector<Characteristic>& characteristics,
                        const Margins& margins) {
  Rates rates(characteristics);
  rates.Fact("units", "1", "multiprocessors");
  rates.Take("clock", "GHz", {"clock", "peak_clock"}, 1e-3, margins.clock);
  rates.Fact("warp_lanes", "1", "warp_lanes");
  rates.Take("fma", "1/clk/unit", {"fma_per_clk", "fma_outer_per_clk"}, 1, margins.rate);
  rates.Cap("fma", "fp32_lanes");
  rates.Say("half_unit", "1/clk/unit", 0, "not measured: products of halves are not bounded there");
  rates.Take("double_unit", "1/clk/unit", {"dmma_per_clk"}, 1, margins.rate);
  rates.Say("adds_share_fma", "1", 1,
            "CUDA programming guide: fp32 add, multiply and multiply-add have one throughput");
  rates.Take("issues", "1/clk/unit", {"issue_per_clk", "fma_per_clk"}, 1.0 / 32, margins.rate);
  rates.Cap("issues", "schedulers");
  rates.Say("warp_issues", "1/clk/warp", 1, "a warp belongs to one scheduler");
  rates.Say("bytes_per_access", "B", 16, "widest load that is printed: ld.v4.f32");
  rates.Take("fma_latency", "clk", {"fma_latency"}, 1, margins.latency);
  rates.Take("unit_bytes", "B/clk/unit", {"l2_one_bytes_per_clk", "l2_bytes_per_clk"}, 1,
             margins.rate);
  rates.Take("units_bytes", "B/clk", {"l2_all_bytes_per_clk", "l2_all_4_bytes_per_clk"}, 1,
             margins.rate);
  rates.Say("cache_bytes", "B/clk", 0, "the first cache may take any access");
  rates.Take("accesses", "1/clk/unit",
             {"shared_bytes_per_clk", "shared_64_bytes_per_clk", "shared_128_bytes_per_clk",
              "l1_bytes_per_clk"},
             1.0 / 128, margins.rate);
  rates.Cap("accesses", "shared_access");
  rates.Say("access_bytes", "B", 128, "32 banks of 4 bytes: what `accesses` counts");
  rates.Say("access_line", "B", 0, "not measured: the first cache may look up several lines");
  rates.Take("conversions", "1/clk/unit", {"convert_per_clk"}, 1, margins.rate);
  rates.Take("specials", "1/clk/unit", {"exp_per_clk", "root_per_clk"}, 1, margins.rate);
  rates.Take("read_latency", "clk", {"l1_latency"}, 1, margins.latency);
  rates.Take("shared_latency", "clk", {"shared_latency"}, 1, margins.latency);
  rates.Fact("unit_warps", "1/unit", "threads_per_unit", 1.0 / 32);
  rates.Fact("unit_blocks", "1/unit", "blocks_per_unit");
  rates.Fact("unit_registers", "1/unit", "registers_per_unit");
  rates.Fact("unit_shared", "B/unit", "shared_per_unit");
  rates.Take("launch_gap", "ns", {"launch_gap"}, 1, margins.gap);
  rates.Take("launch_gap_read", "ns", {"launch_gap_read"}, 1, margins.gap);
  rates.Take("memory", "GB/s", {"dram_read", "dram_write", "dram_copy", "dram_add"}, 1,
             margins.stream);
  rates.Take("memory_third", "GB/s", {"dram_add"}, 1, margins.stream);
  rates.Sweeps(margins.rate);
  rates.Fact("memory_cache", "B", "l2_bytes");
  rates.Say("memory_sector", "B", 32, "sectors of L2");

  Json object;
  object["name"] = header.name;
  if (!header.model.empty()) object["model"] = header.model;
  object["version"] = 1;
  object["source"] = "search characterize: " + header.conditions;
  object["date"] = header.date;
  object["values"] = rates.values();
  // In the order in which a reader has them, which is that of their names.
  object["xxh3"] = CacheKey(nlohmann::json(rates.values()).dump());
  for (const Characteristic& c : characteristics) object["measured"][c.name] = Measured(c);
  return object.dump(2) + "\n";
}

}  // namespace exh::kernels
