// SPDX-License-Identifier: MIT
#include "search/functional/joint_space.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "dsl/diagnostics/render.h"
#include "load/load.h"

namespace exh::search {
namespace {

using lift::Chain;
using lift::Map;
using lift::Slot;

class Writer {
 public:
  explicit Writer(const lift::Program& program) : program_(program) {}

  std::string Text() {
    for (const Map& map : program_.maps) AddCode(map);
    AddSlots();
    if (program_.rules.local_scope) AddLocalScope();
    for (const Map& outer : program_.maps) {
      for (const Map& inner : program_.inner(outer)) AddPair(outer, inner);
    }
    if (program_.rules.groups_have_locals) AddTwins();
    if (program_.rules.global_alone) AddGlobalAlone();
    if (program_.rules.fusion) AddFusion();
    return std::move(text_);
  }

 private:
  static std::string Code(const Map& map) { return fmt::format("code_{}()", map.id); }

  /// With the rule that all chains use the same slots, one number says it for all of them.
  std::string Uses(const Chain& chain, const Slot& slot) const {
    return program_.rules.exhaustive ? fmt::format("uses_{}()", slot.code)
                                     : fmt::format("uses_{}_{}()", chain.id, slot.code);
  }

  void Require(const std::string& label, const std::string& what) {
    text_ += fmt::format("require {}_{}: {}\n", label, ++number_, what);
  }

  static std::string Either(std::string first, const std::vector<std::string>& others) {
    for (const std::string& other : others) first += " || " + other;
    return first;
  }

  /// Rules 1 and the first part of 2 leave some codes out.
  void AddCode(const Map& map) {
    const lift::Rules& rules = program_.rules;
    std::string codes = map.may_fuse ? "0 | 1" : "0";
    if (map.may_vectorise) codes += " | 2";
    const bool is_private = map.is_private && rules.private_scope;
    const bool is_local = map.is_local && rules.local_scope;
    if (!is_private) codes += is_local ? " | 10 .. 12" : " | 10 .. 12 | 20 .. 22 | 30 .. 32";
    text_ += fmt::format("\n/// {}\nchoice integer code_{}(): {} end\n", map.name(), map.id, codes);
  }

  void AddSlots() {
    for (const Slot& slot : program_.slots) {
      for (const Chain& chain : program_.chains) {
        if (program_.rules.exhaustive && chain.id > 0) break;
        std::string name = Uses(chain, slot);
        text_ += fmt::format("\nchoice integer {}: 0 | 1 end\n", name);
      }
      for (const Chain& chain : program_.chains) {
        std::vector<std::string> some;
        for (const Map& map : program_.maps_of(chain)) {
          some.push_back(fmt::format("{} == {}", Code(map), slot.code));
          Require("used",
                  fmt::format("{} != {} || {} == 1", Code(map), slot.code, Uses(chain, slot)));
        }
        Require("used", Either(Uses(chain, slot) + " == 0", some));
      }
    }
  }

  void AddLocalScope() {
    for (const Map& map : program_.local_maps()) {
      const std::vector<Map> around = program_.outer(map);
      for (const Chain& chain : program_.chains_through(map)) {
        for (const Slot& group : program_.group_slots()) {
          std::vector<std::string> some;
          for (const Map& outer : around) {
            some.push_back(fmt::format("{} == {}", Code(outer), group.code));
          }
          Require("local_has_its_group", Either(Uses(chain, group) + " == 0", some));
        }
      }
      if (!program_.rules.strict) continue;
      std::vector<std::string> some;
      for (const Map& outer : around) {
        for (const Slot& group : program_.group_slots()) {
          some.push_back(fmt::format("{} == {}", Code(outer), group.code));
        }
      }
      // Without a map around it there is no group.
      Require("local_has_a_group", Either(fmt::format("{} < 0", Code(map)), some));
    }
  }

  void AddPair(const Map& outer, const Map& inner) {
    for (const Slot& slot : program_.slots) {
      if (program_.rules.no_duplicate) {
        Require("no_duplicate", fmt::format("{} != {} || {} != {}", Code(outer), slot.code,
                                            Code(inner), slot.code));
      }
      if (program_.rules.hierarchy && slot.is_group()) {
        Require("hierarchy", fmt::format("{} != {} || {} != {}", Code(outer), slot.code - 10,
                                         Code(inner), slot.code));
      }
    }
  }

  void AddTwins() {
    for (const Chain& chain : program_.chains) {
      for (const Slot& group : program_.group_slots()) {
        for (const Slot& local : program_.twin(group)) {
          Require("groups_have_locals",
                  fmt::format("{} == {}", Uses(chain, group), Uses(chain, local)));
        }
      }
      if (program_.rules.exhaustive) break;
    }
  }

  void AddGlobalAlone() {
    text_ += "\nchoice integer by_device(): 0 | 1 end\n";
    for (const Map& map : program_.maps) {
      Require("global_alone", fmt::format("{} < 30 || by_device() == 1", Code(map)));
      Require("global_alone", fmt::format("{0} < 10 || {0} >= 30 || by_device() == 0", Code(map)));
    }
    std::vector<std::string> some;
    for (const Map& map : program_.maps) some.push_back(fmt::format("{} >= 30", Code(map)));
    Require("global_alone", Either("by_device() == 0", some));
  }

  void AddFusion() {
    for (const lift::Run& run : program_.runs) {
      std::vector<std::string> some = {Code(program_.maps[run.maps.back()]) + " != 0"};
      const bool whole = program_.rules.whole_nest;
      for (const Map& between : program_.between(run)) {
        if (!whole) some.push_back(Code(between) + " != 1");
      }
      Require(whole ? "fusion_of_nests" : "fusion",
              Either(Code(program_.maps[run.maps.front()]) + " != 0", some));
    }
  }

  const lift::Program& program_;
  std::string text_;
  int number_ = 0;
};

}  // namespace

std::string MappingText(const lift::Program& program) {
  return Writer(program).Text();
}

std::shared_ptr<const runtime::Instance> FreezeJoint(const std::string& constraints,
                                                     const lift::Program& program,
                                                     const runtime::FreezeOptions& freeze) {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("inferred", constraints + "\n" + MappingText(program), sink);
  if (!loaded) throw Error("the space of a program:\n" + dsl::RenderText(sink));
  auto instance = load::Freeze(*loaded, freeze);
  if (instance->root_result() == runtime::Propagation::kDeadEnd) {
    throw UsageError("no values of its parameters and no mapping fulfil what is required");
  }
  return instance;
}

}  // namespace exh::search
