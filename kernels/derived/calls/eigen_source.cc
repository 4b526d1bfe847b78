// SPDX-License-Identifier: MIT
//
// The linear form as statements of Eigen. Matrices of arrays are maps; how they lie is in their
// types where that is possible, for Eigen is faster then. Products of a batch are small: each is
// one thread's, and they are shared out. A factor that does not lie as a matrix is copied before
// its product, by all threads; not where the product is one of a matrix and a vector, which is
// faster than the copy.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text_writer.h"
#include "kernels/derived/calls/gathered_axes.h"
#include "kernels/derived/calls/library_calls.h"
#include "kernels/derived/calls/linear_form.h"
#include "kernels/derived/calls/matrix_product.h"
#include "kernels/derived/sources/op_text.h"
#include "kernels/derived/sources/source_names.h"

namespace exh::kernels::derived {
namespace {

class Printer : public TextWriter {
 public:
  explicit Printer(const ir::Function& function)
      : function_(function),
        e_(ExpressionOf(function)),
        names_(
            function, e_,
            {"arrays", "scalars", "threads", "exh_run", "Eigen", "Matrix", "Columns", "Strides"}) {}

  std::string Text() {
    Indent(2);
    for (const int store : e_.outputs) {
      const std::optional<LinearForm> form = LinearFormOf(e_, store, true);
      if (!form || !HasTypes(*form) || !Output(*form)) return "";
    }
    const std::string body = Take();
    TextWriter out;
    out.Line("#include <Eigen/Core>");
    out.Open(std::string("extern \"C\" void exh_run(void* const* arrays, const double*") +
             (reads_scalars_ ? " scalars" : "") + ", int threads)");
    out.Line(has_batch_ ? "Eigen::setNbThreads(1);" : "Eigen::setNbThreads(threads);");
    const auto type = [&](const std::string& name, const std::string& order) {
      out.Line("using " + name + " = Eigen::Matrix<" + Element() +
               ", Eigen::Dynamic, Eigen::Dynamic, Eigen::" + order + ">;");
    };
    if (has_matrix_) type("Matrix", "RowMajor");
    if (has_columns_) type("Columns", "ColMajor");
    if (has_strides_) {
      out.Line("using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;");
    }
    return out.Take() + body + "}\n";
  }

  /// Of the text: what it keeps beside the arrays.
  std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  /// Of the first output; the text is for one type alone.
  ir::Type Type() const { return e_.node(e_.outputs.front()).type; }
  bool IsDouble() const { return Type() == ir::Type::kF64; }
  std::string Element() const { return std::string(ElementName(Type())); }
  std::string Vector() const { return IsDouble() ? "Eigen::VectorXd" : "Eigen::VectorXf"; }
  std::string Number(double value) const { return NumberText(value, Dialect::kCpp, Type()); }

  /// Is everything of that type, and is that f32 or f64?
  bool HasTypes(const LinearForm& form) const {
    const ir::Type type = Type();
    return form.type == type && !ir::InfoOf(type).is_narrow() &&
           std::ranges::all_of(form.terms, [&](const LinearTerm& term) {
             return HasType(term.coefficient, type) && HasType(term.factor, type);
           });
  }
  bool HasType(const LinearFactor& factor, ir::Type type) const {
    if (TypeOf(e_, factor) != type) return false;
    if (factor.product == nullptr) return true;
    const LinearProduct& product = *factor.product;
    return HasType(product.coefficient, type) && HasType(product.a, type) &&
           HasType(product.b, type);
  }
  /// A scalar of another type would have to be rounded to it first.
  bool HasType(const Coefficient& coefficient, ir::Type type) const {
    return std::ranges::all_of(coefficient.numbers, [&](const Expression::Input& number) {
      return number.scalar.empty() || function_.scalar(number.scalar)->type == type;
    });
  }

  bool Output(const LinearForm& form) {
    std::vector<LinearTerm> loads;
    std::vector<std::pair<LinearTerm, MatrixProduct>> products;
    const Expression::Node& store = e_.node(form.store);
    const StridedAccess c = AccessOf(store);
    for (const LinearTerm& term : form.terms) {
      if (term.factor.product == nullptr) {
        loads.push_back(term);
        continue;
      }
      const auto shape = ShapeOf(*term.factor.product, c);
      if (!shape) return false;
      products.emplace_back(term, *shape);
    }
    if (products.empty()) return Elementwise(form, loads, store);
    if (products.front().second.batch > 1) {
      if (products.size() > 1 || !loads.empty()) return false;
      return Batch(products.front().first, products.front().second, form.has_relu);
    }
    std::string result;
    if (!loads.empty()) {
      result = AddLoads(loads, store, products.front().second);
      if (result.empty()) return false;
    }
    for (const auto& [term, shape] : products) {
      if (shape.batch > 1) return false;
      const std::optional<std::string> value = Product(*term.factor.product, shape, "");
      if (!value) return false;
      const std::string target = Result(shape, "");
      const bool is_first = loads.empty() && &term == &products.front().first;
      Line(target + (is_first ? ".noalias() = " : ".noalias() += ") + Times(term.coefficient) +
           *value + ";");
      result = target;
    }
    if (form.has_relu) Relu(result);
    return true;
  }

