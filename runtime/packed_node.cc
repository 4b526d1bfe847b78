// SPDX-License-Identifier: MIT
#include "runtime/packed_node.h"

#include <bit>

#include "base/check.h"

namespace exh::runtime {
namespace {

/// Calls visit(decision, word, root domain) for each word of a decision that the root leaves open.
template <typename Visit>
void ForEachOpenAtRoot(const Instance& instance, const Visit& visit) {
  const auto at = [&](DecisionId decision, int word) {
    return instance.root().domain(instance.layout(),
                                  instance.slot(decision) + static_cast<Slot>(word));
  };
  for (DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (!instance.IsLong(decision)) {
      const Bits root = at(decision, 0);
      if (!std::has_single_bit(root)) visit(decision, 0, root);
      continue;
    }
    for (int word = 0; word < instance.num_words(decision); ++word) {
      if (at(decision, word) != 0) visit(decision, word, at(decision, word));
    }
  }
}

}  // namespace

PackedNode::PackedNode(const Candidate& candidate) {
  std::uint64_t buffer = 0;
  int filled = 0;
  ForEachOpenAtRoot(candidate.instance(), [&](DecisionId decision, int word, Bits root) {
    const Bits domain = candidate.word(decision, word);
    for (; root != 0; root &= root - 1) {
      buffer |= static_cast<std::uint64_t>((domain & root & (~root + 1)) != 0) << filled;
      if (++filled == 8) {
        bytes_.push_back(static_cast<std::uint8_t>(buffer));
        buffer = 0;
        filled = 0;
      }
    }
  });
  if (filled > 0) bytes_.push_back(static_cast<std::uint8_t>(buffer));
  bytes_.shrink_to_fit();
}

Candidate PackedNode::Unpack(std::shared_ptr<const Instance> instance) const {
  std::vector<Action> actions;
  std::size_t bit = 0;
  ForEachOpenAtRoot(*instance, [&](DecisionId decision, int word, Bits root) {
    Bits domain = 0;
    for (Bits rest = root; rest != 0; rest &= rest - 1, ++bit) {
      if ((bytes_[bit / 8] >> bit % 8 & 1) != 0) domain |= rest & (~rest + 1);
    }
    if (domain != root) {
      actions.emplace_back(decision, domain, static_cast<std::uint16_t>(word), true);
    }
  });
  Candidate candidate(std::move(instance));
  const Propagation result = candidate.Restrict(actions);
  EXH_CHECK(result == Propagation::kFixpoint);
  return candidate;
}

}  // namespace exh::runtime
