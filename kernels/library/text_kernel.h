// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/library/kernel.h"

namespace exh::kernels {

/// A kernel as text (docs/kernels.md). Everything but its backbone is derived from that.
class TextKernel final : public Kernel {
 public:
  /// `path`: what messages call the text. Throws UsageError with all that is wrong in it, as
  /// RenderText() (dsl/diagnostics/render.h) shows it.
  TextKernel(const std::string& path, std::string text);
  ~TextKernel() override;

  std::string_view name() const override;
  std::string_view summary() const override;
  std::vector<Parameter> parameters() const override;
  /// Throws UsageError where the sizes do not fit the text: extents that disagree, an index out of
  /// bounds.
  void Build(ir::Builder& builder, const Parameters& sizes) const override;
  std::string_view text() const override;
  ArrayLayouts Layouts(const Parameters& sizes) const override;
  std::vector<std::string> MeaningfulParameters() const override;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
};

/// The text of a kernel of statements alone (kernels/notation/compute.h). Throws UsageError.
std::string TextOfStatements(const std::string& statements, const std::string& type,
                             const Parameters& sizes);

}  // namespace exh::kernels