  bool Batch(const LinearTerm& term, const MatrixProduct& shape, bool has_relu) {
    const std::string index = names_.Unique("product");
    has_batch_ = true;
    Pragma("omp parallel for num_threads(threads)");
    Open(fmt::format("for (long {0} = 0; {0} < {1}; ++{0})", index, shape.batch));
    const std::map<std::string, std::string> outside = declared_;
    const std::optional<std::string> value = Product(*term.factor.product, shape, index);
    if (!value) return false;
    const std::string target = Result(shape, index);
    Line(target + ".noalias() = " + Times(term.coefficient) + *value + ";");
    if (has_relu) Relu(target);
    declared_ = outside;
    Close();
    return true;
  }

  void Relu(const std::string& result) {
    const std::string zero = Number(0);
    Line(result + " = (" + result + ".array() < " + zero + ").select(" + zero + ", " + result +
         ");");
  }

  // ---- sums of arrays ----

  /// The output as a vector of all elements, or as a matrix of two axes.
  bool Elementwise(const LinearForm& form, const std::vector<LinearTerm>& loads,
                   const Expression::Node& store) {
    bool all_lie = true;
    for (const LinearTerm& term : loads) {
      all_lie = all_lie && LiesAs(e_, e_.node(term.factor.load), store);
    }
    MatrixProduct shape;
    shape.c.array = AccessOf(store).array;
    shape.c.row = shape.c.column = 1;
    if (all_lie) {
      shape.m = static_cast<std::int64_t>(e_.Points(store.axes));
      shape.is_vector = true;
    } else {
      if (store.axes.size() != 2) return false;
      int row = store.axes[0], column = store.axes[1];
      if (store.StrideOf(row) < store.StrideOf(column)) std::swap(row, column);
      shape.m = e_.axis(row).total;
      shape.n = e_.axis(column).total;
      shape.c.row = store.StrideOf(row);
      shape.c.column = store.StrideOf(column);
    }
    const std::string result = AddLoads(loads, store, shape);
    if (result.empty()) return false;
    if (form.has_relu) Relu(result);
    return true;
  }

  /// `c = alpha * x + y;`, c as in `shape`; the name of c. Empty: not all arrays lie like it, nor
  /// like a matrix over its two axes.
  std::string AddLoads(const std::vector<LinearTerm>& loads, const Expression::Node& store,
                       const MatrixProduct& shape) {
    std::string sum;
    for (const LinearTerm& term : loads) {
      const Expression::Node& load = e_.node(term.factor.load);
      MatrixPlace place = shape.c;
      place.array = AccessOf(load).array;
      if (!LiesAs(e_, load, store)) {
        if (store.axes.size() > 2) return "";
        for (const int axis : store.axes) {
          const bool is_row = store.StrideOf(axis) == shape.c.row && e_.axis(axis).total == shape.m;
          (is_row ? place.row : place.column) = load.StrideOf(axis);
        }
      }
      sum += (sum.empty() ? "" : " + ") + Times(term.coefficient) +
             Map(place, shape.m, shape.n, shape.is_vector, "");
    }
    const std::string result = Result(shape, "");
    Line(result + ".noalias() = " + sum + ";");
    return result;
  }

  void Pragma(const std::string& what) {
    const int before = indent();
    Indent(-before);
    Line("#pragma " + what);
    Indent(before);
  }

  // ---- products ----

  /// How the product is one of matrices; factors are copied for that where it takes it.
  std::optional<MatrixProduct> ShapeOf(const LinearProduct& product, const StridedAccess& c) {
    const auto shape = [&] {
      return MatrixProductOf(e_, product.axes, product.reduced, FactorAccess(product.a),
                             FactorAccess(product.b), c);
    };
    const auto is_plain = [&](const LinearFactor& factor) {
      return factor.product != nullptr || gathered_.contains(factor.load) ||
             IsPlain(e_.node(factor.load));
    };
    if (is_plain(product.a) && is_plain(product.b)) {
      if (const auto found = shape()) return found;
    }
    const std::map<int, std::vector<int>> before = gathered_;
    using Factors = std::vector<std::pair<const LinearFactor*, const LinearFactor*>>;
    const std::pair a(&product.a, &product.b), b(&product.b, &product.a);
    for (const Factors& copied : {Factors{a}, Factors{b}, Factors{a, b}}) {
      bool may = true;
      for (const auto& [factor, other] : copied) {
        may = may && factor->product == nullptr && !gathered_.contains(factor->load);
        if (!may) break;
        gathered_[factor->load] = GatheredAxes(e_, product, factor->load, FactorAccess(*other), c);
      }
      if (may && is_plain(product.a) && is_plain(product.b)) {
        const auto found = shape();
        if (found && !found->is_vector && found->n > 1) {
          for (const auto& [factor, other] : copied) may = may && Gather(factor->load);
          if (may) return found;
        }
      }
      gathered_ = before;
    }
    return std::nullopt;
  }

