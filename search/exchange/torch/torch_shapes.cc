// SPDX-License-Identifier: MIT
#include "search/exchange/torch/torch_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace exh::search::torch {
namespace {

using ShapeFunction = std::function<TorchObject(const TorchArguments&)>;
using ShapeTable = std::map<std::string, ShapeFunction, std::less<>>;

TorchObject Tensor(TorchTensor tensor) {
  return {std::move(tensor)};
}

/// `i + 3`, where nothing is added to what begins at 0.
std::string Moved(const std::string& index, std::int64_t begin, std::int64_t step) {
  if (begin == 0 && step == 1) return index;
  if (!PairIn(index).empty()) throw UsageError("a part of a repeated dimension");
  std::string text = step == 1 ? OneWord(index) : fmt::format("{} * {}", step, OneWord(index));
  if (begin > 0) text += fmt::format(" + {}", begin);
  return text;
}

struct SliceBounds {
  std::int64_t begin = 0, step = 1;
  TorchSize size;
  bool is_whole = true;
};

std::optional<std::int64_t> BoundIn(const TorchObject& object) {
  if (object.IsNothing()) return std::nullopt;
  return WholeIn(object.tensor());
}

SliceBounds BoundsOf(const TorchList& slice, const TorchSize& size) {
  SliceBounds bounds;
  bounds.size = size;
  if (slice[0].IsNothing() && slice[1].IsNothing() && slice[2].IsNothing()) return bounds;
  // `x[:n]` of all n, whatever n is.
  const bool is_all = slice[0].IsNothing() && slice[2].IsNothing() && slice[1].IsTensor() &&
                      slice[1].tensor().size && slice[1].tensor().size->Equals(size);
  if (is_all) return bounds;
  if (!size.value) throw UsageError("a slice of a dimension that only a workload decides");
  const std::int64_t all = *size.value;
  const auto within = [&](std::int64_t bound) {
    return std::clamp<std::int64_t>(bound < 0 ? bound + all : bound, 0, all);
  };
  bounds.begin = within(BoundIn(slice[0]).value_or(0));
  bounds.step = BoundIn(slice[2]).value_or(1);
  const std::int64_t end = within(BoundIn(slice[1]).value_or(all));
  if (bounds.step < 1) throw UsageError("a slice with a step of less than 1");
  if (end <= bounds.begin) throw UsageError("a slice of nothing");
  bounds.size = SizeOf((end - bounds.begin + bounds.step - 1) / bounds.step);
  bounds.is_whole = bounds.begin == 0 && bounds.step == 1 && bounds.size.value == all;
  return bounds;
}

TorchTensor Filled(const std::vector<TorchSize>& shape, const TorchTensor& number) {
  TorchTensor filled = number;
  filled.is_python = false;
  filled.known.reset();
  filled.size.reset();
  filled.shape = shape;
  filled.is_free = true;
  filled.at = [number](const TorchIndex&) { return number.at({}); };
  return filled;
}

/// Sizes, each by itself or in one list.
std::vector<TorchSize> SizesFrom(const TorchArguments& arguments, std::size_t first) {
  std::vector<TorchSize> sizes;
  for (std::size_t i = first; i < arguments.places.size(); ++i) {
    const TorchObject& one = arguments.places[i];
    const TorchList all = one.IsList() ? one.list() : TorchList{one};
    for (const TorchObject& size : all) sizes.push_back(SizeIn(size.tensor()));
  }
  return sizes;
}

std::vector<std::size_t> OrderFrom(const TorchArguments& arguments, std::size_t rank) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i < arguments.places.size(); ++i) {
    for (const std::size_t dim : arguments.Dims(i, "dims", rank)) order.push_back(dim);
  }
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < rank; ++i) {
    if (sorted.size() != rank || sorted[i] != i) throw UsageError("no order of all dimensions");
  }
  return order;
}

TorchObject ConvertedTo(const TorchArguments& arguments) {
  TorchTensor tensor = arguments.Tensor(0, "input");
  std::vector<TorchObject> said(arguments.places.begin() + 1, arguments.places.end());
  for (const auto& [name, value] : arguments.names) said.push_back(value);
  for (const TorchObject& one : said) {
    if (const auto* const type = std::get_if<TorchObject::Type>(&one.held)) {
      tensor = Converted(tensor, type->word);
    } else if (one.IsTensor() && !one.tensor().is_python) {
      tensor = Converted(tensor, one.tensor().type);
    }
  }
  return Tensor(tensor);
}

