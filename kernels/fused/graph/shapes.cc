// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "kernels/fused/graph/data_types.h"

namespace exh::kernels::fused {
namespace {

using ir::Type;
using Numbers = std::vector<std::int64_t>;

class Checker {
 public:
  explicit Checker(const Checked& checked)
      : operation_(checked.operation),
        fields_(checked.fields),
        output_(checked.output),
        place_(checked.place),
        mistakes_(checked.mistakes),
        kind_(InfoOf(operation_.kind)) {}

  bool Check() {
    if (!CheckCount() || !CheckTypes()) return false;
    if (const Field hint = AttributeOf(fields_, "enable_atomic_add"); hint.is_there()) {
      const std::optional<bool> is_set = ReadFlag(hint, mistakes_);
      if (!is_set) return false;
      operation_.attributes.atomic_add = *is_set;
    }
    switch (kind_.form) {
      case Form::kElementwise:
        return Elementwise();
      case Form::kReduction:
        return Reduction();
      case Form::kProduct:
        return operation_.kind == Kind::kConv2D ? Convolution() : MatrixProduct();
      case Form::kMovement:
        return Movement();
      case Form::kAssignment:
        break;
    }
    return Assignment();
  }

 private:
  const GraphOperand& in(std::size_t i) const { return operation_.inputs.at(i); }
  const Shape& shape(std::size_t i = 0) const { return in(i).shape; }
  std::string InputPlace(std::size_t i) const {
    return fmt::format("{}.input_desc[{}]", place_, i);
  }
  std::string OutputPlace() const { return place_ + ".output_desc[0]"; }

  bool Fail(const std::string& place, const std::string& text, const std::string& reason) {
    mistakes_.push_back({Mistake::What::kMalformed, place, text, reason});
    return false;
  }
  bool FailAttribute(const std::string& name, const std::string& text) {
    const Field field = AttributeOf(fields_, name);
    return Fail(field.place.empty() ? place_ + ".attr" : field.place, text, "attributes");
  }

  bool CheckCount() {
    const std::size_t count = operation_.inputs.size();
    const auto wanted = static_cast<std::size_t>(kind_.operands);
    if (wanted == 0 ? count > 0 : count == wanted) return true;
    return Fail(place_ + ".input_desc",
                fmt::format("{} takes {} operand{}, not {}", kind_.name,
                            wanted == 0 ? "one or more" : std::to_string(wanted),
                            wanted == 1 ? "" : "s", count),
                "number of operands");
  }

  bool Expect(std::size_t i, Type type, const std::string& of) {
    if (in(i).type == type) return true;
    return Fail(
        InputPlace(i),
        fmt::format("must be {}, {}, not {}", DataTypeName(type), of, DataTypeName(in(i).type)),
        "types");
  }
  bool ExpectOutput(Type type) {
    if (output_.type == type) return true;
    return Fail(OutputPlace(),
                fmt::format("must be {}, which {} yields, not {}", DataTypeName(type), kind_.name,
                            DataTypeName(output_.type)),
                "types");
  }

  bool CheckTypes() {
    std::size_t first = 0;
    if (operation_.kind == Kind::kSelect) {
      if (!Expect(0, Type::kBool, "the condition of Select")) return false;
      first = 1;
    } else if (operation_.kind == Kind::kOneHot) {
      if (!ir::InfoOf(in(0).type).is_integer()) {
        return Fail(InputPlace(0),
                    fmt::format("must be integers, which OneHot compares with "
                                "positions, not {}",
                                DataTypeName(in(0).type)),
                    "types");
      }
      first = 1;
    }
    for (std::size_t i = first; i < operation_.inputs.size(); ++i) {
      if (!Takes(kind_.takes, in(i).type)) {
        return Fail(InputPlace(i),
                    fmt::format("{} takes {}, not {}", kind_.name, WordOf(kind_.takes),
                                DataTypeName(in(i).type)),
                    "types");
      }
      // The third operand of InplaceAssign has nothing to do with the others.
      if (operation_.kind == Kind::kInplaceAssign && i == 2) continue;
      if (!Expect(i, in(first).type, "as the operand before it")) return false;
    }
    if (operation_.kind == Kind::kCast) return CheckDstType();
    if (operation_.kind == Kind::kInplaceAssign) return ExpectOutput(in(2).type);
    // Sums of products may stay what they are accumulated in.
    const bool is_wide =
        kind_.form == Form::kProduct && output_.type == ir::ComputeTypeOf(in(0).type);
    if (is_wide) return true;
    return ExpectOutput(kind_.yields_bool ? Type::kBool : in(first).type);
  }