  /// Copies what a load reads, as `gathered_` says.
  bool Gather(int index) {
    const Expression::Node& load = e_.node(index);
    const std::vector<int>& axes = gathered_.at(index);
    const std::uint64_t elements = e_.Points(axes);
    const std::uint64_t bytes = elements * ir::BytesOf(Type());
    if (bytes > kMostGatheredBytes) return false;
    kept_bytes_ += bytes;
    const std::string& name = names_.node(index);
    used_.insert(name);
    Line(fmt::format("// Kept: {} bytes beside the arrays, filled for each run.", bytes));
    Line(fmt::format("static {} {}({});", Vector(), name, elements));
    Open("");
    Line(fmt::format("const {0}* const {1} = static_cast<const {0}*>(arrays[{2}]);", Element(),
                     names_.array(load.array), load.array.index()));
    const std::string nested = axes.size() > 2 ? " collapse(2)" : "";
    Pragma("omp parallel for" + nested + " num_threads(threads)");
    for (const int axis : axes) {
      Open(fmt::format("for (long {0} = 0; {0} < {1}; ++{0})", names_.axis(axis),
                       e_.axis(axis).total));
    }
    const std::string guard = GuardText(e_, names_, load);
    Line(name + "[" + PointText(e_, names_, axes) + "] = " + (guard.empty() ? "" : guard + " ? ") +
         AccessText(e_, names_, load) + (guard.empty() ? "" : " : " + Number(load.otherwise)) +
         ";");
    for (std::size_t i = 0; i < axes.size() + 1; ++i) Close();
    return true;
  }

  StridedAccess FactorAccess(const LinearFactor& factor) const {
    if (factor.product == nullptr) {
      const auto copied = gathered_.find(factor.load);
      if (copied == gathered_.end()) return AccessOf(e_.node(factor.load));
      return RowMajor(e_, copied->second, static_cast<int>(function_.arrays.size()) + factor.load);
    }
    return RowMajor(e_, factor.product->axes, ArrayOf(*factor.product));
  }

  /// Kept products have numbers behind those of the arrays.
  int ArrayOf(const LinearProduct& product) const {
    return static_cast<int>(function_.arrays.size()) + product.node;
  }

  /// `a * b`; what is a product itself is computed before.
  std::optional<std::string> Product(const LinearProduct& product, const MatrixProduct& shape,
                                     const std::string& index) {
    for (const LinearFactor* factor : {&product.a, &product.b}) {
      if (factor->product == nullptr) continue;
      if (!index.empty() || !Keep(*factor->product)) return std::nullopt;
    }
    const std::string a = Map(shape.a, shape.m, shape.k, false, index);
    return a + " * " + Map(shape.b, shape.k, shape.n, shape.is_vector, index);
  }

  bool Keep(const LinearProduct& product) {
    const StridedAccess c = RowMajor(e_, product.axes, ArrayOf(product));
    const auto shape = ShapeOf(product, c);
    if (!shape || shape->batch > 1) return false;
    const std::optional<std::string> value = Product(product, *shape, "");
    if (!value) return false;
    const std::string& name = names_.node(product.node);
    Line("// Kept: the memory is not taken anew for each run.");
    has_matrix_ |= !shape->is_vector;
    Line(shape->is_vector ? fmt::format("static {} {}({});", Vector(), name, shape->m)
                          : fmt::format("static Matrix {}({}, {});", name, shape->m, shape->n));
    Line(name + ".noalias() = " + Times(product.coefficient) + *value + ";");
    kept_bytes_ += e_.Points(product.axes) * ir::BytesOf(Type());
    if (product.has_relu) Relu(name);
    // Whoever wants it as it is needs no map of it.
    declared_[MapOf(shape->c, shape->m, shape->n, shape->is_vector, "", true).text()] = name;
    return true;
  }

