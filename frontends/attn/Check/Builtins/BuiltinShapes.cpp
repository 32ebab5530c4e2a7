#include "frontends/attn/Check/Builtins/Builtins.h"

#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

//===- Shapes as arguments ----------------------------------------------------------------------------------------===//

static std::optional<Shape> shapeFrom(const BuiltinCall &call, const std::vector<Value> &sizes, SourceRange range) {
  Shape shape;
  for (const Value &value : sizes) {
    std::optional<Dim> size = asSize(call.reporter, value, range);
    if (!size)
      return std::nullopt;
    if (!call.bounds.require({*size})) {
      call.reporter.error(DiagnosticKind::BadSize, range, fmt::format("a dimension would be {}", size->text()));
      return std::nullopt;
    }
    shape.push_back(*size);
  }
  return shape;
}

/// Reads sizes as `(m, n)` or `([m, n])`, from argument `first` on.
static std::optional<Shape> shapeArguments(const BuiltinCall &call, size_t first) {
  std::vector<Value> sizes;
  if (call.arguments.size() == first + 1 && call[first].value.as<TupleValue>())
    return shapeFrom(call, call[first].value.as<TupleValue>()->parts, call[first].range);
  for (size_t i = first; i < call.arguments.size(); ++i)
    sizes.push_back(call[i].value);
  return shapeFrom(call, sizes, call.range);
}

static Value fill(const BuiltinCall &call, ExprRef value, size_t first) {
  std::optional<Shape> shape = shapeArguments(call, first);
  if (!shape || !value)
    return Value();
  if (value->type.rank() > 0) {
    call.reporter
        .typeError(DiagnosticKind::RankMismatch, call.range, fmt::format("{} needs a single number", call.what()))
        .label(call[0].range, textOf(value->type));
    return Value();
  }
  if (value->type.element == Element::Index)
    value = call.conversions.asTensor(call[0].value, call[0].range, Element::I32);
  if (!value)
    return Value();
  if (value->type.element == Element::Index) // a scalar, not a compile-time number
    value = call.build.cast(value, Element::I32);
  return TensorValue{call.build.make(Fill{value}, {value->type.element, *shape}, call.range)};
}

Value builtinZeros(const BuiltinCall &call) { return fill(call, call.build.real(0, call.range), 0); }
Value builtinOnes(const BuiltinCall &call) { return fill(call, call.build.real(1, call.range), 0); }
Value builtinLike(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (!x)
    return Value();
  return TensorValue{call.build.make(Fill{call.build.real(0, call.range)}, {Element::F32, x->type.shape}, call.range)};
}
Value builtinFull(const BuiltinCall &call) { return fill(call, call.tensor(0), 1); }

Value builtinIota(const BuiltinCall &call) {
  std::optional<Shape> shape = shapeArguments(call, 0);
  if (!shape)
    return Value();
  if (shape->size() != 1) {
    call.reporter.error(DiagnosticKind::RankMismatch, call.range, "`iota` has one size").hint(call.builtin.signature);
    return Value();
  }
  Index *index = call.build.newIndex("i", call.range);
  call.indexScopes.giveExtent(index, shape->front(), call.range);
  return call.bodies.wrap({index}, TensorValue{call.build.reference(index, call.range)}, call.range,
                          call.ranges.mark());
}

/// In index notation, the call draws for each tuple of the indices that x depends on, and for each element of a row.
Value builtinRandom(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (!x || !call.draws.mayDraw(call.range, "`random`"))
    return Value();
  std::vector<Index *> over;
  for (unsigned number : call.build.freeOf(x).allIndices())
    over.push_back(call.build.indexAt(number));
  std::vector<const Index *> own;
  for (const Dim &extent : x->type.shape) {
    Index *index = call.build.newIndex(extent.getLabel().empty() ? "d" : extent.getLabel(), call.range);
    index->extent = extent;
    own.push_back(index);
    over.push_back(index);
  }
  bool isElement = own.empty() && !over.empty();
  ExprRef number = call.draws.draw(over, call.range);
  if (isElement)
    return TensorValue{number};
  return TensorValue{call.build.make(Comprehension{std::move(own), number}, {Element::F32, x->type.shape}, call.range)};
}

