#include "frontends/attn/Check/Functions/Scans.h"

#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::SubscriptKind;

std::optional<Dim> Scans::steps(const ast::Expr &over, Scope &scope) {
  Value value = expressions.check(over, scope);
  if (ExprRef tensor = value.tensor(); tensor && tensor->type.rank() > 0) {
    reporter
        .error(DiagnosticKind::NotConstant, over.range,
               fmt::format("a scan runs over a size, but this is {}", describe(value)))
        .hint("name the dimension, `scan t over seq`, and subscript by the time step, `x[:, t]`");
    return std::nullopt;
  }
  std::optional<Dim> steps = asSize(reporter, value, over.range);
  if (steps && steps->isConstant() && steps->constant() < 0) {
    reporter.error(DiagnosticKind::BadSize, over.range, fmt::format("a scan of {} time steps", steps->constant()));
    return std::nullopt;
  }
  if (steps)
    bounds.requireSize(*steps);
  return steps;
}

ExprRef Scans::length(const ast::Expr &until, Scope &scope) {
  Value value = expressions.check(until, scope);
  ExprRef length = conversions.asTensor(value, until.range, Element::I32);
  if (!length)
    return nullptr;
  if (length->type.element != Element::I32) {
    reporter.typeError(
        DiagnosticKind::ElementMismatch, until.range,
        fmt::format("the lengths of a scan are i32, one for each row, but this is {}", textOf(length->type)));
    return nullptr;
  }
  return lets.bind("length", length, until.range);
}

bool Scans::carry(const ast::ScanExpr &expr, Scan &scan, Scope &scope, Scope &step) {
  bool isWhole = true;
  for (const ast::Carry &carry : expr.carries) {
    Value start = expressions.check(*carry.initial, scope);
    ExprRef initial = conversions.asTensor(start, carry.initial->range);
    if (!initial) {
      isWhole = false;
      scopes.bindLocal(step, carry.name, Value(), true);
      continue;
    }
    if (initial->type.element == Element::Index) // a number that changes becomes a tensor
      initial = build.cast(initial, Element::I32);
    const Local *argument = build.newLocal(carry.name.text, initial->type, carry.name.range);
    const Local *result = build.newLocal(carry.name.text, initial->type, carry.name.range);
    scan.carried.push_back({initial, argument, nullptr, result});
    scopes.bindLocal(step, carry.name, TensorValue{build.reference(argument, carry.name.range)}, true);
  }
  return isWhole;
}

ExprRef Scans::whileRunning(ExprRef length, const LoopCounter *counter, ExprRef value, ExprRef ended, SourceRange range,
                            const std::string &name) {
  const Shape &rows = length->type.shape, &shape = value->type.shape;
  if (rows.size() > shape.size() || !std::equal(rows.begin(), rows.end(), shape.begin())) {
    reporter
        .typeError(DiagnosticKind::DimMismatch, range,
                   fmt::format("`{}` is {}, and the lengths of the scan are {}: its first dimensions must be theirs",
                               name, textOf(value->type), textOf(length->type)))
        .label(length->range, textOf(length->type));
    return nullptr;
  }
  std::vector<const Index *> over;
  std::vector<ExprRef> at;
  for (const Dim &dim : shape) {
    Index *index = build.newIndex(dim.getLabel().empty() ? "d" : dim.getLabel(), range);
    indexScopes.giveExtent(index, dim, range);
    over.push_back(index);
    at.push_back(build.reference(index, range));
  }
  auto element = [&](ExprRef tensor) {
    std::vector<ExprRef> own(at.begin(), at.begin() + static_cast<ptrdiff_t>(tensor->type.rank()));
    return lets.subscript(tensor, std::move(own), range);
  };
  ExprRef step = build.cast(build.make(StepRef{counter}, {Element::Index, {}}, range), Element::I32);
  ExprRef isRunning = build.elementwise(Op::Lt, {step, element(length)}, range);
  ExprRef nothing =
      value->type.element == Element::F32 ? build.real(0, range) : build.integer(0, value->type.element, range);
  ExprRef other = ended ? element(ended) : nothing;
  ExprRef chosen = build.elementwise(Op::Select, {isRunning, element(value), other}, range);
  ExprRef result = build.make(Comprehension{std::move(over), chosen}, value->type, range);
  return lets.bind(name, result, range);
}

