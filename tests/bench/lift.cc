// SPDX-License-Identifier: MIT
//
// Mappings of parallelism (docs/lift.md): [--data FILE] [--budget SECONDS] [--seconds S]
//
// What the rules are said for, how many mappings are valid, with all rules and without each of
// them, how fast random descents find some, and what the rules say of mappings that people
// proposed. Without
// --data it looks at the convolution of the CC paper, and at its Table 1. --budget is for each
// count.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "examples/lift/trees.h"
#include "functional/lift/judge.h"
#include "functional/lift/program.h"
#include "functional/lift/tree_file.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/exact/exact_count.h"

namespace exh::tests {
namespace {

using lift::Rules;
using lift::TreeFile;
using search::BigCount;
using search::Digits;

struct Options {
  std::string data;
  double budget = 120, seconds = 3;
};

/// Rules as a person would call them.
struct Setting {
  std::string name;
  Rules rules;
};

Rules Published() {
  Rules rules;
  rules.strict = rules.whole_nest = true;
  return rules;
}

std::string Join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

// ---- The tree.

void PrintRule(const char* rule, std::size_t ours, const char* of, const char* published) {
  const std::string line = fmt::format("  {:<20} {:>4} {:<24} {}", rule, ours, of, published);
  fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
}

/// `is_published`: it is the tree that the CC paper counts constraints of.
void PrintTree(const std::string& name, const TreeFile& tree, bool is_published) {
  const lift::TreeCounts counts = CountsOf(lift::MakeProgram(tree.maps, {}));
  fmt::print("{}\n", name);
  if (!tree.source.empty()) fmt::print("  {}\n", tree.source);
  fmt::print("  {} maps that write memory, {} with maps in them, {} chains\n", counts.concrete,
             counts.with_nested, counts.chains);
  if (tree.all_maps) {
    fmt::print("  of {} maps, says the file; the tree does not tell\n", *tree.all_maps);
  }
  fmt::print("\nconstraints by rule\n");
  const auto published = [&](const char* text) { return is_published ? text : ""; };
  PrintRule("private_scope", counts.private_maps, "maps on private memory",
            published("CC paper: 32"));
  PrintRule("local_scope", counts.local_maps, "maps on local memory",
            published("CC paper: 13, two of which do not follow from the tree"));
  PrintRule("no_duplicate", counts.with_nested, "maps with maps in them",
            published("CC paper: 34"));
  PrintRule("groups_have_locals", counts.chains, "chains",
            published("CC paper: 1, said of the whole program"));
  PrintRule("hierarchy", counts.with_nested, "maps with maps in them", published("CC paper: 34"));
  PrintRule("exhaustive", counts.chains, "chains", published("CC paper: 9"));
  const std::size_t runs = lift::MakeProgram(tree.maps, {}).runs.size();
  PrintRule("fusion", runs, "perfect pairs", published("CC paper: not counted"));
  PrintRule("global_alone", 1, "program", published("CC paper: not there"));
}

// ---- Counts.

/// Of this thread: others may have the machine as well.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<BigCount> CountOf(const std::vector<lift::Map>& maps, const Rules& rules,
                                double budget) {
  const Clock clock = SteadyClock();
  const double start = clock(), start_processor = ProcessorSeconds();
  const auto instance = lift::FreezeTree(maps, rules);
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return BigCount(0);
  search::ExactOptions options;
  options.stop = [&](const search::CountStatus&) { return clock() - start > budget; };
  search::ExactCounter counter(instance, options);
  const search::ExactCount count = counter.Count(runtime::Candidate(instance));
  fmt::print("{:>9.2f} s {:>8} nodes  ", ProcessorSeconds() - start_processor,
             counter.status().nodes);
  if (!count.complete) return std::nullopt;
  return count.count;
}

/// What maps can do, were there no rules.
BigCount AllAssignments(const std::vector<lift::Map>& maps) {
  BigCount all = 1;
  for (const lift::Map& map : maps) all *= 10 + int{map.may_fuse} + int{map.may_vectorise};
  return all;
}

/// `b` is above 0.
double Ratio(const BigCount& a, const BigCount& b) {
  const mpf_class quotient = mpf_class(a) / mpf_class(b);
  return quotient.get_d();
}

void PrintCounts(const TreeFile& tree, double budget) {
  const BigCount all = AllAssignments(tree.maps);
  fmt::print("\nvalid mappings, of {:.4g} ways to choose codes; seconds of the processor\n",
             Ratio(all, 1));
  Rules strict, through, nests, strict_through;
  strict.strict = strict_through.strict = true;
  through.through_fused = strict_through.through_fused = true;
  nests.whole_nest = true;
  std::vector<Setting> settings = {{"as the CC paper says the rules", {}},
                                   {"strict", strict},
                                   {"through fused maps", through},
                                   {"strict, through fused maps", strict_through},
                                   {"of whole nests", nests},
                                   {"strict, of whole nests: as published", Published()}};
  const std::string as_published = settings.back().name;
  for (const lift::LiftRule& rule : lift::kRules) {
    Setting without{fmt::format("as published, without {}", rule.name), Published()};
    without.rules.*rule.holds = false;
    settings.push_back(without);
  }
  std::optional<BigCount> published;
  for (const Setting& setting : settings) {
    fmt::print("  {:<40}", setting.name);
    const std::optional<BigCount> count = CountOf(tree.maps, setting.rules, budget);
    if (!count) {
      fmt::print("not counted within {:g} s\n", budget);
      continue;
    }
    fmt::print("{}", Digits(*count));
    if (*count > 0) fmt::print(", one in {:.3g}", Ratio(all, *count));
    const bool is_without = setting.name.find("without") != std::string::npos;
    if (is_without && published == count) {
      fmt::print(", as many");
    } else if (is_without && published && *published > 0) {
      fmt::print(", {:.4g} times as many", Ratio(*count, *published));
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (setting.name == as_published) published = count;
  }
}

// ---- Random mappings.

/// Makes mappings for so many seconds. `make` returns whether it made one.
template <typename Make>
void PrintRate(const char* how, double seconds, const Make& make) {
  const Clock clock = SteadyClock();
  const double start = clock(), start_processor = ProcessorSeconds();
  std::uint64_t made = 0;
  double passed = 0;
  while (passed < seconds) {
    made += make() ? 1 : 0;
    passed = clock() - start;
  }
  fmt::print(
      "  {:<36}{:.0f} a second of the processor, {:.0f} a second by the clock: {} in {:.1f} s", how,
      static_cast<double>(made) / (ProcessorSeconds() - start_processor),
      static_cast<double>(made) / passed, made, passed);
}

void PrintRates(const TreeFile& tree, double seconds, double budget) {
  const auto instance = lift::FreezeTree(tree.maps, Published());
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return;
  fmt::print("\nrandom valid mappings as the published code has the rules, one thread\n");
  const runtime::Candidate root(instance);
  Random random(1);
  for (const char* text : {"", "uses"}) {
    const search::ChoiceOrder order = search::ChoiceOrder::Parse(text, *instance);
    search::Descender descender(order);
    std::uint64_t dead_ends = 0;
    PrintRate(*text == 0 ? "descents, codes first" : "descents, slots first", seconds, [&] {
      const auto result = descender.Run(root, random, [&](const auto&) { ++dead_ends; });
      return result == search::DescentResult::kImplementation;
    });
    fmt::print(", {} dead ends on the way\n", dead_ends);
  }
  const Clock clock = SteadyClock();
  const double start = clock();
  search::ExactOptions options;
  options.stop = [&](const search::CountStatus&) { return clock() - start > budget; };
  search::ExactCounter counter(instance, options);
  const search::ExactCount count = counter.Count(root);
  if (!count.complete || count.count == 0) return;
  PrintRate("all alike, drawn by their number", seconds,
            [&] { return counter.Draw(root, random).has_value(); });
  fmt::print("\n");
}

// ---- Mappings.

void PrintVerdict(const std::vector<lift::Map>& maps, const Setting& setting,
                  const lift::Mapping& mapping, double budget) {
  const lift::Judgement verdict = Judge(maps, setting.rules, mapping);
  fmt::print("    {:<32} ", setting.name);
  if (!verdict.candidate) {
    fmt::print("refused by {}\n", Join(verdict.requirements));
    return;
  }
  if (verdict.candidate->IsImplementation()) {
    fmt::print("valid\n");
    return;
  }
  const Clock clock = SteadyClock();
  const double start = clock();
  search::ExactOptions options;
  options.stop = [&](const search::CountStatus&) { return clock() - start > budget; };
  search::ExactCounter counter(verdict.candidate->shared_instance(), options);
  const search::ExactCount count = counter.Count(*verdict.candidate);
  if (count.complete && count.count == 0) {
    fmt::print("refused: no way to complete it is valid\n");
  } else if (count.complete) {
    fmt::print("valid, {} ways to complete it\n", Digits(count.count));
  } else {
    fmt::print("{}, not counted within {:g} s\n",
               count.count > 0 ? "valid" : "not refused by propagation", budget);
  }
}

void PrintMappings(const TreeFile& tree, double budget) {
  Rules no_fusion;
  no_fusion.fusion = false;
  const std::vector<Setting> settings = {{"as the CC paper, without fusion", no_fusion},
                                         {"as the CC paper", {}},
                                         {"as published", Published()}};
  for (const lift::Mapping& mapping : tree.mappings) {
    std::string codes;
    for (const auto& [map, may_be] : mapping.codes) {
      codes += fmt::format(" {}={}", tree.maps[map].name_, fmt::join(may_be, "|"));
    }
    fmt::print("  {}:{}\n", mapping.name, codes);
    if (!mapping.said.empty()) fmt::print("    its author says: {}\n", mapping.said);
    for (const Setting& setting : settings) PrintVerdict(tree.maps, setting, mapping, budget);
  }
}

// ----

std::string TextOf(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw UsageError(fmt::format("cannot read '{}'", path));
  return {std::istreambuf_iterator<char>(stream), {}};
}

TreeFile ReadFile(const std::string& path) {
  try {
    return lift::ReadTree(TextOf(path));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(fmt::format("--data '{}': {}", path, error.what()));
  }
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw UsageError(fmt::format("{} needs a value", name));
    if (name == "--data") {
      options.data = argv[i + 1];
    } else if (name == "--budget") {
      options.budget = std::atof(argv[i + 1]);
    } else if (name == "--seconds") {
      options.seconds = std::atof(argv[i + 1]);
    } else {
      throw UsageError(fmt::format("unknown option {}; --data, --budget, --seconds", name));
    }
  }
  return options;
}

void Run(const Options& options) {
  const bool is_default = options.data.empty();
  const TreeFile tree =
      is_default ? lift::ReadTree(examples::ConvolutionTree()) : ReadFile(options.data);
  PrintTree(is_default ? "convolution" : options.data, tree, is_default);
  std::fflush(stdout);
  PrintCounts(tree, options.budget);
  PrintRates(tree, options.seconds, options.budget);
  if (!tree.mappings.empty()) fmt::print("\nmappings that people proposed\n");
  PrintMappings(tree, options.budget);
  if (!is_default) return;
  fmt::print("\n");
  const TreeFile listing = lift::ReadTree(examples::ListingTree());
  PrintTree("Listing 1 of the CC paper", listing, false);
  fmt::print("\nTable 1 of the CC paper\n");
  PrintMappings(listing, options.budget);
}

}  // namespace
}  // namespace exh::tests

int main(int argc, char** argv) {
  try {
    exh::tests::Run(exh::tests::ParseOptions(argc, argv));
  } catch (const exh::UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  return 0;
}
