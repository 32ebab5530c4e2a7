#include "frontends/attn/Check/Checker.h"
#include "frontends/attn/Check/NumberRange.h"
#include "frontends/attn/Parse/Parse.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::BinaryOp;
using ast::ExprKind;

//===- Dispatch ---------------------------------------------------------------------------------------------------===//

Value Checker::expression(const ast::Expr &expr, const ScopePtr &scope) {
  constexpr unsigned maximumCheckedNesting = 600;
  constexpr uint64_t maximumSteps = 1000000;
  if (isExhausted)
    return Value();
  if (++steps > maximumSteps || build.isTooLarge()) {
    error(DiagnosticKind::TooLarge, expr.range,
          "the program becomes too large here, with all calls and loops written out");
    isExhausted = true;
    return Value();
  }
  if (nesting >= maximumCheckedNesting || build.isTooDeep()) {
    error(DiagnosticKind::TooLarge, expr.range, "calls and expressions are nested too deeply here")
        .hint("bind tensors on the way with `let`, outside of `=>`");
    isExhausted = true;
    return Value();
  }
  ++nesting;
  Value value = expressionOfKind(expr, scope);
  --nesting;
  if (typed::ExprRef large = build.takeOversized()) {
    tooLarge(large->range, "this tensor", textOf(large->type));
    return Value();
  }
  return value;
}

Value Checker::expressionOfKind(const ast::Expr &expr, const ScopePtr &scope) {
  switch (expr.kind) {
  case ExprKind::Integer:
    return Dim(expr.as<ast::IntegerExpr>()->value);
  case ExprKind::Float:
    return expr.as<ast::FloatExpr>()->value;
  case ExprKind::Boolean:
    return expr.as<ast::BooleanExpr>()->value;
  case ExprKind::String:
    return StringValue{expr.as<ast::StringExpr>()->value};
  case ExprKind::NameRef:
    return nameRef(*expr.as<ast::NameRefExpr>(), scope);
  case ExprKind::Member:
    return member(*expr.as<ast::MemberExpr>(), scope);
  case ExprKind::Call:
    return call(*expr.as<ast::CallExpr>(), scope);
  case ExprKind::Subscript:
    return subscript(*expr.as<ast::SubscriptExpr>(), scope);
  case ExprKind::Unary:
    return unary(*expr.as<ast::UnaryExpr>(), scope);
  case ExprKind::Binary:
    return binary(*expr.as<ast::BinaryExpr>(), scope);
  case ExprKind::Conditional:
    return conditional(*expr.as<ast::ConditionalExpr>(), scope);
  case ExprKind::Tuple:
    return tupleOf(expr.as<ast::TupleExpr>()->elements, scope);
  case ExprKind::List:
    return tupleOf(expr.as<ast::ListExpr>()->elements, scope);
  case ExprKind::ListRepeat: {
    auto &repeat = *expr.as<ast::ListRepeatExpr>();
    std::optional<int64_t> count = constantInteger(*repeat.count, scope, "the length of a list");
    Value element = expression(*repeat.element, scope);
    if (!count || element.isError())
      return Value();
    if (*count < 0 || *count > 10000) {
      error(DiagnosticKind::BadSize, repeat.count->range, fmt::format("a list of {} values", *count));
      return Value();
    }
    return TupleValue{std::vector<Value>(static_cast<size_t>(*count), element)};
  }
  case ExprKind::ListComprehension:
    return listComprehension(*expr.as<ast::ListComprehensionExpr>(), scope);
  case ExprKind::Build:
    return comprehension(*expr.as<ast::BuildExpr>(), scope);
  case ExprKind::Reduce:
    return reduce(*expr.as<ast::ReduceExpr>(), scope);
  case ExprKind::Lambda:
    return LambdaValue{expr.as<ast::LambdaExpr>(), scope};
  case ExprKind::Attend:
    return attend(*expr.as<ast::AttendExpr>(), scope);
  case ExprKind::Scan:
    return scan(*expr.as<ast::ScanExpr>(), scope);
  case ExprKind::Error:
    return Value();
  }
  return Value();
}

Value Checker::tupleOf(const std::vector<ast::ExprPtr> &parts, const ScopePtr &scope) {
  TupleValue result;
  bool hasError = false;
  for (const ast::ExprPtr &part : parts) {
    result.parts.push_back(expression(*part, scope));
    hasError |= result.parts.back().isError();
  }
  return hasError ? Value() : Value(std::move(result));
}