/// The type that is said, or another one.
std::string TypeSaid(const TorchArguments& arguments, const std::string& otherwise) {
  const TorchObject* const said = arguments.Find(99, "dtype");
  const auto* const type = said == nullptr ? nullptr : std::get_if<TorchObject::Type>(&said->held);
  return type == nullptr ? otherwise : type->word;
}

/// Pieces of a dimension, of these sizes.
TorchObject Pieces(const TorchTensor& tensor, std::size_t dim,
                   const std::vector<std::int64_t>& sizes) {
  TorchList pieces;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    std::vector<TorchObject> items(tensor.rank(), TorchObject{TorchList(3)});
    items[dim] = {TorchList{Tensor(NumberOf(static_cast<double>(begin), true)),
                            Tensor(NumberOf(static_cast<double>(begin + size), true)),
                            {}}};
    pieces.push_back(Tensor(ElementOf(tensor, items)));
    begin += size;
  }
  return {pieces};
}

TorchObject Split(const TorchArguments& arguments, bool is_chunk) {
  const TorchTensor tensor = arguments.Tensor(0, "tensor");
  const bool has_dim = arguments.Find(2, "dim") != nullptr;
  const std::size_t dim =
      has_dim ? arguments.Dims(2, "dim", tensor.rank()).at(0) : DimOf(0, tensor.rank());
  if (!tensor.shape[dim].value) {
    throw UsageError("pieces of a dimension that only a workload decides");
  }
  const std::int64_t all = *tensor.shape[dim].value;
  const TorchObject* const how = arguments.Find(1, is_chunk ? "chunks" : "split_size_or_sections");
  if (how == nullptr) throw UsageError("pieces of what size?");
  std::vector<std::int64_t> sizes;
  if (how->IsList()) {
    for (const TorchObject& size : how->list()) sizes.push_back(WholeIn(size.tensor()));
    if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != all) {
      throw UsageError("pieces that are not all of a dimension");
    }
    return Pieces(tensor, dim, sizes);
  }
  const std::int64_t number = WholeIn(how->tensor());
  if (number < 1 || number > 4096) throw UsageError("1 to 4096 pieces");
  const std::int64_t size = is_chunk ? (all + number - 1) / number : number;
  for (std::int64_t left = all; left > 0; left -= size) sizes.push_back(std::min(size, left));
  return Pieces(tensor, dim, sizes);
}

TorchObject Steps(const TorchArguments& arguments) {
  if (arguments.places.size() != 1) throw UsageError("arange with other than one number");
  TorchTensor steps;
  steps.type = "i32";
  steps.shape = {SizeIn(arguments.Tensor(0, "end"))};
  steps.is_free = true;
  steps.at = [](const TorchIndex& index) { return ElementText{index[0]}; };
  return Tensor(
      Converted(steps, TypeSaid(arguments, "i32") == "i64" ? "i32" : TypeSaid(arguments, "i32")));
}

/// The lower or the upper triangle; elsewhere 0.
TorchObject TriangleOf(const TorchArguments& arguments, bool is_upper) {
  const TorchTensor tensor = arguments.Tensor(0, "input");
  const TorchObject* const said = arguments.Find(1, "diagonal");
  const std::int64_t diagonal = said == nullptr ? 0 : WholeIn(said->tensor());
  const TorchTensor nothing = NumberOf(0, true);
  // What is above is not at most one less.
  TorchTensor where = Triangle(tensor, is_upper ? diagonal - 1 : diagonal);
  if (is_upper) where = Inverse(where);
  if (tensor.type == "bool") return Tensor(Combined("&", where, tensor));
  return Tensor(Choice(where, tensor, nothing));
}

TorchObject Expanded(const TorchArguments& arguments) {
  const TorchTensor tensor = arguments.Tensor(0, "input");
  const TorchObject* const other = arguments.Find(1, "other");
  std::vector<TorchSize> shape;
  if (other != nullptr && other->IsTensor() && other->tensor().rank() > 0) {
    shape = other->tensor().shape;
  } else {
    const std::size_t count = arguments.places.size() == 2 && arguments.places[1].IsList()
                                  ? arguments.places[1].list().size()
                                  : arguments.places.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const TorchObject& one =
          arguments.places[1].IsList() ? arguments.places[1].list()[i] : arguments.places[1 + i];
      const TorchTensor& size = one.tensor();
      const bool stays = size.known == -1.0;
      if (stays && i + tensor.rank() < count) throw UsageError("-1 for a new dimension");
      shape.push_back(stays ? tensor.shape[i + tensor.rank() - count] : SizeIn(size));
    }
  }
  shape = BroadcastShape(tensor.shape, shape);
  return Tensor(Viewed(tensor, shape, [own = tensor.shape](const TorchIndex& index) {
    return IndexFor(own, index);
  }));
}

