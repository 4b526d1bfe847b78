// SPDX-License-Identifier: MIT
#include "load/space_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "dsl/known/known_term.h"
#include "load/json_data.h"

namespace exh::load {
namespace {

using runtime::kNoObject;
using runtime::Object;
using Member = runtime::Host::Member;

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;

template <typename T>
const T& At(const std::vector<T>& all, int index) {
  return all[static_cast<std::size_t>(index)];
}
template <typename T>
T& At(std::vector<T>& all, int index) {
  return all[static_cast<std::size_t>(index)];
}

bool IsAsked(const dsl::External& external) {
  return !external.has_code && !external.present;
}

class Reader {
 public:
  Reader(const dsl::Spec& spec, const Given& given, dsl::DiagnosticSink& sink)
      : spec_(spec), given_(given), sink_(sink), json_(given.data, given.data_name) {
    data_.names.resize(spec.sets.size());
    data_.first_numbers.resize(spec.sets.size());
    data_.members.resize(spec.sets.size());
    data_.constants.resize(spec.externals.size());
    data_.predicates.resize(spec.externals.size());
    fields_.resize(spec.sets.size());
  }

  std::optional<SpaceData> Read() {
    CheckSizes();
    CheckKeys();
    for (int i = 0; i < Count(spec_.externals); ++i) {
      const dsl::External& external = At(spec_.externals, i);
      if (IsAsked(external) && external.constant && external.arguments.empty()) ReadSize(i);
    }
    if (missing_) return std::nullopt;
    for (int set = 0; set < Count(spec_.sets); ++set) ReadSet(set);
    if (missing_) return std::nullopt;
    for (int i = 0; i < Count(spec_.externals); ++i) {
      const dsl::External& external = At(spec_.externals, i);
      if (!IsAsked(external)) continue;
      if (!external.constant) {
        ReadPredicate(i);
      } else if (!external.arguments.empty()) {
        ReadConstant(i);
      }
    }
    if (missing_) return std::nullopt;
    return std::move(data_);
  }

 private:
  template <typename T>
  static int Count(const std::vector<T>& all) {
    return static_cast<int>(all.size());
  }

  void Missing(dsl::SourceRange range, std::string message) {
    missing_ = true;
    sink_.Report(dsl::Diag::kNotGiven, range, std::move(message));
  }

  /// "data.json" in messages of the space.
  std::string DataName() const { return given_.data_name.empty() ? "the data" : given_.data_name; }

  // ---- names

  void CheckSizes() const {
    std::vector<std::string> known;
    for (const dsl::External& external : spec_.externals) {
      if (IsAsked(external) && external.constant && external.arguments.empty()) {
        known.push_back(external.name);
      }
    }
    for (const auto& [name, number] : given_.sizes) {
      if (std::ranges::find(known, name) == known.end()) {
        throw UsageError(known.empty() ? fmt::format("the space has no size '{0}': it has none; "
                                                     "'extern constant {0}' would be one",
                                                     name)
                                       : UnknownName("size", name, known));
      }
      if (number < -kLargestNumber || number > kLargestNumber) {
        throw UsageError(
            fmt::format("bad size {}={}: a whole number from -2^31 to 2^31", name, number));
      }
    }
  }

  void CheckKeys() const {
    std::vector<std::string> known;
    for (const dsl::Set& set : spec_.sets) {
      if (set.given) known.push_back(set.name);
    }
    for (const dsl::External& external : spec_.externals) {
      if (IsAsked(external)) known.push_back(external.name);
    }
    for (const auto& [key, value] : json_.root().items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      json_.Fail("", UnknownName("key", key, known) +
                         (known.empty() ? ": the space asks for no data" : ""));
    }
  }

  /// The object of a set that is called so. `members`: those it may be.
  Object Find(int set, const std::vector<Member>& members, Object parameter, const Json& json,
              const std::string& path) const {
    const int root = At(spec_.sets, set).root;
    std::string name;
    if (json.is_number_integer() && At(spec_.sets, root).numbers) {
      name = json.dump();
    } else {
      name = json_.Text(json, path, "the name of an object");
    }
    return FindName(set, members, parameter, name, path);
  }