//===- Arranging --------------------------------------------------------------------------------------------------===//

Value builtinReshape(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  std::optional<Shape> shape = x ? shapeArguments(call, 1) : std::nullopt;
  if (!shape)
    return Value();
  if (ExprRef result = call.build.reshape(x, *shape, call.range))
    return TensorValue{result};
  Dim from(1), to(1);
  for (const Dim &dim : x->type.shape)
    from = from * dim;
  for (const Dim &dim : *shape)
    to = to * dim;
  call.reporter
      .typeError(DiagnosticKind::DimMismatch, call.range,
                 from == to ? "the checker cannot see how these dimensions correspond"
                            : fmt::format("the shapes have {} and {} elements", from.text(), to.text()))
      .label(call[0].range, textOf(x->type))
      .label(call[1].range, textOf(*shape));
  return Value();
}

Value builtinTranspose(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (!x)
    return Value();
  std::optional<unsigned> a = axisOf(call, call[1].value, call[1].range, x->type.rank());
  std::optional<unsigned> b = axisOf(call, call[2].value, call[2].range, x->type.rank());
  if (!a || !b)
    return Value();
  std::vector<unsigned> permutation;
  for (unsigned axis = 0; axis < x->type.rank(); ++axis)
    permutation.push_back(axis);
  std::swap(permutation[*a], permutation[*b]);
  return TensorValue{call.build.permute(x, std::move(permutation), call.range)};
}

Value builtinPermute(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (!x)
    return Value();
  auto *list = call[1].value.as<TupleValue>();
  std::vector<unsigned> permutation;
  if (list)
    for (const Value &value : list->parts) {
      std::optional<unsigned> axis = axisOf(call, value, call[1].range, x->type.rank());
      if (!axis)
        return Value();
      permutation.push_back(*axis);
    }
  std::vector<unsigned> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() != x->type.rank() || std::unique(sorted.begin(), sorted.end()) != sorted.end()) {
    call.reporter.typeError(DiagnosticKind::RankMismatch, call[1].range, "a permutation names each dimension once")
        .label(call[0].range, textOf(x->type));
    return Value();
  }
  return TensorValue{call.build.permute(x, std::move(permutation), call.range)};
}

Value builtinConcat(const BuiltinCall &call) {
  std::vector<Operand> parts;
  for (const CheckedArgument &argument : call.arguments) {
    if (auto *list = argument.value.as<TupleValue>())
      for (const Value &part : list->parts)
        parts.push_back({part, argument.range});
    else
      parts.push_back({argument.value, argument.range});
  }
  std::vector<ExprRef> tensors = call.conversions.agree(parts, call.range, call.what());
  if (tensors.empty())
    return Value();
  size_t rank = tensors[0]->type.rank();
  std::optional<unsigned> axis =
      axisOf(call, call.axis ? call.axis->value : Value(Dim(-1)), call.axis ? call.axis->range : call.range, rank);
  if (!axis)
    return Value();
  Type type = tensors[0]->type;
  for (size_t n = 1; n < tensors.size(); ++n) {
    const Shape &shape = tensors[n]->type.shape;
    bool fits = shape.size() == rank;
    for (size_t i = 0; fits && i < rank; ++i)
      fits = i == *axis || shape[i] == type.shape[i];
    if (!fits) {
      Diagnostic &report = call.reporter.typeError(DiagnosticKind::DimMismatch, call.range,
                                                   fmt::format("all dimensions but {} must be the same", *axis));
      report.label(parts[0].range, textOf(tensors[0]->type)).label(parts[n].range, textOf(tensors[n]->type));
      for (size_t i = 0; i < std::min(shape.size(), rank); ++i)
        if (i != *axis && shape[i] != type.shape[i]) {
          call.origins.note(report, tensors[0], parts[0].range, type.shape[i]);
          call.origins.note(report, tensors[n], parts[n].range, shape[i]);
        }
      return Value();
    }
    type.shape[*axis] = type.shape[*axis] + shape[*axis];
  }
  if (tensors.size() == 1)
    return TensorValue{tensors[0]};
  return TensorValue{call.build.make(Concat{std::move(tensors), *axis}, std::move(type), call.range)};
}

