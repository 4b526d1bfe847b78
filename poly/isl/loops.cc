// SPDX-License-Identifier: MIT
#include "poly/isl/loops.h"

#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {

std::string LoopsText(const Scop& scop, const Schedule& schedule) {
  auto domain = DomainOf(scop);
  auto context = Take(isl_union_set_params(domain.copy()));
  auto map = Take(isl_union_map_intersect_domain(MapOf(scop, schedule).Give(), domain.Give()));
  auto build = Take(isl_ast_build_from_context(context.Give()));
  const auto node = Take(isl_ast_build_node_from_schedule_map(build.get(), map.Give()));
  return TakeText(isl_ast_node_to_C_str(node.get()));
}

}  // namespace exh::poly
