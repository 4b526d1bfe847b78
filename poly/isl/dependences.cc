// SPDX-License-Identifier: MIT
#include "poly/isl/dependences.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/check.h"
#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

// ---- arrays that isl need not look at
// ------------------------------------------------------------

// Whether no two executions of a statement touch one cell through an access: each iterator has a
// row of its own.
bool IsInjective(const ScopStatement& statement, const ScopAccess& access) {
  const std::size_t rank = statement.iterators.size();
  for (std::size_t iterator = 0; iterator < rank; ++iterator) {
    const bool has_row = std::any_of(access.map.begin(), access.map.end(), [&](const IntRow& row) {
      for (std::size_t other = 0; other < rank; ++other) {
        if ((row[other] != 0) != (other == iterator)) return false;
      }
      return true;
    });
    if (!has_row && statement.iterators[iterator].extent > 1) return false;
  }
  return true;
}

// Whether each cell of an array is written once at most, and that by a statement that shares no
// loop with another one that uses the array, and does not read it itself. Then both kinds of
// dependences are the same: all pairs of the write and a read of one cell, in the order of the
// nests.
bool IsWrittenOnce(const Scop& scop, int array) {
  const ScopStatement* writer = nullptr;
  std::vector<int> nests;
  for (int s = 0; s < static_cast<int>(scop.statements.size()); ++s) {
    bool uses = false;
    for (const ScopAccess& access : scop.statements[s].accesses) {
      if (access.array != array) continue;
      uses = true;
      if (!access.is_write) continue;
      if (writer != nullptr || !IsInjective(scop.statements[s], access)) return false;
      writer = &scop.statements[s];
    }
    if (uses) nests.push_back(OrderOf(scop, s)[0]);
    if (uses && writer == &scop.statements[s]) {
      const auto reads = [&](const ScopAccess& access) {
        return access.array == array && !access.is_write;
      };
      if (std::any_of(writer->accesses.begin(), writer->accesses.end(), reads)) return false;
    }
  }
  if (writer == nullptr) return true;
  std::sort(nests.begin(), nests.end());
  return std::adjacent_find(nests.begin(), nests.end()) == nests.end();
}

// The bounds of a statement's iterators, which begin at a column of the pairs.
void AddDomain(const Scop& scop, const ScopStatement& statement, int column, Polyhedron& pairs) {
  const std::vector<std::int64_t> parameters = ParametersOf(scop);
  const int rank = static_cast<int>(statement.iterators.size());
  const IntRow zeros(pairs.num_variables + pairs.num_parameters + 1, 0);
  for (int i = 0; i < rank; ++i) {
    IntRow from_zero = zeros, to_end = zeros;
    from_zero[column + i] = 1;
    to_end[column + i] = -1;
    to_end.back() = -1;
    const std::int64_t extent = statement.iterators[i].extent;
    const auto parameter = std::find(parameters.begin(), parameters.end(), extent);
    if (parameter == parameters.end()) {
      to_end.back() += extent;
    } else {
      to_end[pairs.num_variables + (parameter - parameters.begin())] = 1;
    }
    pairs.inequalities.push_back(std::move(from_zero));
    pairs.inequalities.push_back(std::move(to_end));
  }
  for (const IntRow& guard : statement.guards) {
    IntRow row = zeros;
    std::copy(guard.begin(), guard.end() - 1, row.begin() + column);
    row.back() = guard.back();
    pairs.inequalities.push_back(std::move(row));
  }
}