  bool CheckDstType() {
    const Field wanted = AttributeOf(fields_, "dst_type");
    if (!wanted.is_there()) return true;
    const std::optional<std::string> name = ReadText(wanted, mistakes_);
    if (!name) return false;
    if (*name == DataTypeName(output_.type)) return true;
    return FailAttribute("dst_type", fmt::format("must be {}, the type of the output, not '{}'",
                                                 DataTypeName(output_.type), *name));
  }

  // ---- attributes ----

  /// A dimension of `rank`; what is negative counts from the end.
  std::optional<std::int64_t> AxisOf(const std::string& name, std::int64_t axis, std::size_t rank) {
    const auto dimensions = static_cast<std::int64_t>(rank);
    if (axis >= -dimensions && axis < dimensions) return axis < 0 ? axis + dimensions : axis;
    FailAttribute(name, fmt::format("{} is none of {} dimension{}: it must be {} to {}", axis, rank,
                                    rank == 1 ? "" : "s", -dimensions, dimensions - 1));
    return std::nullopt;
  }

  /// A number, or a list of them. Nothing: it is malformed, and that was said.
  std::optional<Numbers> AxesOf(std::size_t rank) {
    const Field field = AttributeOf(fields_, "axis");
    Numbers axes;
    if (field.is_there() && field.value->is_array()) {
      const std::optional<Numbers> read = ReadIntegers(field, mistakes_);
      if (!read) return std::nullopt;
      axes = *read;
    } else {
      const std::optional<std::int64_t> read = ReadInteger(field, mistakes_);
      if (!read) return std::nullopt;
      axes = {*read};
    }
    for (std::int64_t& axis : axes) {
      const std::optional<std::int64_t> positive = AxisOf("axis", axis, rank);
      if (!positive) return std::nullopt;
      axis = *positive;
    }
    std::ranges::sort(axes);
    if (const auto twice = std::ranges::adjacent_find(axes); twice != axes.end()) {
      FailAttribute("axis", fmt::format("axis {} stands here twice", *twice));
      return std::nullopt;
    }
    return axes;
  }

  bool Required(const std::string& name) {
    if (AttributeOf(fields_, name).is_there()) return true;
    return Fail(place_ + ".attr", fmt::format("{} needs the attribute '{}'", kind_.name, name),
                "attributes");
  }

  /// A number for each of `rank` dimensions, none below `least`.
  std::optional<Numbers> PerDimension(const std::string& name, std::size_t rank,
                                      std::int64_t least) {
    const std::optional<Numbers> numbers = ReadIntegers(AttributeOf(fields_, name), mistakes_);
    if (!numbers) return std::nullopt;
    if (numbers->size() != rank) {
      FailAttribute(name, fmt::format("must have {} numbers, one for each dimension, not {}", rank,
                                      numbers->size()));
      return std::nullopt;
    }
    for (const std::int64_t number : *numbers) {
      if (number >= least && number < kMostElements) continue;
      FailAttribute(name, fmt::format("{} is out of range: it must be {} or more, and less than {}",
                                      number, least, kMostElements));
      return std::nullopt;
    }
    return numbers;
  }

  // ---- shapes ----

  bool ExpectShape(const Shape& wanted) {
    if (output_.shape == wanted) return true;
    // All elements become one: it is a list of one, too.
    if (wanted.empty() && output_.shape == Shape{1}) return true;
    std::string of;
    for (const GraphOperand& input : operation_.inputs) {
      of += (of.empty() ? "" : " and ") + TextOf(input.shape);
      if (of.size() > 100) break;
    }
    return Fail(OutputPlace() + ".shape",
                fmt::format("must be {}, which {} makes of {}, not {}", TextOf(wanted), kind_.name,
                            of, TextOf(output_.shape)),
                "shapes");
  }