Value Checker::listComprehension(const ast::ListComprehensionExpr &expr, const ScopePtr &scope) {
  std::vector<Value> values;
  if (expr.iteration.isBelow) {
    std::optional<int64_t> count = constantInteger(*expr.iteration.source, scope, "the length of a list");
    if (!count)
      return Value();
    for (int64_t i = 0; i < *count && i < 10000; ++i)
      values.push_back(Dim(i).labelled(expr.iteration.name.text));
  } else {
    Value source = expression(*expr.iteration.source, scope);
    if (auto *tuple = source.as<TupleValue>())
      values = tuple->parts;
    else if (source.isError())
      return source;
    else
      return notSupported(expr.iteration.range, fmt::format("a list made from {}", describe(source)));
  }
  TupleValue result;
  for (const Value &value : values) {
    ScopePtr inner = childOf(scope);
    bindLocal(inner, expr.iteration.name, value, false);
    result.parts.push_back(expression(*expr.element, inner));
    if (result.parts.back().isError())
      return Value();
  }
  return result;
}

//===- Conversions ------------------------------------------------------------------------------------------------===//

ExprRef Checker::asTensor(const Value &value, SourceRange range, std::optional<Element> wanted) {
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
      error(DiagnosticKind::BadNumber, range, fmt::format("{} does not fit into i32", size->constant()));
      return nullptr;
    }
    ExprRef index = build.size(*size, range);
    return wanted == Element::F32 || wanted == Element::I32 ? build.cast(index, *wanted) : index;
  }
  if (auto *real = value.as<double>()) {
    if (!isBeyondF32(*real))
      return build.real(*real, range);
    error(DiagnosticKind::BadNumber, range, beyondF32(*real)).hint(infinityHint);
    return nullptr;
  }
  if (auto *truth = value.as<bool>())
    return build.boolean(*truth, range);
  error(DiagnosticKind::NotATensor, range, fmt::format("a tensor is expected here, and this is {}", describe(value)));
  return nullptr;
}

ExprRef Checker::asReal(const Value &value, SourceRange range, const std::string &what) {
  ExprRef tensor = asTensor(value, range, Element::F32);
  if (!tensor || tensor->type.element == Element::F32)
    return tensor;
  if (tensor->type.element == Element::Index)
    return build.cast(tensor, Element::F32);
  typeError(DiagnosticKind::ElementMismatch, range,
            fmt::format("{} needs f32, and this is {}", what, textOf(tensor->type.element)))
      .label(textOf(tensor->type))
      .hint("`f32(x)` converts");
  return nullptr;
}

ExprRef Checker::asCondition(const Value &value, SourceRange range, const std::string &what) {
  ExprRef tensor = asTensor(value, range);
  if (!tensor || tensor->type.element == Element::Bool)
    return tensor;
  typeError(DiagnosticKind::ElementMismatch, range,
            fmt::format("{} must be true or false, and this is {}", what, textOf(tensor->type.element)))
      .label(textOf(tensor->type))
      .hint("compare, as in `x > 0`");
  return nullptr;
}

/// The element type that numbers and tensors have in common. Numbers fit what they stand beside.
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

std::vector<ExprRef> Checker::agree(const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                                    bool ofTensors) {
  std::vector<Value> values;
  for (const Operand &operand : operands) {
    if (operand.value.isError())
      return {};
    values.push_back(operand.value);
    ofTensors |= operand.value.tensor() && operand.value.tensor()->type.rank() > 0;
  }
  std::vector<ExprRef> tensors;
  std::optional<Element> element = commonElement(values);
  if (element == Element::Index && ofTensors) // only scalars are indices
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
      typeError(DiagnosticKind::ElementMismatch, range, fmt::format("{} of different element types", what));
  for (size_t i = 0; i < operands.size(); ++i)
    report.label(operands[i].range,
                 operands[i].value.tensor() ? textOf(tensors[i]->type) : describe(operands[i].value));
  report.hint("`f32(x)` and `i32(x)` convert");
  return {};
}

bool Checker::checkBroadcast(const std::vector<ExprRef> &operands, const std::vector<Operand> &written,
                             SourceRange range, const std::string &what) {
  Shape shape;
  for (size_t n = 0; n < operands.size(); ++n) {
    const Shape &other = operands[n]->type.shape;
    if (std::optional<Shape> both = broadcast(shape, other)) {
      shape = *both;
      continue;
    }
    // The last pair that differs is the one to show.
    size_t i = 1;
    while (shape[shape.size() - i] == other[other.size() - i] || shape[shape.size() - i].is(1) ||
           other[other.size() - i].is(1))
      ++i;
    Diagnostic &report = dimMismatch(range, fmt::format("dimensions of {} differ", what), shape[shape.size() - i],
                                     other[other.size() - i]);
    for (size_t k = 0; k < operands.size(); ++k) {
      const Shape &whole = operands[k]->type.shape;
      report.label(written[k].range, textOf(operands[k]->type));
      if (whole.size() >= i && k <= n)
        noteOrigin(report, operands[k], written[k].range, whole[whole.size() - i]);
    }
    report.hint("trailing dimensions are aligned, and must be the same or the literal 1");
    return false;
  }
  return true;
}

