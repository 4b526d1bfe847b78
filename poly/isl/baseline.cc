// SPDX-License-Identifier: MIT
#include "poly/isl/baseline.h"

#include <fmt/core.h>
#include <isl/options.h>
#include <isl/version.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

// Options belong to the context, which others of this thread use, too.
class OptionsSet {
 public:
  OptionsSet(const IslOptions& options, std::uint64_t max_operations) {
    Set(options);
    isl_ctx_reset_operations(ThreadContext());
    isl_ctx_set_max_operations(ThreadContext(), max_operations);
  }
  OptionsSet(const OptionsSet&) = delete;
  OptionsSet& operator=(const OptionsSet&) = delete;
  ~OptionsSet() {
    Set({});
    isl_ctx_set_max_operations(ThreadContext(), 0);
  }

 private:
  static void Set(const IslOptions& options) {
    isl_ctx* context = ThreadContext();
    isl_options_set_schedule_maximize_coincidence(context, options.maximize_coincidence);
    isl_options_set_schedule_whole_component(context, options.whole_component);
    isl_options_set_schedule_outer_coincidence(context, options.outer_coincidence);
    isl_options_set_schedule_maximize_band_depth(context, options.maximize_band_depth);
    isl_options_set_schedule_serialize_sccs(context, options.serialize_sccs);
    isl_options_set_schedule_treat_coalescing(context, options.treat_coalescing);
    isl_options_set_schedule_algorithm(context, options.is_feautrier
                                                    ? ISL_SCHEDULE_ALGORITHM_FEAUTRIER
                                                    : ISL_SCHEDULE_ALGORITHM_ISL);
  }
};

// The rows of one statement; none where it has several pieces, or divisions.
std::optional<IntMatrix> RowsOfStatement(const Owner<isl_map>& map, int num_parameters) {
  if (!IsTrue(isl_map_is_single_valued(map.get()))) return std::nullopt;
  const auto pieces = Take(isl_pw_multi_aff_from_map(map.copy()));
  if (isl_pw_multi_aff_n_piece(pieces.get()) != 1) return std::nullopt;
  Owner<isl_multi_aff> dates;
  Require(isl_pw_multi_aff_foreach_piece(
      pieces.get(),
      [](isl_set* domain, isl_multi_aff* piece, void* user) {
        isl_set_free(domain);
        *static_cast<Owner<isl_multi_aff>*>(user) = Owner<isl_multi_aff>(piece);
        return isl_stat_ok;
      },
      &dates));
  IntMatrix rows;
  for (int row = 0; row < isl_multi_aff_dim(dates.get(), isl_dim_out); ++row) {
    const auto form = Take(isl_multi_aff_get_at(dates.get(), row));
    if (isl_aff_dim(form.get(), isl_dim_div) != 0) return std::nullopt;
    IntRow numbers;
    const auto add = [&](isl_val* taken) {
      const auto value = Take(taken);
      if (!IsTrue(isl_val_is_int(value.get()))) return false;
      numbers.push_back(isl_val_get_num_si(value.get()));
      return true;
    };
    for (int i = 0; i < isl_aff_dim(form.get(), isl_dim_in); ++i) {
      if (!add(isl_aff_get_coefficient_val(form.get(), isl_dim_in, i))) return std::nullopt;
    }
    EXH_CHECK(isl_aff_dim(form.get(), isl_dim_param) == num_parameters);
    for (int j = 0; j < num_parameters; ++j) {
      if (!add(isl_aff_get_coefficient_val(form.get(), isl_dim_param, j))) return std::nullopt;
    }
    if (!add(isl_aff_get_constant_val(form.get()))) return std::nullopt;
    rows.push_back(std::move(numbers));
  }
  return rows;
}

std::optional<Schedule> RowsOf(const Scop& scop, const Owner<isl_union_map>& dates) {
  Schedule schedule;
  schedule.num_parameters = static_cast<int>(ParametersOf(scop).size());
  std::size_t num_rows = 0;
  for (const ScopStatement& statement : scop.statements) {
    auto domain = DomainOf({.statements = {statement}});
    auto one = Take(isl_union_map_intersect_domain(dates.copy(), domain.Give()));
    // Without executions there are no dates.
    if (IsTrue(isl_union_map_is_empty(one.get()))) return std::nullopt;
    auto map = Take(isl_map_from_union_map(one.Give()));
    for (int j = 0; j < schedule.num_parameters; ++j) {
      const std::string name = fmt::format("n{}", j);
      if (isl_map_find_dim_by_name(map.get(), isl_dim_param, name.c_str()) != j)
        return std::nullopt;
    }
    std::optional<IntMatrix> rows = RowsOfStatement(map, schedule.num_parameters);
    if (!rows) return std::nullopt;
    num_rows = std::max(num_rows, rows->size());
    schedule.statements.push_back(std::move(*rows));
  }
  for (std::size_t s = 0; s < scop.statements.size(); ++s) {
    schedule.statements[s].resize(
        num_rows, IntRow(scop.statements[s].iterators.size() + schedule.num_parameters + 1));
  }
  for (std::size_t row = 0; row < num_rows; ++row) {
    bool is_scalar = true;
    for (const IntMatrix& rows : schedule.statements) {
      is_scalar = is_scalar && std::all_of(rows[row].begin(), rows[row].end() - 1,
                                           [](auto x) { return x == 0; });
    }
    schedule.rows.push_back({.is_scalar = is_scalar, .band = static_cast<int>(row)});
  }
  return schedule;
}

}  // namespace

const std::vector<NamedIslOptions>& IslSettings() {
  static const std::vector<NamedIslOptions> settings = {
      {"default", {}},
      {"whole_component", {.whole_component = true}},
      {"outer_coincidence", {.outer_coincidence = true}},
      {"maximize_coincidence", {.maximize_coincidence = true}},
      {"maximize_band_depth", {.maximize_band_depth = true}},
      {"serialize_sccs", {.serialize_sccs = true}},
      {"feautrier", {.is_feautrier = true}},
  };
  return settings;
}

std::string IslVersion() {
  std::string version = isl_version();
  while (!version.empty() && version.back() == '\n') version.pop_back();
  return version;
}

IslScheduled ScheduleByIsl(const Scop& scop, const std::vector<Dependence>& dependences,
                           const IslOptions& options, std::uint64_t max_operations) {
  const OptionsSet set(options, max_operations);
  const auto domain = DomainOf(scop);
  const auto relation = MapOf(scop, dependences);
  isl_schedule_constraints* constraints = isl_schedule_constraints_on_domain(domain.copy());
  constraints = isl_schedule_constraints_set_context(
      constraints, Take(isl_union_set_params(domain.copy())).Give());
  constraints = isl_schedule_constraints_set_validity(constraints, relation.copy());
  constraints = isl_schedule_constraints_set_proximity(constraints, relation.copy());
  constraints = isl_schedule_constraints_set_coincidence(constraints, relation.copy());
  const auto schedule = Take(isl_schedule_constraints_compute_schedule(constraints));
  const auto build = Take(isl_ast_build_from_context(isl_union_set_params(domain.copy())));
  const auto node = Take(isl_ast_build_node_from_schedule(build.get(), schedule.copy()));
  const auto dates = Take(isl_schedule_get_map(schedule.get()));
  return {.schedule = RowsOf(scop, dates), .loops = TakeText(isl_ast_node_to_C_str(node.get()))};
}

}  // namespace exh::poly
