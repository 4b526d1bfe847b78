// SPDX-License-Identifier: MIT
#include "load/data_host.h"

#include "base/check.h"
#include "runtime/host_support.h"

namespace exh::load {

using runtime::CodeId;
using runtime::Object;

int DataHost::Size(int root_set) const {
  return static_cast<int>(data_.names[static_cast<std::size_t>(root_set)].size());
}

std::string DataHost::Name(int root_set, Object object) const {
  return data_.names[static_cast<std::size_t>(root_set)][object];
}

std::vector<runtime::Host::Member> DataHost::Members(int set) const {
  return data_.members[static_cast<std::size_t>(set)];
}

dsl::KnownValue DataHost::ValueIn(const DataCode& code, const dsl::Term& term,
                                  std::span<const Object> scope) const {
  return dsl::ValueOf(term, [&](const dsl::TermNode& node) -> std::int64_t {
    if (node.kind == dsl::TermNode::Kind::kVariable) {
      const auto variable = static_cast<std::size_t>(node.instance.arguments.front());
      const auto root = static_cast<std::size_t>(code.roots[variable]);
      return data_.first_numbers[root] + scope[variable];
    }
    ObjectTuple tuple;
    for (const int argument : node.instance.arguments) {
      tuple.push_back(scope[static_cast<std::size_t>(argument)]);
    }
    return data_.Number(node.external, tuple);
  });
}

std::int64_t DataHost::Value(const DataCode& code, const dsl::Term& term,
                             std::span<const Object> scope) const {
  const dsl::KnownValue known = ValueIn(code, term, scope);
  if (known.value) return known.value->up;  // It has no fractions.
  throw runtime::HostError(code.place,
                           known.over_zero ? "divides by 0" : "calculates a number beyond 64 bits");
}

bool DataHost::Test(CodeId id, std::span<const Object> scope) const {
  const DataCode& code = codes_[static_cast<std::size_t>(id)];
  if (code.kind == DataCode::Kind::kExternal) {
    return data_.predicates[static_cast<std::size_t>(code.external)].contains(
        ObjectTuple(scope.begin(), scope.end()));
  }
  EXH_CHECK(code.kind == DataCode::Kind::kComparison);
  const dsl::KnownValue left = ValueIn(code, code.left, scope);
  const dsl::KnownValue right = ValueIn(code, code.right, scope);
  if (left.over_zero || right.over_zero) return false;
  if (!left.value || !right.value) {
    throw runtime::HostError(code.place, "calculates a number beyond 64 bits");
  }
  return dsl::Compares(*left.value, code.op, *right.value);
}

std::vector<std::uint32_t> DataHost::Numbers(CodeId id, std::span<const Object> scope) const {
  const DataCode& code = codes_[static_cast<std::size_t>(id)];
  if (code.kind == DataCode::Kind::kExternal) {
    const std::int64_t number =
        data_.Number(code.external, ObjectTuple(scope.begin(), scope.end()));
    return {runtime::CheckedNumber(static_cast<std::uint64_t>(number), code.place)};
  }
  EXH_CHECK(code.kind == DataCode::Kind::kUniverse);
  std::vector<runtime::NumberSpan> spans;
  for (const dsl::TermSpan& span : code.spans) {
    const std::int64_t first = Value(code, span.first, scope);
    spans.emplace_back(first, span.last.empty() ? first : Value(code, span.last, scope));
  }
  try {
    return runtime::UniverseOf(spans);
  } catch (const Error& error) {
    throw runtime::HostError(code.place, error.what());
  }
}

std::int64_t DataHost::Integer(CodeId id, std::span<const Object> scope) const {
  const DataCode& code = codes_[static_cast<std::size_t>(id)];
  if (code.kind == DataCode::Kind::kExternal) {
    return data_.Number(code.external, ObjectTuple(scope.begin(), scope.end()));
  }
  EXH_CHECK(code.kind == DataCode::Kind::kTerm);
  return Value(code, code.left, scope);
}

std::vector<runtime::Host::Planned> DataHost::Plan(int trigger,
                                                   std::span<const Object> scope) const {
  static_cast<void>(trigger);
  static_cast<void>(scope);
  EXH_UNREACHABLE();
}

}  // namespace exh::load
