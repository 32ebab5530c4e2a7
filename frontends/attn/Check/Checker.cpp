#include "frontends/attn/Check/Checker.h"

#include "frontends/attn/Check/Constants.h"

#include <fmt/format.h>

namespace attnc::check {

using ast::ExprKind;

Checker::Checker(SourceManager &sources, DiagnosticEngine &diagnostics, const CheckOptions &options,
                 StackedLists &stacked)
    : options(options), origins(sources), reporter(sources, diagnostics, stack), build(*program), pendings(build),
      lets(build), ranges(build, bounds), elements(reporter, build, lets, pendings, ranges),
      files(sources, diagnostics, reporter), scopes(reporter), states(reporter, build, lets, context, loopsAround),
      names(reporter, build, scopes, states, context, *this), conversions(reporter, build, origins),
      types(reporter, build, bounds, origins, names, conversions, *this), gradients(reporter, pendings, lets, context),
      draws(reporter, build, context, loopsAround), indexScopes(reporter, build, scopes, bounds, *this),
      bodies(reporter, build, pendings, bounds, ranges, elements, indexScopes, conversions, guards, context),
      updates(reporter, build, lets, origins, conversions, indexScopes, states, *this),
      statements(*program, reporter, build, lets, origins, scopes, states, names, types, conversions, updates,
                 loopsAround, *this),
      functionBodies(reporter, stack, scopes, types, statements), services{reporter,    build,       lets,
                                                                           bounds,      ranges,      origins,
                                                                           conversions, indexScopes, bodies,
                                                                           gradients,   draws,       context,
                                                                           calls},
      decoderCalls(*program, reporter, build, lets, bounds, origins, indexScopes, conversions, context),
      calls(reporter, lets, origins, stack, scopes, names, types, conversions, functionBodies, decoderCalls, context,
            services, *this),
      indexNotation(reporter, build, scopes, ranges, guards, indexScopes, bodies, conversions, gradients, *this),
      subscripts(reporter, build, lets, bounds, ranges, guards, indexScopes, bodies, conversions, stacked, *this),
      operators(reporter, build, origins, guards, conversions, *this),
      attends(reporter, build, pendings, ranges, guards, stack, scopes, indexScopes, bodies, conversions, draws, calls,
              *this),
      scans(*program, reporter, build, lets, scopes, states, names, conversions, bounds, indexScopes, loopsAround,
            *this, statements),
      parameters(*program, reporter, names, types, *this),
      modules(*program, reporter, scopes, names, parameters, stacked, *this),
      entries(*program, reporter, build, lets, bounds, origins, stack, scopes, types, conversions, functionBodies,
              gradients, draws, states),
      optimizers(reporter, build, lets, scopes, context, modules, parameters, conversions, *this, statements),
      minimizer(*program, reporter, lets, context, parameters, optimizers, *this),
      decoders(*program, reporter, lets, files, modules, entries, *this),
      exports(*program, reporter, lets, scopes, context, entries, minimizer, decoders, *this) {}

Value Checker::check(const ast::Expr &expr, Scope &scope) {
  constexpr unsigned maximumCheckedNesting = 600;
  constexpr uint64_t maximumSteps = 1000000;
  if (reporter.hasStopped())
    return Value();
  if (++steps > maximumSteps || build.isTooLarge()) {
    reporter.error(DiagnosticKind::TooLarge, expr.range,
                   "the program becomes too large here, with all calls and loops expanded");
    reporter.stop();
    return Value();
  }
  if (nesting >= maximumCheckedNesting || build.isTooDeep()) {
    reporter.error(DiagnosticKind::TooLarge, expr.range, "calls and expressions are nested too deeply here")
        .hint("bind intermediate tensors with `let`, outside of `=>`");
    reporter.stop();
    return Value();
  }
  ++nesting;
  Value value = checkKind(expr, scope);
  --nesting;
  if (typed::ExprRef large = build.takeOversized()) {
    reporter.tooLarge(large->range, "this tensor", textOf(large->type));
    return Value();
  }
  return value;
}

Value Checker::checkKind(const ast::Expr &expr, Scope &scope) {
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
    return names.nameRef(*expr.as<ast::NameRefExpr>(), scope);
  case ExprKind::Member:
    return names.member(*expr.as<ast::MemberExpr>(), scope);
  case ExprKind::Call:
    return calls.call(*expr.as<ast::CallExpr>(), scope);
  case ExprKind::Subscript:
    return subscripts.subscript(*expr.as<ast::SubscriptExpr>(), scope);
  case ExprKind::Unary:
    return operators.unary(*expr.as<ast::UnaryExpr>(), scope);
  case ExprKind::Binary:
    return operators.binary(*expr.as<ast::BinaryExpr>(), scope);
  case ExprKind::Conditional:
    return operators.conditional(*expr.as<ast::ConditionalExpr>(), scope);
  case ExprKind::Tuple:
    return tuple(expr.as<ast::TupleExpr>()->elements, scope);
  case ExprKind::List:
    return tuple(expr.as<ast::ListExpr>()->elements, scope);
  case ExprKind::ListRepeat:
    return repeatedList(*expr.as<ast::ListRepeatExpr>(), scope);
  case ExprKind::ListComprehension:
    return listComprehension(*expr.as<ast::ListComprehensionExpr>(), scope);
  case ExprKind::Build:
    return indexNotation.comprehension(*expr.as<ast::BuildExpr>(), scope);
  case ExprKind::Reduce:
    return indexNotation.reduce(*expr.as<ast::ReduceExpr>(), scope);
  case ExprKind::Lambda:
    return LambdaValue{expr.as<ast::LambdaExpr>(), &scope};
  case ExprKind::Attend:
    return attends.attend(*expr.as<ast::AttendExpr>(), scope);
  case ExprKind::Scan:
    return scans.scan(*expr.as<ast::ScanExpr>(), scope);
  case ExprKind::Error:
    return Value();
  }
  return Value();
}

