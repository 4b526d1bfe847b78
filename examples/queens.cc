// SPDX-License-Identifier: MIT
#include "examples/queens.h"

#include "examples/models.h"
#include "spaces/queens.exh.h"

namespace exh::examples {
namespace {

class Queens final : public Model {
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

const Model& QueensModel() {
  static const Queens model;
  return model;
}

}  // namespace exh::examples
