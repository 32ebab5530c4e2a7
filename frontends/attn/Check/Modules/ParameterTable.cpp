#include "frontends/attn/Check/Modules/ParameterTable.h"

#include "frontends/attn/Check/Modules/PartRules.h"
#include "frontends/attn/Check/NumberRange.h"

#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

std::string joinedPath(const std::string &path, const std::string &step) {
  return path.empty() || step.empty() ? path + step : path + "." + step;
}

bool ParameterTable::fitsF32(double number, SourceRange range) {
  if (isBeyondF32(number))
    reporter.error(DiagnosticKind::BadNumber, range, beyondF32(number)).hint(infinityHint);
  return !isBeyondF32(number);
}

static std::nullopt_t badInitialiser(Reporter &reporter, SourceRange range) {
  reporter.error(DiagnosticKind::BadInitialiser, range, "a parameter cannot be initialised like this")
      .hint("`zeros`, `ones`, `constant(value)`, `normal(deviation)`, `uniform(from, to)`, or a number");
  return std::nullopt;
}

std::optional<Initialiser> ParameterTable::namedInitialiser(const std::string &kind, const ast::CallExpr *call,
                                                            Scope &scope) {
  std::vector<double> numbers;
  for (size_t i = 0; call && i < call->arguments.size(); ++i) {
    SourceRange range = call->arguments[i].range;
    Value value = expressions.check(*call->arguments[i].value, scope);
    std::optional<double> real = value.real();
    if (!real && value.isError())
      return std::nullopt;
    if (!real)
      return badInitialiser(reporter, range);
    if (!fitsF32(*real, range))
      return std::nullopt;
    numbers.push_back(*real);
  }
  if (kind == "normal")
    return Initialiser{"normal", 0, numbers[0]};
  numbers.resize(2);
  return Initialiser{kind, numbers[0], numbers[1]};
}

std::optional<Initialiser> ParameterTable::initialiser(const ast::Expr &expr, Scope &scope) {
  static const std::map<std::string, size_t> argumentCounts = {
      {"zeros", 0}, {"ones", 0}, {"constant", 1}, {"normal", 1}, {"uniform", 2}};
  const ast::CallExpr *call = expr.as<ast::CallExpr>();
  const ast::NameRefExpr *name = (call ? *call->callee : expr).as<ast::NameRefExpr>();
  auto kind = name ? argumentCounts.find(name->name) : argumentCounts.end();
  if (kind != argumentCounts.end()) {
    if ((call ? call->arguments.size() : 0) != kind->second)
      return badInitialiser(reporter, expr.range);
    return namedInitialiser(kind->first, call, scope);
  }
  if (name && !names.find(scope, name->name))
    return badInitialiser(reporter, name->range);
  Value value = expressions.check(expr, scope);
  if (value.isError())
    return std::nullopt;
  std::optional<double> real = value.real();
  if (!real)
    return badInitialiser(reporter, expr.range);
  return fitsF32(*real, expr.range) ? std::optional(Initialiser{"constant", *real, 0}) : std::nullopt;
}

std::string ParameterTable::checkpointPath(const Instance &owner, const std::string &word, SourceRange field,
                                           const std::vector<ListIndex> &lists, Scope &scope) {
  auto numberOf = [&](const std::string &name) -> std::optional<int64_t> {
    std::optional<Value> value = names.find(scope, name);
    std::optional<double> number = value ? value->real() : std::nullopt;
    bool isWhole = number && *number >= 0 && *number <= INT32_MAX && *number == std::floor(*number);
    return isWhole ? std::optional(int64_t(*number)) : std::nullopt;
  };
  CheckpointWord expanded = expandWord(word, lists, lists.size() - owner.lists.size(), numberOf);
  if (!expanded.problem.empty())
    reporter
        .error(DiagnosticKind::BadCheckpointName, field,
               fmt::format("the name \"{}\" in checkpoints has a wrong index: {}", word, expanded.problem))
        .hint("an index is a sum of products of numbers and of indices of lists, as in \"{6 * {0} + {1}}\"");
  static constexpr std::string_view around = "{..}";
  size_t at = expanded.text.find(around);
  if (at == std::string::npos)
    return joinedPath(owner.checkpoint, expanded.text);
  // The model itself has no name.
  size_t length = around.size() + (owner.checkpoint.empty() && expanded.text[at + around.size()] == '.' ? 1 : 0);
  return expanded.text.replace(at, length, owner.checkpoint);
}