TorchObject SizeFunction(const TorchArguments& arguments) {
  const TorchTensor& tensor = arguments.Tensor(0, "input");
  if (arguments.Find(1, "dim") != nullptr) {
    const std::size_t dim = arguments.Dims(1, "dim", tensor.rank()).at(0);
    return Tensor(NumberOf(tensor.shape[dim]));
  }
  TorchList sizes;
  for (const TorchSize& size : tensor.shape) sizes.push_back(Tensor(NumberOf(size)));
  return {sizes};
}

void AddMade(ShapeTable& table) {
  const auto filled = [&](const char* name, double value, bool is_like) {
    table[name] = [value, is_like](const TorchArguments& arguments) {
      const auto shape = is_like ? arguments.Tensor(0, "input").shape : SizesFrom(arguments, 0);
      const std::string type =
          TypeSaid(arguments, is_like ? arguments.Tensor(0, "input").type : "f32");
      TorchTensor number = NumberOf(value, true);
      number.type = type;
      return Tensor(Filled(shape, number));
    };
  };
  filled("zeros", 0, false);
  filled("ones", 1, false);
  filled("zeros_like", 0, true);
  filled("ones_like", 1, true);
  table["full"] = [](const TorchArguments& arguments) {
    TorchArguments sizes;
    sizes.places = {arguments.places.at(0)};
    TorchTensor number = arguments.Tensor(1, "fill_value");
    number.type = TypeSaid(arguments, number.type);
    return Tensor(Filled(SizesFrom(sizes, 0), number));
  };
  table["full_like"] = [](const TorchArguments& arguments) {
    TorchTensor number = arguments.Tensor(1, "fill_value");
    number.type = TypeSaid(arguments, arguments.Tensor(0, "input").type);
    return Tensor(Filled(arguments.Tensor(0, "input").shape, number));
  };
  table["arange"] = Steps;
  table["tensor"] = [](const TorchArguments& arguments) {
    return Tensor(arguments.Tensor(0, "data"));
  };
  table["tril"] = [](const TorchArguments& arguments) { return TriangleOf(arguments, false); };
  table["triu"] = [](const TorchArguments& arguments) { return TriangleOf(arguments, true); };
  table["device"] = [](const TorchArguments&) { return TorchObject{}; };
  table["item"] = [](const TorchArguments& arguments) {
    const TorchTensor& tensor = arguments.Tensor(0, "input");
    if (tensor.rank() > 0) throw UsageError("'item' of more than one element");
    return Tensor(tensor);
  };
}

void AddTypes(ShapeTable& table) {
  table["to"] = ConvertedTo;
  table["type"] = ConvertedTo;
  table["type_as"] = ConvertedTo;
  for (const char* const name : {"float", "half", "bfloat16", "double", "int", "long", "bool"}) {
    table[name] = [type = TypeOfTorch(name)](const TorchArguments& arguments) {
      const TorchTensor& x = arguments.Tensor(0, "input");
      const bool is_number = x.is_python && x.known.has_value();
      return Tensor(is_number ? x : Converted(x, type));
    };
  }
  for (const char* const name : {"contiguous", "detach", "clone", "cuda", "cpu"}) {
    table[name] = [](const TorchArguments& arguments) {
      return Tensor(arguments.Tensor(0, "input"));
    };
  }
}

