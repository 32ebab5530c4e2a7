#include "frontends/attn/Check/Types/Conversions.h"

#include "frontends/attn/Check/NumberRange.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

ExprRef Conversions::asTensor(const Value &value, SourceRange range, std::optional<Element> wanted) {
  if (value.isError())
    return nullptr;
  if (ExprRef tensor = value.tensor())
    return tensor;
  if (auto *size = value.as<Dim>()) {
    if (wanted == Element::F32 && size->isConstant())
      return build.real(static_cast<double>(size->constant()), range);
    if (wanted == Element::I32 && size->isConstant()) {
      if (!isBeyondI32(size->constant()))
        return build.integer(size->constant(), Element::I32, range);
      reporter.error(DiagnosticKind::BadNumber, range, fmt::format("{} does not fit into i32", size->constant()));
      return nullptr;
    }
    ExprRef index = build.size(*size, range);
    return wanted == Element::F32 || wanted == Element::I32 ? build.cast(index, *wanted) : index;
  }
  if (auto *real = value.as<double>()) {
    if (!isBeyondF32(*real))
      return build.real(*real, range);
    reporter.error(DiagnosticKind::BadNumber, range, beyondF32(*real)).hint(infinityHint);
    return nullptr;
  }
  if (auto *truth = value.as<bool>())
    return build.integer(*truth, Element::Bool, range);
  reporter.error(DiagnosticKind::NotATensor, range,
                 fmt::format("a tensor is expected here, but this is {}", describe(value)));
  return nullptr;
}

ExprRef Conversions::asReal(const Value &value, SourceRange range, const std::string &what) {
  ExprRef tensor = asTensor(value, range, Element::F32);
  if (!tensor || tensor->type.element == Element::F32)
    return tensor;
  if (tensor->type.element == Element::Index)
    return build.cast(tensor, Element::F32);
  reporter
      .typeError(DiagnosticKind::ElementMismatch, range,
                 fmt::format("{} needs f32, but this is {}", what, textOf(tensor->type.element)))
      .label(textOf(tensor->type))
      .hint("`f32(x)` converts");
  return nullptr;
}

ExprRef Conversions::asCondition(const Value &value, SourceRange range, const std::string &what) {
  ExprRef tensor = asTensor(value, range);
  if (!tensor || tensor->type.element == Element::Bool)
    return tensor;
  reporter
      .typeError(DiagnosticKind::ElementMismatch, range,
                 fmt::format("{} must be true or false, but this is {}", what, textOf(tensor->type.element)))
      .label(textOf(tensor->type))
      .hint("compare, as in `x > 0`");
  return nullptr;
}

ExprRef Conversions::asArgument(const Value &value, SourceRange range, Element wanted, const std::string &name,
                                SourceRange declared) {
  ExprRef tensor = asTensor(value, range, wanted);
  if (!tensor)
    return nullptr;
  if (tensor->type.element == Element::Index && wanted != Element::Bool)
    tensor = build.cast(tensor, wanted);
  if (tensor->type.element == wanted)
    return tensor;
  reporter
      .typeError(
          DiagnosticKind::ElementMismatch, range,
          fmt::format("the parameter `{}` is {}, but this is {}", name, textOf(wanted), textOf(tensor->type.element)))
      .label(textOf(tensor->type))
      .label(declared, "declared here");
  return nullptr;
}

/// Returns the common element type of numbers and tensors; a number adapts to the other operand.
static std::optional<Element> commonElement(const std::vector<Value> &values) {
  bool hasReal = false, hasInteger = false, hasIndex = false, hasBool = false, hasTensorOfIntegers = false,
       hasSize = false;
  for (const Value &value : values) {
    if (value.as<double>())
      hasReal = true;
    else if (value.as<bool>())
      hasBool = true;
    else if (auto *size = value.as<Dim>())
      (size->isConstant() ? hasSize : hasIndex) = true;
    else if (const Expr *tensor = value.tensor()) {
      Element element = tensor->type.element;
      hasReal |= element == Element::F32;
      hasBool |= element == Element::Bool;
      hasIndex |= element == Element::Index;
      hasInteger |= element == Element::I32;
      hasTensorOfIntegers |= element == Element::I32 && tensor->type.rank() > 0;
    }
  }
  if (hasBool)
    return hasReal || hasInteger || hasIndex || hasSize ? std::nullopt : std::optional(Element::Bool);
  if (hasReal)
    return hasInteger ? std::nullopt : std::optional(Element::F32);
  return hasIndex && !hasTensorOfIntegers ? Element::Index : Element::I32;
}

std::vector<ExprRef> Conversions::agree(const std::vector<Operand> &operands, SourceRange range,
                                        const std::string &what, bool ofTensors) {
  std::vector<Value> values;
  for (const Operand &operand : operands) {
    if (operand.value.isError())
      return {};
    values.push_back(operand.value);
    ofTensors |= operand.value.tensor() && operand.value.tensor()->type.rank() > 0;
  }
  std::vector<ExprRef> tensors;
  std::optional<Element> element = commonElement(values);
  if (element == Element::Index && ofTensors) // only scalars have element type Index
    element = Element::I32;
  for (const Operand &operand : operands) {
    ExprRef tensor = asTensor(operand.value, operand.range, element);
    if (!tensor)
      return {};
    tensors.push_back(element && *element != Element::Bool ? build.cast(tensor, *element) : tensor);
  }
  if (element)
    return tensors;
  Diagnostic &report =
      reporter.typeError(DiagnosticKind::ElementMismatch, range, fmt::format("{} of different element types", what));
  for (size_t i = 0; i < operands.size(); ++i)
    report.label(operands[i].range,
                 operands[i].value.tensor() ? textOf(tensors[i]->type) : describe(operands[i].value));
  report.hint("`f32(x)` and `i32(x)` convert");
  return {};
}

bool Conversions::checkBroadcast(const std::vector<ExprRef> &operands, const std::vector<Operand> &written,
                                 SourceRange range, const std::string &what) {
  Shape shape;
  for (size_t n = 0; n < operands.size(); ++n) {
    const Shape &other = operands[n]->type.shape;
    if (std::optional<Shape> both = broadcast(shape, other)) {
      shape = *both;
      continue;
    }
    // The message shows the last pair that differs.
    size_t i = 1;
    while (shape[shape.size() - i] == other[other.size() - i] || shape[shape.size() - i].is(1) ||
           other[other.size() - i].is(1))
      ++i;
    Diagnostic &report = reporter.dimMismatch(range, fmt::format("dimensions of {} differ", what),
                                              shape[shape.size() - i], other[other.size() - i]);
    for (size_t k = 0; k < operands.size(); ++k) {
      const Shape &whole = operands[k]->type.shape;
      report.label(written[k].range, textOf(operands[k]->type));
      if (whole.size() >= i && k <= n)
        origins.note(report, operands[k], written[k].range, whole[whole.size() - i]);
    }
    report.hint("trailing dimensions are aligned, and must be the same or the literal 1");
    return false;
  }
  return true;
}

Value Conversions::elementwise(Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                               SourceRange sign) {
  std::vector<ExprRef> tensors = agree(operands, sign.valid() ? sign : range, what);
  if (tensors.empty() || !checkBroadcast(tensors, operands, sign.valid() ? sign : range, what))
    return Value();
  return TensorValue{build.elementwise(op, std::move(tensors), range)};
}

} // namespace attnc::check
