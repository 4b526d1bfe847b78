// SPDX-License-Identifier: MIT
//
// The door for JSON that a person wrote or changed: every reader goes through it. Nesting is
// bounded, for what walks a value afterwards calls itself; mistakes are one short line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace exh {

/// Lists and objects within each other; more are refused.
inline constexpr int kDeepestJson = 200;

/// Throws Error, with line and column, where the text nests deeper than kDeepestJson.
void CheckNesting(std::string_view text);

/// What an exception of the parser says, in words for people: the place and what was expected.
std::string JsonMistake(const std::string& what);

/// Throws Error: "line 3, column 7: syntax error while parsing value - invalid literal".
template <typename Json = nlohmann::json>
Json ParseUserJson(std::string_view text) {
  CheckNesting(text);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw Error(JsonMistake(error.what()));
  }
}

/// The same; a discarded value for what is no JSON.
template <typename Json = nlohmann::json>
Json TryUserJson(std::string_view text) {
  try {
    return ParseUserJson<Json>(text);
  } catch (const Error&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace exh
