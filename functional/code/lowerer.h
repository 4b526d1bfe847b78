// SPDX-License-Identifier: MIT
//
// Lowerer: from nodes to CUDA C++.
//
// What is not written is never stored: views, and maps that only change views, are followed from
// the element that is asked for to where it lies (reading.cc). What is written goes to a *target*:
// the memory of what it is a part of, or memory of its own (writing.cc). A map is a loop, or a loop
// divided among threads or groups (loops.cc); memory.cc says which threads share what is allocated,
// and where they wait for each other. costs.cc counts what all that has a GPU do.
//
// Invariants.
// * All threads of a group take the same way through the text as far as barriers are concerned: a
//   loop that is divided among threads has as many rounds for all of them. Those that have nothing
//   left repeat the last element and write nothing that others see.
// * Memory that is allocated within a loop over threads or groups is there once for each of them
//   that could otherwise see it. So a map that the rules of docs/lift.md allow is right.
// * Nothing that groups write to global memory is read in the same kernel of the text.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "functional/code/gpu_program.h"
#include "functional/code/storage.h"
#include "functional/code/vectors.h"

namespace exh::functional {

struct Readable;
using ReadablePtr = std::shared_ptr<const Readable>;

struct Binding;
using BindingPtr = std::shared_ptr<const Binding>;

/// What can be read.
struct Readable {
  const Node* node = nullptr;  ///< This, where the variables are bound so …
  BindingPtr variables;
  ReadablePtr array;  ///< … or an element of this …
  Index index;
  Target target;  ///< … or what was written here.
  bool is_accumulator = false;
};

/// What variables stand for, from the inside to the outside.
struct Binding {
  const Node* variable = nullptr;
  ReadablePtr value;
  BindingPtr outer;
};

class Lowerer {
 public:
  Lowerer(const Program& program, const Assignment& parameters, const ProgramLimits& limits);

  /// The kernels of the text that a kernel of the program takes.
  void AddKernel(const ProgramKernel& kernel, const Codes& codes);
  GpuProgram Take(const std::string& main_name);

 private:
  // ---- Reading (reading.cc).
  std::string Read(const ReadablePtr& value, Path path);
  std::string Resolve(const Node& node, const BindingPtr& variables, Path path);
  std::string Calculated(const Node& user, const BindingPtr& variables, const Path& path);
  std::string NumberOf(const Node& node);
  std::string ReadWritten(const Readable& value, const Path& path);

  // ---- Writing (writing.cc).
  /// Writes what must be there before the node can be read.
  void Prepare(const Node& node, const BindingPtr& variables);
  void PrepareOperands(const Node& user, const BindingPtr& variables);
  void Materialise(const Node& node, const BindingPtr& variables);
  void Write(const Node& node, const BindingPtr& variables, const Target& target);
  void WriteMap(const Node& map, const BindingPtr& variables, Target target);
  /// Code 2: four elements at once.
  void WriteVectors(const Node& map, const BindingPtr& variables, const Target& target);
  void WriteReduction(const Node& reduce, const BindingPtr& variables, const Target& target);
  void WriteLet(const Node& let, const BindingPtr& variables, const Target& target);
  void WriteUser(const Node& user, const BindingPtr& variables, const Target& target);
  void WriteThroughView(const Node& view, const BindingPtr& variables, const Target& target);
  void WriteThroughMap(const Node& map, const BindingPtr& variables, const Target& target);
  /// Element by element, by every thread alike. `path`: steps from the outside.
  void Copy(const ReadablePtr& value, const DataType& type, const Target& target, Path path = {});
  void Store(const Place& place, const std::string& value);

  // ---- Loops (loops.cc).
  struct Loop {
    int code = 0;
    std::int64_t count = 1;  ///< Of threads or groups that share it.
    std::int64_t total = 1;
    IndexVariable variable;  ///< Which iteration.
    Index thread;            ///< Codes of threads: which of those of its dimension.
  };
  /// Runs `body` for the index of every iteration.
  void InLoop(int code, std::int64_t total, const std::function<void(const Index&)>& body);
  void InSequence(std::int64_t total, const std::function<void(const Index&)>& body);
  void InParallel(int code, std::int64_t total, const std::function<void(const Index&)>& body);
  std::int64_t CountOf(int code) const;
  std::string ThreadOf(int code) const;
  static std::string ThreadName(int dimension);
  static std::string GroupName(int dimension);

