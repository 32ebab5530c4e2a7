#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

namespace attnc::check {

using namespace typed;

/// The module whose function is being called, also where that calls functions of no module.
std::string Checker::moduleAround() const {
  for (const Frame &frame : std::views::reverse(frames))
    if (frame.self)
      return frame.self->checkpoint;
  return "";
}

Value Checker::attend(const ast::AttendExpr &expr, const ScopePtr &scope) {
  size_t mark = ranges.mark();
  ScopePtr inner = childOf(scope);
  PendingAttend pending;
  pending.range = expr.range;
  pending.module = moduleAround();
  bool isWhole = openIndices(expr.keys, inner, pending.keys);
  ++bodies;
  size_t around = guards.size();
  isWhole &= attendParts(expr, inner, pending);
  guards.resize(around);
  isWhole = isWhole && attendNormaliser(expr, inner, pending);
  --bodies;
  std::optional<bool> again = renormalises(expr, scope);
  if (!isWhole || !again) {
    restStates.erase(inner);
    return Value();
  }
  if (!closeIndices(inner, pending.keys) || !composeScore(pending, expr.by ? expr.by->range : expr.range) ||
      !attendYields(expr, scope, pending))
    return Value();
  std::optional<size_t> logpPlace = pending.logpPlace;
  Value logp = logpPlace ? logOfProbability(expr, pending, mark) : Value();
  if (logpPlace && (pending.yields.empty() || logp.isError()))
    return logp;
  Value others = *again ? renormalised(expr, std::move(pending), mark) : finishAttend(expr, std::move(pending), mark);
  if (!logpPlace || others.isError())
    return others;
  TupleValue results = others.as<TupleValue>() ? *others.as<TupleValue>() : TupleValue{{others}};
  results.parts.insert(results.parts.begin() + static_cast<std::ptrdiff_t>(*logpPlace), logp);
  return results;
}

/// What is made of the weights is divided by their sum; nothing kept gives zeros.
Value Checker::renormalised(const ast::AttendExpr &expr, PendingAttend pending, size_t mark) {
  std::vector<Statistic> statistics = pending.statistics;
  for (Statistic statistic : statistics)
    if (infoOf(statistic).isSummed) {
      error(DiagnosticKind::BadYield, expr.renormalise->range,
            fmt::format("`{}` sums weights over rows, before `renormalise` divides each row", infoOf(statistic).word))
          .hint("yield `weights`, or divide by the normaliser: a `mask` or a score changes weights that sum to 1");
      return Value();
    }
  PendingAttend weights = pending;
  weights.value = build.real(1, expr.range);
  weights.statistics = {Statistic::Value};
  weights.yields = {build.newLocal("sum", {Element::F32, {}}, expr.range)};
  Value values = finishAttend(expr, std::move(pending), mark), sum = finishAttend(expr, std::move(weights), mark);
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

std::optional<bool> Checker::renormalises(const ast::AttendExpr &expr, const ScopePtr &scope) {
  if (!expr.renormalise)
    return false;
  Value value = expression(*expr.renormalise, scope);
  if (auto *truth = value.as<bool>())
    return *truth;
  if (!value.isError())
    error(DiagnosticKind::NotConstant, expr.renormalise->range,
          fmt::format("`renormalise` is true or false, and this is {}", describe(value)));
  return std::nullopt;
}

/// Reports a score, mask or weight that is a row.
static bool checkScalar(Checker &checker, ExprRef part, SourceRange range, const char *what) {
  if (part->type.rank() == 0)
    return true;
  checker
      .typeError(DiagnosticKind::RankMismatch, range,
                 fmt::format("{} must be a single number for each pair, and is a row", what))
      .label(textOf(part->type))
      .hint("`sum` over the index that is left, or subscript with it");
  return false;
}

bool Checker::attendParts(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending) {
  bool isWhole = true;
  if (expr.mask) {
    Value mask = expression(*expr.mask, scope);
    bool isAll = mask.as<bool>() && *mask.as<bool>();
    pending.mask = isAll ? nullptr : asCondition(mask, expr.mask->range, "the mask");
    isWhole &= isAll || (pending.mask && checkScalar(*this, pending.mask, expr.mask->range, "the mask"));
    if (pending.mask && isWhole)
      guards.push_back({pending.mask, true});
  }
  pending.score = asReal(expression(*expr.score, scope), expr.score->range, "the score");
  isWhole &= pending.score && checkScalar(*this, pending.score, expr.score->range, "the score");
  if (expr.value) {
    pending.value = asReal(expression(*expr.value, scope), expr.value->range, "the value");
    isWhole &= pending.value != nullptr;
  }
  return attendWeight(expr, scope, pending) && isWhole;
}

bool Checker::attendWeight(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending) {
  if (!expr.weight)
    return true;
  auto *lambda = expr.weight->as<ast::LambdaExpr>();
  std::string name = lambda && !lambda->parameters.empty() ? lambda->parameters[0].text : "w";
  const Local *weightIn = build.newLocal(name, {Element::F32, {}}, expr.weight->range);
  std::set<unsigned> indices;
  for (ExprRef part : {pending.score, pending.mask})
    if (part)
      indices.merge(build.indicesOf(part));
  for (const Index *key : pending.keys)
    indices.insert(build.numberOf(key));
  build.makeScalar(weightIn, std::move(indices));
  Value weight = build.reference(weightIn, expr.weight->range)
                     ? Value(TensorValue{build.reference(weightIn, expr.weight->range)})
                     : Value();
  Value function = expression(*expr.weight, scope);
  if (function.isError())
    return false;
  if (!function.as<LambdaValue>() && !function.as<FunctionValue>() && !function.as<BuiltinValue>()) {
    error(DiagnosticKind::NotCallable, expr.weight->range,
          fmt::format("the weight is a function of the normalised score, and this is {}", describe(function)))
        .hint("write `weight: w => ...`");
    return false;
  }
  Value result = callValue(function, "weight", expr.weight->range, expr.weight->range,
                           {{std::nullopt, weight, expr.weight->range}});
  pending.weight = result.isError() ? nullptr : asReal(result, expr.weight->range, "the weight");
  pending.weightIn = weightIn;
  return pending.weight && checkScalar(*this, pending.weight, expr.weight->range, "the weight");
}

//===- What it yields ---------------------------------------------------------------------------------------------===//

/// Of statistics that are said with arguments.
static std::string spellingOf(Statistic statistic) {
  const auto &info = infoOf(statistic);
  return info.word + std::string(info.hasTop ? "(4)" : info.isSummed ? "(i)" : "");
}

bool Checker::attendYields(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending) {
  if (expr.yields.empty())
    return addYield(pending.value ? Statistic::Value : Statistic::Weights, expr.keywordRange, pending);
  return std::all_of(expr.yields.begin(), expr.yields.end(),
                     [&](const ast::ExprPtr &yield) { return attendYield(*yield, scope, pending); });
}

bool Checker::attendYield(const ast::Expr &yield, const ScopePtr &scope, PendingAttend &pending) {
  auto *call = yield.as<ast::CallExpr>();
  std::string word(sources.text(call ? call->callee->range : yield.range));
  if (word == "logp" && !call) {
    if (pending.word->hasLogp)
      pending.logpPlace = pending.yields.size();
    else
      error(DiagnosticKind::BadYield, yield.range, "only `sample` has a logarithm of the probability of its choice");
    return pending.word->hasLogp;
  }
  std::optional<Statistic> statistic = mlir::attn::statisticNamed(word);
  if (!statistic) {
    std::vector<std::string> known = {"logp"};
    for (const auto &info : mlir::attn::statisticInfos)
      known.push_back(spellingOf(info.statistic));
    error(DiagnosticKind::BadYield, yield.range, fmt::format("`attend` does not yield `{}`", word))
        .hint(fmt::format("it yields `{}`", fmt::join(known, "`, `")));
    return false;
  }
  if (*statistic == Statistic::Value && !pending.value) {
    error(DiagnosticKind::BadYield, yield.range, "there is no `value:` to yield");
    return false;
  }
  if (!mlir::attn::hasStatistic(pending.normaliser, *statistic)) {
    error(DiagnosticKind::BadYield, yield.range, infoOf(*statistic).whyNot)
        .hint(fmt::format("the weights here are by `{}`", pending.word->word));
    return false;
  }
  return yieldArguments(yield, *statistic, scope, pending) && addYield(*statistic, yield.range, pending);
}

/// The number of `top(4)`, the indices of `key_sums(i)`.
bool Checker::yieldArguments(const ast::Expr &yield, Statistic statistic, const ScopePtr &scope,
                             PendingAttend &pending) {
  const auto &info = infoOf(statistic);
  auto *call = yield.as<ast::CallExpr>();
  size_t count = call ? call->arguments.size() : 0;
  if (info.hasTop ? count != 1 : info.isSummed ? count == 0 : call != nullptr) {
    error(DiagnosticKind::BadYield, yield.range,
          info.hasTop     ? fmt::format("`{}` needs the number of keys", info.word)
          : info.isSummed ? fmt::format("`{}` needs the indices over which the weights of a key are summed", info.word)
                          : fmt::format("`{}` takes no arguments", info.word))
        .hint("write `" + spellingOf(statistic) + "`");
    return false;
  }
  if (info.hasTop) {
    const ast::Expr &argument = *call->arguments[0].value;
    std::optional<int64_t> number = constantInteger(argument, scope, "the number of keys");
    bool agrees = number && *number > 0 && (pending.top == 0 || pending.top == *number);
    if (number && !agrees)
      error(DiagnosticKind::BadYield, argument.range,
            *number <= 0 ? fmt::format("the number of keys is {}, and must be 1 at least", *number)
                         : fmt::format("this `attend` yields {} keys already", pending.top));
    pending.top = number.value_or(0);
    return agrees;
  }
  for (size_t number = 0; number < count; ++number) {
    const ast::Expr &argument = *call->arguments[number].value;
    Value value = expression(argument, scope);
    auto *tensor = value.as<TensorValue>();
    auto *index = tensor ? tensor->expr->as<IndexRef>() : nullptr;
    if (!index) {
      if (!value.isError())
        error(DiagnosticKind::BadYield, argument.range,
              fmt::format("`{}` sums over indices around `attend`, and this is {}", info.word, describe(value)));
      return false;
    }
    pending.summed.push_back(build.indexAt(build.numberOf(index->index)));
  }
  return true;
}

bool Checker::addYield(Statistic statistic, SourceRange range, PendingAttend &pending) {
  const auto &info = infoOf(statistic);
  if (std::find(pending.statistics.begin(), pending.statistics.end(), statistic) != pending.statistics.end()) {
    error(DiagnosticKind::BadYield, range, fmt::format("`{}` is yielded twice", info.word));
    return false;
  }
  Type type{info.isOfKeys ? Element::I32 : Element::F32, {}};
  if (info.hasKeys)
    for (const Index *key : pending.keys)
      type.shape.push_back(key->extent);
  if (info.hasTop)
    type.shape.push_back(Dim(pending.top));
  if (info.hasValues)
    type.shape = pending.value->type.shape;
  pending.statistics.push_back(statistic);
  pending.yields.push_back(build.newLocal(info.word, std::move(type), range));
  return true;
}

Value Checker::finishAttend(const ast::AttendExpr &expr, PendingAttend pending, size_t mark) {
  PendingAttend &kept = build.addPending(std::move(pending));
  TupleValue results;
  for (const Local *yield : kept.yields) {
    Value value = finishValue(build.reference(yield, expr.range), mark);
    if (value.isError())
      return value;
    results.parts.push_back(value);
  }
  return results.parts.size() == 1 ? results.parts.front() : Value(results);
}

} // namespace attnc::check
