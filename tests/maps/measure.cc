// SPDX-License-Identifier: MIT
#include "tests/maps/measure.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>

#include "base/check.h"
#include "kernels/devices/device.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/library/registry.h"
#include "runtime/candidate.h"
#include "spaces/linalg.exh.h"
#include "spaces/linalg.exh.maps.h"
#include "spaces/order.exh.h"
#include "spaces/order.exh.maps.h"
#include "tests/maps/descent.h"
#include "tests/maps/hand_written_order.h"
#include "tests/maps/statements.h"

namespace exh::maps {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Measured Averages(double seconds, const DescentCounts& counts, std::uint64_t events) {
  Measured measured;
  measured.descents = counts.implementations + counts.gave_up;
  measured.gave_up = counts.gave_up;
  const auto n = static_cast<double>(measured.descents);
  measured.descents_per_second = n / seconds;
  measured.decisions_per_descent = static_cast<double>(counts.decisions) / n;
  measured.dead_ends_per_descent = static_cast<double>(counts.dead_ends) / n;
  measured.events_per_descent = static_cast<double>(events) / n;
  return measured;
}

/// The generated engine as RunOrder() wants it.
struct GeneratedOrder {
  explicit GeneratedOrder(const runtime::Host& host)
      : engine(spaces::order::GetMapsModel(), host) {}
  Bits Get(Object a, Object b) const {
    const Object objects[] = {a, b};
    return engine.Domain(spaces::order::choices::order, objects);
  }
  bool Restrict(Object a, Object b, Bits values) {
    const Object objects[] = {a, b};
    return engine.Restrict(spaces::order::choices::order, objects, values);
  }
  Snapshot Save() const { return engine.Save(); }
  void Restore(const Snapshot& snapshot) { engine.Restore(snapshot); }
  std::uint64_t events() const { return engine.events(); }
  Engine engine;
};

template <typename Order>
Measured RunOrder(Order& order, int statements, double seconds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<Object, Object>> pairs;
  for (int b = 0; b < statements; ++b) {
    for (int a = 0; a < b; ++a) pairs.emplace_back(static_cast<Object>(a), static_cast<Object>(b));
  }
  const auto root = order.Save();
  auto snapshot = root;
  DescentCounts counts;
  const std::uint64_t events_before = order.events();
  const auto start = Clock::now();
  do {
    order.Restore(root);
    std::shuffle(pairs.begin(), pairs.end(), random);
    bool alive = true;
    for (const auto& [a, b] : pairs) {
      for (Bits values = order.Get(a, b); alive && (values & (values - 1)) != 0;
           values = order.Get(a, b)) {
        snapshot = order.Save();
        ++counts.decisions;
        Bits value = values;
        for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0;
             --skip) {
          value &= value - 1;
        }
        value &= ~value + 1;
        if (order.Restrict(a, b, value)) continue;
        ++counts.dead_ends;
        order.Restore(snapshot);
        alive = order.Restrict(a, b, values & ~value);
      }
      if (!alive) break;
    }
    ++(alive ? counts.implementations : counts.gave_up);
  } while (SecondsSince(start) < seconds);
  return Averages(SecondsSince(start), counts, order.events() - events_before);
}

}  // namespace

namespace {

/// matmul of size x size x size with what lowering may add.
class Matmul {
 public:
  explicit Matmul(std::uint32_t size) {
    const kernels::Kernel* matmul = kernels::FindKernel("matmul");
    kernels::Parameters sizes;
    for (const kernels::Parameter& parameter : matmul->parameters()) {
      sizes[parameter.name] = parameter.default_value;
    }
    for (const char* axis : {"m", "n", "k"}) sizes[axis] = size;
    sizes["inner_tile"] = 4;  // The paper's tiling, and its device.
    function_.device = kernels::LoadDevice("k4000").device.value();
    kernels::ir::Builder builder(function_);
    matmul->Build(builder, sizes);
    kernels::ir::Freeze(function_);
  }
  const kernels::ir::Target& function() const { return function_; }

 private:
  kernels::ir::Target function_;
};

/// Every decision of the engine that a search takes, as an action of the instance.
std::vector<runtime::Action> ActionsOf(const Engine& engine, const runtime::Instance& instance) {
  std::vector<runtime::Action> actions;
  for (std::size_t c = 0; c < instance.space().choices.size(); ++c) {
    const Choice& choice = engine.model().choices[c];
    if (choice.kind == runtime::ChoiceKind::kCounter || choice.is_auxiliary) continue;
    const int number = static_cast<int>(c);
    Object binding[kMaxVariables];
    ForEachBinding(engine.sets(), engine.scope(number), binding, 0, [&] {
      if (choice.is_symmetric && binding[0] > binding[1]) return true;
      const auto found = instance.FindDecision(number, {binding, choice.arguments.size()});
      EXH_CHECK(found.has_value() && !found->swapped);
      actions.push_back({found->id, engine.Domain(number, binding)});
      return true;
    });
  }
  return actions;
}

}  // namespace

Measured MeasureMatmul(std::uint32_t size, const std::vector<std::string>& order, int descents,
                       double seconds, std::uint64_t seed) {
  const Matmul matmul(size);
  const spaces::linalg::SpaceHost host(matmul.function());
  Engine engine(spaces::linalg::GetMapsModel(), host);
  if (!engine.root_is_alive()) return {};
  Descender descender(engine, order);
  std::mt19937_64 random(seed);
  const std::uint64_t events_before = engine.events();
  const auto start = Clock::now();
  for (int i = 0; i == 0 || (i < descents && SecondsSince(start) < seconds); ++i) {
    descender.Run(random);
  }
  return Averages(SecondsSince(start), descender.counts(), engine.events() - events_before);
}

int CountConfirmed(std::uint32_t size, const std::vector<std::string>& order, int descents,
                   std::uint64_t seed) {
  const Matmul matmul(size);
  const spaces::linalg::SpaceHost host(matmul.function());
  const auto instance = runtime::Instance::Freeze(spaces::linalg::GetSpace(), host);
  Engine engine(spaces::linalg::GetMapsModel(), host);
  if (!engine.root_is_alive()) return 0;
  Descender descender(engine, order);
  std::mt19937_64 random(seed);
  int confirmed = 0;
  for (int i = 0; i < descents; ++i) {
    if (!descender.Run(random)) continue;
    runtime::Candidate candidate(instance);
    const bool alive =
        candidate.Restrict(ActionsOf(engine, *instance)) == runtime::Propagation::kFixpoint;
    confirmed += alive && candidate.IsImplementation();
  }
  return confirmed;
}

Measured MeasureOrder(int instructions, int dims, double seconds, std::uint64_t seed) {
  const tests::Statements statements(instructions, dims);
  const spaces::order::SpaceHost host(statements);
  GeneratedOrder order(host);
  return RunOrder(order, instructions + dims, seconds, seed);
}

Measured MeasureHandWrittenOrder(int instructions, int dims, double seconds, std::uint64_t seed) {
  HandWrittenOrder order(instructions, dims);
  return RunOrder(order, instructions + dims, seconds, seed);
}

}  // namespace exh::maps