// All pairs of executions of two statements that touch one cell through two accesses.
Dependence SameCell(const Scop& scop, int source, const ScopAccess& from, int target,
                    const ScopAccess& to) {
  const int source_rank = static_cast<int>(scop.statements[source].iterators.size());
  const int target_rank = static_cast<int>(scop.statements[target].iterators.size());
  Dependence dependence{.source = source, .target = target};
  Polyhedron& pairs = dependence.pairs;
  pairs.num_variables = source_rank + target_rank;
  pairs.num_parameters = static_cast<int>(ParametersOf(scop).size());
  const IntRow zeros(pairs.num_variables + pairs.num_parameters + 1, 0);
  for (std::size_t dim = 0; dim < from.map.size(); ++dim) {
    IntRow row = zeros;
    for (int i = 0; i < source_rank; ++i) row[i] = from.map[dim][i];
    for (int i = 0; i < target_rank; ++i) row[source_rank + i] = -to.map[dim][i];
    row.back() = from.map[dim].back() - to.map[dim].back();
    pairs.equalities.push_back(std::move(row));
  }
  AddDomain(scop, scop.statements[source], 0, pairs);
  AddDomain(scop, scop.statements[target], source_rank, pairs);
  for (int j = 0; j < pairs.num_parameters; ++j) {
    IntRow row = zeros;
    row[pairs.num_variables + j] = 1;
    row.back() = -kLeastParameter;
    pairs.inequalities.push_back(std::move(row));
  }
  return dependence;
}

// The dependences of an array that is written once.
std::vector<Dependence> PairsOfArray(const Scop& scop, int array) {
  std::vector<Dependence> found;
  const int num_statements = static_cast<int>(scop.statements.size());
  for (int writer = 0; writer < num_statements; ++writer) {
    for (const ScopAccess& write : scop.statements[writer].accesses) {
      if (write.array != array || !write.is_write) continue;
      for (int reader = 0; reader < num_statements; ++reader) {
        for (const ScopAccess& read : scop.statements[reader].accesses) {
          if (read.array != array || read.is_write) continue;
          const bool is_flow = OrderOf(scop, writer)[0] < OrderOf(scop, reader)[0];
          found.push_back(is_flow ? SameCell(scop, writer, write, reader, read)
                                  : SameCell(scop, reader, read, writer, write));
        }
      }
    }
  }
  return found;
}

// ---- what isl finds
// ------------------------------------------------------------------------------

// The pairs (source, sink) that isl finds: of `must` the last one before a sink alone, of `may` all
// that no `must` lies in front of.
Owner<isl_union_map> Flow(const Owner<isl_union_map>& sinks, const Owner<isl_union_map>& must,
                          const Owner<isl_union_map>& may, const Owner<isl_union_map>& order) {
  isl_union_access_info* info = isl_union_access_info_from_sink(sinks.copy());
  if (must.get() != nullptr) info = isl_union_access_info_set_must_source(info, must.copy());
  if (may.get() != nullptr) info = isl_union_access_info_set_may_source(info, may.copy());
  info = isl_union_access_info_set_schedule_map(info, order.copy());
  const auto flow = Take(isl_union_access_info_compute_flow(info));
  return Take(isl_union_flow_get_may_dependence(flow.get()));
}

Owner<isl_union_map> Relation(const Scop& scop, const std::vector<bool>& arrays,
                              DependenceKind kind) {
  const auto reads = AccessesOf(scop, arrays, /*writes=*/false);
  const auto writes = AccessesOf(scop, arrays, /*writes=*/true);
  const auto order = MapOf(scop, OriginalSchedule(scop));
  const Owner<isl_union_map> none;
  const auto both = Take(isl_union_map_union(reads.copy(), writes.copy()));
  Owner<isl_union_map> result;
  if (kind == DependenceKind::kMemory) {
    // Writes before reads and writes, then reads before writes.
    result = Take(isl_union_map_union(Flow(both, none, writes, order).Give(),
                                      Flow(writes, none, reads, order).Give()));
  } else {
    result = Take(isl_union_map_union(Flow(both, writes, none, order).Give(),
                                      Flow(writes, writes, reads, order).Give()));
  }
  return Take(isl_union_map_coalesce(result.Give()));
}

struct Collector {
  std::map<std::string, int> statements;  // By name.
  std::vector<Dependence> found;
};

