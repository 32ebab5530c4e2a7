// Exports made by `decode`: the loop that writes tokens, by an entry point that computes position by position and a
// function that chooses among the logits of one.

#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

static constexpr const char *form = "decode(next, with: greedy, stop: 0, at_most: 64)";

/// A whole number from `least` on that is known now; reports others.
std::optional<int64_t> Checker::countOf(const ast::Argument &argument, int64_t least, const ScopePtr &scope) {
  Block outside;
  build.setBlock(&outside);
  Value value = expression(*argument.value, scope);
  std::optional<double> count = value.real();
  if (count && *count >= double(least) && *count <= INT32_MAX && *count == std::floor(*count))
    return static_cast<int64_t>(*count);
  if (!value.isError())
    error(DiagnosticKind::NotConstant, argument.value->range,
          fmt::format("`{}` is a whole number from {} on, known when the model is compiled", argument.label->text,
                      least));
  return std::nullopt;
}

/// Does it take tokens, and give logits of what follows each or the last of them?
bool Checker::isDecodable(const Entry &step, SourceRange range) {
  const Local *tokens = nullptr;
  unsigned count = 0;
  for (const Local *argument : step.arguments)
    for (const Dim &extent : argument->type.shape)
      if (extent == Dim::symbol(step.along)) {
        tokens = argument;
        ++count;
      }
  bool takesTokens = count == 1 && tokens->type.element == Element::I32 && tokens->type.rank() == 2 &&
                     tokens->type.shape[1] == Dim::symbol(step.along) && !tokens->type.shape[0].isConstant();
  auto refuse = [&](const std::string &reason, const std::string &hint) {
    Diagnostic &report =
        error(DiagnosticKind::NotAnEntry, range, fmt::format("`{}` cannot be decoded: {}", step.name, reason))
            .hint(hint);
    if (range != step.range)
      report.note("it is exported", step.range);
    return false;
  };
  if (!takesTokens)
    return refuse(fmt::format("what it takes along `{}` is not one tensor of tokens", step.along),
                  fmt::format("i32[batch, {}] is", step.along));
  const Type *found = step.results.size() == 1 ? &step.results[0].value->type : nullptr;
  bool givesLogits = found && found->element == Element::F32 && found->shape.front() == tokens->type.shape[0] &&
                     (found->rank() == 2 || (found->rank() == 3 && found->shape[1] == tokens->type.shape[1]));
  return givesLogits ||
         refuse(fmt::format("it gives {}, which are not the logits of one token for each position",
                            found ? textOf(*found) : fmt::format("{} results", step.results.size())),
                fmt::format("f32[batch, {}, vocab], or f32[batch, vocab] of the last one, are", step.along));
}

/// The function of `with`: one by its name, or that of a module with its hyperparameters.
std::optional<FunctionValue> Checker::chooser(const ast::Expr &with, const ScopePtr &scope) {
  size_t parameters = program->parameters.size(), before = errorsFound;
  auto *call = with.as<ast::CallExpr>();
  Value value = expression(call ? *call->callee : with, scope);
  if (auto *cls = call ? value.as<ClassValue>() : nullptr) {
    Instance place;
    place.path = place.checkpoint = cls->decl->name.text;
    value = makeModule(*call, *cls, place, scope);
  } else if (call && !value.isError()) {
    error(DiagnosticKind::NotCallable, call->callee->range,
          fmt::format("`with` is a function, or a module with its hyperparameters, and this is {}", describe(value)))
        .hint(form);
  }
  if (errorsFound != before || value.isError())
    return std::nullopt;
  if (program->parameters.size() != parameters) {
    error(DiagnosticKind::NotAnEntry, with.range, "what chooses tokens has no parameters of its own, and this has")
        .note("the first is", program->parameters[parameters]->range);
    return std::nullopt;
  }
  if (auto *function = value.as<FunctionValue>())
    return *function;
  if (auto *module = value.as<ModuleValue>())
    for (const ast::FunctionDecl &decl : module->instance->decl->functions)
      if (!decl.name)
        return FunctionValue{&decl, module->instance->unit, *module};
  error(DiagnosticKind::NotCallable, with.range,
        fmt::format("`with` is a function, or a module with its hyperparameters, and this is {}", describe(value)))
      .hint(value.as<ClassValue>() ? fmt::format("{}()", sources.text(with.range)) : form);
  return std::nullopt;
}