bool Scans::takeNext(const ast::ScanExpr &expr, Scan &scan, ExprRef length, Scope &step) {
  bool isWhole = true;
  for (size_t i = 0; i < scan.carried.size(); ++i) {
    Loop::Carried &carried = scan.carried[i];
    const std::string &name = carried.argument->name;
    Value value = step.names.at(name).value;
    ExprRef next = conversions.asTensor(value, expr.carries[i].name.range, carried.argument->type.element);
    if (!next) {
      isWhole = false;
      continue;
    }
    if (next->type != carried.argument->type) {
      reporter
          .typeError(DiagnosticKind::LoopChangesType, next->range,
                     fmt::format("`{}` is {} before a time step and {} after it", name, textOf(carried.argument->type),
                                 textOf(next->type)))
          .label(carried.argument->range, textOf(carried.argument->type))
          .hint("a carried value of a scan keeps its shape");
      isWhole = false;
      continue;
    }
    ExprRef before = build.reference(carried.argument, carried.argument->range);
    carried.next = length ? whileRunning(length, scan.counter, next, before, next->range, name) : next;
    isWhole &= carried.next != nullptr;
  }
  return isWhole;
}

/// Returns the dimension of the stacked result that the time steps index: 1 for `[:, t]`.
static std::optional<unsigned> stackAxis(Reporter &reporter, const ast::ScanExpr &expr, const ast::ScanResult &result,
                                         ExprRef value) {
  unsigned steps = 0, rests = 0, before = 0, others = 0;
  bool isPlain = true;
  const ast::SubscriptElement *place = nullptr;
  for (const ast::SubscriptElement &element : result.subscripts) {
    auto *name = element.kind == SubscriptKind::Index ? element.value->as<ast::NameRefExpr>() : nullptr;
    bool isStep = name && name->name == expr.index.text;
    bool isAll = element.kind == SubscriptKind::Slice && !element.value && !element.upper;
    isPlain &= isStep || isAll || element.kind == SubscriptKind::Rest;
    rests += element.kind == SubscriptKind::Rest && !place ? 1 : 0;
    others += isAll;
    before += isAll && !place ? 1 : 0;
    steps += isStep;
    place = isStep ? &element : place;
  }
  if (!isPlain || steps != 1) {
    reporter
        .error(DiagnosticKind::BadSubscript, result.range,
               fmt::format(
                   "`{}` of all time steps is subscripted by `{}` in one dimension and by `:` or `..` in the others",
                   result.name.text, expr.index.text))
        .hint(fmt::format("`{}[:, {}]`", result.name.text, expr.index.text));
    return std::nullopt;
  }
  size_t rank = value->type.rank();
  if (others > rank || rests > 1) {
    reporter.typeError(DiagnosticKind::RankMismatch, result.range,
                       fmt::format("{} subscripts besides `{}` for {}", others, expr.index.text, textOf(value->type)));
    return std::nullopt;
  }
  return before + (rests ? static_cast<unsigned>(rank) - others : 0);
}

Value Scans::carriedResult(const ast::ScanExpr &expr, const ast::ScanResult &result, const Scan &scan) {
  const std::string &name = result.name.text;
  for (const Loop::Carried &carried : scan.carried)
    if (carried.argument->name == name)
      return TensorValue{build.reference(carried.result, result.range)};
  reporter
      .error(DiagnosticKind::Misplaced, result.range,
             fmt::format("`{}` belongs to one time step and is not carried", name))
      .hint(fmt::format("`{}[:, {}]` has all time steps", name, expr.index.text));
  return Value();
}