isl_stat AddBasicMap(isl_basic_map* given, void* user) {
  Collector& collector = *static_cast<Collector*>(user);
  Owner<isl_basic_map> map(given);
  map = Owner<isl_basic_map>(isl_basic_map_remove_divs(map.Give()));
  map = Owner<isl_basic_map>(isl_basic_map_detect_equalities(map.Give()));
  map = Owner<isl_basic_map>(isl_basic_map_remove_redundancies(map.Give()));
  if (map.get() == nullptr) return isl_stat_error;
  const isl_bool is_empty = isl_basic_map_is_empty(map.get());
  if (is_empty != isl_bool_false) return is_empty == isl_bool_true ? isl_stat_ok : isl_stat_error;
  Dependence dependence;
  dependence.source = collector.statements.at(isl_basic_map_get_tuple_name(map.get(), isl_dim_in));
  dependence.target = collector.statements.at(isl_basic_map_get_tuple_name(map.get(), isl_dim_out));
  Polyhedron& pairs = dependence.pairs;
  pairs.num_variables = static_cast<int>(isl_basic_map_dim(map.get(), isl_dim_in) +
                                         isl_basic_map_dim(map.get(), isl_dim_out));
  pairs.num_parameters = static_cast<int>(isl_basic_map_dim(map.get(), isl_dim_param));
  const auto equalities = Owner<isl_mat>(isl_basic_map_equalities_matrix(
      map.get(), isl_dim_in, isl_dim_out, isl_dim_div, isl_dim_param, isl_dim_cst));
  const auto inequalities = Owner<isl_mat>(isl_basic_map_inequalities_matrix(
      map.get(), isl_dim_in, isl_dim_out, isl_dim_div, isl_dim_param, isl_dim_cst));
  if (equalities.get() == nullptr || inequalities.get() == nullptr) return isl_stat_error;
  pairs.equalities = RowsOf(equalities);
  pairs.inequalities = RowsOf(inequalities);
  // One text for one set, whatever way isl came to it.
  for (IntRow& row : pairs.equalities) {
    const auto first =
        std::find_if(row.begin(), row.end(), [](std::int64_t number) { return number != 0; });
    if (first != row.end() && *first < 0) {
      for (std::int64_t& number : row) number = -number;
    }
  }
  std::sort(pairs.equalities.begin(), pairs.equalities.end());
  std::sort(pairs.inequalities.begin(), pairs.inequalities.end());
  collector.found.push_back(std::move(dependence));
  return isl_stat_ok;
}

std::vector<Dependence> Sorted(std::vector<Dependence> found) {
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::vector<Dependence> DependencesOf(const Scop& scop, DependenceKind kind) {
  EXH_CHECK(ProblemOf(scop).empty());
  if (scop.statements.empty()) return {};
  Collector collector;
  for (std::size_t i = 0; i < scop.statements.size(); ++i) {
    collector.statements[scop.statements[i].name] = static_cast<int>(i);
  }
  std::vector<bool> is_left(scop.arrays.size(), false);
  for (int array = 0; array < static_cast<int>(scop.arrays.size()); ++array) {
    if (!IsWrittenOnce(scop, array)) {
      is_left[array] = true;
      continue;
    }
    for (const Dependence& dependence : PairsOfArray(scop, array)) {
      Require(AddBasicMap(MapOf(scop, dependence).Give(), &collector));
    }
  }
  if (std::find(is_left.begin(), is_left.end(), true) == is_left.end())
    return Sorted(std::move(collector.found));
  const auto relation = Relation(scop, is_left, kind);
  // isl is written in C: no exception may cross it.
  struct Call {
    Collector& collector;
    std::string too_large;
  } call{collector, ""};
  Require(isl_union_map_foreach_map(
      relation.get(),
      [](isl_map* given, void* user) {
        const Owner<isl_map> map(given);
        return isl_map_foreach_basic_map(
            map.get(),
            [](isl_basic_map* basic, void* inner) {
              Call& self = *static_cast<Call*>(inner);
              try {
                return AddBasicMap(basic, &self.collector);
              } catch (const TooLarge& error) {
                self.too_large = error.what();
                return isl_stat_ok;
              }
            },
            user);
      },
      &call));
  if (!call.too_large.empty()) throw TooLarge(call.too_large);
  return Sorted(std::move(collector.found));
}

}  // namespace exh::poly