  Object FindName(int set, const std::vector<Member>& members, Object parameter,
                  const std::string& name, const std::string& path) const {
    const std::vector<std::string>& all = At(data_.names, At(spec_.sets, set).root);
    std::vector<std::string> known;
    for (const Member& member : members) {
      if (member.parameter != kNoObject && parameter != kNoObject &&
          member.parameter != parameter) {
        continue;
      }
      if (all[member.object] == name) return member.object;
      known.push_back(all[member.object]);
    }
    json_.Fail(path, UnknownName("object of " + At(spec_.sets, set).name, name, known));
  }

  // ---- constants without arguments

  void ReadSize(int index) {
    const dsl::External& external = At(spec_.externals, index);
    std::optional<std::int64_t> number = external.number;
    if (const Json* const json = json_.Find(external.name)) {
      number = json_.Number(*json, external.name);
    }
    const auto size = given_.sizes.find(external.name);
    if (size != given_.sizes.end()) number = size->second;
    if (!number) {
      Missing(
          external.range,
          fmt::format("constant '{0}' is not given: say --size {0}=NUMBER, or \"{0}\": NUMBER in "
                      "{1}",
                      external.name, DataName()));
      return;
    }
    At(data_.constants, index).emplace(ObjectTuple(), *number);
  }

  std::int64_t BoundOf(const dsl::Term& term, const dsl::Set& set) {
    const auto known = dsl::ValueOf(term, [this](const dsl::TermNode& node) {
      return node.external < 0 ? 0 : data_.Number(node.external, {});
    });
    if (known.value && known.value->up >= -kLargestNumber && known.value->up <= kLargestNumber) {
      return known.value->up;
    }
    throw UsageError(
        fmt::format("a bound of set {} {}", set.name,
                    known.over_zero ? "divides by 0" : "is no number from -2^31 to 2^31"));
  }

  // ---- sets

  void ReadSet(int index) {
    const dsl::Set& set = At(spec_.sets, index);
    if (set.numbers) {
      ReadNumbers(index);
    } else if (set.given && !set.superset) {
      ReadRoot(index);
    } else if (set.given) {
      ReadSubset(index);
    }
  }

  void ReadNumbers(int index) {
    const dsl::Set& set = At(spec_.sets, index);
    for (const dsl::Term* term : {&set.numbers->first, &set.numbers->last}) {
      for (const dsl::TermNode& node : *term) {
        if (node.kind != dsl::TermNode::Kind::kCode || node.external >= 0) continue;
        return;  // Code, which is refused where it stands.
      }
    }
    const std::int64_t first = BoundOf(set.numbers->first, set);
    const std::int64_t last = BoundOf(set.numbers->last, set);
    if (last - first >= runtime::kMaxObjects) {
      throw UsageError(fmt::format("set {} goes from {} to {}: a set has at most {} objects",
                                   set.name, first, last, runtime::kMaxObjects));
    }
    At(data_.first_numbers, index) = first;
    for (std::int64_t number = first; number <= last; ++number) {
      At(data_.members, index).push_back({kNoObject, static_cast<Object>(number - first)});
      At(data_.names, index).push_back(fmt::format("{}", number));
    }
  }

  void NotListed(const dsl::Set& set) {
    const char* const example = set.parameter ? "{\"object\": [\"name\", …]}" : "[\"name\", …]";
    Missing(set.range,
            fmt::format("the objects of set '{0}' are not given: say \"{0}\": {1} in {2}", set.name,
                        example, DataName()));
  }

  void ReadRoot(int index) {
    const dsl::Set& set = At(spec_.sets, index);
    const Json* const json = json_.Find(set.name);
    if (json == nullptr) return NotListed(set);
    if (!set.parameter) {
      json_.ForEach(*json, set.name, [&](const Json& item, const std::string& path) {
        At(data_.members, index).push_back({kNoObject, AddObject(index, item, path)});
      });
      return;
    }
    // One name is one object, whatever list it stands in.
    ForEachOwner(
        set, *json, set.name, [&](Object owner, const Json& list, const std::string& path) {
          json_.ForEach(list, path, [&](const Json& item, const std::string& at) {
            const std::string name = json_.Text(item, at, "the name of an object");
            std::vector<std::string>& names = At(data_.names, index);
            const auto known = std::ranges::find(names, name);
            const Object object = known == names.end() ? AddName(index, name, at)
                                                       : static_cast<Object>(known - names.begin());
            AddMember(index, {owner, object}, at);
          });
        });
  }

