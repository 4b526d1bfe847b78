// SPDX-License-Identifier: MIT
#include <utility>

#include "examples/all.h"
#include "examples/lift/trees.h"
#include "functional/lift/program.h"
#include "functional/lift/program_file.h"
#include "functional/lift/tree_file.h"
#include "spaces/lift.exh.h"

namespace exh::examples {
namespace {

class Lift final : public Example {
 public:
  std::string_view name() const override { return "lift"; }
  std::string_view summary() const override {
    return "how the maps of a functional program run: in sequence, fused, or on which threads";
  }
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = {
        {"strict", 0, 0, 1, "1: local memory always has a group around it"},
        {"through_fused", 0, 0, 1, "1: rule 8 looks through maps that are fused"},
        {"whole_nest", 0, 0, 1,
         "1: rule 8 is of every map of a perfect nest, whatever lies between, as published"}};
    for (const lift::LiftRule& rule : lift::kRules) {
      all.push_back({rule.name, 1, 0, 1, std::string(rule.what) + "; 0: dropped"});
    }
    return all;
  }
  std::string_view data() const override {
    return "a tree of maps, see docs/lift.md, or a functional program; without it a convolution";
  }
  const runtime::Space& space() const override { return spaces::lift::GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                const std::string* data) const override {
    lift::Rules rules;
    rules.strict = parameters.at("strict") != 0;
    rules.through_fused = parameters.at("through_fused") != 0;
    rules.whole_nest = parameters.at("whole_nest") != 0;
    for (const lift::LiftRule& rule : lift::kRules) {
      rules.*rule.holds = parameters.find(rule.name)->second != 0;
    }
    lift::TreeFile tree =
        data == nullptr ? lift::ReadTree(ConvolutionTree()) : lift::ReadTreeOrProgram(*data);
    return HostOf<spaces::lift::SpaceHost>(lift::MakeProgram(std::move(tree.maps), rules));
  }
};

}  // namespace

const Example& LiftExample() {
  static const Lift example;
  return example;
}

}  // namespace exh::examples