  bool Elementwise() {
    Shape shape = in(0).shape;
    for (std::size_t i = 1; i < operation_.inputs.size(); ++i) {
      const std::optional<Shape> both = BroadcastShape(shape, in(i).shape);
      if (!both) {
        return Fail(InputPlace(i) + ".shape",
                    fmt::format("{} does not broadcast with {}: from the last one on, dimensions "
                                "must be equal or 1",
                                TextOf(in(i).shape), TextOf(shape)),
                    "shapes");
      }
      shape = *both;
    }
    if (operation_.kind == Kind::kAddN && AttributeOf(fields_, "n").is_there()) {
      const std::optional<std::int64_t> n = ReadInteger(AttributeOf(fields_, "n"), mistakes_);
      if (!n) return false;
      if (*n != static_cast<std::int64_t>(operation_.inputs.size())) {
        return FailAttribute("n", fmt::format("must be {}, the number of operands, not {}",
                                              operation_.inputs.size(), *n));
      }
    }
    return ExpectShape(shape);
  }

  bool Reduction() {
    if (!Required("axis")) return false;
    const std::optional<Numbers> axes = AxesOf(shape().size());
    if (!axes) return false;
    Attributes& attributes = operation_.attributes;
    attributes.axes = *axes;
    if (axes->empty()) {  // None named: all of them.
      attributes.axes.resize(shape().size());
      std::iota(attributes.axes.begin(), attributes.axes.end(), 0);
    }
    if (const Field keep = AttributeOf(fields_, "keep_dims"); keep.is_there()) {
      const std::optional<bool> is_set = ReadFlag(keep, mistakes_);
      if (!is_set) return false;
      attributes.keep_dims = *is_set;
    }
    Shape result;
    for (std::size_t i = 0; i < shape().size(); ++i) {
      const bool is_reduced = std::ranges::binary_search(attributes.axes, std::int64_t(i));
      if (!is_reduced) result.push_back(shape()[i]);
      if (is_reduced && attributes.keep_dims) result.push_back(1);
    }
    return ExpectShape(result);
  }

  /// The attribute `shape`, where one number may be -1: Reshape's is what is left, those of
  /// BroadcastTo are what the operand has.
  bool CheckShapeAttribute() {
    const Field field = AttributeOf(fields_, "shape");
    if (!field.is_there()) return true;
    const std::optional<Numbers> numbers = ReadIntegers(field, mistakes_);
    if (!numbers) return false;
    if (numbers->empty() && output_.shape == Shape{1}) return true;  // One element.
    bool agrees = numbers->size() == output_.shape.size();
    for (std::size_t i = 0; agrees && i < numbers->size(); ++i) {
      agrees = (*numbers)[i] == -1 || (*numbers)[i] == output_.shape[i];
    }
    if (agrees) return true;
    return FailAttribute("shape", fmt::format("must be {}, the shape of the output, or -1 in the "
                                              "place of an extent, not {}",
                                              TextOf(output_.shape), TextOf(*numbers)));
  }

  bool Refuse(const std::string& name, const std::string& text) {
    mistakes_.push_back({Mistake::What::kRefused, AttributeOf(fields_, name).place, text,
                         fmt::format("{} of {}", name, kind_.name)});
    return false;
  }

  /// A flag, which may have two names. Nothing: it is malformed, and that was said.
  std::optional<bool> FlagOf(const std::string& name, const std::string& other) {
    std::optional<bool> value;
    for (const std::string& one : {name, other}) {
      const Field field = AttributeOf(fields_, one);
      if (!field.is_there()) continue;
      const std::optional<bool> is_set = ReadFlag(field, mistakes_);
      if (!is_set) return std::nullopt;
      if (value && *value != *is_set) {
        FailAttribute(one, fmt::format("must be what '{}' is", name));
        return std::nullopt;
      }
      value = is_set;
    }
    return value.value_or(false);
  }