  Object AddName(int root, const std::string& name, const std::string& path) {
    std::vector<std::string>& names = At(data_.names, root);
    if (name.empty() || name.find_first_of(" \t\r\n\v\f,()") != std::string::npos) {
      json_.Fail(path, fmt::format("an object is called '{}': a name has no blanks, commas and "
                                   "parentheses, and is not empty",
                                   name));
    }
    if (!known_names_.emplace(root, name).second) {
      json_.Fail(path,
                 fmt::format("two objects of {} are called '{}'", At(spec_.sets, root).name, name));
    }
    if (names.size() >= static_cast<std::size_t>(runtime::kMaxObjects)) {
      json_.Fail(path, fmt::format("a set has at most {} objects", runtime::kMaxObjects));
    }
    names.push_back(name);
    return static_cast<Object>(names.size() - 1);
  }

  /// A name, or an object of JSON with a name and fields.
  Object AddObject(int root, const Json& item, const std::string& path) {
    if (!item.is_object()) {
      return AddName(root, json_.Text(item, path, "a name, or an object with a \"name\""), path);
    }
    const auto name = item.find("name");
    if (name == item.end()) json_.Fail(path, "an object without a \"name\"");
    const Object object =
        AddName(root, json_.Text(*name, path + ".name", "the name of the object"), path + ".name");
    for (const auto& [key, value] : item.items()) {
      if (key == "name") continue;
      const std::vector<std::string> known = FieldsOf(root);
      if (std::ranges::find(known, key) == known.end()) {
        json_.Fail(path, UnknownName("field", key, known));
      }
      At(fields_, root)[key].push_back({object, &value, path + "." + key});
    }
    return object;
  }

  /// Names of the constants, predicates and relations with one parameter, of objects of the root.
  std::vector<std::string> FieldsOf(int root) const {
    std::vector<std::string> names;
    const auto is_one = [&](const dsl::Variable& variable) {
      return variable.set.set >= 0 && At(spec_.sets, variable.set.set).root == root;
    };
    for (const dsl::External& external : spec_.externals) {
      if (IsAsked(external) && external.arguments.size() == 1 && is_one(external.arguments[0])) {
        names.push_back(external.name);
      }
    }
    for (const dsl::Set& set : spec_.sets) {
      if (set.given && set.superset && set.parameter && is_one(*set.parameter)) {
        names.push_back(set.name);
      }
    }
    return names;
  }

  struct Field {
    Object object;
    const Json* json;
    std::string path;
  };

  /// The fields of that name of the objects of the root of a set; null when no object has one.
  const std::vector<Field>* FieldsNamed(const std::string& name, const dsl::Variable& of) const {
    const auto& fields = At(fields_, At(spec_.sets, of.set.set).root);
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : &found->second;
  }

  /// Where something stands in the data: by itself, or as fields of the objects of `of`.
  struct Places {
    const Json* json;
    const std::vector<Field>* fields;
  };
  Places PlacesOf(const std::string& name, const dsl::Variable* of) const {
    const Places places = {json_.Find(name), of == nullptr ? nullptr : FieldsNamed(name, *of)};
    if (places.json != nullptr && places.fields != nullptr) {
      json_.Fail(name, "it is given twice: here, and in " + places.fields->front().path);
    }
    return places;
  }

  /// Calls visit(object, value, path) for each member of the parameter's set that `json` names.
  template <typename Visit>
  void ForEachOwner(const dsl::Set& set, const Json& json, const std::string& path,
                    const Visit& visit) const {
    const int owners = set.parameter->set.set;
    json_.ExpectObject(json, path, "lists by the object that they belong to");
    for (const auto& [key, value] : json.items()) {
      const std::string at = path + "." + key;
      visit(FindName(owners, At(data_.members, owners), kNoObject, key, at), value, at);
    }
  }

