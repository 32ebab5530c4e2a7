#include "frontends/attn/Check/Entries/Decoders.h"

#include "frontends/attn/Check/Entries/DecoderRules.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

static constexpr const char *form = "decode(next, with: greedy, stop: 0, at_most: 64)";

std::optional<int64_t> Decoders::count(const ast::Argument &argument, int64_t least, Scope &scope) {
  Block outside;
  lets.setBlock(&outside);
  Value value = expressions.check(*argument.value, scope);
  std::optional<double> count = value.real();
  if (count && *count >= double(least) && *count <= INT32_MAX && *count == std::floor(*count))
    return static_cast<int64_t>(*count);
  if (!value.isError())
    reporter.error(DiagnosticKind::NotConstant, argument.value->range,
                   fmt::format("`{}` is a whole number from {} on, known when the model is compiled",
                               argument.label->text, least));
  return std::nullopt;
}

Value Decoders::samplerModule(const ast::CallExpr &call, const ClassValue &cls, Scope &scope) {
  Instance place;
  place.path = place.checkpoint = cls.decl->name.text;
  return modules.instantiate(call, cls, place, scope);
}

static void reportSampler(Reporter &reporter, SourceRange range, const Value &value, const std::string &hint) {
  reporter
      .error(DiagnosticKind::NotCallable, range,
             fmt::format("`with` is a function, or a module with its hyperparameters, but this is {}", describe(value)))
      .hint(hint);
}

std::optional<FunctionValue> Decoders::sampler(const ast::Expr &with, Scope &scope) {
  size_t parameters = program.parameters.size(), before = reporter.errorCount();
  auto *call = with.as<ast::CallExpr>();
  Value value = expressions.check(call ? *call->callee : with, scope);
  if (auto *cls = call ? value.as<ClassValue>() : nullptr)
    value = samplerModule(*call, ClassValue(*cls), scope);
  else if (call && !value.isError())
    reportSampler(reporter, call->callee->range, value, form);
  if (reporter.errorCount() != before || value.isError())
    return std::nullopt;
  if (program.parameters.size() != parameters) {
    reporter.error(DiagnosticKind::NotAnEntry, with.range, "a sampler has no parameters of its own, but this one has")
        .note("the first is", program.parameters[parameters]->range);
    return std::nullopt;
  }
  if (auto *function = value.as<FunctionValue>())
    return *function;
  if (auto *module = value.as<ModuleValue>())
    for (const ast::FunctionDecl &decl : module->instance->decl->functions)
      if (!decl.name)
        return FunctionValue{&decl, module->instance->unit, *module};
  reportSampler(reporter, with.range, value,
                value.as<ClassValue>() ? fmt::format("{}()", reporter.text(with.range)) : form);
  return std::nullopt;
}

namespace {

/// The arguments of `decode` after the function; null if omitted.
struct DecodeArguments {
  const ast::Argument *with = nullptr, *atMost = nullptr, *stop = nullptr;
};

} // namespace

/// Reads the arguments. Reports a missing `with` or `at_most`, and an unknown or repeated argument, and returns null.
static std::optional<DecodeArguments> readArguments(Reporter &reporter, const Derivation &derivation,
                                                    const ast::ExportDecl &decl) {
  DecodeArguments result;
  for (const ast::Argument *argument : derivation.arguments) {
    std::string label = argument->label ? argument->label->text : "";
    const ast::Argument **place = label == "with"      ? &result.with
                                  : label == "at_most" ? &result.atMost
                                  : label == "stop"    ? &result.stop
                                                       : nullptr;
    if (!place || *place) {
      reporter
          .error(place ? DiagnosticKind::ArgumentCount : DiagnosticKind::UnknownArgument, argument->range,
                 place ? fmt::format("`{}` is given twice", label) : "`decode` has no such argument")
          .hint(form);
      return std::nullopt;
    }
    *place = argument;
  }
  if (result.with && result.atMost)
    return result;
  reporter
      .error(DiagnosticKind::ArgumentCount, decl.value->range,
             fmt::format("`decode` is called without `{}`", result.with ? "at_most" : "with"))
      .hint(form);
  return std::nullopt;
}

void Decoders::decode(const Derivation &derivation, const ast::ExportDecl &decl, SourceUnit &unit, Scope &scope) {
  auto step = std::find_if(program.entries.begin(), program.entries.end(), [&](const Entry &entry) {
    return entry.name == derivation.function.text && !entry.along.empty();
  });
  if (step == program.entries.end()) {
    reporter
        .error(DiagnosticKind::UnknownName, derivation.function.range,
               fmt::format("no entry point `{}` made by `incremental` is exported before this one",
                           derivation.function.text))
        .hint(fmt::format("export {} = incremental(f, along: seq)", derivation.function.text));
    return;
  }
  std::optional<DecodeArguments> arguments = readArguments(reporter, derivation, decl);
  if (!arguments)
    return;
  const auto &[with, atMost, stop] = *arguments;
  std::optional<int64_t> most = count(*atMost, 1, scope), last = stop ? count(*stop, 0, scope) : std::nullopt;
  if (!most || (stop && !last) || !isDecodable(reporter, *step, derivation.function.range) ||
      !hasTokens(reporter, *step, *most, *atMost, last, stop))
    return;
  Decoding decoding{step->name, *most, last, std::nullopt};
  std::optional<FunctionValue> function = sampler(*with->value, scope);
  Entry *entry = function ? entries.add(*function, decl.name.text, with->value->range) : nullptr;
  if (!entry)
    return;
  decoding.beams = beamsOf(*entry);
  bool isRight = decoding.beams ? hasSizesOfCall(reporter, *entry, 3, entry->arguments[2]->type)
                                : isChoice(reporter, *entry, with->value->range);
  if (!isRight)
    return;
  entry->doc = decl.doc;
  entry->decoding = std::move(decoding);
  unit.decoders.insert(entry->name);
}

void Decoders::addWriter(const WriterRequest &wanted) {
  const Entry *step = nullptr;
  for (const Entry &entry : program.entries) {
    if (!wanted.entry.empty() && entry.name != wanted.entry)
      continue;
    if (entry.decoding || (step && !entry.along.empty()))
      return;
    if (!entry.along.empty())
      step = &entry;
  }
  if (!step || !isDecodable(reporter, *step, step->range))
    return;
  Decoding decoding{step->name, wanted.atMost, std::nullopt, std::nullopt};
  for (const Dimension &dimension : step->dimensions)
    if (dimension.name == step->along && dimension.max >= 0)
      decoding.atMost = std::clamp<int64_t>(dimension.max / 2, 1, wanted.atMost);
  SourceRange range = step->range;
  SourceUnit *prelude = files.loadPrelude(wanted.file);
  for (const ast::FunctionDecl &decl : prelude->ast->functions)
    if (decl.name && decl.name->text == wanted.choice)
      if (Entry *entry = entries.add({&decl, prelude, {nullptr, {}}}, WriterRequest::madeOf(decoding.of), range))
        entry->decoding = decoding;
}

} // namespace attnc::check