  std::string Times(const Coefficient& coefficient) {
    std::string text;
    for (const Expression::Input& number : coefficient.numbers) {
      if (number.scalar.empty()) {
        text += Number(number.number) + " * ";
        continue;
      }
      for (std::size_t i = 0; i < function_.scalars.size(); ++i) {
        if (function_.scalars[i].name != number.scalar) continue;
        const std::string scalar = fmt::format("scalars[{}]", i);
        reads_scalars_ = true;
        text += (IsDouble() ? scalar : "static_cast<float>(" + scalar + ")") + " * ";
      }
    }
    return text;
  }

  // ---- maps ----

  std::string Result(const MatrixProduct& shape, const std::string& index) {
    return Declare(shape.c.array, MapOf(shape.c, shape.m, shape.n, shape.is_vector, index, false));
  }

  std::string Map(const MatrixPlace& place, std::int64_t rows, std::int64_t columns, bool is_vector,
                  const std::string& index) {
    return Declare(place.array, MapOf(place, rows, columns, is_vector, index, true));
  }

  /// "Eigen::Map<const Matrix>(arrays[0], 13, 7)".
  struct MapText {
    std::string type, arguments;
    bool has_matrix = false, has_columns = false, has_strides = false;  ///< Types of ours in it.
    std::string text() const { return type + arguments; }
  };

  /// The name of the map, which is declared here unless there is one already.
  std::string Declare(int array, const MapText& map) {
    const auto known = declared_.find(map.text());
    if (known != declared_.end()) return known->second;
    const auto number = static_cast<std::size_t>(array);
    const std::string wanted = number < function_.arrays.size()
                                   ? names_.array(function_.arrays[number].id)
                                   : names_.node(array - static_cast<int>(function_.arrays.size()));
    // Its own name is free: arrays are read by number.
    const std::string name = used_.insert(wanted).second ? wanted : names_.Unique(wanted);
    has_matrix_ |= map.has_matrix;
    has_columns_ |= map.has_columns;
    has_strides_ |= map.has_strides;
    Line(map.type + " " + name + map.arguments + ";");
    return declared_[map.text()] = name;
  }

  MapText MapOf(const MatrixPlace& place, std::int64_t rows, std::int64_t columns, bool is_vector,
                const std::string& index, bool is_const) const {
    const auto arrays = static_cast<int>(function_.arrays.size());
    std::string from = place.array < arrays
                           ? fmt::format("static_cast<{}{}*>(arrays[{}])", is_const ? "const " : "",
                                         Element(), place.array)
                           : names_.node(place.array - arrays) + ".data()";
    if (!index.empty() && place.step != 0) from += fmt::format(" + {} * {}", index, place.step);
    const std::string map = is_const ? "Eigen::Map<const " : "Eigen::Map<";
    if (is_vector) {
      if (place.row == 1) return {map + Vector() + ">", fmt::format("({}, {})", from, rows)};
      return {map + Vector() + ", 0, Eigen::InnerStride<>>",
              fmt::format("({}, {}, Eigen::InnerStride<>({}))", from, rows, place.row)};
    }
    const bool is_transposed = place.row < place.column;
    const std::string type = map + (is_transposed ? "Columns" : "Matrix");
    const std::int64_t outer = is_transposed ? place.column : place.row;
    const std::int64_t inner = is_transposed ? place.row : place.column;
    const std::string begin = fmt::format("({}, {}, {}", from, rows, columns);
    MapText text;
    text.has_matrix = !is_transposed;
    text.has_columns = is_transposed;
    text.has_strides = inner != 1;
    if (text.has_strides) {
      text.type = type + ", 0, Strides>";
      text.arguments = begin + fmt::format(", Strides({}, {}))", outer, inner);
    } else if (outer == (is_transposed ? rows : columns)) {
      text.type = type + ">";
      text.arguments = begin + ")";
    } else {
      text.type = type + ", 0, Eigen::OuterStride<>>";
      text.arguments = begin + fmt::format(", Eigen::OuterStride<>({}))", outer);
    }
    return text;
  }

  const ir::Function& function_;
  const Expression e_;
  SourceNames names_;
  std::map<std::string, std::string> declared_;  ///< Names of maps, by their texts.
  std::set<std::string> used_;                   ///< Of these names, those of arrays.
  std::map<int, std::vector<int>> gathered_;     ///< Loads that are copied, and in which order.
  std::uint64_t kept_bytes_ = 0;
  bool has_batch_ = false;
  // What the text has of what stands before it.
  bool has_matrix_ = false, has_columns_ = false, has_strides_ = false, reads_scalars_ = false;
};

}  // namespace

std::string EigenSource(const ir::Function& function) {
  return Printer(function).Text();
}

std::uint64_t EigenWorkspace(const ir::Function& function) {
  Printer printer(function);
  return printer.Text().empty() ? 0 : printer.kept_bytes();
}

}  // namespace exh::kernels::derived