Value Checker::elementwise(Op op, const std::vector<Operand> &operands, SourceRange range, const std::string &what,
                           SourceRange sign) {
  std::vector<ExprRef> tensors = agree(operands, sign.valid() ? sign : range, what);
  if (tensors.empty() || !checkBroadcast(tensors, operands, sign.valid() ? sign : range, what))
    return Value();
  return TensorValue{build.elementwise(op, std::move(tensors), range)};
}

//===- Operators --------------------------------------------------------------------------------------------------===//

Value Checker::unary(const ast::UnaryExpr &expr, const ScopePtr &scope) {
  Value value = expression(*expr.operand, scope);
  if (value.isError())
    return value;
  if (std::optional<Value> folded = foldUnary(expr, value))
    return *folded;
  if (expr.op == ast::UnaryOp::Not) {
    ExprRef condition = asCondition(value, expr.operand->range, "`not`");
    return condition ? Value(TensorValue{build.elementwise(Op::Not, {condition}, expr.range)}) : Value();
  }
  ExprRef tensor = asTensor(value, expr.operand->range);
  if (!tensor)
    return Value();
  if (expr.op == ast::UnaryOp::Negate) {
    if (tensor->type.element == Element::Bool)
      return asReal(value, expr.operand->range, "`-`") ? Value() : Value();
    return TensorValue{build.elementwise(Op::Neg, {tensor}, expr.range)};
  }
  if (tensor->type.rank() < 2) {
    typeError(DiagnosticKind::RankMismatch, expr.operand->range,
              "`'` swaps the last two dimensions, and this has fewer")
        .label(textOf(tensor->type));
    return Value();
  }
  std::vector<unsigned> permutation(tensor->type.rank());
  for (unsigned i = 0; i < permutation.size(); ++i)
    permutation[i] = i;
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return TensorValue{build.permute(tensor, std::move(permutation), expr.range)};
}

static std::optional<Op> operatorOf(BinaryOp op) {
  static constexpr std::pair<BinaryOp, Op> table[] = {
      {BinaryOp::Add, Op::Add}, {BinaryOp::Sub, Op::Sub}, {BinaryOp::Mul, Op::Mul}, {BinaryOp::Div, Op::Div},
      {BinaryOp::Mod, Op::Rem}, {BinaryOp::Pow, Op::Pow}, {BinaryOp::Eq, Op::Eq},   {BinaryOp::Ne, Op::Ne},
      {BinaryOp::Lt, Op::Lt},   {BinaryOp::Le, Op::Le},   {BinaryOp::Gt, Op::Gt},   {BinaryOp::Ge, Op::Ge},
      {BinaryOp::And, Op::And}, {BinaryOp::Or, Op::Or}};
  for (auto [written, meant] : table)
    if (written == op)
      return meant;
  return std::nullopt;
}

/// `a + b + c + ...` goes as deep as it is long on its left: from the innermost operator to the outermost.
Value Checker::binary(const ast::BinaryExpr &expr, const ScopePtr &scope) {
  std::vector<const ast::BinaryExpr *> chain = {&expr};
  while (auto *inner = chain.back()->lhs->as<ast::BinaryExpr>())
    chain.push_back(inner);
  Value value = expression(*chain.back()->lhs, scope);
  for (; !chain.empty(); chain.pop_back())
    value = binary(*chain.back(), value, expression(*chain.back()->rhs, scope));
  return value;
}