Value Checker::tuple(const std::vector<ast::ExprPtr> &parts, Scope &scope) {
  TupleValue result;
  bool hasError = false;
  for (const ast::ExprPtr &part : parts) {
    result.parts.push_back(check(*part, scope));
    hasError |= result.parts.back().isError();
  }
  return hasError ? Value() : Value(std::move(result));
}

std::optional<int64_t> Checker::listLength(const ast::Expr &expr, Scope &scope) {
  constexpr int64_t most = 10000;
  std::optional<int64_t> length = constantInteger(reporter, *this, expr, scope, "the length of a list");
  if (!length || (*length >= 0 && *length <= most))
    return length;
  reporter.error(DiagnosticKind::BadSize, expr.range,
                 fmt::format("a list of {} values, expected 0 to {}", *length, most));
  return std::nullopt;
}

Value Checker::listComprehension(const ast::ListComprehensionExpr &expr, Scope &scope) {
  std::vector<Value> values;
  if (expr.iteration.isBelow) {
    std::optional<int64_t> count = listLength(*expr.iteration.source, scope);
    if (!count)
      return Value();
    for (int64_t i = 0; i < *count; ++i)
      values.push_back(Dim(i).labelled(expr.iteration.name.text));
  } else {
    Value source = check(*expr.iteration.source, scope);
    if (auto *tuple = source.as<TupleValue>())
      values = tuple->parts;
    else if (source.isError())
      return source;
    else
      return reporter.notSupported(expr.iteration.range, fmt::format("a list made from {}", describe(source)));
  }
  TupleValue result;
  for (const Value &value : values) {
    Scope &inner = scopes.childOf(scope);
    scopes.bindLocal(inner, expr.iteration.name, value, false);
    result.parts.push_back(check(*expr.element, inner));
    if (result.parts.back().isError())
      return Value();
  }
  return result;
}

Value Checker::repeatedList(const ast::ListRepeatExpr &expr, Scope &scope) {
  std::optional<int64_t> count = listLength(*expr.count, scope);
  Value element = check(*expr.element, scope);
  if (!count || element.isError())
    return Value();
  return TupleValue{std::vector<Value>(static_cast<size_t>(*count), element)};
}

} // namespace attnc::check