  // ---- Memory (memory.cc).
  StoragePtr Allocate(const Node& node);
  Leaf Allocated(MemorySpace space, const ScalarShape& shape, const Node& node);
  static Leaf LeafOf(const ScalarShape& shape, std::string name, MemorySpace space);
  /// Do several threads of a group see local and global memory that is allocated here?
  bool IsShared() const;
  /// Is a dimension divided by a loop around, on one of these levels (codes by ten)?
  bool IsDivided(int dimension, std::initializer_list<int> levels) const;
  /// Conditions that leave one of the threads and groups that do the same.
  void AddOwners(std::vector<std::string>& guards) const;
  /// Loops whose variables say which element of a private array is meant.
  void NotePrivate(const Place& place);
  void Wait();
  bool IsDividedAmongGroups(const Node& node) const;

  // ---- What it costs (costs.cc).
  WorkLoops LoopsAround() const;
  /// Notes also that the array is used.
  void CountAccess(const Place& place, bool is_write);
  /// So many instructions, each time.
  void CountSteps(double steps);

  // ---- Kernels of the text (kernels.cc).
  /// How many threads and groups the maps of a kernel are divided among.
  void ChooseCounts(const ProgramKernel& kernel, const Codes& codes);
  void AddArrays();
  void BeginText();
  void EndText();

  std::int64_t Number(const Term& term) const;
  Numbers numbers() const {
    return [this](const Term& term) { return Number(term); };
  }
  int CodeOf(const Node& map) const;
  [[noreturn]] static void Refuse(const Node& node, const std::string& why);
  void Line(const std::string& text);
  void Open(const std::string& text);
  void Close();
  std::string NewName(const char* prefix);
  /// Of a loop. Variables 0, 1 and 2 are threads.
  IndexVariable NewVariable(std::int64_t extent);
  /// A loop that runs once needs no variable.
  static Index IndexOf(const IndexVariable& variable) {
    return variable.max == 0 ? Index() : Index(variable);
  }

  /// What is undone when a loop is written once more.
  struct State {
    std::vector<std::string> lines;
    std::map<const Node*, ReadablePtr> made;  ///< What was written, by who writes it.
    std::set<int> indexes_private;            ///< Variables.
    std::set<std::string> globals;            ///< Arrays in global memory that are used.
    std::int64_t local_bytes = 0, global_bytes = 0;
    GpuWork work;    ///< So far, of this kernel of the text.
    GpuCalls calls;  ///< By lines of all kernels.
  };
  struct Text {
    std::vector<std::string> lines;
    GpuLaunch launch;
  };
  struct Accumulator {
    const Node* variable = nullptr;
    bool is_read_elsewhere = false;  ///< Than where it is replaced by what is read.
  };

  const Program& program_;
  const Assignment& parameters_;
  const ProgramLimits& limits_;
  std::vector<GpuArray> arrays_;
  std::map<std::string, ReadablePtr> by_name_;  ///< Of the arrays.
  std::map<const Node*, int> codes_;
  Threads threads_ = {1, 1, 1}, groups_ = {1, 1, 1};
  State state_;
  std::vector<Text> texts_;
  std::vector<std::pair<std::string, std::string>> globals_;  ///< Names, and their declarations.
  int names_ = 0, depth_ = 1;
  std::int64_t copies_ = 1;  ///< Of the statements in the loop that was closed last.
  std::vector<Loop> loops_;
  std::vector<std::string> guards_;  ///< Of loops whose last elements some threads repeat.
  bool has_waited_ = false;          ///< Since a loop looked.
  std::vector<Accumulator> accumulators_;
  std::optional<Place> stored_;        ///< Where the value that is being written goes.
  std::vector<Place> read_;            ///< What that value reads.
  Vectors* vectors_ = nullptr;         ///< Of the map with code 2 that is being written.
  std::vector<Condition> conditions_;  ///< Under which something is read: it is in no border.
  int kernel_ = 0;                     ///< Of the text.
};

}  // namespace exh::functional
