// SPDX-License-Identifier: MIT
#include "search/exchange/torch/torch_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "search/exchange/torch/torch_shapes.h"

namespace exh::search::torch {
namespace {

using Arguments = TorchArguments;
using Function = std::function<TorchObject(const Arguments&, TorchBody&)>;
using Functions = std::map<std::string, Function, std::less<>>;

TorchObject Of(TorchTensor tensor) {
  return {std::move(tensor)};
}

TorchTensor Real(double value) {
  return NumberOf(value, false);
}
TorchTensor Whole(std::int64_t value) {
  return NumberOf(static_cast<double>(value), true);
}

/// Reduces dimensions, which go, or stay with one step.
TorchTensor ReducedOver(const std::string& reduction, const TorchTensor& tensor,
                        const std::vector<std::size_t>& dims, bool keeps, TorchBody& body) {
  const auto is_reduced = [&](std::size_t i) { return std::ranges::count(dims, i) > 0; };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    if (!is_reduced(i)) order.push_back(i);
  }
  const std::size_t kept = order.size();
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    if (is_reduced(i)) order.push_back(i);
  }
  TorchTensor reduced = body.Reduced(reduction, Permuted(tensor, order), kept);
  if (!keeps) return reduced;
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    if (is_reduced(i)) reduced = Unsqueezed(reduced, i);
  }
  return reduced;
}

std::vector<std::size_t> DimsOrAll(const Arguments& arguments, std::size_t rank) {
  const TorchObject* const dim = arguments.Find(1, "dim");
  if (dim != nullptr && !dim->IsNothing()) return arguments.Dims(1, "dim", rank);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < rank; ++i) all.push_back(i);
  return all;
}

Function ReductionBy(const std::string& reduction) {
  return [reduction](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    const TorchObject* const other = arguments.Find(1, "other");
    if ((reduction == "min" || reduction == "max") && other != nullptr && other->IsTensor() &&
        (other->tensor().rank() > 0 || x.rank() == 0)) {
      return Of(CombinedBy(reduction, x, other->tensor()));
    }
    const bool keeps = arguments.Flag(2, "keepdim", false);
    return Of(ReducedOver(reduction, x, DimsOrAll(arguments, x.rank()), keeps, body));
  };
}

/// `x.max(dim)` yields the values and where they are, `x.amax(dim)` the values alone.
Function ExtremeBy(const std::string& reduction) {
  return [reduction](const Arguments& arguments, TorchBody& body) {
    const TorchObject reduced = ReductionBy(reduction)(arguments, body);
    const bool has_dim = arguments.Find(1, "dim") != nullptr;
    const bool is_of_two =
        has_dim && arguments.places.size() > 1 && arguments.places[1].IsTensor() &&
        (arguments.places[1].tensor().rank() > 0 || arguments.places[0].tensor().rank() == 0);
    if (!has_dim || is_of_two) return reduced;
    return TorchObject{TorchList{reduced, TorchObject{}}};
  };
}

TorchTensor StepsIn(const TorchTensor& x, const std::vector<std::size_t>& dims) {
  TorchTensor steps = Whole(1);
  for (const std::size_t dim : dims) steps = Combined("*", steps, NumberOf(x.shape[dim]));
  return steps;
}

TorchTensor Mean(const TorchTensor& x, const std::vector<std::size_t>& dims, bool keeps,
                 TorchBody& body) {
  const TorchTensor sum = ReducedOver("sum", x, dims, keeps, body);
  return Combined("/", sum, StepsIn(x, dims));
}

TorchTensor Variance(const TorchTensor& given, const std::vector<std::size_t>& dims, bool keeps,
                     std::int64_t correction, TorchBody& body) {
  const TorchTensor x = body.Plain("t", given);
  const TorchTensor away = body.Named("away", Combined("-", x, Mean(x, dims, true, body)));
  const TorchTensor sum = ReducedOver("sum", Combined("*", away, away), dims, keeps, body);
  TorchTensor steps = StepsIn(x, dims);
  if (correction != 0) steps = Combined("-", steps, Whole(correction));
  return Combined("/", sum, steps);
}

struct SoftmaxParts {
  TorchTensor x, top, exponential, total;
};

SoftmaxParts SoftmaxOver(const TorchTensor& given, std::size_t dim, TorchBody& body) {
  SoftmaxParts parts;
  parts.x = body.Plain("t", given);
  parts.top = ReducedOver("max", parts.x, {dim}, true, body);
  parts.exponential = body.Named("e", FunctionOf("exp", Combined("-", parts.x, parts.top)));
  parts.total = ReducedOver("sum", parts.exponential, {dim}, true, body);
  return parts;
}