/// What the choice takes behind logits is of a call, its rows and the vocabulary; reports other sizes.
bool Checker::areOfCall(const Entry &choice, size_t from, const Type &logits) {
  for (size_t number = from; number < choice.arguments.size(); ++number)
    for (const Dim &size : choice.arguments[number]->type.shape)
      if (!size.isConstant() && size != logits.shape.front() && size != logits.shape.back()) {
        error(DiagnosticKind::NotAnEntry, choice.arguments[number]->range,
              fmt::format("what chooses tokens takes `{}` along `{}`, which is not a size of its logits",
                          choice.arguments[number]->name, size.text()))
            .hint(fmt::format("`{}` and `{}` are", logits.shape.front().text(), logits.shape.back().text()));
        return false;
      }
  return true;
}

/// Does it take logits and give a token for each row?
bool Checker::isChoice(const Entry &entry, SourceRange range) {
  const Type *logits = entry.arguments.empty() ? nullptr : &entry.arguments[0]->type;
  const Type *token = entry.results.size() == 1 ? &entry.results[0].value->type : nullptr;
  auto isNamed = [](const Dim &dim) { return !dim.isConstant(); };
  if (logits && token && logits->element == Element::F32 && logits->rank() == 2 && token->element == Element::I32 &&
      token->rank() == 1 && token->shape[0] == logits->shape[0] &&
      std::all_of(logits->shape.begin(), logits->shape.end(), isNamed))
    return areOfCall(entry, 1, *logits);
  error(DiagnosticKind::NotAnEntry, range, "this function does not choose a token for each row of logits")
      .note("it is", entry.range)
      .hint("it takes f32[batch, vocab] and gives i32[batch]; that of a search over n beams, a number from 1 on, takes "
            "scores f32[batch, n], which have ended bool[batch, n] and logits f32[batch, n, vocab], and gives scores "
            "f32[batch, n], parents i32[batch, n] and tokens i32[batch, n]");
  return false;
}

/// Does it take the scores of beams, which have ended, and their logits, and give the scores of the next beams, the
/// beams that these go on from, and by which token? Then, how many beams a row has.
std::optional<int64_t> Checker::beamsOf(const Entry &entry) {
  if (entry.arguments.size() < 3 || entry.results.size() != 3)
    return std::nullopt;
  const Type &logits = entry.arguments[2]->type;
  if (logits.element != Element::F32 || logits.rank() != 3 || logits.shape[0].isConstant() ||
      !logits.shape[1].isConstant() || logits.shape[2].isConstant())
    return std::nullopt;
  Shape beams = {logits.shape[0], logits.shape[1]};
  auto is = [&](const Type &type, Element element) { return type.element == element && type.shape == beams; };
  bool isSearch = is(entry.arguments[0]->type, Element::F32) && is(entry.arguments[1]->type, Element::Bool) &&
                  is(entry.results[0].value->type, Element::F32) && is(entry.results[1].value->type, Element::I32) &&
                  is(entry.results[2].value->type, Element::I32) && beams[1].constant() > 0;
  return isSearch ? std::optional(beams[1].constant()) : std::nullopt;
}

/// Is there room for so many tokens, and is `last` one of them?
bool Checker::hasTokens(const Entry &step, int64_t most, const ast::Argument &atMost, std::optional<int64_t> last,
                        const ast::Argument *stop) {
  const Dim &vocabulary = step.results[0].value->type.shape.back();
  if (last && vocabulary.isConstant() && *last >= vocabulary.constant()) {
    error(DiagnosticKind::BadSize, stop->value->range,
          fmt::format("there are {} tokens, and none is number {}", vocabulary.constant(), *last));
    return false;
  }
  for (const Dimension &dimension : step.dimensions)
    if (dimension.name == step.along && dimension.max >= 0 && most > dimension.max) {
      error(DiagnosticKind::BadSize, atMost.value->range,
            fmt::format("`{}` is {} at most, which leaves no room for {} tokens behind one of a prompt", step.along,
                        dimension.max, most));
      return false;
    }
  return true;
}