void AddViews(ShapeTable& table) {
  table["t"] = [](const TorchArguments& arguments) {
    return Tensor(Transposed(arguments.Tensor(0, "input"), -1, -2));
  };
  table["transpose"] = [](const TorchArguments& arguments) {
    return Tensor(Transposed(arguments.Tensor(0, "input"), WholeIn(arguments.Tensor(1, "dim0")),
                             WholeIn(arguments.Tensor(2, "dim1"))));
  };
  table["swapaxes"] = table["transpose"];
  table["permute"] = [](const TorchArguments& arguments) {
    const TorchTensor& tensor = arguments.Tensor(0, "input");
    return Tensor(Permuted(tensor, OrderFrom(arguments, tensor.rank())));
  };
  table["unsqueeze"] = [](const TorchArguments& arguments) {
    const TorchTensor& tensor = arguments.Tensor(0, "input");
    return Tensor(Unsqueezed(tensor, arguments.Dims(1, "dim", tensor.rank() + 1).at(0)));
  };
  table["squeeze"] = [](const TorchArguments& arguments) {
    const TorchTensor& tensor = arguments.Tensor(0, "input");
    if (arguments.Find(1, "dim") == nullptr) throw UsageError("'squeeze' needs a dimension");
    return Tensor(Squeezed(tensor, arguments.Dims(1, "dim", tensor.rank()).at(0)));
  };
  table["expand"] = Expanded;
  table["expand_as"] = Expanded;
  table["broadcast_to"] = Expanded;
  table["chunk"] = [](const TorchArguments& arguments) { return Split(arguments, true); };
  table["split"] = [](const TorchArguments& arguments) { return Split(arguments, false); };
  table["size"] = SizeFunction;
  table["dim"] = [](const TorchArguments& arguments) {
    return Tensor(NumberOf(static_cast<double>(arguments.Tensor(0, "input").rank()), true));
  };
}

const ShapeTable& Shapes() {
  static const ShapeTable table = [] {
    ShapeTable all;
    AddMade(all);
    AddTypes(all);
    AddViews(all);
    return all;
  }();
  return table;
}

}  // namespace

TorchTensor Viewed(const TorchTensor& tensor, const std::vector<TorchSize>& shape,
                   const std::function<TorchIndex(const TorchIndex&)>& index) {
  TorchTensor view = tensor;
  view.shape = shape;
  view.statement = -1;
  view.at = [tensor, index](const TorchIndex& at) { return tensor.at(index(at)); };
  if (tensor.unrounded) {
    view.unrounded = std::make_shared<TorchTensor>(Viewed(*tensor.unrounded, shape, index));
  }
  return view;
}

std::string OneWord(const std::string& index) {
  return index.find(' ') == std::string::npos ? index : "(" + index + ")";
}

std::size_t DimOf(std::int64_t dim, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  const std::int64_t from_begin = dim < 0 ? dim + count : dim;
  if (from_begin < 0 || from_begin >= count) {
    throw UsageError(fmt::format("dimension {} of {}", dim, rank));
  }
  return static_cast<std::size_t>(from_begin);
}

TorchTensor Permuted(const TorchTensor& tensor, const std::vector<std::size_t>& order) {
  std::vector<TorchSize> shape;
  for (const std::size_t dim : order) shape.push_back(tensor.shape[dim]);
  return Viewed(tensor, shape, [order](const TorchIndex& index) {
    TorchIndex own(index.size());
    for (std::size_t i = 0; i < order.size(); ++i) own[order[i]] = index[i];
    return own;
  });
}

TorchTensor Transposed(const TorchTensor& tensor, std::int64_t a, std::int64_t b) {
  std::vector<std::size_t> order(tensor.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[DimOf(a, tensor.rank())], order[DimOf(b, tensor.rank())]);
  return Permuted(tensor, order);
}

TorchTensor Unsqueezed(const TorchTensor& tensor, std::size_t place) {
  std::vector<TorchSize> shape = tensor.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), SizeOf(1));
  return Viewed(tensor, shape, [place](TorchIndex index) {
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(place));
    return index;
  });
}

TorchTensor Squeezed(const TorchTensor& tensor, std::size_t place) {
  if (!tensor.shape[place].IsOne()) {
    throw UsageError(fmt::format("'squeeze' of a dimension of {}", tensor.shape[place].text));
  }
  std::vector<TorchSize> shape = tensor.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(place));
  return Viewed(tensor, shape, [place](TorchIndex index) {
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(place), "0");
    return index;
  });
}

TorchTensor Placed(const TorchTensor& tensor, const std::string& own, const std::string& all) {
  if (own.size() != tensor.rank()) {
    throw UsageError(fmt::format("'{}' of a tensor with {} dimensions", own, tensor.rank()));
  }
  std::vector<TorchSize> shape;
  for (const char c : all) {
    const std::size_t dim = own.find(c);
    shape.push_back(dim == std::string::npos ? SizeOf(1) : tensor.shape[dim]);
  }
  return Viewed(tensor, shape, [own, all](const TorchIndex& index) {
    TorchIndex placed;
    for (const char c : own) placed.push_back(index[all.find(c)]);
    return placed;
  });
}

