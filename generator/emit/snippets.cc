// SPDX-License-Identifier: MIT
#include "generator/emit/snippets.h"

#include <algorithm>
#include <cctype>

#include "generator/plan/names.h"

namespace exh::generator {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Where the source has more than the snippet says (a continued line, the seam of two literals),
/// put blanks and newlines in, so that every character keeps its line and column. Gives `text` back
/// when that would split a word or the source does not hold the text in order.
std::string Spread(const std::string& text, const std::string& source, std::size_t begin) {
  std::string spread;
  std::size_t at = begin;
  for (const char c : text) {
    std::string gap;
    while (at < source.size() && (source[at] == '"' || source.compare(at, 2, "\\\n") == 0)) {
      const bool seam = source[at] == '"';
      std::size_t end = at + (seam ? 1 : 2);
      if (seam) {
        end = std::min(source.find('"', end), source.size() - 1) + 1;
      } else {
        while (end < source.size() && (source[end] == ' ' || source[end] == '\t')) ++end;
      }
      for (; at < end; ++at) gap += source[at] == '\n' ? '\n' : ' ';
    }
    if (at >= source.size() || source[at] != c) return text;
    const bool splits =
        !gap.empty() && !spread.empty() && IsWordCharacter(c) && IsWordCharacter(spread.back());
    if (splits) return text;
    spread += gap + c;
    ++at;
  }
  return spread;
}

/// Replaces each `$name`; `text` is the snippet's, perhaps spread.
std::string Substituted(const std::string& text) {
  std::string code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool variable = text[i] == '$' && i + 1 < text.size() && IsWordCharacter(text[i + 1]);
    if (!variable) {
      code += text[i];
      continue;
    }
    std::string name;
    while (i + 1 < text.size() && IsWordCharacter(text[i + 1])) name += text[++i];
    code += ' ' + LocalName(name);
  }
  return code;
}

}  // namespace

std::string LocalName(const std::string& dsl_name) {
  // Names of ours that stand where snippets do begin with `exh_`.
  return Identifier(dsl_name.starts_with("exh_") ? dsl_name + "_" : dsl_name);
}

std::string SnippetText(const dsl::Snippet& snippet) {
  return Substituted(snippet.text);
}

void PrintSnippet(CodeWriter& out, const SpacePlan& plan, const dsl::Snippet& snippet) {
  if (!plan.options.line_directives) {
    out.Raw("      " + SnippetText(snippet));
    return;
  }
  const std::string& source = plan.spec->files.at(snippet.range.file).text;
  out.Raw(fmt::format("#line {} {}", plan.LineOf(snippet.range), Quoted(plan.File(snippet.range))));
  const std::string pad(static_cast<std::size_t>(plan.ColumnOf(snippet.range)), ' ');
  out.Raw(pad + Substituted(Spread(snippet.text, source, snippet.range.begin)));
  out.Raw(fmt::format("#line {} {}", out.next_line() + 1, Quoted(plan.options.prefix + ".cc")));
}

void PrintAround(CodeWriter& out, const SpacePlan& plan, std::string_view head,
                 const dsl::Snippet& snippet, std::string_view tail) {
  if (!plan.options.line_directives) {
    out.Text(std::string(head) + SnippetText(snippet) + std::string(tail));
    return;
  }
  out.Text(head);
  PrintSnippet(out, plan, snippet);
  out.Text(tail);
}

}  // namespace exh::generator