  void AddMember(int index, Member member, const std::string& path) {
    std::vector<Member>& members = At(data_.members, index);
    if (!known_members_.emplace(index, member).second) {
      json_.Fail(path, fmt::format("'{}' stands twice",
                                   At(data_.names, At(spec_.sets, index).root)[member.object]));
    }
    members.push_back(member);
  }

  void ReadMembers(int index, Object owner, const Json& list, const std::string& path) {
    const int superset = At(spec_.sets, index).superset->set;
    const bool same_owner = At(spec_.sets, index).superset->parameter >= 0;
    json_.ForEach(list, path, [&](const Json& item, const std::string& at) {
      const Object object =
          Find(superset, At(data_.members, superset), same_owner ? owner : kNoObject, item, at);
      AddMember(index, {owner, object}, at);
    });
  }

  void ReadSubset(int index) {
    const dsl::Set& set = At(spec_.sets, index);
    const auto [json, fields] = PlacesOf(set.name, set.parameter ? &*set.parameter : nullptr);
    if (json == nullptr && fields == nullptr) return NotListed(set);
    if (!set.parameter) return ReadMembers(index, kNoObject, *json, set.name);
    if (fields != nullptr) {
      for (const Field& field : *fields) ReadMembers(index, field.object, *field.json, field.path);
      return;
    }
    ForEachOwner(set, *json, set.name,
                 [&](Object owner, const Json& list, const std::string& path) {
                   ReadMembers(index, owner, list, path);
                 });
  }

  // ---- externs with arguments

  /// The members of the set of argument `number`, whose parameter may be one of `tuple`.
  Object Owner(const dsl::Variable& argument, const ObjectTuple& tuple) const {
    return argument.set.parameter < 0 ? kNoObject
                                      : tuple[static_cast<std::size_t>(argument.set.parameter)];
  }

  void ReadConstant(int index) {
    const dsl::External& external = At(spec_.externals, index);
    const auto [json, fields] =
        PlacesOf(external.name, external.arguments.size() == 1 ? &external.arguments[0] : nullptr);
    auto& numbers = At(data_.constants, index);
    if (fields != nullptr) {
      for (const Field& field : *fields) {
        numbers.emplace(ObjectTuple{field.object}, json_.Number(*field.json, field.path));
      }
    } else if (json != nullptr) {
      ObjectTuple tuple;
      ReadNested(external, *json, external.name, &tuple, &numbers);
    }
    if (external.number) {  // Of all for which there is no other.
      FillDefault(external, &numbers);
      return;
    }
    ObjectTuple tuple;
    CheckComplete(external, numbers, &tuple);
  }

  void ReadNested(const dsl::External& external, const Json& json, const std::string& path,
                  ObjectTuple* tuple, std::map<ObjectTuple, std::int64_t>* numbers) const {
    if (tuple->size() == external.arguments.size()) {
      numbers->emplace(*tuple, json_.Number(json, path));
      return;
    }
    const dsl::Variable& argument = external.arguments[tuple->size()];
    json_.ExpectObject(json, path, "numbers by the name of an object");
    for (const auto& [key, value] : json.items()) {
      const std::string at = path + "." + key;
      tuple->push_back(FindName(argument.set.set, At(data_.members, argument.set.set),
                                Owner(argument, *tuple), key, at));
      ReadNested(external, value, at, tuple, numbers);
      tuple->pop_back();
    }
  }