  bool HasTensors() {
    for (const std::size_t i : {0u, 1u}) {
      if (!in(i).is_number()) continue;
      mistakes_.push_back({Mistake::What::kRefused, InputPlace(i),
                           fmt::format("{} of a number is not supported", kind_.name),
                           fmt::format("{} of a number", kind_.name)});
      return false;
    }
    return true;
  }

  bool MatrixProduct() {
    Attributes& attributes = operation_.attributes;
    const auto a = FlagOf("transpose_a", "transpose_x1");
    if (!a) return false;
    const auto b = FlagOf("transpose_b", "transpose_x2");
    if (!b || !CheckDstType() || !HasTensors()) return false;
    attributes.transpose_a = *a;
    attributes.transpose_b = *b;
    for (const std::string name : {"left_format", "right_format"}) {
      const Field field = AttributeOf(fields_, name);
      if (!field.is_there()) continue;
      const std::optional<std::string> format = ReadText(field, mistakes_);
      if (!format) return false;
      if (*format != "DefaultFormat") {
        return Refuse(
            name, fmt::format("matrices lie row by row, DefaultFormat, and not as {}", *format));
      }
    }
    const std::size_t rank = shape(0).size();
    for (const std::size_t i : {0u, 1u}) {
      const bool has_rank =
          operation_.kind == Kind::kMatMul ? shape(i).size() == 2 : shape(i).size() >= 2;
      if (has_rank && shape(i).size() == rank) continue;
      return Fail(InputPlace(i) + ".shape",
                  fmt::format("{} takes matrices{}, not {}", kind_.name,
                              operation_.kind == Kind::kMatMul ? "" : ", as many of both",
                              TextOf(shape(i))),
                  "shapes");
    }
    const std::size_t row = rank - 2, column = rank - 1;
    const std::int64_t depth = shape(0)[*a ? row : column];
    const bool fits = shape(1)[*b ? column : row] == depth &&
                      std::equal(shape(0).begin(), shape(0).end() - 2, shape(1).begin());
    if (!fits) {
      return Fail(
          InputPlace(1) + ".shape",
          fmt::format("{}{} has no product with {}{}", TextOf(shape(0)), *a ? ", transposed," : "",
                      TextOf(shape(1)), *b ? ", transposed" : ""),
          "shapes");
    }
    Shape result = shape(0);
    result[row] = shape(0)[*a ? column : row];
    result[column] = shape(1)[*b ? row : column];
    return ExpectShape(result);
  }

  /// Two numbers, those of rows and columns, as two numbers or, with ones for images and
  /// channels, as four; `otherwise` where the attribute is not there.
  std::optional<Numbers> RowsAndColumns(const std::string& name, std::int64_t otherwise) {
    const Field field = AttributeOf(fields_, name);
    if (!field.is_there()) return Numbers{otherwise, otherwise};
    const std::optional<Numbers> numbers = ReadIntegers(field, mistakes_);
    if (!numbers) return std::nullopt;
    Numbers two = *numbers;
    if (two.size() == 4 && two[0] == 1 && two[1] == 1) {
      two = {two[2], two[3]};
    } else if (two.size() == 4 && two[0] == 1 && two[3] == 1) {  // As NHWC has them.
      two = {two[1], two[2]};
    }
    const auto is_good = [](std::int64_t number) { return number >= 1 && number < kMostElements; };
    if (two.size() == 2 && std::ranges::all_of(two, is_good)) return two;
    FailAttribute(name, fmt::format("must be two numbers from 1 on, of rows and columns, or four "
                                    "with ones for images and channels, not {}",
                                    TextOf(*numbers)));
    return std::nullopt;
  }

