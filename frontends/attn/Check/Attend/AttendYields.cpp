#include "frontends/attn/Check/Attend/AttendYields.h"

#include "frontends/attn/Check/Attend/Normalisers.h"
#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnc::check {

using namespace typed;

/// Returns a statistic as in source, with an example of its arguments.
static std::string spellingOf(Statistic statistic) {
  const auto &info = infoOf(statistic);
  return info.word + std::string(info.hasTop ? "(4)" : info.isSummed ? "(i)" : "");
}

bool AttendYields::add(Statistic statistic, SourceRange range, PendingAttend &pending) {
  const auto &info = infoOf(statistic);
  if (std::find(pending.statistics.begin(), pending.statistics.end(), statistic) != pending.statistics.end()) {
    reporter.error(DiagnosticKind::BadYield, range, fmt::format("`{}` is yielded twice", info.word));
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

/// Reads the number of keys of `top(4)`, which must be equal in all yields of an attend.
bool AttendYields::topCount(const ast::Expr &argument, Scope &scope, PendingAttend &pending) {
  std::optional<int64_t> number = constantInteger(reporter, expressions, argument, scope, "the number of keys");
  bool agrees = number && *number > 0 && (pending.top == 0 || pending.top == *number);
  if (number && !agrees)
    reporter.error(DiagnosticKind::BadYield, argument.range,
                   *number <= 0 ? fmt::format("the number of keys must be at least 1, but is {}", *number)
                                : fmt::format("this `attend` yields {} keys already", pending.top));
  pending.top = number.value_or(0);
  return agrees;
}

/// Reads the number of `top(4)` or the indices of `key_sums(i)`.
bool AttendYields::arguments(const ast::Expr &yield, Statistic statistic, Scope &scope, PendingAttend &pending) {
  const auto &info = infoOf(statistic);
  auto *call = yield.as<ast::CallExpr>();
  size_t count = call ? call->arguments.size() : 0;
  if (info.hasTop ? count != 1 : info.isSummed ? count == 0 : call != nullptr) {
    reporter
        .error(
            DiagnosticKind::BadYield, yield.range,
            info.hasTop ? fmt::format("`{}` needs the number of keys", info.word)
            : info.isSummed
                ? fmt::format("`{}` needs the indices over which the attention weights of a key are summed", info.word)
                : fmt::format("`{}` takes no arguments", info.word))
        .hint("write `" + spellingOf(statistic) + "`");
    return false;
  }
  if (info.hasTop)
    return topCount(*call->arguments[0].value, scope, pending);
  for (size_t number = 0; number < count; ++number) {
    const ast::Expr &argument = *call->arguments[number].value;
    Value value = expressions.check(argument, scope);
    auto *tensor = value.as<TensorValue>();
    auto *index = tensor ? tensor->expr->as<IndexRef>() : nullptr;
    if (!index) {
      if (!value.isError())
        reporter.error(
            DiagnosticKind::BadYield, argument.range,
            fmt::format("`{}` sums over indices around `attend`, but this is {}", info.word, describe(value)));
      return false;
    }
    pending.summed.push_back(build.indexAt(build.numberOf(index->index)));
  }
  return true;
}

bool AttendYields::yield(const ast::Expr &yield, Scope &scope, PendingAttend &pending) {
  auto *call = yield.as<ast::CallExpr>();
  std::string word = reporter.text(call ? call->callee->range : yield.range);
  if (word == "logp" && !call) {
    if (!pending.word->hasLogp || pending.logpPlace) {
      reporter.error(DiagnosticKind::BadYield, yield.range,
                     pending.logpPlace ? "`logp` is yielded twice"
                                       : "only `sample` has a logarithm of the probability of its choice");
      return false;
    }
    pending.logpPlace = pending.yields.size();
    return true;
  }
  std::optional<Statistic> statistic = mlir::attn::statisticNamed(word);
  if (!statistic) {
    std::vector<std::string> known = {"logp"};
    for (const auto &info : mlir::attn::statisticInfos)
      known.push_back(spellingOf(info.statistic));
    reporter.error(DiagnosticKind::BadYield, yield.range, fmt::format("`attend` does not yield `{}`", word))
        .hint(fmt::format("it yields `{}`", fmt::join(known, "`, `")));
    return false;
  }
  if (*statistic == Statistic::Value && !pending.value) {
    reporter.error(DiagnosticKind::BadYield, yield.range, "there is no `value:` to yield");
    return false;
  }
  if (!mlir::attn::hasStatistic(pending.normaliser, *statistic)) {
    reporter.error(DiagnosticKind::BadYield, yield.range, infoOf(*statistic).whyNot)
        .hint(fmt::format("the normaliser here is `{}`", pending.word->word));
    return false;
  }
  return arguments(yield, *statistic, scope, pending) && add(*statistic, yield.range, pending);
}

bool AttendYields::read(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending) {
  if (expr.yields.empty())
    return add(pending.value ? Statistic::Value : Statistic::Weights, expr.keywordRange, pending);
  return std::all_of(expr.yields.begin(), expr.yields.end(),
                     [&](const ast::ExprPtr &each) { return yield(*each, scope, pending); });
}

} // namespace attnc::check
