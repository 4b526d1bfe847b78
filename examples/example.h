// SPDX-License-Identifier: MIT
//
// Example: a space without kernels that `search solve` can look for solutions of: an .exh file, a
// backbone made of a few numbers or of a file, and a name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/host.h"
#include "runtime/instance.h"
#include "runtime/space.h"

namespace exh::examples {

/// A number that --size sets.
struct Parameter {
  std::string name;
  std::int64_t default_value = 1;
  std::int64_t min = 1, max = 1;
  std::string what;  ///< One line for `search list`.
};
/// By name: a value for each parameter of the example, in its range.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

class Example {
 public:
  virtual ~Example() = default;
  /// What --space calls it: letters, digits and `_`.
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::vector<Parameter> parameters() const { return {}; }
  /// What a file given as --data holds, in a few words; empty: the example takes none.
  virtual std::string_view data() const { return {}; }
  /// Sets, choices and requirements.
  virtual const runtime::Space& space() const = 0;
  /// A backbone with the engine's view of it. `data`: the text of --data, or null. Throws
  /// exh::Error that says where in the data what is wrong.
  virtual std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                        const std::string* data) const = 0;
};

/// A host together with the backbone that it asks.
template <typename SpaceHost, typename Backbone>
std::shared_ptr<const runtime::Host> HostOf(Backbone backbone) {
  struct Both {
    explicit Both(Backbone made) : backbone(std::move(made)), host(backbone) {}
    Backbone backbone;
    SpaceHost host;
  };
  const auto both = std::make_shared<Both>(std::move(backbone));
  return {both, &both->host};
}

/// The examples that come with Exhaust, in the order in which they are taught.
const std::vector<const Example*>& AllExamples();

/// The space of the example over the backbone that the parameters and the data make.
std::shared_ptr<const runtime::Instance> Freeze(const Example& example,
                                                const Parameters& parameters,
                                                const std::string* data,
                                                const runtime::FreezeOptions& options = {});

}  // namespace exh::examples