void Checker::decode(const Derivation &derivation, const ast::ExportDecl &decl, const ScopePtr &scope) {
  auto step = std::find_if(program->entries.begin(), program->entries.end(), [&](const Entry &entry) {
    return entry.name == derivation.function.text && !entry.along.empty();
  });
  if (step == program->entries.end()) {
    error(DiagnosticKind::UnknownName, derivation.function.range,
          fmt::format("there is no entry point `{}` made by `incremental` in front of this one",
                      derivation.function.text))
        .hint(fmt::format("export {} = incremental(f, along: seq)", derivation.function.text));
    return;
  }
  Decoding decoding;
  decoding.of = step->name;
  std::map<std::string, const ast::Argument *> arguments = {{"with", nullptr}, {"at_most", nullptr}, {"stop", nullptr}};
  for (const ast::Argument *argument : derivation.arguments) {
    auto place = arguments.find(argument->label ? argument->label->text : "");
    bool isKnown = place != arguments.end();
    if (!isKnown || place->second) {
      error(isKnown ? DiagnosticKind::ArgumentCount : DiagnosticKind::UnknownArgument, argument->range,
            isKnown ? fmt::format("`{}` is given twice", place->first) : "`decode` has no such argument")
          .hint(form);
      return;
    }
    place->second = argument;
  }
  const ast::Argument *with = arguments["with"], *atMost = arguments["at_most"], *stop = arguments["stop"];
  if (!with || !atMost) {
    error(DiagnosticKind::ArgumentCount, decl.value->range,
          fmt::format("`decode` is called without `{}`", with ? "at_most" : "with"))
        .hint(form);
    return;
  }
  std::optional<int64_t> most = countOf(*atMost, 1, scope), last = stop ? countOf(*stop, 0, scope) : std::nullopt;
  if (!most || (stop && !last) || !isDecodable(*step, derivation.function.range))
    return;
  decoding.atMost = *most;
  decoding.stop = last;
  if (!hasTokens(*step, *most, *atMost, last, stop))
    return;
  size_t before = program->entries.size();
  std::optional<FunctionValue> function = chooser(*with->value, scope);
  if (function)
    checkEntry(*function, decl.name.text, with->value->range, true);
  if (program->entries.size() == before)
    return;
  Entry &entry = program->entries.back();
  decoding.beams = beamsOf(entry);
  bool isRight = decoding.beams ? areOfCall(entry, 3, entry.arguments[2]->type) : isChoice(entry, with->value->range);
  if (!isRight)
    return;
  entry.doc = decl.doc;
  entry.decoding = std::move(decoding);
}

void Checker::addWriter(const WriterRequest &wanted) {
  const Entry *step = nullptr;
  for (const Entry &entry : program->entries) {
    if (!wanted.entry.empty() && entry.name != wanted.entry)
      continue;
    if (entry.decoding || (step && !entry.along.empty()))
      return;
    if (!entry.along.empty())
      step = &entry;
  }
  if (!step || !isDecodable(*step, step->range))
    return;
  Decoding decoding;
  decoding.of = step->name;
  decoding.atMost = wanted.atMost;
  for (const Dimension &dimension : step->dimensions)
    if (dimension.name == step->along && dimension.max >= 0)
      decoding.atMost = std::clamp<int64_t>(dimension.max / 2, 1, wanted.atMost);
  SourceRange range = step->range;
  SourceUnit *prelude =
      load(sources.add(wanted.file + ".attn", std::string(preludeText(wanted.file).value_or(""))), wanted.file);
  for (const ast::FunctionDecl &decl : prelude->ast->functions)
    if (decl.name && decl.name->text == wanted.choice)
      checkEntry({&decl, prelude, {nullptr, {}}}, WriterRequest::madeOf(decoding.of), range, true);
  if (!diagnostics.hasErrors())
    program->entries.back().decoding = std::move(decoding);
}

} // namespace attnc::check
