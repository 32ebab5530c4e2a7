#include "frontends/attn/Check/Attend/Attends.h"

#include <fmt/format.h>
#include <limits>

namespace attnc::check {

using namespace typed;

bool Attends::isScalar(ExprRef part, SourceRange range, const char *what) {
  if (part->type.rank() == 0)
    return true;
  reporter
      .typeError(DiagnosticKind::RankMismatch, range,
                 fmt::format("{} must be a single number for each pair, but is a row", what))
      .label(textOf(part->type))
      .hint("`sum` over the remaining index, or subscript by it");
  return false;
}

bool Attends::weight(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending) {
  if (!expr.weight)
    return true;
  auto *lambda = expr.weight->as<ast::LambdaExpr>();
  std::string name = lambda && !lambda->parameters.empty() ? lambda->parameters[0].text : "w";
  const Local *weightIn = build.newLocal(name, {Element::F32, {}}, expr.weight->range);
  std::set<unsigned> indices;
  for (ExprRef part : {pending.score, pending.mask})
    if (part)
      indices.merge(build.freeOf(part).allIndices());
  for (const Index *key : pending.keys)
    indices.insert(build.numberOf(key));
  build.makeOpen(weightIn, {{}, {{weightIn, std::move(indices)}}});
  Value weight = build.reference(weightIn, expr.weight->range)
                     ? Value(TensorValue{build.reference(weightIn, expr.weight->range)})
                     : Value();
  Value function = expressions.check(*expr.weight, scope);
  if (function.isError())
    return false;
  if (!function.as<LambdaValue>() && !function.as<FunctionValue>() && !function.as<BuiltinValue>()) {
    reporter
        .error(DiagnosticKind::NotCallable, expr.weight->range,
               fmt::format("the weight is a function of the normalised score, but this is {}", describe(function)))
        .hint("write `weight: w => ...`");
    return false;
  }
  Value result = calls.callValue(function, "weight", expr.weight->range, expr.weight->range,
                                 {{std::nullopt, weight, expr.weight->range}});
  pending.weight = result.isError() ? nullptr : conversions.asReal(result, expr.weight->range, "the weight");
  pending.weightIn = weightIn;
  return pending.weight && isScalar(pending.weight, expr.weight->range, "the weight");
}

bool Attends::parts(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending) {
  bool isWhole = true;
  if (expr.mask) {
    Value mask = expressions.check(*expr.mask, scope);
    bool isAll = mask.as<bool>() && *mask.as<bool>();
    pending.mask = isAll ? nullptr : conversions.asCondition(mask, expr.mask->range, "the mask");
    isWhole &= isAll || (pending.mask && isScalar(pending.mask, expr.mask->range, "the mask"));
    if (pending.mask && isWhole)
      guards.push_back({pending.mask, true});
  }
  pending.score = conversions.asReal(expressions.check(*expr.score, scope), expr.score->range, "the score");
  isWhole &= pending.score && isScalar(pending.score, expr.score->range, "the score");
  if (expr.value) {
    pending.value = conversions.asReal(expressions.check(*expr.value, scope), expr.value->range, "the value");
    isWhole &= pending.value != nullptr;
  }
  return weight(expr, scope, pending) && isWhole;
}

std::optional<bool> Attends::renormalises(const ast::AttendExpr &expr, Scope &scope) {
  if (!expr.renormalise)
    return false;
  Value value = expressions.check(*expr.renormalise, scope);
  if (auto *truth = value.as<bool>())
    return *truth;
  if (!value.isError())
    reporter.error(DiagnosticKind::NotConstant, expr.renormalise->range,
                   fmt::format("`renormalise` is true or false, but this is {}", describe(value)));
  return std::nullopt;
}

Value Attends::finish(const ast::AttendExpr &expr, PendingAttend pending, size_t mark) {
  const PendingAttend &kept = pendings.add(std::move(pending));
  TupleValue results;
  for (const Local *yield : kept.yields) {
    Value value = bodies.finishValue(build.reference(yield, expr.range), mark);
    if (value.isError())
      return value;
    results.parts.push_back(value);
  }
  return results.parts.size() == 1 ? results.parts.front() : Value(results);
}

Value Attends::renormalised(const ast::AttendExpr &expr, PendingAttend pending, size_t mark) {
  std::vector<Statistic> statistics = pending.statistics;
  for (Statistic statistic : statistics)
    if (infoOf(statistic).isSummed) {
      reporter
          .error(DiagnosticKind::BadYield, expr.renormalise->range,
                 fmt::format("`{}` sums attention weights over rows, before `renormalise` divides each row",
                             infoOf(statistic).word))
          .hint("yield `weights`, or divide by the normaliser: a `mask` or a score changes weights that sum to 1");
      return Value();
    }
  PendingAttend weights = pending;
  weights.value = build.real(1, expr.range);
  weights.statistics = {Statistic::Value};
  weights.yields = {build.newLocal("sum", {Element::F32, {}}, expr.range)};
  Value values = finish(expr, std::move(pending), mark), sum = finish(expr, std::move(weights), mark);
  if (values.isError() || !sum.tensor())
    return Value();
  ExprRef isNothing = build.elementwise(Op::Eq, {sum.tensor(), build.real(0, expr.range)}, expr.range);
  TupleValue results = values.as<TupleValue>() ? *values.as<TupleValue>() : TupleValue{{values}};
  for (size_t part = 0; part < statistics.size(); ++part) {
    if (infoOf(statistics[part]).passesTo != mlir::attn::PassesTo::Weights)
      continue;
    ExprRef quotient = build.elementwise(Op::Div, {results.parts[part].tensor(), sum.tensor()}, expr.range);
    results.parts[part] =
        TensorValue{build.elementwise(Op::Select, {isNothing, build.real(0, expr.range), quotient}, expr.range)};
  }
  return results.parts.size() == 1 ? results.parts.front() : Value(results);
}

/// Returns the log-probability, under softmax of the scores, of the key that a row chooses: s[chosen] - lse, and 0 for
/// a row without keys. `chosen` is the attend that chooses.
Value Attends::logOfProbability(const ast::AttendExpr &expr, const PendingAttend &chosen, size_t mark) {
  auto only = [&](PendingAttend attend, Statistic statistic) {
    attend.weight = nullptr;
    attend.weightIn = nullptr;
    attend.statistics = {statistic};
    attend.yields = {build.newLocal(textOf(statistic), {Element::F32, {}}, expr.range)};
    return finish(expr, std::move(attend), mark);
  };
  PendingAttend score = chosen, sum = chosen;
  score.value = chosen.plainScore;
  sum.score = chosen.plainScore;
  sum.value = nullptr;
  sum.normaliser = Normaliser::Softmax;
  Value ofChosen = only(std::move(score), Statistic::Value), lse = only(std::move(sum), Statistic::Lse);
  if (!ofChosen.tensor() || !lse.tensor())
    return Value();
  SourceRange range = expr.range;
  ExprRef isEmpty =
      build.elementwise(Op::Eq, {lse.tensor(), build.real(-std::numeric_limits<double>::infinity(), range)}, range);
  ExprRef difference = build.elementwise(Op::Sub, {ofChosen.tensor(), lse.tensor()}, range);
  return TensorValue{build.elementwise(Op::Select, {isEmpty, build.real(0, range), difference}, range)};
}

Value Attends::attend(const ast::AttendExpr &expr, Scope &scope) {
  size_t mark = ranges.mark();
  Scope &inner = scopes.childOf(scope);
  PendingAttend pending;
  pending.range = expr.range;
  pending.module = stack.module();
  bool isWhole = indexScopes.open(expr.keys, inner, pending.keys);
  indexScopes.enterBody();
  size_t around = guards.size();
  isWhole &= parts(expr, inner, pending);
  guards.resize(around);
  isWhole = isWhole && normalisers.read(expr, inner, pending);
  indexScopes.leaveBody();
  std::optional<bool> again = renormalises(expr, scope);
  if (!isWhole || !again) {
    indexScopes.forget(inner);
    return Value();
  }
  if (!indexScopes.close(inner, pending.keys) ||
      !composeScore(build, draws, pending, expr.by ? expr.by->range : expr.range) || !yields.read(expr, scope, pending))
    return Value();
  std::optional<size_t> logpPlace = pending.logpPlace;
  Value logp = logpPlace ? logOfProbability(expr, pending, mark) : Value();
  if (logpPlace && (pending.yields.empty() || logp.isError()))
    return logp;
  Value others = *again ? renormalised(expr, std::move(pending), mark) : finish(expr, std::move(pending), mark);
  if (!logpPlace || others.isError())
    return others;
  TupleValue results = others.as<TupleValue>() ? *others.as<TupleValue>() : TupleValue{{others}};
  results.parts.insert(results.parts.begin() + static_cast<std::ptrdiff_t>(*logpPlace), logp);
  return results;
}

} // namespace attnc::check
