#include "frontends/attn/Check/Normalisers.h"

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Builtins.h"
#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace attnc::check {

using namespace typed;

static constexpr double infinity = std::numeric_limits<double>::infinity();

std::span<const NormaliserWord> normaliserWords() {
  static const NormaliserWord words[] = {
      {"softmax", Normaliser::Softmax, {"sink", "temperature"}},
      {"ratio", Normaliser::Ratio, {}},
      {"none", Normaliser::None, {}},
      {"sigmoid", Normaliser::None, {}, ComposedScore::Sigmoid},
      {"sparsemax", Normaliser::Entmax, {}},
      {"entmax", Normaliser::Entmax, {"alpha"}},
      {"hard", Normaliser::Hard, {}},
      {"gumbel_softmax", Normaliser::Softmax, {"temperature"}, ComposedScore::Gumbel},
      {"sample", Normaliser::Hard, {"temperature"}, ComposedScore::Sampled, /*hasLogp=*/true},
      {"stick_breaking", Normaliser::StickBreaking, {}},
  };
  return words;
}

//===- The word and its arguments ---------------------------------------------------------------------------------===//

const NormaliserWord *Checker::normaliserWord(const ast::AttendExpr &expr) {
  if (!expr.by)
    return &normaliserWords().front();
  auto *call = expr.by->as<ast::CallExpr>();
  const ast::Expr &callee = call ? *call->callee : *expr.by;
  std::string name(sources.text(callee.range));
  std::vector<std::string> known;
  for (const NormaliserWord &each : normaliserWords()) {
    if (name == each.word)
      return &each;
    known.emplace_back(each.word);
  }
  auto meant = nearest(name, known);
  error(DiagnosticKind::UnknownName, callee.range, fmt::format("there is no normaliser `{}`", name))
      .hint(meant ? fmt::format("did you mean `{}`?", *meant)
                  : fmt::format("`by:` is one of `{}`", fmt::join(known, "`, `")));
  return nullptr;
}

/// The arguments of `by: word(...)` in the order of the word's; null where one is left out.
std::optional<std::vector<const ast::Argument *>> Checker::normaliserArguments(const ast::AttendExpr &expr,
                                                                               const NormaliserWord &word) {
  std::vector<const ast::Argument *> matched(word.arguments.size());
  auto *call = expr.by ? expr.by->as<ast::CallExpr>() : nullptr;
  if (!call)
    return matched;
  if (word.arguments.empty() && !call->arguments.empty()) {
    error(DiagnosticKind::ArgumentCount, call->range, fmt::format("`{}` takes no arguments", word.word));
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
      error(argument.label ? DiagnosticKind::UnknownArgument : DiagnosticKind::ArgumentCount, at,
            argument.label ? fmt::format("`{}` has no parameter `{}`", word.word, argument.label->text)
                           : fmt::format("an argument of `{}` needs its name", word.word))
          .hint(signature);
      return std::nullopt;
    }
    const ast::Argument *&slot = matched[static_cast<size_t>(place - word.arguments.begin())];
    if (slot) {
      error(DiagnosticKind::ArgumentCount, argument.value->range, fmt::format("`{}` is given twice", *place))
          .label(slot->value->range, "the first");
      return std::nullopt;
    }
    slot = &argument;
  }
  return matched;
}

/// A number for each row: it speaks of no key.
ExprRef Checker::numberOfRow(const ast::Argument &argument, const std::string &name, const ScopePtr &scope,
                             const PendingAttend &pending) {
  SourceRange range = argument.value->range;
  ExprRef number = asReal(expression(*argument.value, scope), range, fmt::format("the {}", name));
  if (!number)
    return nullptr;
  if (number->type.rank() != 0) {
    typeError(DiagnosticKind::RankMismatch, range, fmt::format("the {} must be a single number for each row", name))
        .label(textOf(number->type));
    return nullptr;
  }
  std::set<unsigned> indices = build.indicesOf(number);
  for (const Index *key : pending.keys)
    if (indices.count(build.numberOf(key))) {
      error(DiagnosticKind::Misplaced, range,
            fmt::format("the {} is one for each row, and this differs with the key `{}`", name, key->name))
          .hint("a number that differs with the key belongs in the score");
      return nullptr;
    }
  return number;
}

std::optional<double> Checker::alphaOf(const ast::Argument &argument, const ScopePtr &scope) {
  Value value = expression(*argument.value, scope);
  if (value.isError())
    return std::nullopt;
  SourceRange range = argument.value->range;
  std::optional<double> alpha = value.real();
  if (!alpha) {
    error(DiagnosticKind::NotConstant, range,
          fmt::format("the alpha of entmax must be a number that is known when the model is compiled, and is {}",
                      describe(value)));
    return std::nullopt;
  }
  if (*alpha > 1 && *alpha <= 2)
    return alpha;
  error(DiagnosticKind::BadNumber, range,
        fmt::format("the alpha of entmax is above 1 and at most 2, and this is {}", *alpha))
      .hint(*alpha == 1 ? "entmax with an alpha of 1 is `softmax`"
                        : "`entmax(2)` is `sparsemax`, `entmax(1.5)` lies "
                          "halfway to `softmax`");
  return std::nullopt;
}

