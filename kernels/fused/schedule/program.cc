// SPDX-License-Identifier: MIT
#include "kernels/fused/schedule/program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernels/fused/group.h"
#include "kernels/fused/merge.h"
#include "kernels/fused/versions.h"

namespace exh::kernels::fused {
namespace {

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// The statements of a part in groups, none of which depends on another one: by statement, the
/// first one of its group.
std::vector<int> GroupsOf(const poly::Scop& scop) {
  std::set<int> written;
  for (const poly::ScopStatement& statement : scop.statements) {
    for (const poly::ScopAccess& access : statement.accesses) {
      if (access.is_write) written.insert(access.array);
    }
  }
  std::vector<int> groups;
  std::map<int, int> users;  // By array that is written: a statement that uses it.
  for (std::size_t i = 0; i < scop.statements.size(); ++i) {
    groups.push_back(static_cast<int>(i));
    for (const poly::ScopAccess& access : scop.statements[i].accesses) {
      if (!written.contains(access.array)) continue;
      const auto [user, is_first] = users.emplace(access.array, static_cast<int>(i));
      if (is_first) continue;
      const int a = groups[At(user->second)], b = groups.back();
      for (int& group : groups) {
        if (group == a || group == b) group = std::min(a, b);
      }
    }
  }
  return groups;
}

/// One part for each group.
std::vector<ProgramPart> Separated(const ProgramPart& part) {
  const std::vector<int> groups = GroupsOf(part.scop);
  std::vector<ProgramPart> parts;
  std::map<int, std::size_t> of_group;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [found, is_new] = of_group.emplace(groups[i], parts.size());
    if (is_new) parts.emplace_back().scop.arrays = part.scop.arrays;
    parts[found->second].scop.statements.push_back(part.scop.statements[i]);
    parts[found->second].pieces.push_back(part.pieces[i]);
  }
  return parts;
}

class Divider {
 public:
  explicit Divider(OperatorProgram& program) : program_(program) {}

  void Run() {
    Arrays();
    for (std::size_t i = 0; i < program_.list.statements.size(); ++i) Add(static_cast<int>(i));
    std::vector<ProgramPart> separated;
    for (const ProgramPart& part : program_.parts) {
      std::ranges::move(Separated(part), std::back_inserter(separated));
    }
    program_.parts = std::move(separated);
  }

 private:
  const Statement& statement(int index) const { return program_.list.statements[At(index)]; }

  void Arrays() {
    program_.arrays = program_.list.tensors;
    for (const Statement& of : program_.list.statements) {
      int accumulator = -1;
      if (of.reduces) {
        const StatementTensor& tensor = program_.list.tensor(of.write.tensor);
        const ir::Type type = OperatorProgram::AccumulatesIn(of);
        accumulator = of.write.tensor;
        if (type != tensor.type) {
          accumulator = static_cast<int>(program_.arrays.size());
          program_.arrays.push_back({tensor.name + ", accumulated", type, ir::BytesOf(type),
                                     tensor.shape, StatementTensor::Role::kTemporary});
        }
      }
      program_.accumulators.push_back(accumulator);
    }
    for (const StatementTensor& array : program_.arrays) {
      arrays_.push_back({array.name, array.shape, static_cast<int>(array.element_bytes)});
    }
  }

  void Add(int index) {
    const Statement& of = statement(index);
    const bool must_wait = std::ranges::any_of(of.reads, [&](const Access& read) {
      return !read.is_affine() && written_.contains(read.tensor);
    });
    if (program_.parts.empty() || must_wait) {
      program_.parts.emplace_back().scop.arrays = arrays_;
      written_.clear();
    }
    written_.insert(of.write.tensor);
    if (!of.reduces) return AddPiece(index, StatementPiece::What::kWhole);
    AddPiece(index, StatementPiece::What::kBegin);
    AddPiece(index, StatementPiece::What::kTake);
    if (program_.accumulators[At(index)] != of.write.tensor)
      AddPiece(index, StatementPiece::What::kEnd);
  }

  void AddPiece(int index, StatementPiece::What what) {
    const Statement& of = statement(index);
    const bool over_all =
        what == StatementPiece::What::kWhole || what == StatementPiece::What::kTake;
    StatementPiece piece = {.statement = index, .what = what};
    poly::ScopStatement scheduled;
    constexpr const char* kSuffixes[] = {"", "_begin", "", "_end"};
    scheduled.is_aside = what == StatementPiece::What::kBegin;
    scheduled.name = of.name + kSuffixes[static_cast<std::size_t>(what)];
    for (std::size_t i = 0; i < of.iterators.size(); ++i) {
      const Iterator& iterator = of.iterators[i];
      if (iterator.extent == 1 || (iterator.is_reduction && !over_all)) continue;
      piece.iterators.push_back(static_cast<int>(i));
      scheduled.iterators.push_back({iterator.name, iterator.extent});
    }
    const int accumulator = program_.accumulators[At(index)];
    const auto add = [&](const Access& access, int array, bool is_write) {
      scheduled.accesses.push_back({array, is_write, MapOf(access, piece)});
    };
    if (what == StatementPiece::What::kTake || what == StatementPiece::What::kEnd) {
      add(of.write, accumulator, /*is_write=*/false);
    }
    if (over_all) {
      for (const Access& read : of.reads) {
        if (read.is_affine()) add(read, read.tensor, /*is_write=*/false);
      }
    }
    const bool accumulates =
        what == StatementPiece::What::kBegin || what == StatementPiece::What::kTake;
    add(of.write, accumulates ? accumulator : of.write.tensor, /*is_write=*/true);
    program_.parts.back().scop.statements.push_back(std::move(scheduled));
    program_.parts.back().pieces.push_back(std::move(piece));
  }

  static poly::IntMatrix MapOf(const Access& access, const StatementPiece& piece) {
    poly::IntMatrix map;
    for (const ir::Index& row : access.rows) {
      poly::IntRow numbers;
      for (const int iterator : piece.iterators) numbers.push_back(row.FactorOf(iterator));
      numbers.push_back(row.constant());
      map.push_back(std::move(numbers));
    }
    return map;
  }

  OperatorProgram& program_;
  std::vector<poly::ScopArray> arrays_;
  std::set<int> written_;  ///< In the last part.
};

}  // namespace

ir::Type OperatorProgram::AccumulatesIn(const Statement& statement) {
  const ir::Type term = statement.steps.back().type;
  return term == ir::Type::kBool ? term : ir::ComputeTypeOf(term);
}

OperatorProgram ProgramOf(const StatementList& list) {
  OperatorProgram program;
  program.list = Merged(Grouped(WrittenOnce(list)));
  Divider(program).Run();
  return program;
}

}  // namespace exh::kernels::fused