  bool Convolution() {
    Attributes& attributes = operation_.attributes;
    const auto stride = RowsAndColumns("stride", 1);
    if (!stride) return false;
    const auto dilation = RowsAndColumns("dilation", 1);
    if (!dilation || !CheckDstType() || !HasTensors() || !CheckFilter()) return false;
    attributes.stride = *stride;
    attributes.dilation = *dilation;
    for (const std::string name : {"groups", "group"}) {
      const Field field = AttributeOf(fields_, name);
      if (!field.is_there()) continue;
      const std::optional<std::int64_t> groups = ReadInteger(field, mistakes_);
      if (!groups) return false;
      if (*groups != 1) {
        return Refuse(name, fmt::format("a convolution of {} groups is not supported", *groups));
      }
    }
    for (const std::size_t i : {0u, 1u}) {
      if (shape(i).size() == 4) continue;
      return Fail(InputPlace(i) + ".shape",
                  fmt::format("Conv2D takes four dimensions, not {}", TextOf(shape(i))), "shapes");
    }
    attributes.head = attributes.tail = {0, 0};
    // The frame's own numbers before what a user said.
    const char* const zeros = AttributeOf(fields_, "pad_list").is_there() ? "pad_list" : "pad";
    if (AttributeOf(fields_, zeros).is_there()) {
      const std::optional<Numbers> pads = ReadIntegers(AttributeOf(fields_, zeros), mistakes_);
      if (!pads) return false;
      const auto is_good = [](std::int64_t pad) { return pad >= 0 && pad < kMostElements; };
      if (pads->size() != 4 || !std::ranges::all_of(*pads, is_good)) {
        return FailAttribute(zeros, fmt::format("must be four numbers from 0 on, rows before and "
                                                "behind the image and columns before and behind "
                                                "it, not {}",
                                                TextOf(*pads)));
      }
      attributes.head = {(*pads)[0], (*pads)[2]};
      attributes.tail = {(*pads)[1], (*pads)[3]};
    }
    if (const auto result = Convolved(false)) {
      if (*result == output_.shape) return true;
      const auto other = Convolved(true);
      if (!other || *other != output_.shape) return ExpectShape(*result);
    }
    attributes.channels_first = true;
    if (const auto result = Convolved(true)) return ExpectShape(*result);
    return Fail(InputPlace(1) + ".shape",
                fmt::format("{} is no filter for {}: NHWC and KRSC, or NCHW and KCRS",
                            TextOf(shape(1)), TextOf(shape(0))),
                "shapes");
  }

  /// What is said of the filter beside its shape, and how it is applied.
  bool CheckFilter() {
    if (const Field field = AttributeOf(fields_, "mode"); field.is_there()) {
      const std::optional<std::int64_t> mode = ReadInteger(field, mistakes_);
      if (!mode) return false;
      if (*mode != 1) {
        return Refuse("mode", fmt::format("a convolution of mode {} is not supported; 1 is the sum "
                                          "of products of windows with the filter as it lies",
                                          *mode));
      }
    }
    if (const Field field = AttributeOf(fields_, "kernel_size"); field.is_there()) {
      const std::optional<Numbers> size = ReadIntegers(field, mistakes_);
      if (!size) return false;
      if (size->size() != 2) {
        return FailAttribute("kernel_size",
                             fmt::format("must be two numbers, not {}", TextOf(*size)));
      }
      kernel_size_ = *size;
    }
    return true;
  }

  /// The shape of a convolution whose operands lie so; nothing: they do not.
  std::optional<Shape> Convolved(bool channels_first) const {
    const Attributes& attributes = operation_.attributes;
    const std::size_t channels = channels_first ? 1 : 3, row = channels_first ? 2 : 1;
    if (shape(0)[channels] != shape(1)[channels]) return std::nullopt;
    if (!kernel_size_.empty() && kernel_size_ != Numbers{shape(1)[row], shape(1)[row + 1]}) {
      return std::nullopt;
    }
    Shape result = shape(0);
    result[channels] = shape(1)[0];
    for (const std::size_t i : {0u, 1u}) {
      const std::int64_t reach = (shape(1)[row + i] - 1) * attributes.dilation[i] + 1;
      const std::int64_t padded = shape(0)[row + i] + attributes.head[i] + attributes.tail[i];
      if (reach > padded) return std::nullopt;
      result[row + i] = (padded - reach) / attributes.stride[i] + 1;
    }
    return result;
  }