  /// Calls visit(tuple) for each tuple of distinct objects until it says false.
  template <typename Visit>
  bool ForEachTuple(const dsl::External& external, ObjectTuple* tuple, const Visit& visit) const {
    if (tuple->size() == external.arguments.size()) return visit(*tuple);
    const dsl::Variable& argument = external.arguments[tuple->size()];
    const Object owner = Owner(argument, *tuple);
    for (const Member& member : At(data_.members, argument.set.set)) {
      if (member.parameter != owner) continue;
      bool twice = false;
      for (std::size_t i = 0; i < tuple->size(); ++i) {
        twice = twice ||
                ((*tuple)[i] == member.object && RootOf(external.arguments[i]) == RootOf(argument));
      }
      if (twice) continue;
      tuple->push_back(member.object);
      const bool goes_on = ForEachTuple(external, tuple, visit);
      tuple->pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  int RootOf(const dsl::Variable& variable) const { return At(spec_.sets, variable.set.set).root; }

  void FillDefault(const dsl::External& external,
                   std::map<ObjectTuple, std::int64_t>* numbers) const {
    ObjectTuple tuple;
    ForEachTuple(external, &tuple, [&](const ObjectTuple& each) {
      numbers->emplace(each, *external.number);
      return true;
    });
  }

  void CheckComplete(const dsl::External& external,
                     const std::map<ObjectTuple, std::int64_t>& numbers, ObjectTuple* tuple) {
    ForEachTuple(external, tuple, [&](const ObjectTuple& each) {
      if (numbers.contains(each)) return true;
      std::string path = external.name, example = "NUMBER";
      for (std::size_t i = each.size(); i-- > 0;) {
        const std::string& name = At(data_.names, RootOf(external.arguments[i]))[each[i]];
        example = fmt::format("{{\"{}\": {}}}", name, example);
      }
      Missing(external.range, fmt::format("constant '{0}' is not given for all objects: say "
                                          "\"{0}\": {1} in {2}",
                                          external.name, example, DataName()));
      return false;
    });
  }

  void ReadPredicate(int index) {
    const dsl::External& external = At(spec_.externals, index);
    const auto [json, fields] =
        PlacesOf(external.name, external.arguments.size() == 1 ? &external.arguments[0] : nullptr);
    std::set<ObjectTuple>& holds = At(data_.predicates, index);
    if (fields != nullptr) {
      for (const Field& field : *fields) {
        if (json_.Truth(*field.json, field.path)) holds.insert({field.object});
      }
      return;
    }
    if (json == nullptr) {
      Missing(external.range,
              fmt::format("predicate '{0}' is not given: say \"{0}\": {1} in {2}", external.name,
                          external.arguments.empty()       ? "true"
                          : external.arguments.size() == 1 ? "[\"name\", …]"
                                                           : "[[\"name\", \"name\"], …]",
                          DataName()));
      return;
    }
    if (external.arguments.empty()) {
      if (json_.Truth(*json, external.name)) holds.insert(ObjectTuple());
      return;
    }
    json_.ForEach(*json, external.name, [&](const Json& item, const std::string& path) {
      if (!holds.insert(TupleOf(external, item, path)).second) json_.Fail(path, "it stands twice");
    });
  }

  ObjectTuple TupleOf(const dsl::External& external, const Json& item,
                      const std::string& path) const {
    ObjectTuple tuple;
    const auto add = [&](const Json& name, const std::string& at) {
      if (tuple.size() == external.arguments.size()) {
        json_.Fail(path, fmt::format("'{}' takes {} objects", external.name, tuple.size()));
      }
      const dsl::Variable& argument = external.arguments[tuple.size()];
      tuple.push_back(Find(argument.set.set, At(data_.members, argument.set.set),
                           Owner(argument, tuple), name, at));
    };
    if (external.arguments.size() == 1 && !item.is_array()) {
      add(item, path);
    } else {
      json_.ForEach(item, path, add);
    }
    if (tuple.size() < external.arguments.size()) {
      json_.Fail(
          path, fmt::format("'{}' takes {} objects, and here {} stand{}", external.name,
                            external.arguments.size(), tuple.size(), tuple.size() == 1 ? "s" : ""));
    }
    return tuple;
  }

  const dsl::Spec& spec_;
  const Given& given_;
  dsl::DiagnosticSink& sink_;
  const JsonData json_;
  SpaceData data_;
  std::vector<std::map<std::string, std::vector<Field>>> fields_;  // By root.
  std::set<std::pair<int, std::string>> known_names_;
  std::set<std::pair<int, Member>> known_members_;
  bool missing_ = false;
};

}  // namespace

std::int64_t SpaceData::Number(int external, const ObjectTuple& tuple) const {
  const auto& numbers = constants[static_cast<std::size_t>(external)];
  const auto found = numbers.find(tuple);
  return found == numbers.end() ? 0 : found->second;
}

std::optional<SpaceData> ReadSpaceData(const dsl::Spec& spec, const Given& given,
                                       dsl::DiagnosticSink& sink) {
  return Reader(spec, given, sink).Read();
}

}  // namespace exh::load