bool Checker::attendNormaliser(const ast::AttendExpr &expr, const ScopePtr &scope, PendingAttend &pending) {
  const NormaliserWord *word = normaliserWord(expr);
  if (!word)
    return false;
  auto arguments = normaliserArguments(expr, *word);
  if (!arguments)
    return false;
  pending.word = word;
  pending.normaliser = word->normaliser;
  for (size_t number = 0; number < arguments->size(); ++number) {
    const std::string &name = word->arguments[number];
    const ast::Argument *argument = (*arguments)[number];
    if (!argument && name == "alpha") {
      error(DiagnosticKind::ArgumentCount, expr.by->range, "`entmax` is called without `alpha`")
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

//===- Composed scores --------------------------------------------------------------------------------------------===//

/// -log(-log u) with a draw u for each pair, which is kept off 0.
ExprRef Checker::gumbelNoise(const PendingAttend &pending, SourceRange range) {
  std::set<unsigned> indices;
  for (ExprRef part : {pending.score, pending.mask, pending.value})
    if (part)
      indices.merge(build.indicesOf(part));
  for (const Index *key : pending.keys)
    indices.insert(build.numberOf(key));
  // The key is the last index: it tells the numbers of one word apart.
  std::vector<Index *> over;
  auto isKey = [&](unsigned number) {
    return std::any_of(pending.keys.begin(), pending.keys.end(),
                       [&](const Index *key) { return build.numberOf(key) == number; });
  };
  for (unsigned number : indices)
    if (!isKey(number))
      over.push_back(build.indexAt(number));
  over.insert(over.end(), pending.keys.begin(), pending.keys.end());
  ExprRef drawn = draw(over, range);
  ExprRef u = build.elementwise(Op::Max, {drawn, build.real(0x1p-25, range)}, range);
  auto negativeLog = [&](ExprRef x) {
    return build.elementwise(Op::Neg, {build.elementwise(Op::Log, {x}, range)}, range);
  };
  return negativeLog(negativeLog(u));
}

bool Checker::composeScore(PendingAttend &pending, SourceRange range) {
  auto byTemperature = [&](ExprRef score) {
    return pending.temperature ? build.elementwise(Op::Div, {score, pending.temperature}, range) : score;
  };
  ComposedScore composed = pending.word->score;
  if (composed == ComposedScore::Plain || composed == ComposedScore::Sigmoid) {
    pending.score = byTemperature(pending.score);
    if (composed == ComposedScore::Sigmoid)
      pending.score = sigmoidOfKept(pending.score, range);
    return true;
  }
  if (!mayDraw(range, fmt::format("`by: {}`", pending.word->word)))
    return false;
  ExprRef noise = gumbelNoise(pending, range);
  if (composed == ComposedScore::Gumbel) {
    pending.score = byTemperature(build.elementwise(Op::Add, {pending.score, noise}, range));
    return true;
  }
  pending.plainScore = byTemperature(pending.score);
  ExprRef cut = build.elementwise(Op::Stop, {pending.plainScore}, range);
  pending.score = build.elementwise(Op::Add, {cut, noise}, range);
  return true;
}

/// A score of -inf stays one, for it is as masked.
ExprRef Checker::sigmoidOfKept(ExprRef score, SourceRange range) {
  ExprRef lowest = build.real(-infinity, range), sigmoid = sigmoidOf(build, score, range);
  return build.elementwise(Op::Select, {build.elementwise(Op::Eq, {score, lowest}, range), lowest, sigmoid}, range);
}

/// The logarithm of the probability, by softmax of the scores, of the key that a row chooses: s[chosen] - lse, and 0
/// for a row without keys. `chosen` is the attend that chooses.
Value Checker::logOfProbability(const ast::AttendExpr &expr, const PendingAttend &chosen, size_t mark) {
  auto only = [&](PendingAttend attend, Statistic statistic) {
    attend.weight = nullptr;
    attend.weightIn = nullptr;
    attend.statistics = {statistic};
    attend.yields = {build.newLocal(textOf(statistic), {Element::F32, {}}, expr.range)};
    return finishAttend(expr, std::move(attend), mark);
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
  ExprRef isEmpty = build.elementwise(Op::Eq, {lse.tensor(), build.real(-infinity, range)}, range);
  ExprRef difference = build.elementwise(Op::Sub, {ofChosen.tensor(), lse.tensor()}, range);
  return TensorValue{build.elementwise(Op::Select, {isEmpty, build.real(0, range), difference}, range)};
}

} // namespace attnc::check