TorchTensor Sigmoid(const TorchTensor& x) {
  return Combined("/", Whole(1), Combined("+", Whole(1), FunctionOf("exp", Opposite(x))));
}

TorchTensor Gelu(const TorchTensor& x, bool is_tanh) {
  const TorchTensor half = Combined("*", Real(0.5), x);
  if (!is_tanh) {
    const TorchTensor scaled = Combined("*", x, Real(1 / std::numbers::sqrt2));
    return Combined("*", half, Combined("+", Whole(1), FunctionOf("erf", scaled)));
  }
  const TorchTensor cube = Combined("*", Combined("*", x, x), x);
  const TorchTensor inner = Combined("*", Real(std::sqrt(2 / std::numbers::pi)),
                                     Combined("+", x, Combined("*", Real(0.044715), cube)));
  return Combined("*", half, Combined("+", Whole(1), FunctionOf("tanh", inner)));
}

/// Of the last dimensions, as many as the normalized shape has.
std::vector<std::size_t> NormalizedDims(const Arguments& arguments, std::size_t rank) {
  const TorchObject* const shape = arguments.Find(1, "normalized_shape");
  if (shape == nullptr) throw UsageError("a norm without a shape");
  const std::size_t count = shape->IsList() ? shape->list().size() : 1;
  if (count > rank) throw UsageError("a norm of more dimensions than there are");
  std::vector<std::size_t> dims;
  for (std::size_t i = rank - count; i < rank; ++i) dims.push_back(i);
  return dims;
}

TorchTensor Scaled(TorchTensor x, const Arguments& arguments, bool has_bias) {
  const TorchObject* const weight = arguments.Find(2, "weight");
  if (weight != nullptr && !weight->IsNothing()) x = Combined("*", x, weight->tensor());
  const TorchObject* const bias = has_bias ? arguments.Find(3, "bias") : nullptr;
  if (bias != nullptr && !bias->IsNothing()) x = Combined("+", x, bias->tensor());
  return x;
}

TorchObject LayerNorm(const Arguments& arguments, TorchBody& body) {
  const TorchTensor x = body.Plain("t", arguments.Tensor(0, "input"));
  const auto dims = NormalizedDims(arguments, x.rank());
  const TorchTensor mean = body.Named("mean", Mean(x, dims, true, body));
  const TorchTensor away = body.Named("away", Combined("-", x, mean));
  const TorchTensor square = ReducedOver("sum", Combined("*", away, away), dims, true, body);
  const TorchTensor variance = body.Named("variance", Combined("/", square, StepsIn(x, dims)));
  const TorchObject* const eps = arguments.Find(4, "eps");
  const TorchTensor e = eps == nullptr ? Real(1e-5) : eps->tensor();
  const TorchTensor scale = FunctionOf("rsqrt", Combined("+", variance, e));
  return Of(Scaled(Combined("*", away, scale), arguments, true));
}

TorchObject RmsNorm(const Arguments& arguments, TorchBody& body) {
  const TorchTensor x = body.Plain("t", arguments.Tensor(0, "input"));
  const auto dims = NormalizedDims(arguments, x.rank());
  const TorchTensor square = Mean(Combined("*", x, x), dims, true, body);
  const TorchObject* const eps = arguments.Find(3, "eps");
  if (eps == nullptr || eps->IsNothing()) throw UsageError("rms_norm without an eps");
  const TorchTensor scale = FunctionOf("rsqrt", Combined("+", square, eps->tensor()));
  return Of(Scaled(Combined("*", x, scale), arguments, false));
}

/// Letters of dimensions: "bid,bjd->bij".
TorchObject Einsum(const Arguments& arguments, TorchBody& body) {
  if (arguments.places.empty() || !std::holds_alternative<std::string>(arguments.places[0].held)) {
    throw UsageError("einsum takes a text first");
  }
  std::string text = std::get<std::string>(arguments.places[0].held);
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) throw UsageError("einsum without '->' is not understood");
  const std::string result = text.substr(arrow + 2);
  std::vector<std::string> operands(1);
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') operands.emplace_back();
    if (c != ',') operands.back() += c;
  }
  TorchList tensors(arguments.places.begin() + 1, arguments.places.end());
  if (tensors.size() == 1 && tensors[0].IsList()) tensors = TorchList(tensors[0].list());
  if (tensors.size() != operands.size()) {
    throw UsageError(
        fmt::format("einsum of {} tensors is given {}", operands.size(), tensors.size()));
  }
  // All dimensions, those of the result first.
  std::string letters = result;
  for (const std::string& operand : operands) {
    for (const char c : operand) {
      if (letters.find(c) == std::string::npos) letters += c;
    }
  }
  TorchTensor product = Whole(1);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TorchTensor placed = Placed(tensors[i].tensor(), operands[i], letters);
    product = i == 0 ? placed : Combined("*", product, placed);
  }
  return Of(letters.size() == result.size() ? product
                                            : body.Reduced("sum", product, result.size()));
}

