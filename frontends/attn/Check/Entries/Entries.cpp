#include "frontends/attn/Check/Entries/Entries.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

/// True if a parameter is a tensor of known rank.
static bool hasRank(const ast::Parameter &parameter) {
  return parameter.type && std::none_of(parameter.type->dimensions.begin(), parameter.type->dimensions.end(),
                                        [](const ast::Dimension &dimension) { return dimension.isRest; });
}

bool isEntryLike(const ast::FunctionDecl &decl) {
  return std::all_of(decl.parameters.begin(), decl.parameters.end(), hasRank);
}

Local *Entries::addArgument(const ast::Parameter &parameter, Scope &scope, Entry &entry) {
  std::optional<Element> element = types.elementOf(*parameter.type);
  std::optional<Shape> shape = types.evaluateShape(*parameter.type, scope, "the dimension");
  if (!element || !shape)
    return nullptr;
  types.declareBounds(*parameter.type, *shape, scope, entry);
  for (const Dim &size : *shape)
    bounds.requireSize(size);
  Local *local = build.newLocal(parameter.name.text, {*element, *shape}, parameter.name.range);
  entry.arguments.push_back(local);
  origins.addArgument(local);
  gradients.addArgument(local);
  return local;
}

/// A call infers each dimension n from an argument with the size a*n + b.
void Entries::requireInferable(const Entry &entry) {
  for (const Dimension &dimension : entry.dimensions) {
    bool isInferable = std::any_of(entry.arguments.begin(), entry.arguments.end(), [&](const Local *argument) {
      return std::any_of(argument->type.shape.begin(), argument->type.shape.end(), [&](const Dim &size) {
        std::optional<Dim::Linear> linear = size.linear();
        return linear && linear->name == dimension.name;
      });
    });
    if (!isInferable)
      reporter
          .error(DiagnosticKind::UnboundDimension, dimension.range,
                 fmt::format("`{}` cannot be inferred from the sizes of the arguments of `{}`", dimension.name,
                             entry.name))
          .hint(fmt::format("an argument must have the size {0}, or a positive multiple of {0} plus or minus a number",
                            dimension.name));
  }
}

bool Entries::declareParameters(const ast::FunctionDecl &decl, Scope &scope, Entry &entry, bool isExported) {
  for (const ast::Parameter &parameter : decl.parameters) {
    if (!parameter.type || (isExported && !isEntryLike(decl))) {
      if (isExported)
        reporter
            .error(DiagnosticKind::NotAnEntry, parameter.range,
                   fmt::format("`{}` cannot be exported: the type of `{}` does not name every dimension", entry.name,
                               parameter.name.text))
            .hint("an entry point's parameters have types without `..`");
      return false;
    }
    types.introduceDims(*parameter.type, scope, entry);
  }
  for (const ast::Parameter &parameter : decl.parameters) {
    Local *local = addArgument(parameter, scope, entry);
    Value value = local ? Value(TensorValue{build.reference(local, parameter.name.range)}) : Value();
    scope.names[parameter.name.text] = Binding{value, parameter.name.range};
  }
  if (isExported && entry.arguments.size() == decl.parameters.size())
    requireInferable(entry);
  return true;
}

void Entries::addResults(Entry &entry, const ast::FunctionDecl &decl, const Value &value, Scope &scope) {
  std::vector<Value> values = {value};
  if (auto *tuple = value.as<TupleValue>())
    values = tuple->parts;
  for (size_t i = 0; i < values.size(); ++i) {
    ExprRef tensor = conversions.asTensor(values[i], decl.signatureRange, Element::F32);
    if (!tensor)
      return;
    if (tensor->type.element == Element::Index)
      tensor = build.cast(tensor, Element::I32);
    Result result;
    result.name = values.size() == 1 ? entry.name : fmt::format("{}{}", entry.name, i);
    result.shape = tensor->type.shape;
    if (i < decl.results.size()) {
      if (decl.results[i].name)
        result.name = decl.results[i].name->text;
      if (std::optional<Shape> declared = types.evaluateShape(decl.results[i].type, scope, "the dimension"))
        result.shape = *declared;
    }
    result.value = tensor;
    entry.results.push_back(std::move(result));
  }
}

bool Entries::check(const FunctionValue &function, Entry &entry, bool isExported) {
  const ast::FunctionDecl &decl = *function.decl;
  stack.markReached(decl);
  bounds.clear();
  draws.beginEntry();
  gradients.beginEntry();
  states.beginEntry();
  lets.setBlock(&entry.block);
  Scope &scope = scopes.functionScope(function);
  if (!declareParameters(decl, scope, entry, isExported) || !bodies.enter(function, decl.signatureRange))
    return false;
  Value value = bodies.check(decl, scope);
  if (isExported && value.as<NothingValue>())
    reporter.error(DiagnosticKind::MissingResult, decl.signatureRange,
                   fmt::format("`{}` has no result, so there is nothing to compute", entry.name));
  else if (isExported && !value.isError())
    addResults(entry, decl, value, scope);
  bodies.leave();
  return true;
}

Entry *Entries::add(const FunctionValue &function, const std::string &name, SourceRange range) {
  size_t before = reporter.errorCount();
  reporter.setRankAssumed(false);
  Entry entry;
  entry.name = name;
  entry.doc = function.decl->doc;
  entry.range = range;
  if (!check(function, entry, true))
    return nullptr;
  draws.addArguments(entry);
  entry.updates = states.take();
  for (Dimension &dimension : entry.dimensions)
    dimension.min = bounds.minimum(dimension.name);
  if (reporter.errorCount() != before)
    return nullptr;
  return &program.entries.emplace_back(std::move(entry));
}

void Entries::checkAlone(const FunctionValue &function, const std::string &name, SourceRange range) {
  const std::vector<ast::Parameter> &parameters = function.decl->parameters;
  reporter.setRankAssumed(!std::all_of(parameters.begin(), parameters.end(), hasRank));
  Entry entry;
  entry.name = name;
  entry.range = range;
  check(function, entry, false);
}

} // namespace attnc::check
