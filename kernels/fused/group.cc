// SPDX-License-Identifier: MIT
//
// From the last statement to the first, each goes into its only reader if it can. So a chain of
// them ends in its last one, whose name and place in the order the group has.
//
// Invariant: a statement that goes writes element [i, j, …] at its point (i, j, …). So its reader's
// rows are the point: the values of the one's iterators in terms of the other's.
#include "kernels/fused/group.h"

#include <algorithm>
#include <set>
#include <utility>

namespace exh::kernels::fused {
namespace {

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// Does it write its whole tensor in the order of its iterators?
bool WritesItsPoint(const Statement& statement) {
  if (statement.reduces || statement.write.rows.size() != statement.iterators.size()) return false;
  for (std::size_t i = 0; i < statement.write.rows.size(); ++i) {
    if (statement.write.rows[i] != statement.Iterated(i)) return false;
  }
  return true;
}

class Grouping {
 public:
  explicit Grouping(StatementList list) : list_(std::move(list)) {}

  StatementList Run() {
    std::vector<bool> gone(list_.statements.size(), false);
    for (int i = static_cast<int>(list_.statements.size()) - 1; i >= 0; --i) {
      const int reader = OnlyReader(i);
      if (reader < 0 || !MayMove(i, reader)) continue;
      PutInto(list_.statements[At(i)], list_.statements[At(reader)]);
      gone[At(i)] = true;
      list_.statements[At(i)].reads.clear();  // It reads nothing any more.
    }
    std::vector<Statement> left;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) left.push_back(std::move(list_.statements[i]));
    }
    list_.statements = std::move(left);
    return std::move(list_);
  }

 private:
  const Statement& statement(int i) const { return list_.statements[At(i)]; }

  /// The one statement that reads what this one writes, at one affine point; -1: there is none.
  int OnlyReader(int writer) const {
    const int tensor = statement(writer).write.tensor;
    if (list_.tensor(tensor).role != StatementTensor::Role::kTemporary) return -1;
    int reader = -1;
    for (std::size_t i = 0; i < list_.statements.size(); ++i) {
      for (const Access& read : list_.statements[i].reads) {
        if (read.tensor != tensor) continue;
        // A statement has equal reads once: another one is at another point.
        if (reader >= 0 || read.is_guarded || !read.is_affine()) return -1;
        reader = static_cast<int>(i);
      }
    }
    return reader;
  }

  bool MayMove(int writer, int reader) const {
    const Statement& moved = statement(writer);
    if (!WritesItsPoint(moved)) return false;
    const Access& through = ReadOf(statement(reader), moved.write.tensor);
    if (Computes(moved) && RepeatsInSum(statement(reader), through)) return false;
    std::set<int> tensors;
    for (const Access& read : moved.reads) tensors.insert(read.tensor);
    for (int i = writer + 1; i < reader; ++i) {
      if (tensors.contains(statement(i).write.tensor)) return false;
    }
    // Other points of the reader may write what this one reads, unless it is the same element.
    const Access& write = statement(reader).write;
    return std::ranges::all_of(moved.reads, [&](const Access& read) {
      if (read.tensor != write.tensor) return true;
      if (read.is_guarded) return false;
      for (std::size_t i = 0; i < read.rows.size(); ++i) {
        if (read.rows[i].With(0, through.rows) != write.rows[i]) return false;
      }
      return true;
    });
  }

  static bool Computes(const Statement& statement) {
    return std::ranges::any_of(statement.steps,
                               [](const Step& step) { return step.what == Step::What::kCompute; });
  }
  /// Is the element read again at other points, which a sum of products has many of? There it would
  /// be computed as often.
  static bool RepeatsInSum(const Statement& reader, const Access& through) {
    if (!reader.reduces) return false;
    for (std::size_t i = 0; i < reader.iterators.size(); ++i) {
      const bool moves = std::ranges::any_of(
          through.rows, [&](const ir::Index& row) { return row.Uses(static_cast<int>(i)); });
      if (!moves && reader.iterators[i].extent > 1) return true;
    }
    return false;
  }

  static const Access& ReadOf(const Statement& reader, int tensor) {
    return *std::ranges::find(reader.reads, tensor, &Access::tensor);
  }

  static void PutInto(const Statement& moved, Statement& reader) {
    const Access through = ReadOf(reader, moved.write.tensor);
    std::vector<Access> reads;
    std::vector<Step> steps;
    const auto read_index = [&](const Access& read) {
      auto found = std::ranges::find(reads, read);
      if (found == reads.end()) found = reads.insert(reads.end(), read);
      return static_cast<int>(found - reads.begin());
    };
    for (Step step : moved.steps) {
      if (step.what == Step::What::kRead) {
        Access read = moved.reads[At(step.read)];
        for (ir::Index& row : read.rows) row = row.With(0, through.rows);
        step.read = read_index(read);
      }
      step.index = step.index.With(0, through.rows);
      steps.push_back(std::move(step));
    }
    const int value = static_cast<int>(steps.size()) - 1;
    std::vector<int> becomes;  // By step of the reader.
    for (Step step : reader.steps) {
      if (step.what == Step::What::kRead) {
        const Access& read = reader.reads[At(step.read)];
        if (read.tensor == moved.write.tensor) {
          becomes.push_back(value);
          continue;
        }
        step.read = read_index(read);
      }
      for (int& operand : step.operands) operand = becomes[At(operand)];
      becomes.push_back(static_cast<int>(steps.size()));
      steps.push_back(std::move(step));
    }
    reader.reads = std::move(reads);
    reader.steps = std::move(steps);
    reader.operations.insert(reader.operations.begin(), moved.operations.begin(),
                             moved.operations.end());
  }

  StatementList list_;
};

}  // namespace

StatementList Grouped(const StatementList& list) {
  return Grouping(list).Run();
}

}  // namespace exh::kernels::fused