TorchObject Attention(const Arguments& arguments, TorchBody& body) {
  const TorchTensor q = arguments.Tensor(0, "query"), k = arguments.Tensor(1, "key");
  const TorchTensor v = arguments.Tensor(2, "value");
  const std::vector<std::string> known = {"is_causal", "scale"};
  for (const auto& [name, value] : arguments.names) {
    if (std::ranges::count(known, name) == 0 && !value.IsNothing()) {
      throw UsageError(fmt::format("'{}' of attention is not understood", name));
    }
  }
  if (arguments.places.size() > 3) throw UsageError("attention with more than q, k and v");
  if (q.rank() < 2) throw UsageError("attention of less than two dimensions");
  const TorchObject* const scale = arguments.Find(99, "scale");
  const TorchTensor factor = scale != nullptr && !scale->IsNothing()
                                 ? scale->tensor()
                                 : Power(NumberOf(q.shape.back()), Real(-0.5), body);
  TorchTensor score =
      body.Named("score", Combined("*", Product(q, Transposed(k, -1, -2), body), factor));
  if (arguments.Flag(99, "is_causal", false)) {
    score = Choice(Triangle(score, 0), score, Real(-std::numeric_limits<double>::infinity()));
    score = body.Named("seen", score);
  }
  const SoftmaxParts parts = SoftmaxOver(score, score.rank() - 1, body);
  return Of(Product(Combined("/", parts.exponential, parts.total), v, body));
}

/// Functions of one tensor that kernels have by that name.
void AddFunctions(Functions& table) {
  for (const char* const name : {"exp", "log", "sqrt", "rsqrt", "tanh", "erf", "abs"}) {
    table[name] = [name](const Arguments& arguments, TorchBody&) -> TorchObject {
      const TorchTensor& x = arguments.Tensor(0, "input");
      if (!x.known) return Of(FunctionOf(name, x));
      const std::string function = name;
      const double value = *x.known;
      if (function == "abs") return Of(NumberOf(std::abs(value), !IsFloat(x.type)));
      const double result = function == "exp"     ? std::exp(value)
                            : function == "log"   ? std::log(value)
                            : function == "sqrt"  ? std::sqrt(value)
                            : function == "rsqrt" ? 1 / std::sqrt(value)
                            : function == "tanh"  ? std::tanh(value)
                                                  : std::erf(value);
      return Of(Real(result));
    };
  }
  const auto of_one = [&](const char* name, TorchTensor (*made)(const TorchTensor&)) {
    table[name] = [made](const Arguments& arguments, TorchBody& body) {
      return Of(made(body.Plain("t", arguments.Tensor(0, "input"))));
    };
  };
  of_one("sigmoid", Sigmoid);
  of_one("silu", [](const TorchTensor& x) {
    return Combined("/", x, Combined("+", Whole(1), FunctionOf("exp", Opposite(x))));
  });
  of_one("relu", [](const TorchTensor& x) { return CombinedBy("max", Whole(0), x); });
  of_one("neg", Opposite);
  of_one("square", [](const TorchTensor& x) { return Combined("*", x, x); });
  of_one("reciprocal", [](const TorchTensor& x) { return Combined("/", Whole(1), x); });
  of_one("log2", [](const TorchTensor& x) {
    return Combined("/", FunctionOf("log", x), Real(std::numbers::ln2));
  });
  of_one("exp2", [](const TorchTensor& x) {
    return FunctionOf("exp", Combined("*", x, Real(std::numbers::ln2)));
  });
  table["gelu"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchObject* const how = arguments.Find(1, "approximate");
    const auto* const text = how == nullptr ? nullptr : std::get_if<std::string>(&how->held);
    return Of(
        Gelu(body.Plain("t", arguments.Tensor(0, "input")), text != nullptr && *text == "tanh"));
  };
}

