// SPDX-License-Identifier: MIT
//
// Mappings of parallelism (docs/lift.md): [--data FILE] [--budget SECONDS] [--seconds S]
//
// What the rules are said for, how many mappings are valid, with all rules and without each of
// them, how fast random descents find some, and what the rules say of mappings that people
// proposed. Without
// --data it looks at the convolution of the paper, and at its Table 1. --budget is for each count.
#include <fmt/format.h>

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
#include "examples/lift/judge.h"
#include "examples/lift/program.h"
#include "examples/lift/tree_file.h"
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
  rules.strict = rules.through_fused = true;
  return rules;
}

std::string Join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

// ---- The tree.

void PrintRule(const char* rule, std::size_t ours, const char* of, const char* published) {
  fmt::print("  {:<20} {:>4} {:<24} {}\n", rule, ours, of, published);
}

/// `is_published`: it is the tree that the paper counts constraints of.
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
  PrintRule("private_scope", counts.private_maps, "maps on private memory", published("paper: 32"));
  PrintRule("local_scope", counts.local_maps, "maps on local memory",
            published("paper: 13, two of which do not follow from the tree"));
  PrintRule("no_duplicate", counts.with_nested, "maps with maps in them", published("paper: 34"));
  PrintRule("groups_have_locals", counts.chains, "chains",
            published("paper: 1, said of the whole program"));
  PrintRule("hierarchy", counts.with_nested, "maps with maps in them", published("paper: 34"));
  PrintRule("exhaustive", counts.chains, "chains", published("paper: 9"));
  const std::size_t runs = lift::MakeProgram(tree.maps, {}).runs.size();
  PrintRule("fusion", runs, "perfect pairs", published("paper: not counted"));
  PrintRule("global_alone", 1, "program", published("paper: not there"));
}

// ---- Counts.

std::optional<BigCount> CountOf(const std::vector<lift::Map>& maps, const Rules& rules,
                                double budget) {
  const Clock clock = SteadyClock();
  const double start = clock();
  const auto instance = lift::FreezeTree(maps, rules);
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return BigCount(0);
  search::ExactOptions options;
  options.stop = [&](const search::CountStatus&) { return clock() - start > budget; };
  search::ExactCounter counter(instance, options);
  const search::ExactCount count = counter.Count(runtime::Candidate(instance));
  fmt::print("{:>9.2f} s {:>10} nodes  ", clock() - start, counter.status().nodes);
  if (!count.complete) return std::nullopt;
  return count.count;
}

/// What maps can do, were there no rules.
BigCount AllAssignments(const std::vector<lift::Map>& maps) {
  BigCount all = 1;
  for (const lift::Map& map : maps) all *= map.may_fuse ? 11 : 10;
  return all;
}

/// `b` is above 0.
double Ratio(const BigCount& a, const BigCount& b) {
  const mpf_class quotient = mpf_class(a) / mpf_class(b);
  return quotient.get_d();
}

void PrintCounts(const TreeFile& tree, double budget) {
  const BigCount all = AllAssignments(tree.maps);
  fmt::print("\nvalid mappings, of {:.4g} ways to choose codes\n", Ratio(all, 1));
  Rules strict, through;
  strict.strict = true;
  through.through_fused = true;
  std::vector<Setting> settings = {{"as the paper says the rules", {}},
                                   {"strict", strict},
                                   {"through fused maps", through},
                                   {"both, as the published code", Published()}};
  for (const lift::Rule& rule : lift::kRules) {
    Setting without{fmt::format("both, without {}", rule.name), Published()};
    without.rules.*rule.holds = false;
    settings.push_back(without);
  }
  std::optional<BigCount> published;
  for (const Setting& setting : settings) {
    fmt::print("  {:<36}", setting.name);
    const std::optional<BigCount> count = CountOf(tree.maps, setting.rules, budget);
    if (!count) {
      fmt::print("not counted within {:g} s\n", budget);
      continue;
    }
    fmt::print("{}", Digits(*count));
    if (*count > 0) fmt::print(", one in {:.3g}", Ratio(all, *count));
    const bool is_without = setting.name.find("without") != std::string::npos;
    if (is_without && published && *published > 0) {
      fmt::print(", {:.4g} times as many", Ratio(*count, *published));
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (setting.name == settings[3].name) published = count;
  }
}

// ---- Random descents.

void PrintRate(const TreeFile& tree, double seconds) {
  const auto instance = lift::FreezeTree(tree.maps, Published());
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return;
  const search::ChoiceOrder order = search::ChoiceOrder::Default(*instance);
  const runtime::Candidate root(instance);
  search::Descender descender(order);
  Random random(1);
  const Clock clock = SteadyClock();
  const double start = clock();
  std::uint64_t found = 0, dead_ends = 0, descents = 0;
  double passed = 0;
  while (passed < seconds) {
    ++descents;
    const auto result = descender.Run(root, random, [&](const search::DeadEnd&) { ++dead_ends; });
    found += result == search::DescentResult::kImplementation;
    passed = clock() - start;
  }
  fmt::print(
      "\nrandom descents, one thread, as the published code\n  {:.0f} valid mappings a second: "
      "{} in {:.1f} s, {} descents, {} dead ends on the way\n",
      static_cast<double>(found) / passed, found, passed, descents, dead_ends);
}

// ---- Mappings.

void PrintVerdict(const std::vector<lift::Map>& maps, const Setting& setting,
                  const lift::Mapping& mapping, double budget) {
  const lift::Verdict verdict = Judge(maps, setting.rules, mapping);
  fmt::print("    {:<32} ", setting.name);
  if (!verdict.candidate) {
    fmt::print("refused by {}; by itself: {}\n", Join(verdict.requirements),
               verdict.rules.empty() ? "none" : Join(verdict.rules));
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
  const std::vector<Setting> settings = {{"as the paper, without fusion", no_fusion},
                                         {"as the paper", {}},
                                         {"as the published code", Published()}};
  for (const lift::Mapping& mapping : tree.mappings) {
    std::string codes;
    for (const auto& [map, may_be] : mapping.codes) {
      codes += fmt::format(" {}={}", tree.maps[map].name_, fmt::join(may_be, "|"));
    }
    fmt::print("  {}:{}\n", mapping.name, codes);
    if (!mapping.said.empty()) fmt::print("    its author says: {}\n", mapping.said);
    if (!mapping.vectorised.empty()) {
      fmt::print("    vectors along {} are no part of this space and not judged\n",
                 Join(mapping.vectorised));
    }
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
      is_default ? lift::ReadTree(lift::ConvolutionTree()) : ReadFile(options.data);
  PrintTree(is_default ? "convolution" : options.data, tree, is_default);
  std::fflush(stdout);
  PrintCounts(tree, options.budget);
  PrintRate(tree, options.seconds);
  if (!tree.mappings.empty()) fmt::print("\nmappings that people proposed\n");
  PrintMappings(tree, options.budget);
  if (!is_default) return;
  fmt::print("\n");
  const TreeFile listing = lift::ReadTree(lift::ListingTree());
  PrintTree("Listing 1 of the paper", listing, false);
  fmt::print("\nTable 1 of the paper\n");
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