Value Checker::binary(const ast::BinaryExpr &expr, const Value &a, const Value &b) {
  if (a.isError() || b.isError())
    return Value();
  if (std::optional<Value> folded = foldBinary(expr, a, b))
    return *folded;
  Operand left{a, expr.lhs->range}, right{b, expr.rhs->range};
  std::string what = fmt::format("`{}`", sources.text(expr.opRange));
  if (expr.op == BinaryOp::MatMul) {
    ExprRef x = asReal(a, left.range, what), y = asReal(b, right.range, what);
    return x && y ? matMul(x, y, expr) : Value();
  }
  Op op = *operatorOf(expr.op);
  if (op == Op::And || op == Op::Or) {
    // `not causal or j <= i`: a side that is known decides, or leaves the other.
    for (const auto &[known, other] : {std::pair(a, right), std::pair(b, left)})
      if (auto *truth = known.as<bool>()) {
        ExprRef rest = asCondition(other.value, other.range, what);
        if (rest)
          return *truth == (op == Op::Or) ? Value(*truth) : Value(TensorValue{rest});
        return Value();
      }
    ExprRef x = asCondition(a, left.range, what), y = asCondition(b, right.range, what);
    if (!x || !y)
      return Value();
    left.value = TensorValue{x};
    right.value = TensorValue{y};
  } else if (op == Op::Pow) {
    if (b.as<Dim>() && *b.as<Dim>() == Dim(2))
      return elementwise(Op::Mul, {left, left}, expr.range, what);
    ExprRef x = asReal(a, left.range, what), y = asReal(b, right.range, what);
    if (!x || !y)
      return Value();
    left.value = TensorValue{x};
    right.value = TensorValue{y};
  } else if (op != Op::Eq && op != Op::Ne) {
    for (const Operand &operand : {left, right})
      if (const Expr *tensor = operand.value.tensor(); tensor && tensor->type.element == Element::Bool) {
        asReal(operand.value, operand.range, what);
        return Value();
      }
  }
  return elementwise(op, {left, right}, expr.range, what, expr.opRange);
}

Value Checker::matMul(ExprRef a, ExprRef b, const ast::BinaryExpr &expr) {
  auto report = [&](Diagnostic &diagnostic) {
    diagnostic.label(expr.lhs->range, textOf(a->type)).label(expr.rhs->range, textOf(b->type));
    return Value();
  };
  size_t aRank = a->type.rank(), bRank = b->type.rank();
  if (aRank == 0 || bRank == 0)
    return report(typeError(DiagnosticKind::RankMismatch, expr.opRange,
                            "`@` multiplies matrices and vectors, and this is a number"));
  const Dim &k = a->type.shape.back(), &other = b->type.shape[bRank > 1 ? bRank - 2 : 0];
  if (k != other) {
    Diagnostic &mismatch = dimMismatch(expr.opRange, "contracted dimensions differ", k, other);
    noteOrigin(mismatch, a, expr.lhs->range, k);
    noteOrigin(mismatch, b, expr.rhs->range, other);
    return report(mismatch);
  }
  Shape aBatch(a->type.shape.begin(), a->type.shape.end() - static_cast<ptrdiff_t>(std::min<size_t>(aRank, 2)));
  Shape bBatch(b->type.shape.begin(), b->type.shape.end() - static_cast<ptrdiff_t>(std::min<size_t>(bRank, 2)));
  std::optional<Shape> shape = broadcast(aBatch, bBatch);
  if (!shape)
    return report(
        typeError(DiagnosticKind::DimMismatch, expr.opRange,
                  fmt::format("leading dimensions of `@` differ: {} and {}", textOf(aBatch), textOf(bBatch))));
  if (aRank > 1)
    shape->push_back(a->type.shape[aRank - 2]);
  if (bRank > 1)
    shape->push_back(b->type.shape.back());
  return TensorValue{build.make(MatMul{a, b}, {Element::F32, *shape}, expr.range)};
}

Value Checker::conditional(const ast::ConditionalExpr &expr, const ScopePtr &scope) {
  Value value = expression(*expr.condition, scope);
  if (value.isError())
    return value;
  if (auto *holds = value.as<bool>())
    return expression(*holds ? *expr.thenValue : *expr.elseValue, scope);
  ExprRef condition = asCondition(value, expr.condition->range, "the condition");
  if (!condition)
    return Value();
  guards.push_back({condition, true});
  Value a = expression(*expr.thenValue, scope);
  guards.back().second = false;
  Value b = expression(*expr.elseValue, scope);
  guards.pop_back();
  std::vector<Operand> branches = {{a, expr.thenValue->range}, {b, expr.elseValue->range}};
  std::vector<ExprRef> tensors = agree(branches, expr.range, "the branches", condition->type.rank() > 0);
  if (tensors.empty())
    return Value();
  branches.insert(branches.begin(), Operand{TensorValue{condition}, expr.condition->range});
  tensors.insert(tensors.begin(), condition);
  if (!checkBroadcast(tensors, branches, expr.range, "`if`"))
    return Value();
  return TensorValue{build.elementwise(Op::Select, std::move(tensors), expr.range)};
}

} // namespace attnc::check
