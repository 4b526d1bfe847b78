// SPDX-License-Identifier: MIT
#include "base/user_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.h"

namespace exh {

void CheckNesting(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == ']' || c == '}') --depth;
    if ((c != '[' && c != '{') || ++depth <= kDeepestJson) continue;
    const std::string_view before = text.substr(0, i);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0.
    throw Error(fmt::format("line {}, column {}: lists and objects nest deeper than {}", line,
                            i - begin + 1, kDeepestJson));
  }
}

std::string JsonMistake(const std::string& what) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: … - unexpected …; last
  // read: …": the place and what was expected are for people, the rest is not.
  std::string said = what;
  if (const std::size_t at = said.find(" at line "); at != std::string::npos) {
    said = said.substr(at + 4);
  } else if (const std::size_t bracket = said.find("] "); bracket != std::string::npos) {
    said = said.substr(bracket + 2);
  }
  if (const std::size_t read = said.find("; last read: "); read != std::string::npos) {
    const std::size_t more = said.find("; expected ", read);
    said = said.substr(0, read) + (more == std::string::npos ? "" : said.substr(more));
  }
  return Shortened(said, 300);
}

}  // namespace exh