/// Returns the sizes of the parts into which a dimension is split.
static std::optional<std::vector<Dim>> partsOf(const BuiltinCall &call, const Dim &whole) {
  if (auto *list = call[1].value.as<TupleValue>()) {
    std::optional<Shape> sizes = shapeFrom(call, list->parts, call[1].range);
    Dim total(0);
    for (const Dim &size : sizes.value_or(Shape()))
      total = total + size;
    if (sizes && total == whole)
      return sizes;
    if (sizes)
      call.reporter.typeError(
          DiagnosticKind::DimMismatch, call[1].range,
          fmt::format("the parts have {} together, and the dimension {}", total.text(), whole.text()));
    return std::nullopt;
  }
  std::optional<int64_t> count = asInteger(call.reporter, call[1].value, call[1].range, "the number of parts");
  if (!count)
    return std::nullopt;
  std::optional<Dim> size = *count > 0 && *count <= 10000 ? whole.dividedBy(Dim(*count)) : std::nullopt;
  if (size)
    return std::vector<Dim>(static_cast<size_t>(*count), *size);
  call.reporter.typeError(DiagnosticKind::InexactDivision, call[1].range,
                          fmt::format("a dimension of {} cannot be split into {} equal parts", whole.text(), *count));
  return std::nullopt;
}

Value builtinSplit(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  if (!x)
    return Value();
  std::optional<unsigned> axis = axisOf(call, call.axis ? call.axis->value : Value(Dim(-1)),
                                        call.axis ? call.axis->range : call.range, x->type.rank());
  if (!axis)
    return Value();
  std::optional<std::vector<Dim>> sizes = partsOf(call, x->type.shape[*axis]);
  if (!sizes)
    return Value();
  if (!call.lets.isOpen(x))
    x = call.lets.bind("", x, call[0].range);
  TupleValue parts;
  std::vector<Dim> offsets(x->type.rank(), Dim(0));
  for (const Dim &size : *sizes) {
    Type type = x->type;
    type.shape[*axis] = size;
    call.bounds.requireSize(size);
    parts.parts.push_back(TensorValue{call.build.make(Slice{x, offsets}, std::move(type), call.range)});
    offsets[*axis] = offsets[*axis] + size;
  }
  return parts;
}

//===- Questions --------------------------------------------------------------------------------------------------===//

Value builtinRank(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  return x ? Value(Dim(static_cast<int64_t>(x->type.rank()))) : Value();
}

Value builtinSize(const BuiltinCall &call) {
  ExprRef x = call.tensor(0);
  std::optional<unsigned> axis = x ? axisOf(call, call[1].value, call[1].range, x->type.rank()) : std::nullopt;
  return axis ? Value(x->type.shape[*axis].asExtent()) : Value();
}

Value builtinLen(const BuiltinCall &call) {
  if (auto *list = call[0].value.as<TupleValue>())
    return Dim(static_cast<int64_t>(list->parts.size()));
  if (auto *list = call[0].value.as<ModuleListValue>())
    return Dim(list->count);
  call.reporter.error(DiagnosticKind::NotAList, call[0].range,
                      fmt::format("`len` is of a list, but this is {}", describe(call[0].value)));
  return Value();
}

Value builtinTagged(const BuiltinCall &call) {
  auto *tag = call[0].value.as<StringValue>();
  if (!call.context.steppedParameter || !tag) {
    call.reporter
        .error(DiagnosticKind::Misplaced, call.range,
               tag ? "`tagged` tests the parameter that an optimizer's step updates, but there is none here"
                   : fmt::format("a tag is a text, but this is {}", describe(call[0].value)))
        .hint(call.builtin.signature);
    return Value();
  }
  const std::vector<std::string> &tags = call.context.steppedParameter->tags;
  return std::find(tags.begin(), tags.end(), tag->text) != tags.end();
}

} // namespace attnc::check