void AddOperators(Functions& table) {
  const std::map<std::string, std::string> operators = {
      {"add", "+"},      {"sub", "-"}, {"mul", "*"},         {"multiply", "*"},
      {"subtract", "-"}, {"div", "/"}, {"divide", "/"},      {"true_divide", "/"},
      {"lt", "<"},       {"le", "<="}, {"gt", ">"},          {"ge", ">="},
      {"eq", "=="},      {"ne", "!="}, {"logical_and", "&"}, {"logical_or", "|"}};
  for (const auto& [name, op] : operators) {
    table[name] = [op = op](const Arguments& arguments, TorchBody&) {
      if (arguments.Find(99, "alpha") != nullptr ||
          arguments.Find(99, "rounding_mode") != nullptr) {
        throw UsageError("'alpha' and 'rounding_mode' are not understood");
      }
      return Of(Combined(op, arguments.Tensor(0, "input"), arguments.Tensor(1, "other")));
    };
  }
  table["logical_not"] = [](const Arguments& arguments, TorchBody&) {
    return Of(Inverse(arguments.Tensor(0, "input")));
  };
  for (const char* const name : {"minimum", "maximum"}) {
    table[name] = [word = std::string(name).substr(0, 3)](const Arguments& arguments, TorchBody&) {
      return Of(CombinedBy(word, arguments.Tensor(0, "input"), arguments.Tensor(1, "other")));
    };
  }
  table["pow"] = [](const Arguments& arguments, TorchBody& body) {
    return Of(Power(arguments.Tensor(0, "input"), arguments.Tensor(1, "exponent"), body));
  };
  table["clamp"] = [](const Arguments& arguments, TorchBody&) {
    TorchTensor x = arguments.Tensor(0, "input");
    const TorchObject* const least = arguments.Find(1, "min");
    const TorchObject* const most = arguments.Find(2, "max");
    if (least != nullptr && !least->IsNothing()) x = CombinedBy("max", x, least->tensor());
    if (most != nullptr && !most->IsNothing()) x = CombinedBy("min", x, most->tensor());
    return Of(x);
  };
  table["clip"] = table["clamp"];
  table["where"] = [](const Arguments& arguments, TorchBody&) {
    return Of(Choice(arguments.Tensor(0, "condition"), arguments.Tensor(1, "input"),
                     arguments.Tensor(2, "other")));
  };
  table["masked_fill"] = [](const Arguments& arguments, TorchBody&) {
    return Of(Choice(arguments.Tensor(1, "mask"), arguments.Tensor(2, "value"),
                     arguments.Tensor(0, "input")));
  };
}

void AddReductions(Functions& table) {
  table["sum"] = ReductionBy("sum");
  table["prod"] = ReductionBy("prod");
  table["amax"] = ReductionBy("max");
  table["amin"] = ReductionBy("min");
  table["max"] = ExtremeBy("max");
  table["min"] = ExtremeBy("min");
  table["any"] = ReductionBy("any");
  table["all"] = ReductionBy("all");
  table["mean"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    return Of(Mean(x, DimsOrAll(arguments, x.rank()), arguments.Flag(2, "keepdim", false), body));
  };
  table["var"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    const TorchObject* const correction = arguments.Find(99, "correction");
    const std::int64_t taken = correction != nullptr ? WholeIn(correction->tensor())
                               : arguments.Flag(99, "unbiased", true) ? 1
                                                                      : 0;
    return Of(Variance(x, DimsOrAll(arguments, x.rank()), arguments.Flag(99, "keepdim", false),
                       taken, body));
  };
  table["softmax"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    const SoftmaxParts parts = SoftmaxOver(x, arguments.Dims(1, "dim", x.rank()).at(0), body);
    return Of(Combined("/", parts.exponential, parts.total));
  };
  table["log_softmax"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    const SoftmaxParts parts = SoftmaxOver(x, arguments.Dims(1, "dim", x.rank()).at(0), body);
    return Of(Combined("-", Combined("-", parts.x, parts.top), FunctionOf("log", parts.total)));
  };
  table["logsumexp"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor x = arguments.Tensor(0, "input");
    const std::size_t dim = arguments.Dims(1, "dim", x.rank()).at(0);
    const SoftmaxParts parts = SoftmaxOver(x, dim, body);
    const TorchTensor sum = Combined("+", parts.top, FunctionOf("log", parts.total));
    return Of(arguments.Flag(2, "keepdim", false) ? sum : Squeezed(sum, dim));
  };
  table["layer_norm"] = LayerNorm;
  table["rms_norm"] = RmsNorm;
}

