// SPDX-License-Identifier: MIT
#include "kernels/library/kernel.h"

#include "kernels/derived/calls/library_calls.h"
#include "kernels/derived/expression.h"
#include "kernels/derived/flops.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/derived/sources/element_source.h"
#include "kernels/derived/sources/naive_source.h"

namespace exh::kernels {
namespace {

/// Not frozen: what a computation means needs no plans.
ir::Function FunctionOf(const Kernel& kernel, const Parameters& sizes) {
  ir::Function function;
  function.name = kernel.name();
  ir::Builder builder(function);
  kernel.Build(builder, sizes);
  builder.Finish();
  return function;
}

}  // namespace

void Kernel::Reference(const Parameters& sizes, ProblemData& data) const {
  derived::ComputeReference(FunctionOf(*this, sizes), data);
}

double Kernel::Flops(const Parameters& sizes) const {
  return derived::Flops(derived::ExpressionOf(FunctionOf(*this, sizes)));
}

std::string Kernel::NaiveSource(const Parameters& sizes) const {
  return derived::NaiveSource(FunctionOf(*this, sizes));
}

std::string Kernel::EigenSource(const Parameters& sizes) const {
  return derived::EigenSource(FunctionOf(*this, sizes));
}

std::uint64_t Kernel::EigenWorkspace(const Parameters& sizes) const {
  return derived::EigenWorkspace(FunctionOf(*this, sizes));
}

Source Kernel::NaiveCuda(const Parameters& sizes) const {
  return derived::NaiveCuda(FunctionOf(*this, sizes));
}

VendorCall Kernel::Vendor(const Parameters& sizes) const {
  return derived::Vendor(FunctionOf(*this, sizes));
}

std::string Kernel::ReferenceElement(const Parameters& sizes) const {
  return derived::ReferenceElement(FunctionOf(*this, sizes));
}

ArrayLayouts Kernel::Layouts(const Parameters& /*sizes*/) const {
  return {};
}

std::vector<std::string> Kernel::MeaningfulParameters() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) names.push_back(parameter.name);
  return names;
}

bool ArrayLayout::is_dense() const {
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) {
    if (strides[i] != stride && extents[i] > 1) return false;
  }
  return true;
}

}  // namespace exh::kernels
