// SPDX-License-Identifier: MIT
#include "examples/queens.h"

#include "examples/all.h"
#include "spaces/queens.exh.h"

namespace exh::examples {
namespace {

class Queens final : public Example {
 public:
  std::string_view name() const override { return "queens"; }
  std::string_view summary() const override {
    return "a queen in each row of a board, none of which attacks another";
  }
  std::vector<Parameter> parameters() const override {
    return {{"n", 8, 1, 256, "rows and columns"}};
  }
  const runtime::Space& space() const override { return spaces::queens::GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                const std::string*) const override {
    return HostOf<spaces::queens::SpaceHost>(Board{parameters.at("n")});
  }
};

}  // namespace

const Example& QueensExample() {
  static const Queens example;
  return example;
}

}  // namespace exh::examples
