// SPDX-License-Identifier: MIT
#include "kernels/library/text_kernel.h"

#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "dsl/diagnostics/render.h"
#include "kernels/ir/function.h"
#include "kernels/notation/axes/joined_axes.h"
#include "kernels/notation/compute.h"
#include "kernels/notation/lower/lower.h"
#include "kernels/notation/names_of_meaning.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/parse.h"

namespace exh::kernels {
namespace {

[[noreturn]] void Refuse(const dsl::DiagnosticSink& sink) {
  std::string text = dsl::RenderText(sink);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  throw UsageError(text);
}

std::uint32_t Open(const std::string& path, std::string text, dsl::DiagnosticSink& sink) {
  sink.sources().AddInMemory(path, std::move(text));
  std::string error;
  const auto file = sink.sources().Open(path, std::nullopt, &error);
  if (!file) throw UsageError(error);
  return *file;
}

notation::Sizes SizesOf(const Parameters& parameters) {
  return {parameters.begin(), parameters.end()};
}

}  // namespace

struct TextKernel::Parsed {
  std::string path, text;
  notation::Kernel kernel;
  Parsed(std::string where, std::string what) : path(std::move(where)), text(std::move(what)) {
    dsl::DiagnosticSink sink;
    kernel = notation::ParseKernel(Open(path, text, sink), sink);
    if (sink.has_errors()) Refuse(sink);
    Lower({}, nullptr);
  }

  /// Says what is wrong at these sizes, and writes the backbone to `builder` unless that is null.
  void Lower(const notation::Sizes& sizes, ir::Builder* builder) const {
    dsl::DiagnosticSink sink;
    Open(path, text, sink);  // Places in the tree are places in this.
    auto resolution = notation::Resolve(kernel, sizes, sink);
    if (!resolution) Refuse(sink);
    if (builder == nullptr || !builder->is_paper()) notation::JoinAxes(kernel, *resolution);
    ir::Function scratch;
    ir::Builder own(scratch);
    if (!notation::Lower(kernel, *resolution, builder == nullptr ? own : *builder, sink)) {
      Refuse(sink);
    }
  }
};

TextKernel::TextKernel(const std::string& path, std::string text)
    : parsed_(std::make_unique<const Parsed>(path, std::move(text))) {}

TextKernel::~TextKernel() = default;

std::string_view TextKernel::name() const {
  return parsed_->kernel.name.text;
}

std::string_view TextKernel::summary() const {
  return parsed_->kernel.doc;
}

std::vector<Parameter> TextKernel::parameters() const {
  std::vector<Parameter> parameters;
  for (const notation::SizeDecl& size : parsed_->kernel.sizes) {
    parameters.push_back({size.name.text, notation::DefaultOf(size), size.min.value_or(1),
                          size.max.value_or(ir::kLargestExtent), size.doc});
    for (const notation::Name& word : size.words) parameters.back().words.push_back(word.text);
    parameters.back().is_option = size.is_option;
  }
  return parameters;
}

void TextKernel::Build(ir::Builder& builder, const Parameters& sizes) const {
  parsed_->Lower(SizesOf(sizes), &builder);
}

std::string_view TextKernel::text() const {
  return parsed_->text;
}

ArrayLayouts TextKernel::Layouts(const Parameters& sizes) const {
  dsl::DiagnosticSink sink;
  Open(parsed_->path, parsed_->text, sink);
  const auto resolution = notation::Resolve(parsed_->kernel, SizesOf(sizes), sink);
  if (!resolution) Refuse(sink);
  ArrayLayouts layouts;
  for (const notation::ArrayShape& shape : resolution->arrays) {
    layouts[shape.decl->name.text] = {shape.extents, shape.strides};
  }
  return layouts;
}

std::vector<std::string> TextKernel::MeaningfulParameters() const {
  const std::set<std::string> used = notation::NamesOfMeaning(parsed_->kernel);
  std::vector<std::string> names;
  for (const notation::SizeDecl& size : parsed_->kernel.sizes) {
    if (used.count(size.name.text) > 0) names.push_back(size.name.text);
  }
  return names;
}

std::string TextOfStatements(const std::string& statements, const std::string& type,
                             const Parameters& sizes) {
  dsl::DiagnosticSink sink;
  const std::uint32_t file = Open("--compute", statements, sink);
  const auto text = notation::KernelOfStatements(file, "compute", type, SizesOf(sizes), sink);
  if (!text) Refuse(sink);
  return *text;
}

}  // namespace exh::kernels
