// SPDX-License-Identifier: MIT
//
// What is allocated: each value that is written and used by something else, a map with all maps
// around whose results it is a part of being one. So what the body of a map yields is a part of the
// map's result, and what a reduction yields lies in its initial value.
#include "functional/infer/limits.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "functional/meaning/elaborator.h"

namespace exh::functional {
namespace {

struct Allocation {
  const Node* node;
  MemorySpace space;
};

struct Found {
  std::vector<Allocation> allocations;
  std::map<int, std::vector<const Node*>> local_maps;  ///< By dimension.
};

class Finder {
 public:
  explicit Finder(Found& found) : found_(found) {}

  /// `is_part`: of the memory that something around it has.
  void Visit(const Node& node, bool is_part) {
    if (!seen_.insert(&node).second) return;
    switch (node.kind) {
      case Node::Kind::kMap:
        Allocate(node, is_part);
        if (node.code >= 10 && node.code < 13) found_.local_maps[node.code - 10].push_back(&node);
        Visit(*node.inputs[0], is_part && !node.body->writes);
        if (node.body->writes) Visit(*node.body, true);
        break;
      case Node::Kind::kReduce:
        Visit(*node.inputs[0], false);
        Visit(*node.inputs[1], false);
        Visit(*node.body, true);
        break;
      case Node::Kind::kLet:
        Visit(*node.inputs[0], false);
        Visit(*node.body, is_part);
        break;
      case Node::Kind::kUser:
        Allocate(node, is_part);
        // What it calculates on its way is in registers.
        for (const NodePtr& input : node.inputs) Visit(*input, input->kind == Node::Kind::kUser);
        break;
      case Node::Kind::kView:
      case Node::Kind::kTuple:
      case Node::Kind::kItem:
        for (const NodePtr& input : node.inputs) Visit(*input, is_part);
        break;
      case Node::Kind::kInput:
      case Node::Kind::kConstant:
      case Node::Kind::kVariable:
        break;
    }
  }

 private:
  void Allocate(const Node& node, bool is_part) {
    const bool is_written = node.kind == Node::Kind::kUser || node.body->writes;
    if (is_part || !is_written) return;
    if (const auto space = node.spaces.Only()) found_.allocations.push_back({&node, *space});
  }

  Found& found_;
  std::set<const Node*> seen_;
};

class Adder {
 public:
  Adder(Program& program, dsl::DiagnosticSink& sink) : program_(program), sink_(sink) {}

  bool Run() {
    for (const Limit& limit : program_.limits) {
      if (limit.number > 0) limits_[limit.word] = &limit;
    }
    for (const ProgramKernel& kernel : program_.kernels) {
      Found found;
      Finder(found).Visit(*kernel.result, false);
      AddThreads(kernel, found);
      AddMemory(kernel, found);
    }
    return is_kept_;
  }

 private:
  void Add(const std::string& label, const Term& term, const std::string& word,
           const std::string& why, dsl::SourceRange range) {
    const Limit& limit = *limits_.at(word);
    ProgramRequirement requirement;
    requirement.label = label;
    requirement.left = term;
    requirement.op = "<=";
    requirement.right = Terms::Number(limit.number);
    requirement.why = why;
    requirement.range = requirement.call = range;
    if (term.is_bad()) {
      is_kept_ = false;
      sink_.Report(dsl::Diag::kFunNumber, range, why + ": the number is too large or too long");
      return;
    }
    const auto certain = IsCertain(program_.terms, requirement);
    if (certain && !*certain) {
      is_kept_ = false;
      sink_
          .Report(dsl::Diag::kFunNever, range,
                  fmt::format("{}: {} is above the limit of {}", why, program_.terms.Text(term),
                              limit.number))
          .WithNote(limit.range, "the limit is stated here");
    }
    if (!certain) program_.requirements.push_back(std::move(requirement));
  }

  void AddThreads(const ProgramKernel& kernel, const Found& found) {
    if (!limits_.contains("threads") || found.local_maps.empty()) return;
    Terms& terms = program_.terms;
    Term all = Terms::Number(1);
    const Node* last = nullptr;
    for (const auto& [dimension, maps] : found.local_maps) {
      std::optional<Term> most;
      for (const Node* const map : maps) {
        const Term& length = map->inputs[0]->type->length;
        Add(fmt::format("threads_{}_of_{}", dimension, kernel.name), length, "threads",
            fmt::format("threads in dimension {} of kernel {}", dimension, kernel.name),
            map->range);
        most = most ? terms.Apply(TermFactor::Op::kMax, *most, length) : length;
        last = map;
      }
      all = terms.Multiply(all, *most);
    }
    if (found.local_maps.size() < 2) return;
    Add("threads_of_" + kernel.name, all, "threads",
        fmt::format("threads of a work group of kernel {}", kernel.name), last->range);
  }

  void AddMemory(const ProgramKernel& kernel, const Found& found) {
    Term local = Terms::Number(0);
    const Node* last_local = nullptr;
    for (const Allocation& allocation : found.allocations) {
      const Node& node = *allocation.node;
      const Term bytes = BytesOf(*node.type, program_.terms);
      const std::string what = TextOf(*node.type, program_.terms);
      if (allocation.space == MemorySpace::kGlobal && limits_.contains("buffer")) {
        Add("buffer_of_" + kernel.name, bytes, "buffer",
            fmt::format("bytes of {} in global memory", what), node.range);
      } else if (allocation.space == MemorySpace::kPrivate && limits_.contains("private")) {
        Add("private_of_" + kernel.name, bytes, "private",
            fmt::format("bytes of {} in private memory", what), node.range);
      } else if (allocation.space == MemorySpace::kLocal) {
        local = program_.terms.Add(local, bytes);
        last_local = &node;
      }
    }
    if (last_local == nullptr || !limits_.contains("local")) return;
    Add("local_of_" + kernel.name, local, "local",
        fmt::format("bytes of local memory of kernel {}", kernel.name), last_local->range);
  }

  Program& program_;
  dsl::DiagnosticSink& sink_;
  std::map<std::string, const Limit*> limits_;
  bool is_kept_ = true;
};

}  // namespace

bool AddLimits(Program& program, dsl::DiagnosticSink& sink) {
  return Adder(program, sink).Run();
}

}  // namespace exh::functional