void ParameterTable::reserveCheckpointName(const Parameter &parameter, const ast::FieldDecl &field) {
  if (parameter.checkpoint == "__metadata__")
    reporter
        .error(DiagnosticKind::DuplicateCheckpoint, field.name.range,
               "a parameter has the name `__metadata__` in checkpoints, which the file format reserves")
        .hint(fmt::format("give it another name there, as `{}: ... as \"metadata\"`", field.name.text));
  // "[]" counts like the index of a list; the sum makes the names of all elements known.
  std::string name = parameter.checkpoint;
  std::vector<int64_t> counts = parameter.counts;
  if (size_t parts = name.find("[]"); parts != std::string::npos) {
    if (parameter.type.rank() == 0) {
      reporter.error(DiagnosticKind::BadCheckpointName, field.name.range,
                     fmt::format("the name \"{}\" in checkpoints has `[]`, which stands for the indices of the first "
                                 "dimension, but the parameter has no dimension",
                                 name));
      return;
    }
    if (name.find("[]", parts + 2) != std::string::npos) {
      reporter.error(DiagnosticKind::BadCheckpointName, field.name.range,
                     fmt::format("the name \"{}\" in checkpoints has `[]` twice, which stands for the indices of the "
                                 "first dimension or of a list that data subscripts",
                                 name));
      return;
    }
    name.replace(parts, 2, fmt::format("{{{}+#0}}", counts.size()));
    counts.push_back(parameter.type.shape[0].constant());
  }
  if (auto other = checkpointNames.add(name, counts, field.name.range))
    reporter
        .error(DiagnosticKind::DuplicateCheckpoint, field.name.range,
               fmt::format("two parameters have the name `{}` in checkpoints",
                           other->name == name ? parameter.checkpoint : other->name))
        .note("the other is", other->place);
}

void ParameterTable::addTemporarily(const std::function<void()> &addAll) {
  size_t kept = program.parameters.size();
  auto names = std::exchange(checkpointNames, {});
  addAll();
  checkpointNames = std::move(names);
  program.parameters.resize(kept);
}

Value ParameterTable::add(const Instance &instance, const ast::FieldDecl &field, Scope &scope) {
  std::optional<Shape> shape = types.evaluateShape(*field.type, scope, "the size of a parameter");
  std::optional<typed::Element> element = types.elementOf(*field.type);
  if (!shape || !element)
    return Value();
  if (*element != typed::Element::F32) {
    reporter.notSupported(field.type->range, fmt::format("a parameter of {}", typed::textOf(*element)));
    return Value();
  }
  typed::Initialiser init;
  if (field.value) {
    std::optional<typed::Initialiser> written = initialiser(*field.value, scope);
    if (!written)
      return Value();
    init = *written;
  }
  bool isEmpty = false;
  for (size_t i = 0; i < shape->size(); ++i) {
    const Dim &dim = (*shape)[i];
    isEmpty |= dim.is(0);
    if (dim.isConstant() && dim.constant() >= 0)
      continue;
    reporter.error(DiagnosticKind::BadSize, field.type->dimensions[i].range,
                   fmt::format("a dimension of the parameter `{}` is {}", field.name.text, dim.text()));
    return Value();
  }
  if (!types.checkBounds(*field.type, *shape, scope))
    return Value();
  if (instance.stacked && field.kind == ast::FieldKind::State)
    return reporter.notSupported(field.name.range, "a state in a list that data subscripts");
  if (instance.stacked)
    shape->insert(shape->begin(), Dim(*instance.stacked));
  typed::Parameter parameter;
  parameter.name = joinedPath(instance.path, field.name.text);
  parameter.counts = instance.counts;
  parameter.type = {*element, *shape};
  parameter.initialiser = init;
  parameter.checkpoint = checkpointPath(instance, field.checkpoint ? field.checkpoint->text : field.name.text,
                                        field.name.range, instance.lists, scope);
  parameter.isUpdated = field.kind == ast::FieldKind::State;
  parameter.frozen = field.isFrozen || instance.isFrozen || parameter.isUpdated;
  parameter.frozen |= isFrozenByRule(instance.rules, parameter.checkpoint);
  for (const ast::Name &tag : field.tags)
    parameter.tags.push_back(tag.text);
  parameter.range = field.name.range;
  program.parameterStore.push_back(std::move(parameter));
  const typed::Parameter *added = &program.parameterStore.back();
  ParameterValue value{added, instance.stacked.has_value()};
  if (isEmpty || instance.stacked == 0) // as in `bias: f32[if biased then n else 0]`: the program has no such parameter
    return value;
  reserveCheckpointName(*added, field);
  program.parameters.push_back(added);
  return value;
}

const Parameter *ParameterTable::addState(const Entry &entry, const std::string &name, const Parameter *of, Type type,
                                          double start, SourceRange range) {
  Parameter state;
  std::string prefix = fmt::format("{}.{}", entry.name, name);
  state.name = of ? prefix + "." + of->name : prefix;
  state.checkpoint = of ? prefix + "." + of->checkpoint : prefix;
  if (of)
    state.counts = of->counts;
  state.type = std::move(type);
  state.initialiser = {"constant", start, 0};
  state.frozen = state.isState = true;
  state.range = range;
  auto same = checkpointNames.add(state.checkpoint, state.counts, range);
  if (same)
    reporter
        .error(DiagnosticKind::DuplicateCheckpoint, range,
               fmt::format("a parameter and a state of training have the name `{}` in checkpoints", same->name))
        .note("the other is", same->place)
        .hint("give the export another name");
  for (const Parameter *other : program.parameters)
    if (!same && other->name == state.name)
      reporter
          .error(DiagnosticKind::AlreadyDefined, range,
                 fmt::format("a parameter and a state of training have the name `{}`", state.name))
          .note("the other is", other->range)
          .hint("give the export another name");
  program.parameterStore.push_back(std::move(state));
  program.parameters.push_back(&program.parameterStore.back());
  return program.parameters.back();
}

} // namespace attnc::check
