#include "frontends/attn/Check/Attend/NormaliserClauses.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnc::check {

using namespace typed;

static const NormaliserWord *normaliserWord(Reporter &reporter, const ast::AttendExpr &expr) {
  if (!expr.by)
    return &normaliserWords().front();
  auto *call = expr.by->as<ast::CallExpr>();
  const ast::Expr &callee = call ? *call->callee : *expr.by;
  std::string name = reporter.text(callee.range);
  std::vector<std::string> known;
  for (const NormaliserWord &each : normaliserWords()) {
    if (name == each.word)
      return &each;
    known.emplace_back(each.word);
  }
  auto meant = nearest(name, known);
  reporter.error(DiagnosticKind::UnknownName, callee.range, fmt::format("there is no normaliser `{}`", name))
      .hint(meant ? fmt::format("did you mean `{}`?", *meant)
                  : fmt::format("`by:` is one of `{}`", fmt::join(known, "`, `")));
  return nullptr;
}

/// Returns the arguments of `by: word(...)` in the word's order; null for an omitted one.
static std::optional<std::vector<const ast::Argument *>>
normaliserArguments(Reporter &reporter, const ast::AttendExpr &expr, const NormaliserWord &word) {
  std::vector<const ast::Argument *> matched(word.arguments.size());
  auto *call = expr.by ? expr.by->as<ast::CallExpr>() : nullptr;
  if (!call)
    return matched;
  if (word.arguments.empty() && !call->arguments.empty()) {
    reporter.error(DiagnosticKind::ArgumentCount, call->range, fmt::format("`{}` takes no arguments", word.word));
    return std::nullopt;
  }
  std::string signature = fmt::format("{}({}: ...)", word.word, fmt::join(word.arguments, ": ..., "));
  for (const ast::Argument &argument : call->arguments) {
    bool isAlone = !argument.label && word.arguments.size() == 1;
    auto place = isAlone ? word.arguments.begin()
                         : std::find(word.arguments.begin(), word.arguments.end(),
                                     argument.label ? argument.label->text : std::string());
    if (place == word.arguments.end()) {
      SourceRange at = argument.label ? argument.label->range : argument.value->range;
      reporter
          .error(argument.label ? DiagnosticKind::UnknownArgument : DiagnosticKind::ArgumentCount, at,
                 argument.label ? fmt::format("`{}` has no parameter `{}`", word.word, argument.label->text)
                                : fmt::format("an argument of `{}` needs its name", word.word))
          .hint(signature);
      return std::nullopt;
    }
    const ast::Argument *&slot = matched[static_cast<size_t>(place - word.arguments.begin())];
    if (slot) {
      reporter.error(DiagnosticKind::ArgumentCount, argument.value->range, fmt::format("`{}` is given twice", *place))
          .label(slot->value->range, "the first");
      return std::nullopt;
    }
    slot = &argument;
  }
  return matched;
}

ExprRef NormaliserClauses::numberOfRow(const ast::Argument &argument, const std::string &name, Scope &scope,
                                       const PendingAttend &pending) {
  SourceRange range = argument.value->range;
  ExprRef number = conversions.asReal(expressions.check(*argument.value, scope), range, fmt::format("the {}", name));
  if (!number)
    return nullptr;
  if (number->type.rank() != 0) {
    reporter
        .typeError(DiagnosticKind::RankMismatch, range,
                   fmt::format("the {} must be a single number for each row", name))
        .label(textOf(number->type));
    return nullptr;
  }
  std::set<unsigned> indices = build.freeOf(number).allIndices();
  for (const Index *key : pending.keys)
    if (indices.count(build.numberOf(key))) {
      reporter
          .error(DiagnosticKind::Misplaced, range,
                 fmt::format("the {} is one number for each row, but this depends on the key `{}`", name, key->name))
          .hint("a number that depends on the key belongs in the score");
      return nullptr;
    }
  return number;
}

std::optional<double> NormaliserClauses::alphaOf(const ast::Argument &argument, Scope &scope) {
  Value value = expressions.check(*argument.value, scope);
  if (value.isError())
    return std::nullopt;
  SourceRange range = argument.value->range;
  std::optional<double> alpha = value.real();
  if (!alpha) {
    reporter.error(
        DiagnosticKind::NotConstant, range,
        fmt::format("the alpha of entmax must be a number that is known when the model is compiled, but is {}",
                    describe(value)));
    return std::nullopt;
  }
  if (*alpha > 1 && *alpha <= 2)
    return alpha;
  reporter
      .error(DiagnosticKind::BadNumber, range,
             fmt::format("the alpha of entmax is above 1 and at most 2, but this is {}", *alpha))
      .hint(*alpha == 1 ? "entmax with an alpha of 1 is `softmax`"
                        : "`entmax(2)` is `sparsemax`, `entmax(1.5)` lies "
                          "halfway to `softmax`");
  return std::nullopt;
}

bool NormaliserClauses::read(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending) {
  const NormaliserWord *word = normaliserWord(reporter, expr);
  if (!word)
    return false;
  auto arguments = normaliserArguments(reporter, expr, *word);
  if (!arguments)
    return false;
  pending.word = word;
  pending.normaliser = word->normaliser;
  for (size_t number = 0; number < arguments->size(); ++number) {
    const std::string &name = word->arguments[number];
    const ast::Argument *argument = (*arguments)[number];
    if (!argument && name == "alpha") {
      reporter.error(DiagnosticKind::ArgumentCount, expr.by->range, "`entmax` is called without `alpha`")
          .hint("entmax(1.5); an alpha of 2 is `sparsemax`");
      return false;
    }
    if (!argument)
      continue;
    if (name == "alpha") {
      std::optional<double> alpha = alphaOf(*argument, scope);
      if (!alpha)
        return false;
      pending.alpha = *alpha;
      continue;
    }
    ExprRef value = numberOfRow(*argument, name, scope, pending);
    if (!value)
      return false;
    (name == "sink" ? pending.sink : pending.temperature) = value;
  }
  return true;
}

} // namespace attnc::check
