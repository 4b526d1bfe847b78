// SPDX-License-Identifier: MIT
#include "lsp/answers/params.h"

#include <fmt/format.h>

#include "lsp/wire/rpc_error.h"

namespace exh::lsp {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw RpcError(RpcCode::kInvalidParams, message);
}

std::uint32_t CountOf(const Json& object, const char* name) {
  constexpr std::int64_t kMost = 2147483647;  // What the protocol allows.
  const std::int64_t number = NumberOf(object, name);
  if (number < 0 || number > kMost) {
    Refuse(fmt::format("'{}' is {}: it is 0 to {}", name, number, kMost));
  }
  return static_cast<std::uint32_t>(number);
}

}  // namespace

const Json* FindMember(const Json& object, const char* name) {
  if (!object.is_object()) Refuse(fmt::format("expected an object with '{}'", name));
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& MemberOf(const Json& object, const char* name) {
  const Json* const member = FindMember(object, name);
  if (member == nullptr) Refuse(fmt::format("'{}' is missing", name));
  return *member;
}

std::string TextOf(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  if (!member.is_string()) Refuse(fmt::format("'{}' is no text", name));
  return member.get<std::string>();
}

std::int64_t NumberOf(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  if (!member.is_number_integer()) Refuse(fmt::format("'{}' is no whole number", name));
  return member.get<std::int64_t>();
}

std::string UriOf(const Json& params) {
  return TextOf(MemberOf(params, "textDocument"), "uri");
}

EditorPosition PositionOf(const Json& position) {
  return {CountOf(position, "line"), CountOf(position, "character")};
}

std::vector<TextChange> ChangesOf(const Json& params) {
  const Json& list = MemberOf(params, "contentChanges");
  if (!list.is_array()) Refuse("'contentChanges' is no list");
  std::vector<TextChange> changes;
  for (const Json& each : list) {
    TextChange& change = changes.emplace_back();
    change.text = TextOf(each, "text");
    const Json* const range = FindMember(each, "range");
    if (range == nullptr) continue;
    change.range = {PositionOf(MemberOf(*range, "start")), PositionOf(MemberOf(*range, "end"))};
  }
  return changes;
}

Json JsonOf(EditorPosition position) {
  return {{"line", position.line}, {"character", position.character}};
}

}  // namespace exh::lsp
