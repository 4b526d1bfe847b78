// SPDX-License-Identifier: MIT
#include "kernels/notation/options/requirements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace exh::kernels::notation {
namespace {

std::string ValueText(const SizeDecl& size, std::int64_t value) {
  return size.words.empty() ? fmt::format("{}", value)
                            : size.words[static_cast<std::size_t>(value)].text;
}

/// Adds the sizes and options that stand in the expression, with what they are: "op=sum".
void AddValues(const Expr& expr, const Kernel& kernel, const Sizes& sizes,
               std::vector<std::string>& values) {
  if (expr.kind == Expr::Kind::kName) {
    for (const SizeDecl& size : kernel.sizes) {
      if (size.name.text != expr.text) continue;
      std::string text =
          fmt::format("{}={}", expr.text, ValueText(size, sizes.find(expr.text)->second));
      if (std::ranges::find(values, text) == values.end()) values.push_back(std::move(text));
    }
  }
  for (const Expr& arg : expr.args) AddValues(arg, kernel, sizes, values);
}

}  // namespace

bool CheckSizes(const Kernel& kernel, const Sizes& sizes, dsl::DiagnosticSink& sink) {
  using dsl::Diag;
  bool is_good = true;
  const auto report = [&](Diag diag, SourceRange range, std::string message) {
    is_good = false;
    sink.Report(diag, range, std::move(message));
  };
  for (const SizeDecl& size : kernel.sizes) {
    if (!size.min || !size.max) continue;
    if (*size.min > *size.max || (!size.is_option && *size.min < 1)) {
      report(Diag::kBadRange, size.name.range,
             fmt::format("'{}' can have no value from {} to {}{}", size.name.text, *size.min,
                         *size.max, size.is_option ? "" : ": a size is 1 or more"));
    } else if (size.default_value &&
               (*size.default_value < *size.min || *size.default_value > *size.max)) {
      report(Diag::kBadRange, size.name.range,
             fmt::format("the default {} of '{}' is not in {}..{}", *size.default_value,
                         size.name.text, *size.min, *size.max));
    }
  }
  for (const SizeDecl& size : kernel.sizes) {
    const std::int64_t value = sizes.find(size.name.text)->second;
    if (size.words.empty() || (value >= 0 && value <= *size.max)) continue;
    report(Diag::kBadRange, size.name.range,
           fmt::format("'{}' is {}, and has {} words", size.name.text, value, size.words.size()));
  }
  for (const SizeDecl& size : kernel.sizes) {
    if (size.is_option || size.min || !size.default_value || *size.default_value >= 1) continue;
    report(
        Diag::kBadRange, size.name.range,
        fmt::format("size '{}' is {}; a size is 1 or more", size.name.text, *size.default_value));
  }
  return is_good;
}

bool CheckRequirements(const Kernel& kernel, const Sizes& sizes, dsl::DiagnosticSink& sink) {
  bool is_good = true;
  for (const SizeRequirement& requirement : kernel.requirements) {
    const Expr& condition = requirement.condition;
    const auto holds = Numbers(sizes, sink).Value(condition);
    is_good = is_good && holds.value_or(0) != 0;
    if (!holds || *holds != 0) continue;
    std::vector<std::string> values;
    AddValues(condition, kernel, sizes, values);
    sink.Report(dsl::Diag::kRequired, condition.range,
                fmt::format("{}{}{}",
                            requirement.doc.empty() ? "the kernel requires this" : requirement.doc,
                            values.empty() ? "" : "; here ", fmt::join(values, ", ")));
  }
  return is_good;
}

}  // namespace exh::kernels::notation
