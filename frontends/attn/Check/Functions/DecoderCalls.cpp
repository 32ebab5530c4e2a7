#include "frontends/attn/Check/Functions/DecoderCalls.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

const Entry &DecoderCalls::entry(const std::string &name) const {
  return *std::ranges::find(program.entries, name, &Entry::name);
}

/// Returns the argument with the tokens, the only one along the dimension of positions.
static const Local *tokensOf(const Entry &step) {
  const Dim along = Dim::symbol(step.along);
  return *std::ranges::find_if(step.arguments, [&](const Local *argument) {
    return std::ranges::find(argument->type.shape, along) != argument->type.shape.end();
  });
}

std::vector<DecoderCalls::Parameter> DecoderCalls::parametersOf(const Entry &sampler, const Entry &step) {
  const Local *tokens = tokensOf(step);
  const Dim &rows = tokens->type.shape[0];
  std::vector<Parameter> parameters = {{"prompt", tokens->type, tokens->range},
                                       {"prompt_length", {Element::I32, {rows}}, tokens->range}};
  for (const Local *argument : step.arguments)
    if (argument != tokens)
      parameters.push_back({argument->name, argument->type, argument->range});
  size_t first = sampler.decoding->beams ? 3 : 1;
  const Shape &logits = sampler.arguments[first - 1]->type.shape;
  const std::map<std::string, Dim> sizes = {{logits.front().text(), rows},
                                            {logits.back().text(), step.results[0].value->type.shape.back()}};
  for (size_t number = first; number < sampler.arguments.size(); ++number) {
    const Local *argument = sampler.arguments[number];
    if (argument == sampler.step) // the loop counts its steps
      continue;
    Type type = argument->type;
    for (Dim &size : type.shape)
      size = size.substitute(sizes);
    parameters.push_back({argument->name, std::move(type), argument->range});
  }
  return parameters;
}

bool DecoderCalls::unify(const Parameter &parameter, ExprRef argument, Sizes &sizes) {
  const Shape &expected = parameter.type.shape, &actual = argument->type.shape;
  if (expected.size() != actual.size()) {
    reporter
        .typeError(DiagnosticKind::RankMismatch, argument->range,
                   fmt::format("`{}` is {}, found {} dimension{}", parameter.name, textOf(parameter.type),
                               actual.size(), actual.size() == 1 ? "" : "s"))
        .label(textOf(argument->type));
    return false;
  }
  for (size_t dim = 0; dim < expected.size(); ++dim) {
    std::string name = expected[dim].text();
    if (expected[dim] == Dim::symbol(name) && sizes.emplace(name, actual[dim]).second)
      continue;
    Dim size = expected[dim].substitute(sizes);
    if (size == actual[dim])
      continue;
    Diagnostic &report = reporter.dimMismatch(argument->range, fmt::format("dimensions of `{}` differ", parameter.name),
                                              size.labelled(""), Dim(actual[dim]).labelled(""));
    report.label(textOf(argument->type)).note(fmt::format("`{}` is declared", parameter.name), parameter.range);
    origins.note(report, argument, argument->range, actual[dim]);
    return false;
  }
  return true;
}

bool DecoderCalls::hasBounds(const Entry &sampler, const Entry &step, const Sizes &sizes, SourceRange range) {
  bool fits = true;
  for (const Dimension &dimension : step.dimensions) {
    bool isPrompt = dimension.name == step.along;
    const Dim &size = sizes.at(dimension.name);
    int64_t most = isPrompt ? dimension.max - sampler.decoding->atMost + 1 : dimension.max;
    if (dimension.max >= 0 && !bounds.isNonNegative(Dim(most) - size)) {
      reporter
          .typeError(DiagnosticKind::BoundExceeded, range,
                     fmt::format("`{}` is {}, expected at most {}", dimension.name, size.text(), most))
          .hint(isPrompt ? fmt::format("`{}` is at most {}, and {} tokens follow the prompt", dimension.name,
                                       dimension.max, sampler.decoding->atMost)
                         : fmt::format("declare the dimension `{} <= {}` where it is bound", size.text(), most))
          .note("the bound is declared", dimension.range);
      fits = false;
    }
    int64_t least = isPrompt ? 1 : dimension.min;
    if (!bounds.require({size - Dim(least)})) {
      reporter.typeError(DiagnosticKind::BadSize, range,
                         fmt::format("`{}` is {}, expected at least {}", dimension.name, size.text(), least));
      fits = false;
    }
  }
  return fits;
}

Value DecoderCalls::call(const DecoderValue &decoder, SourceRange range, std::vector<CheckedArgument> arguments) {
  if (indexScopes.isInBody())
    return reporter.notSupported(range, "a call of an entry point inside index notation");
  if (context.isPositional)
    return reporter.notSupported(range, "a call of an entry point in a function that is computed position by position");
  if (context.returnsWeights)
    return reporter.notSupported(range, "a call of an entry point in a function whose attention weights are returned");
  const Entry &sampler = entry(decoder.entry), &step = entry(sampler.decoding->of);
  std::vector<Parameter> parameters = parametersOf(sampler, step);
  std::vector<ParameterName> names;
  for (const Parameter &parameter : parameters)
    names.push_back({parameter.name, parameter.range});
  auto matched = matchArguments(reporter, names, std::move(arguments), range, decoder.entry);
  if (!matched)
    return Value();
  DecoderCall call;
  call.entry = decoder.entry;
  call.range = range;
  Sizes sizes;
  bool fits = true;
  for (size_t number = 0; number < parameters.size(); ++number) {
    const auto &[name, type, declared] = parameters[number];
    const CheckedArgument &given = *(*matched)[number];
    ExprRef value = conversions.asArgument(given.value, given.range, type.element, name, declared);
    fits &= value && unify(parameters[number], value, sizes);
    if (fits)
      call.arguments.push_back({name, lets.bind(name, value, given.range)});
  }
  if (!fits || !hasBounds(sampler, step, sizes, range))
    return Value();
  const Dim &rows = (*matched)[0]->value.tensor()->type.shape[0];
  call.tokens = build.newLocal("tokens", {Element::I32, {rows, Dim(sampler.decoding->atMost)}}, range);
  call.length = build.newLocal("length", {Element::I32, {rows}}, range);
  TupleValue results{
      {TensorValue{build.reference(call.tokens, range)}, TensorValue{build.reference(call.length, range)}}};
  lets.getBlock()->statements.push_back(std::move(call));
  return results;
}

} // namespace attnc::check