Value Scans::result(const ast::ScanExpr &expr, const ast::ScanResult &result, Scan &scan, ExprRef length, Scope &step) {
  const std::string &name = result.name.text;
  auto found = step.names.find(name);
  if (found == step.names.end()) {
    if (!findBinding(step, name))
      return names.unknownName(result.name.range, name, step);
    reporter.error(DiagnosticKind::Misplaced, result.name.range,
                   fmt::format("`{}` is not a variable of the time step", name));
    return Value();
  }
  if (found->second.value.isError())
    return Value();
  if (!result.isStacked)
    return carriedResult(expr, result, scan);
  ExprRef value = conversions.asTensor(found->second.value, result.range);
  std::optional<unsigned> axis = value ? stackAxis(reporter, expr, result, value) : std::nullopt;
  if (!axis)
    return Value();
  if (value->type.element == Element::Index)
    value = build.cast(value, Element::I32);
  if (length)
    value = whileRunning(length, scan.counter, value, nullptr, result.range, name);
  if (!value)
    return Value();
  Type type = value->type;
  type.shape.insert(type.shape.begin() + *axis, scan.counter->count);
  const Local *stack = build.newLocal(name, std::move(type), result.range);
  scan.stacked.push_back({lets.bind(name, value, result.range), *axis, stack});
  return TensorValue{build.reference(stack, result.range)};
}

bool Scans::body(const ast::ScanExpr &expr, Scope &step) {
  bool returned = false;
  Value last = blocks.check(*expr.body, step, returned);
  if (returned)
    reporter.error(DiagnosticKind::Misplaced, expr.keywordRange, "a scan cannot be left by `return`");
  else if (!last.as<NothingValue>() && !last.isError())
    reporter
        .error(DiagnosticKind::Misplaced, expr.body->statements.back()->range,
               "this value of the time step is not used")
        .hint("name it, `let y = ...`, and list it after the scan, `-> y[:, t]`");
  return !returned;
}

Value Scans::scan(const ast::ScanExpr &expr, Scope &scope) {
  if (indexScopes.isInBody())
    return reporter.notSupported(expr.keywordRange, "`scan` inside index notation");
  if (expr.results.empty()) {
    reporter.error(DiagnosticKind::MissingResult, expr.range, "the scan has no result");
    return Value();
  }
  std::optional<Dim> count = steps(*expr.over, scope);
  ExprRef rowLength = expr.until ? length(*expr.until, scope) : nullptr;
  Scan scan;
  Scope &step = scopes.childOf(scope);
  step.isStep = true;
  bool isWhole = carry(expr, scan, scope, step) && count && (rowLength || !expr.until);
  LoopCounter *counter =
      &program.counters.emplace_back(LoopCounter{expr.index.text, count.value_or(Dim(0)), expr.index.range});
  scan.counter = counter;
  scan.backward = expr.backward;
  scan.range = expr.keywordRange;
  scan.body = std::make_unique<Block>();
  scopes.bindLocal(step, expr.index, TensorValue{build.make(StepRef{counter}, {Element::Index, {}}, expr.index.range)},
                   false);

  Block *outside = lets.getBlock();
  lets.setBlock(scan.body.get());
  loopsAround.push_back(counter);
  states.enterLoop();
  isWhole = body(expr, step) && isWhole && takeNext(expr, scan, rowLength, step);
  TupleValue values;
  for (const ast::ScanResult &written : expr.results) {
    values.parts.push_back(isWhole ? result(expr, written, scan, rowLength, step) : Value());
    isWhole &= !values.parts.back().isError();
  }
  lets.setBlock(outside);
  states.leaveLoop(scan);
  loopsAround.pop_back();
  if (!isWhole)
    return Value();
  outside->statements.push_back(std::move(scan));
  return values.parts.size() == 1 ? values.parts.front() : Value(std::move(values));
}

} // namespace attnc::check