  bool Movement() {
    switch (operation_.kind) {
      case Kind::kReshape:
        return CheckShapeAttribute() && SameElements();
      case Kind::kBroadcastTo: {
        if (!CheckShapeAttribute()) return false;
        const std::optional<Shape> both = BroadcastShape(shape(), output_.shape);
        if (both && *both == output_.shape) return true;
        return Fail(OutputPlace() + ".shape",
                    fmt::format("{} does not broadcast to {}: from the last one on, its dimensions "
                                "must be equal or 1",
                                TextOf(shape()), TextOf(output_.shape)),
                    "shapes");
      }
      case Kind::kExpandDims:
        return ExpandDims();
      case Kind::kSqueeze:
        return Squeeze();
      case Kind::kTranspose:
        return Transpose();
      case Kind::kTile:
        return Tile();
      case Kind::kOneHot:
        return OneHot();
      default:
        return Pad();
    }
  }

  bool SameElements() {
    if (ElementsOf(shape()) == ElementsOf(output_.shape)) return true;
    return Fail(OutputPlace() + ".shape",
                fmt::format("{} has {} elements, and {} has {}: {} keeps their number",
                            TextOf(output_.shape), ElementsOf(output_.shape), TextOf(shape()),
                            ElementsOf(shape()), kind_.name),
                "shapes");
  }

  bool ExpandDims() {
    if (!Required("axis")) return false;
    const std::optional<Numbers> axes = AxesOf(shape().size() + 1);
    if (!axes) return false;
    if (axes->size() != 1) return FailAttribute("axis", "must be one number");
    Shape result = shape();
    result.insert(result.begin() + axes->front(), 1);
    return ExpectShape(result);
  }

  bool Squeeze() {
    Shape result;
    std::optional<Numbers> axes = Numbers();
    const bool is_named = AttributeOf(fields_, "axis").is_there();
    if (is_named) axes = AxesOf(shape().size());
    if (!axes) return false;
    for (std::size_t i = 0; i < shape().size(); ++i) {
      const bool goes = is_named && !axes->empty()
                            ? std::ranges::binary_search(*axes, std::int64_t(i))
                            : shape()[i] == 1;
      if (goes && shape()[i] != 1) {
        return FailAttribute("axis", fmt::format("dimension {} of {} has more than one element", i,
                                                 TextOf(shape())));
      }
      if (!goes) result.push_back(shape()[i]);
    }
    return ExpectShape(result);
  }

  bool Transpose() {
    if (!Required("perm")) return false;
    const std::optional<Numbers> perm = ReadIntegers(AttributeOf(fields_, "perm"), mistakes_);
    if (!perm) return false;
    Numbers sorted;
    for (const std::int64_t axis : *perm) {
      const std::optional<std::int64_t> positive = AxisOf("perm", axis, shape().size());
      if (!positive) return false;
      operation_.attributes.perm.push_back(*positive);
    }
    sorted = operation_.attributes.perm;
    std::ranges::sort(sorted);
    Numbers all(shape().size());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all) {
      return FailAttribute("perm", fmt::format("must name each of {} dimensions once, not {}",
                                               shape().size(), TextOf(*perm)));
    }
    Shape result;
    for (const std::int64_t axis : operation_.attributes.perm) {
      result.push_back(shape()[static_cast<std::size_t>(axis)]);
    }
    return ExpectShape(result);
  }

  bool Tile() {
    if (!Required("multiples")) return false;
    const std::size_t rank = output_.shape.size();
    const std::optional<Numbers> multiples = PerDimension("multiples", rank, 1);
    if (!multiples) return false;
    if (shape().size() > rank) {
      return Fail(OutputPlace() + ".shape",
                  fmt::format("must have {} dimensions or more, as the "
                              "operand has, not {}",
                              shape().size(), rank),
                  "shapes");
    }
    Shape result = shape();
    result.insert(result.begin(), rank - result.size(), 1);
    // Both factors are below 2^31.
    for (std::size_t i = 0; i < rank; ++i) result[i] *= (*multiples)[i];
    operation_.attributes.multiples = *multiples;
    return ExpectShape(result);
  }

