// SPDX-License-Identifier: MIT
#include "poly/scop.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace exh::poly {
namespace {

// A statement is a tuple in texts that isl reads, where these words mean something else.
constexpr const char* kIslWords[] = {"all",   "and",    "ceil",    "ceild", "exists", "false",
                                     "floor", "floord", "implies", "infty", "max",    "min",
                                     "mod",   "NaN",    "not",     "or",    "rat",    "true"};

bool IsIdentifier(const std::string& name) {
  if (std::find(std::begin(kIslWords), std::end(kIslWords), name) != std::end(kIslWords))
    return false;
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return letter < 128 && (std::isalnum(letter) || letter == '_');
  });
}

std::string ProblemOf(const Scop& scop, const ScopStatement& statement) {
  const std::size_t rank = statement.iterators.size();
  for (const ScopIterator& iterator : statement.iterators) {
    if (iterator.extent < 1) {
      return "iterator " + iterator.name + " has the extent " + std::to_string(iterator.extent) +
             "; it must be at least 1";
    }
  }
  for (const IntRow& guard : statement.guards) {
    if (guard.size() != rank + 1) return "a guard needs a number for each iterator and a constant";
  }
  for (const ScopAccess& access : statement.accesses) {
    if (access.array < 0 || access.array >= static_cast<int>(scop.arrays.size())) {
      return "array " + std::to_string(access.array) + " does not exist";
    }
    const ScopArray& array = scop.arrays[access.array];
    if (access.map.size() != array.extents.size()) {
      return "an access to " + array.name + " needs a row for each of its " +
             std::to_string(array.extents.size()) + " dimensions";
    }
    for (const IntRow& row : access.map) {
      if (row.size() != rank + 1) {
        return "an access to " + array.name + " needs a number for each iterator and a constant";
      }
    }
  }
  if (!statement.order.empty() && statement.order.size() != rank + 1) {
    return "its order needs " + std::to_string(rank + 1) + " numbers";
  }
  return "";
}

}  // namespace

std::string ProblemOf(const Scop& scop) {
  std::set<std::string> names;
  for (const ScopStatement& statement : scop.statements) {
    if (!IsIdentifier(statement.name))
      return "statement '" + statement.name +
             "': its name must be a C identifier, and no word of isl";
    if (!names.insert(statement.name).second)
      return "statement " + statement.name + ": there are two";
    if (statement.order.empty() != scop.statements[0].order.empty()) {
      return "statement " + statement.name + ": either all statements say their order, or none";
    }
    const std::string problem = ProblemOf(scop, statement);
    if (!problem.empty()) return "statement " + statement.name + ": " + problem;
  }
  for (std::size_t i = 0; i < scop.statements.size() && !scop.statements[i].order.empty(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::vector<int>& a = scop.statements[i].order;
      const std::vector<int>& b = scop.statements[j].order;
      // Where one order goes on after the other has ended, a statement would stand where a loop
      // stands.
      const std::size_t both = std::min(a.size(), b.size());
      if (std::equal(a.begin(), a.begin() + both, b.begin())) {
        return "statement " + scop.statements[i].name + ": stands at the place of " +
               scop.statements[j].name;
      }
    }
  }
  return "";
}

std::vector<std::int64_t> ParametersOf(const Scop& scop) {
  std::vector<std::int64_t> parameters;
  for (const ScopStatement& statement : scop.statements) {
    for (const ScopIterator& iterator : statement.iterators) {
      if (iterator.extent < kLeastParameter) continue;
      if (std::find(parameters.begin(), parameters.end(), iterator.extent) == parameters.end()) {
        parameters.push_back(iterator.extent);
      }
    }
  }
  return parameters;
}

std::vector<int> OrderOf(const Scop& scop, int statement) {
  if (!scop.statements[statement].order.empty()) return scop.statements[statement].order;
  std::vector<int> order(scop.statements[statement].iterators.size() + 1, 0);
  order[0] = statement;
  return order;
}

std::int64_t StrideOf(const Scop& scop, const ScopAccess& access, int iterator) {
  const ScopArray& array = scop.arrays[access.array];
  std::int64_t stride = 0, pitch = 1;
  for (std::size_t dim = array.extents.size(); dim-- > 0;) {
    stride += access.map[dim][iterator] * pitch;
    pitch *= array.extents[dim];
  }
  return stride;
}

}  // namespace exh::poly
