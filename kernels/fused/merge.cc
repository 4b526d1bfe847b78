// SPDX-License-Identifier: MIT
//
// Which neighbours can be one depends on others: a pair of a tensor's dimensions can if it is a
// pair of iterators that can in every access, and a pair of iterators can if every access that uses
// it has it as a pair of dimensions that can. So all pairs can at first, and those that cannot are
// taken away until nothing changes.
#include "kernels/fused/merge.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace exh::kernels::fused {
namespace {

using Flags = std::vector<bool>;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// The iterator that the row is; -1: it is something else.
int IteratorOf(const ir::Index& row) {
  return row.variable() == nullptr ? -1 : row.variable()->number;
}

void ForAccesses(Statement& statement, const std::function<void(Access&)>& visit) {
  for (Access& read : statement.reads) visit(read);
  visit(statement.write);
}

/// The values that stay.
template <typename T>
std::vector<T> Kept(const std::vector<T>& values, const Flags& gone) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!gone[i]) kept.push_back(values[i]);
  }
  return kept;
}

class Merging {
 public:
  explicit Merging(StatementList list) : list_(std::move(list)) {}

  StatementList Run() {
    DropOnes();
    Begin();
    while (TakeAway()) {
    }
    Merge();
    return std::move(list_);
  }

 private:
  // ---- iterators and dimensions that go ----

  /// An iterator that goes is 0 everywhere.
  void DropIterators(Statement& statement, const Flags& gone) {
    statement.iterators = Kept(statement.iterators, gone);
    std::vector<ir::Index> values;
    std::size_t place = 0;
    for (const bool goes : gone) values.push_back(goes ? 0 : statement.Iterated(place++));
    ForAccesses(statement, [&](Access& access) {
      for (ir::Index& row : access.rows) row = row.With(0, values);
    });
    for (Step& step : statement.steps) step.index = step.index.With(0, values);
  }

  /// By tensor. The rows of dimensions that go are gone, too.
  void DropDimensions(const std::vector<Flags>& gone) {
    for (std::size_t tensor = 0; tensor < gone.size(); ++tensor) {
      list_.tensors[tensor].shape = Kept(list_.tensors[tensor].shape, gone[tensor]);
    }
    for (Statement& statement : list_.statements) {
      ForAccesses(statement, [&](Access& access) {
        access.rows = Kept(access.rows, gone[At(access.tensor)]);
      });
    }
  }

  void DropOnes() {
    std::vector<Flags> ones;
    for (const StatementTensor& tensor : list_.tensors) {
      Flags gone;
      for (const std::int64_t extent : tensor.shape) gone.push_back(extent == 1);
      ones.push_back(std::move(gone));
    }
    for (Statement& statement : list_.statements) {
      Flags gone;
      for (const Iterator& iterator : statement.iterators) gone.push_back(iterator.extent == 1);
      DropIterators(statement, gone);
      // What pads a dimension of one element reads beside it.
      ForAccesses(statement, [&](Access& access) {
        for (std::size_t i = 0; i < access.rows.size(); ++i) {
          if (access.rows[i].number() != 0) ones[At(access.tensor)][i] = false;
        }
      });
    }
    DropDimensions(ones);
  }

  // ---- pairs that can be one: of each with the next one ----

  void Begin() {
    for (const StatementTensor& tensor : list_.tensors) {
      dimensions_.emplace_back(std::max<std::size_t>(tensor.shape.size(), 1) - 1, true);
    }
    for (const Statement& statement : list_.statements) {
      const std::size_t count = statement.iterators.size();
      Flags pairs(std::max<std::size_t>(count, 1) - 1, true);
      for (std::size_t i = 0; i + 1 < count; ++i) {
        pairs[i] = statement.iterators[i].is_reduction == statement.iterators[i + 1].is_reduction;
      }
      for (const Step& step : statement.steps) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          if (step.index.Uses(static_cast<int>(i), 2)) pairs[i] = false;
        }
      }
      iterators_.push_back(std::move(pairs));
    }
  }

  bool TakeAway() {
    changed_ = false;
    for (std::size_t i = 0; i < list_.statements.size(); ++i) {
      ForAccesses(list_.statements[i], [&](Access& access) {
        for (std::size_t d = 0; d + 1 < access.rows.size(); ++d) CheckDimensions(i, access, d);
        for (std::size_t p = 0; p < iterators_[i].size(); ++p) CheckIterators(i, access, p);
      });
    }
    return changed_;
  }

  /// Is the access, at a dimension and the next one, a pair of iterators that can be one?
  bool HasPair(std::size_t statement, const Access& access, std::size_t dimension,
               std::size_t pair) const {
    const Statement& of = list_.statements[statement];
    return !access.is_guarded && IteratorOf(access.rows[dimension]) == static_cast<int>(pair) &&
           IteratorOf(access.rows[dimension + 1]) == static_cast<int>(pair) + 1 &&
           iterators_[statement][pair] &&
           of.iterators[pair + 1].extent == list_.tensor(access.tensor).shape[dimension + 1];
  }

  void CheckDimensions(std::size_t statement, const Access& access, std::size_t dimension) {
    const int first = IteratorOf(access.rows[dimension]);
    const bool is_zero =
        access.rows[dimension].number() == 0 && access.rows[dimension + 1].number() == 0;
    const bool is_pair = first >= 0 && At(first) < iterators_[statement].size() &&
                         HasPair(statement, access, dimension, At(first));
    if (!is_zero && !is_pair) Forbid(dimensions_[At(access.tensor)], dimension);
  }

  void CheckIterators(std::size_t statement, const Access& access, std::size_t pair) {
    std::size_t used = 0, together = 0;
    for (std::size_t d = 0; d < access.rows.size(); ++d) {
      used += access.rows[d].Uses(static_cast<int>(pair), 2) ? 1 : 0;
      if (d + 1 < access.rows.size() && dimensions_[At(access.tensor)][d] &&
          HasPair(statement, access, d, pair)) {
        together += 2;
      }
    }
    if (used != together) Forbid(iterators_[statement], pair);
  }

  void Forbid(Flags& pairs, std::size_t pair) {
    if (pairs[pair]) changed_ = true;
    pairs[pair] = false;
  }

  // ---- one of each row of pairs ----

  /// The outer ones of pairs go: the inner one counts for both.
  void Merge() {
    std::vector<Flags> gone;
    for (std::size_t i = 0; i < list_.tensors.size(); ++i) {
      std::vector<std::int64_t>& shape = list_.tensors[i].shape;
      Flags outer = dimensions_[i];
      outer.resize(shape.size(), false);
      for (std::size_t d = 0; d + 1 < shape.size(); ++d) {
        if (outer[d]) shape[d + 1] *= shape[d];
      }
      gone.push_back(std::move(outer));
    }
    for (std::size_t i = 0; i < list_.statements.size(); ++i) {
      std::vector<Iterator>& iterators = list_.statements[i].iterators;
      Flags outer = iterators_[i];
      outer.resize(iterators.size(), false);
      for (std::size_t p = 0; p + 1 < iterators.size(); ++p) {
        if (outer[p]) iterators[p + 1].extent *= iterators[p].extent;
      }
      DropIterators(list_.statements[i], outer);
    }
    DropDimensions(gone);
  }

  StatementList list_;
  std::vector<Flags> dimensions_;  ///< By tensor.
  std::vector<Flags> iterators_;   ///< By statement.
  bool changed_ = false;
};

}  // namespace

StatementList Merged(const StatementList& list) {
  return Merging(list).Run();
}

}  // namespace exh::kernels::fused