  bool OneHot() {
    if (!Required("depth")) return false;
    const std::optional<std::int64_t> depth = ReadInteger(AttributeOf(fields_, "depth"), mistakes_);
    if (!depth) return false;
    if (*depth < 1 || *depth >= kMostElements) {
      return FailAttribute("depth", fmt::format("must be 1 or more, and less than {}, not {}",
                                                kMostElements, *depth));
    }
    operation_.attributes.depth = *depth;
    operation_.attributes.axes = {static_cast<std::int64_t>(shape().size())};
    if (AttributeOf(fields_, "axis").is_there()) {
      const std::optional<Numbers> axes = AxesOf(shape().size() + 1);
      if (!axes) return false;
      if (axes->size() != 1) return FailAttribute("axis", "must be one number");
      operation_.attributes.axes = *axes;
    }
    for (std::size_t i = 1; i < operation_.inputs.size(); ++i) {
      if (ElementsOf(in(i).shape) == 1) continue;
      return Fail(InputPlace(i) + ".shape",
                  fmt::format("must be one element: the value of OneHot where positions are {}",
                              i == 1 ? "equal" : "not equal"),
                  "shapes");
    }
    Shape result = shape();
    result.insert(result.begin() + operation_.attributes.axes.front(), *depth);
    return ExpectShape(result);
  }

  bool Pad() {
    const bool pads = operation_.kind == Kind::kPadAkg;
    const std::size_t rank = shape().size();
    Attributes& attributes = operation_.attributes;
    attributes.head.assign(rank, 0);
    if (!Required("tail") || (pads && !Required("head"))) return false;
    if (AttributeOf(fields_, "head").is_there()) {
      const std::optional<Numbers> head = PerDimension("head", rank, 0);
      if (!head) return false;
      attributes.head = *head;
    }
    const std::optional<Numbers> tail = PerDimension("tail", rank, 0);
    if (!tail) return false;
    attributes.tail = *tail;
    Shape result = shape();
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t both = attributes.head[i] + attributes.tail[i];
      result[i] += pads ? both : -both;
      if (result[i] >= 1) continue;
      return FailAttribute(
          "tail", fmt::format("nothing is left of dimension {}, which has {}", i, shape()[i]));
    }
    return (!pads || PadValue()) && ExpectShape(result);
  }

  bool PadValue() {
    const Field field = AttributeOf(fields_, "pad_val");
    if (!field.is_there()) return true;
    const std::optional<double> value = ReadNumber(field, output_.type, mistakes_);
    operation_.attributes.pad_value = value.value_or(0);
    return value.has_value();
  }

  bool Assignment() {
    if (in(0).is_number()) {
      return Fail(InputPlace(0), "a number cannot be assigned to: it must be an input",
                  "assignment");
    }
    if (shape(0) != shape(1)) {
      return Fail(InputPlace(1) + ".shape",
                  fmt::format("must be {}, the shape of what it is assigned to, not {}",
                              TextOf(shape(0)), TextOf(shape(1))),
                  "shapes");
    }
    if (operation_.kind == Kind::kAssign) return ExpectShape(shape(0));
    if (const Field fake = AttributeOf(fields_, "fake_output"); fake.is_there()) {
      const std::optional<bool> is_set = ReadFlag(fake, mistakes_);
      if (!is_set) return false;
      operation_.attributes.fake_output = *is_set;
    }
    return ExpectShape(shape(2));
  }

  Operation& operation_;
  const NamedFields& fields_;
  const GraphTensor& output_;
  const std::string& place_;
  Mistakes& mistakes_;
  const KindInfo& kind_;
  Numbers kernel_size_;  ///< Conv2D: rows and columns of the filter, where that is said.
};

}  // namespace

std::string TextOf(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t of_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t of_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) return std::nullopt;
    shape[shape.size() - 1 - i] = std::max(of_a, of_b);
  }
  return shape;
}

bool CheckOperation(const Checked& checked) {
  return Checker(checked).Check();
}

}  // namespace exh::kernels::fused