void AddProducts(Functions& table) {
  for (const char* const name : {"matmul", "mm", "bmm", "mv", "dot"}) {
    table[name] = [](const Arguments& arguments, TorchBody& body) {
      return Of(Product(arguments.Tensor(0, "input"), arguments.Tensor(1, "other"), body));
    };
  }
  table["linear"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor weight = Transposed(arguments.Tensor(1, "weight"), -1, -2);
    const TorchTensor product = Product(arguments.Tensor(0, "input"), weight, body);
    const TorchObject* const bias = arguments.Find(2, "bias");
    if (bias == nullptr || bias->IsNothing()) return Of(product);
    return Of(Combined("+", product, bias->tensor()));
  };
  table["einsum"] = Einsum;
  table["repeat_interleave"] = [](const Arguments& arguments, TorchBody& body) {
    const TorchTensor& x = arguments.Tensor(0, "input");
    const std::int64_t times = WholeIn(arguments.Tensor(1, "repeats"));
    if (times < 1) throw UsageError("a repetition of less than once");
    const std::size_t dim = arguments.Dims(2, "dim", x.rank()).at(0);
    return Of(times == 1 ? x : body.Repeated(x, dim, times));
  };
  table["scaled_dot_product_attention"] = Attention;
  table["embedding"] = [](const Arguments& arguments, TorchBody&) {
    return Of(ElementOf(arguments.Tensor(1, "weight"), {arguments.places.at(0)}));
  };
}

const Functions& Table() {
  static const Functions table = [] {
    Functions all;
    AddFunctions(all);
    AddOperators(all);
    AddReductions(all);
    AddProducts(all);
    return all;
  }();
  return table;
}

}  // namespace

const TorchTensor& TorchObject::tensor() const {
  if (!IsTensor()) throw UsageError("a tensor or a number is expected");
  return std::get<TorchTensor>(held);
}

const TorchList& TorchObject::list() const {
  if (!IsList()) throw UsageError("several things are expected");
  return std::get<TorchList>(held);
}

const TorchObject* TorchArguments::Find(std::size_t place, const std::string& name) const {
  if (place < places.size()) return &places[place];
  const auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

const TorchTensor& TorchArguments::Tensor(std::size_t place, const std::string& name) const {
  const TorchObject* const found = Find(place, name);
  if (found == nullptr) throw UsageError(fmt::format("'{}' is not given", name));
  return found->tensor();
}

std::vector<std::size_t> TorchArguments::Dims(std::size_t place, const std::string& name,
                                              std::size_t rank) const {
  const TorchObject* const found = Find(place, name);
  if (found == nullptr) throw UsageError(fmt::format("'{}' is not given", name));
  const TorchList all = found->IsList() ? found->list() : TorchList{*found};
  std::vector<std::size_t> dims;
  for (const TorchObject& one : all) dims.push_back(DimOf(WholeIn(one.tensor()), rank));
  return dims;
}

bool TorchArguments::Flag(std::size_t place, const std::string& name, bool otherwise) const {
  const TorchObject* const found = Find(place, name);
  if (found == nullptr) return otherwise;
  const TorchTensor& flag = found->tensor();
  if (!flag.known) throw UsageError(fmt::format("'{}' is neither True nor False", name));
  return *flag.known != 0;
}

TorchTensor Product(const TorchTensor& a, const TorchTensor& b, TorchBody& body) {
  if (a.rank() == 0 || b.rank() == 0) throw UsageError("a product of a matrix and a number");
  // Rows of a, columns of b, and before them what both have.
  const TorchTensor left = a.rank() == 1 ? Unsqueezed(a, 0) : a;
  const TorchTensor right = b.rank() == 1 ? Unsqueezed(b, 1) : b;
  const TorchTensor rows = Unsqueezed(left, left.rank() - 1);  // …, m, 1, k
  const TorchTensor columns =
      Unsqueezed(Transposed(right, -1, -2), right.rank() - 2);  // …, 1, n, k
  const TorchTensor product = Combined("*", rows, columns);
  TorchTensor sum = body.Reduced("sum", product, product.rank() - 1);
  if (b.rank() == 1) sum = Squeezed(sum, sum.rank() - 1);
  if (a.rank() == 1) sum = Squeezed(sum, sum.rank() - (b.rank() == 1 ? 1 : 2));
  return sum;
}

TorchTensor Power(const TorchTensor& a, const TorchTensor& b, TorchBody& body) {
  const bool is_square = b.known == 2.0 && !a.known;
  return Combined("**", is_square ? body.Plain("t", a) : a, b);
}

TorchObject CallFunction(const std::string& name, const TorchArguments& arguments,
                         TorchBody& body) {
  if (const auto shaped = CallShapeFunction(name, arguments)) return *shaped;
  const auto found = Table().find(name);
  if (found == Table().end()) {
    std::vector<std::string> known = ShapeFunctions();
    for (const auto& [each, function] : Table()) known.push_back(each);
    throw UsageError(
        fmt::format("the function '{}' is not known{}", name, DidYouMean(name, known)));
  }
  return found->second(arguments, body);
}

}  // namespace exh::search::torch