TorchTensor Triangle(const TorchTensor& like, std::int64_t diagonal) {
  if (like.rank() < 2) throw UsageError("a triangle of less than two dimensions");
  TorchTensor where;
  where.type = "bool";
  where.is_free = true;
  where.shape = {like.shape[like.rank() - 2], like.shape[like.rank() - 1]};
  where.at = [diagonal](const TorchIndex& index) {
    const std::string most = diagonal == 0  ? index[0]
                             : diagonal > 0 ? fmt::format("{} + {}", index[0], diagonal)
                                            : fmt::format("{} - {}", index[0], -diagonal);
    return ElementText{fmt::format("{} <= {}", index[1], most), Strength::kComparison};
  };
  return where;
}

TorchTensor ElementOf(const TorchTensor& tensor, const std::vector<TorchObject>& given) {
  // What is not named is all of it, at the end or at the dots.
  std::vector<TorchObject> items;
  const auto takes = [](const TorchObject& item) { return !item.IsNothing(); };
  const auto is_dots = [](const TorchObject& item) {
    return std::holds_alternative<std::string>(item.held);
  };
  const auto dots = std::ranges::count_if(given, is_dots);
  const auto named = static_cast<std::size_t>(std::ranges::count_if(given, takes) - dots);
  if (named > tensor.rank() || dots > 1) throw UsageError("more subscripts than dimensions");
  const std::vector<TorchObject> rest(tensor.rank() - named, TorchObject{TorchList(3)});
  for (const TorchObject& item : given) {
    if (is_dots(item)) items.insert(items.end(), rest.begin(), rest.end());
    if (!is_dots(item)) items.push_back(item);
  }
  if (dots == 0) items.insert(items.end(), rest.begin(), rest.end());

  std::vector<TorchSize> shape;
  // From the indices of the result to one of the tensor.
  std::vector<std::function<std::string(const TorchIndex&)>> own;
  bool is_part = tensor.is_part, is_computed = false;
  for (const TorchObject& item : items) {
    const std::size_t place = shape.size();
    if (item.IsNothing()) {
      shape.push_back(SizeOf(1));
      continue;
    }
    const TorchSize& size = tensor.shape[own.size()];
    if (item.IsList()) {
      const SliceBounds bounds = BoundsOf(item.list(), size);
      is_part = is_part || !bounds.is_whole;
      shape.push_back(bounds.size);
      own.emplace_back([place, bounds](const TorchIndex& index) {
        return Moved(index[place], bounds.begin, bounds.step);
      });
      continue;
    }
    const TorchTensor& number = item.tensor();
    if (number.is_python) {
      std::int64_t which = WholeIn(number);
      if (which < 0 && size.value) which += *size.value;
      if (which < 0 || (size.value && which >= *size.value)) {
        throw UsageError(fmt::format("element {} of {}", which, size.text));
      }
      own.emplace_back([which](const TorchIndex&) { return fmt::format("{}", which); });
      continue;
    }
    if (IsFloat(number.type) || number.type == "bool" || is_computed) {
      throw UsageError("of subscripts one may be a tensor of whole numbers");
    }
    is_computed = true;
    shape.insert(shape.end(), number.shape.begin(), number.shape.end());
    own.emplace_back([place, number](const TorchIndex& index) {
      const auto begin = index.begin() + static_cast<std::ptrdiff_t>(place);
      return number
          .at(IndexFor(number.shape,
                       TorchIndex(begin, begin + static_cast<std::ptrdiff_t>(number.rank()))))
          .text;
    });
  }
  TorchTensor element = Viewed(tensor, shape, [own](const TorchIndex& index) {
    TorchIndex made;
    for (const auto& one : own) made.push_back(one(index));
    return made;
  });
  element.is_part = is_part;
  return element;
}

std::optional<TorchObject> CallShapeFunction(const std::string& name,
                                             const TorchArguments& arguments) {
  const auto found = Shapes().find(name);
  if (found == Shapes().end()) return std::nullopt;
  return found->second(arguments);
}

std::vector<std::string> ShapeFunctions() {
  std::vector<std::string> names;
  for (const auto& [name, function] : Shapes()) names.push_back(name);
  return names;
}

}  // namespace exh::search::torch
