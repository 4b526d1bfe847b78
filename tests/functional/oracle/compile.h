// SPDX-License-Identifier: MIT
//
// A kernel as steps. Views become layouts where that is possible; what has to be copied is copied
// outside of all loops that it does not depend on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "functional/meaning/program.h"
#include "tests/functional/oracle/lengths.h"
#include "tests/functional/oracle/steps.h"

namespace exh::functional::reference {

/// A map of views cannot be a layout: some of what is within has to be copied for each element.
struct NoLayout {};

class Compiler {
 public:
  explicit Compiler(Lengths& lengths) : lengths_(lengths) {}

  /// Throws exh::Error when the kernel has no meaning here.
  Code Compile(const ProgramKernel& kernel);

 private:
  /// What a variable stands for, until this is gone.
  class Binding;

  // ---- Nodes (compile.cc).
  /// Where the value of a node lies; what has to be calculated is done by steps.
  Value Look(const Node& node);
  /// The same, and it lies in `to` in the end.
  void LookInto(const Node& node, const Value& to);
  Value LookAtAll(const std::vector<NodePtr>& nodes);
  void LookIntoAll(const std::vector<NodePtr>& nodes, const Value& to);
  Value Input(const Node& input);
  Value ItemOf(const Node& item);
  Value Map(const Node& map);
  /// As a layout; throws NoLayout.
  Value MapOfViews(const Node& map, const Value& array);
  void MapInto(const Node& map, const Value& array, const Value& to);
  Value Reduce(const Node& reduce);
  void User(const Node& user, const Value& to);
  Operand LanesOf(const Node& operand, std::int64_t& lanes);

  // ---- Views (views.cc).
  Value View(const Node& view);
  Value Zip(const Node& zip);
  Value Windows(const Value& array, std::int64_t count, std::int64_t size, std::int64_t step);
  Value Pad(const Node& pad, const Value& array);
  Value Constant(const Node& number, const std::vector<Shape>& shapes);
  std::int64_t LengthOf(const Value& array) const;

  // ---- Steps and memory (emit.cc).
  Step& Emit(Step::Kind kind);
  void EmitCopy(const Value& to, const Value& from);
  int Level() const { return static_cast<int>(levels_.size()) - 1; }
  int LevelOf(const Value& value) const;
  void SetLevel(const Value& value, int level);
  /// What variables of a node that are bound outside of it stand for.
  Value FreeIn(const Node& node) const;
  int NewSlot();
  Value NewMemory(const std::vector<Shape>& shapes);
  /// Throws NoLayout when it depends on what a map of views goes through.
  Value Copied(const Value& value);
  /// An element in each round of a loop.
  Value ElementOf(const Value& array, Loop& loop);
  [[noreturn]] void Fail(const std::string& message) const;

  /// `body` adds what is done in each round of a loop.
  template <class Body>
  void Repeat(std::int64_t count, const Body& body) {
    auto loop = std::make_unique<Loop>();
    loop->count = count;
    levels_.push_back(loop.get());
    body(*loop);
    levels_.pop_back();
    Emit(Step::Kind::kLoop).loop = std::move(loop);
  }

  /// `body` adds steps in front of the loops that are deeper than `level`.
  template <class Body>
  void Outside(int level, const Body& body) {
    const std::vector<Loop*> deeper(levels_.begin() + level + 1, levels_.end());
    levels_.resize(levels_.size() - deeper.size());
    body();
    levels_.insert(levels_.end(), deeper.begin(), deeper.end());
  }

  Lengths& lengths_;
  std::string kernel_;
  Code code_;
  std::vector<Loop*> levels_;     ///< Around what is added now, from the outside.
  std::vector<int> slot_levels_;  ///< The loop in which a slot changes.
  int maps_of_views_ = 0;
  std::map<std::string, int> inputs_;  ///< Slots.
  std::unordered_map<const Node*, Value> bound_;
};

}  // namespace exh::functional::reference
