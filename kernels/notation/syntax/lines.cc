// SPDX-License-Identifier: MIT
#include "kernels/notation/syntax/lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "KernelLexer.h"

namespace exh::kernels::notation {

using grammar::KernelLexer;

bool IsOperator(std::size_t type) {
  switch (type) {
    case KernelLexer::AND:
    case KernelLexer::OR:
    case KernelLexer::XOR:
    case KernelLexer::COLON:
    case KernelLexer::COMMA:
    case KernelLexer::QUESTION:
    case KernelLexer::RANGE:
    case KernelLexer::LE:
    case KernelLexer::GE:
    case KernelLexer::EQ:
    case KernelLexer::NE:
    case KernelLexer::LT:
    case KernelLexer::GT:
    case KernelLexer::ASSIGN:
    case KernelLexer::PLUS:
    case KernelLexer::MINUS:
    case KernelLexer::STAR:
    case KernelLexer::SLASH:
    case KernelLexer::PERCENT:
      return true;
    default:
      return false;
  }
}

std::vector<Line> CutLines(const std::vector<dsl::LexedToken>& tokens,
                           const dsl::SourceSet& sources) {
  std::vector<Line> lines;
  Line line;
  int open = 0;
  std::size_t next = 0;  // The token behind the breaks around.
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
    open = 0;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const dsl::LexedToken& token = tokens[i];
    if (token.type == KernelLexer::BREAK) {
      if (line.empty()) continue;
      next = std::max(next, i);
      while (next < tokens.size() && tokens[next].type == KernelLexer::BREAK) ++next;
      const bool is_semicolon = sources.Text(token.range) == ";";
      const bool goes_on =
          !is_semicolon && (open > 0 || IsOperator(line.back().type) ||
                            (next < tokens.size() && IsOperator(tokens[next].type)));
      const bool is_doc = line.back().type == KernelLexer::DOC;
      if (!goes_on && !is_doc) end_line();
      continue;
    }
    if (token.type == KernelLexer::DOC && !line.empty() && line.back().type != KernelLexer::DOC) {
      end_line();
    }
    if (token.type == KernelLexer::LPAR || token.type == KernelLexer::LBRACKET) ++open;
    if (token.type == KernelLexer::RPAR || token.type == KernelLexer::RBRACKET) --open;
    line.push_back(token);
  }
  end_line();
  return lines;
}

}  // namespace exh::kernels::notation
