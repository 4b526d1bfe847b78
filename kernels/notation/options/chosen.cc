// SPDX-License-Identifier: MIT
#include "kernels/notation/options/chosen.h"

#include <set>

namespace exh::kernels::notation {
namespace {

class Keeper {
 public:
  Keeper(const Kernel& kernel, ResolvedKernel& resolution)
      : kernel_(kernel), resolution_(resolution) {}

  void Run() {
    std::vector<bool>& needed = resolution_.needed;
    needed.assign(kernel_.statements.size(), false);
    for (std::size_t i = kernel_.statements.size(); i-- > 0;) {
      if (resolution_.output_of[i] >= 0) needed[i] = true;
      if (needed[i]) Keep(kernel_.statements[i].value);
    }
    const auto is_lost = [this](const auto& item) { return !kept_.contains(item.first); };
    std::erase_if(resolution_.reads, is_lost);
    std::erase_if(resolution_.numbers, is_lost);
    std::erase_if(resolution_.reductions, is_lost);
  }

 private:
  void Keep(const Expr& expr) {
    const auto chosen = resolution_.chosen.find(&expr);
    if (chosen != resolution_.chosen.end()) return Keep(*chosen->second);
    kept_.insert(&expr);
    const auto read = resolution_.reads.find(&expr);
    if (read != resolution_.reads.end() && read->second.statement >= 0) {
      resolution_.needed[static_cast<std::size_t>(read->second.statement)] = true;
    }
    for (const Expr& arg : expr.args) Keep(arg);
  }

  const Kernel& kernel_;
  ResolvedKernel& resolution_;
  std::set<const Expr*> kept_;
};

}  // namespace

void KeepChosen(const Kernel& kernel, ResolvedKernel& resolution) {
  Keeper(kernel, resolution).Run();
}

}  // namespace exh::kernels::notation
