#include "frontends/attn/Check/Check.h"
#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

std::unique_ptr<typed::Program> checkFile(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                                          const CheckOptions &options) {
  return check::Checker(sources, diagnostics, options).run(file);
}

namespace check {

using namespace typed;

//===- Errors -----------------------------------------------------------------------------------------------------===//

/// Whether an error says the same of a function for every rank of its arguments.
static bool holdsAtAnyRank(DiagnosticKind kind) {
  return kind == DiagnosticKind::UnknownName || kind == DiagnosticKind::NoMembers ||
         kind == DiagnosticKind::AlreadyDefined || kind == DiagnosticKind::NotAssignable;
}

Diagnostic &Checker::error(DiagnosticKind kind, SourceRange range, std::string message) {
  if (isRankInvented && !holdsAtAnyRank(kind))
    return discarded = Diagnostic();
  ++errorsFound;
  if (isExhausted || !reported.emplace(kind, range.file, range.begin, range.end).second)
    return discarded = Diagnostic();
  return diagnostics.error(kind, range, std::move(message));
}

Diagnostic &Checker::warning(DiagnosticKind kind, SourceRange range, std::string message) {
  if (!reported.emplace(kind, range.file, range.begin, range.end).second)
    return discarded = Diagnostic();
  return diagnostics.warning(kind, range, std::move(message));
}

Diagnostic &Checker::typeError(DiagnosticKind kind, SourceRange range, std::string message) {
  Diagnostic &report = error(kind, range, std::move(message));
  if (frames.size() > 1) // the first is the entry point itself
    report.note("in the call", frames.back().call);
  return report;
}

Diagnostic &Checker::tooLarge(SourceRange range, const std::string &what, const std::string &size) {
  return typeError(DiagnosticKind::BadSize, range, fmt::format("{} is too large: {}", what, size))
      .hint("a dimension has at most 2147483647 elements, and a tensor at most 2^56");
}

Value Checker::notSupported(SourceRange range, const std::string &what) {
  error(DiagnosticKind::NotSupported, range, fmt::format("{} is not supported yet", what));
  return Value();
}

//===- Programs ---------------------------------------------------------------------------------------------------===//

std::unique_ptr<Program> Checker::run(FileId file) {
  SourceUnit *unit = load(file, "");
  if (diagnostics.hasErrors())
    return nullptr;
  const ast::ModuleDecl *decl = chooseModel(*unit);
  Block outside; // for what is computed before there is an entry point, which is nothing
  build.setBlock(&outside);
  Instance *model = decl ? instantiateModel(*decl, *unit) : nullptr;
  checkEntries(*unit, model);
  if (options.writer && !diagnostics.hasErrors())
    addWriter(*options.writer);
  checkEntryNames();
  checkUncalled(*unit);
  if (diagnostics.hasErrors())
    return nullptr;
  return std::move(program);
}

const ast::ModuleDecl *Checker::chooseModel(SourceUnit &unit) {
  const ast::ModuleDecl *model = nullptr;
  for (const ast::ModuleDecl &decl : unit.ast->modules) {
    if (!decl.isModel)
      continue;
    if (model)
      error(DiagnosticKind::SeveralModels, decl.name.range, "a file has one model, and this is a second")
          .note("the first is", model->name.range)
          .hint("what is part of another is a `module`");
    else
      model = &decl;
  }
  if (!model && !options.settings.empty())
    error(DiagnosticKind::UnknownSetting, {unit.file, 0, 0},
          fmt::format("there is no model, and so no hyperparameter `{}` to set", options.settings.front().first));
  return model;
}

/// Whether a parameter is a tensor of a known rank.
static bool hasRank(const ast::Parameter &parameter) {
  return parameter.type && std::none_of(parameter.type->dimensions.begin(), parameter.type->dimensions.end(),
                                        [](const ast::Dimension &dimension) { return dimension.isRest; });
}

/// Whether a function can be an entry point: all its parameters are tensors with named dimensions.
static bool isEntryLike(const ast::FunctionDecl &decl) {
  return std::all_of(decl.parameters.begin(), decl.parameters.end(), hasRank);
}

/// The header gives an entry point `f` of a model `m` the names `m_f`, `m_f_run` and `m_f_arena_bytes`, and the model
/// `m_model` and `m_prepare`. One made by `incremental` has `m_f_truncate` and `m_f_reorder` as well.
void Checker::checkEntryNames() {
  for (const Entry &entry : program->entries) {
    std::string_view name = entry.name;
    bool isOfModel = name == "model" || name == "prepare" || name == "prepare_arena_bytes";
    auto other = std::find_if(program->entries.begin(), program->entries.end(), [&](const Entry &each) {
      bool isOfStates = name == each.name + "_truncate" || name == each.name + "_reorder";
      return name == each.name + "_run" || name == each.name + "_arena_bytes" || (isOfStates && !each.along.empty());
    });
    if (!isOfModel && other == program->entries.end())
      continue;
    Diagnostic &report =
        error(DiagnosticKind::NotAnEntry, entry.range,
              isOfModel ? fmt::format("no entry point can have the name `{}`: what describes the model has it", name)
                        : fmt::format("no entry point can have the name `{}` beside `{}`: a function that belongs to "
                                      "that one has it",
                                      name, other->name));
    if (!isOfModel)
      report.note(fmt::format("`{}` is", other->name), other->range);
    report.hint(fmt::format("`export g = {}` gives it another name", name));
  }
}

void Checker::checkEntries(SourceUnit &unit, Instance *model) {
  for (const ast::ExportDecl &decl : unit.ast->exports)
    checkExport(decl, unit, model);
  if (!unit.ast->exports.empty())
    return;
  // Without exports, every function that can be one is an entry point.
  const std::vector<ast::FunctionDecl> &functions = model ? model->decl->functions : unit.ast->functions;
  bool hasEntry = false;
  for (const ast::FunctionDecl &decl : functions)
    if (decl.name && isEntryLike(decl)) {
      hasEntry = true;
      checkEntry({&decl, &unit, {model, {}}}, decl.name->text, decl.name->range, true);
    }
  if (!hasEntry)
    error(DiagnosticKind::NoEntry, model ? model->decl->name.range : SourceRange{unit.file, 0, 0},
          "there is no function here that a program could call")
        .hint("an entry point is a function with a name, whose parameters have types, as `fn f(x: f32[n]) -> f32[n]`");
}

//===- Entry points -----------------------------------------------------------------------------------------------===//

Local *Checker::entryArgument(const ast::Parameter &parameter, const ScopePtr &scope, Entry &entry) {
  std::optional<Element> element = elementOf(*parameter.type);
  std::optional<Shape> shape = evaluateShape(*parameter.type, scope, "the dimension");
  checkNotBuiltin(parameter.name, "the parameter");
  if (!element || !shape)
    return nullptr;
  Local *local = build.newLocal(parameter.name.text, {*element, *shape}, parameter.name.range);
  entry.arguments.push_back(local);
  origins.addArgument(local);
  entryLocals.insert(local);
  return local;
}

void Checker::entryResults(Entry &entry, const ast::FunctionDecl &decl, const Value &value, const ScopePtr &scope) {
  std::vector<Value> values = {value};
  if (auto *tuple = value.as<TupleValue>())
    values = tuple->parts;
  for (size_t i = 0; i < values.size(); ++i) {
    ExprRef tensor = asTensor(values[i], decl.signatureRange, Element::F32);
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
      if (std::optional<Shape> declared = evaluateShape(decl.results[i].type, scope, "the dimension"))
        result.shape = *declared;
    }
    result.value = tensor;
    entry.results.push_back(std::move(result));
  }
}

void Checker::checkEntry(const FunctionValue &function, const std::string &name, SourceRange range, bool isExported) {
  const ast::FunctionDecl &decl = *function.decl;
  size_t before = errorsFound;
  // Where nobody calls a function of any rank, one is invented, and what depends on it is no error.
  isRankInvented = !isExported && !std::all_of(decl.parameters.begin(), decl.parameters.end(), hasRank);
  checkedFunctions.insert(&decl);
  ranges.clearDimensions();
  drawRange.reset();
  entryLocals.clear();
  stateUpdates.clear();
  activity.clear();
  Entry entry;
  entry.name = name;
  entry.doc = decl.doc;
  entry.range = range;
  build.setBlock(&entry.block);
  ScopePtr scope = childOf(function.self.instance ? moduleScope(function.self) : unitScope(function.unit));
  scope->isFunction = true;
  for (const ast::Parameter &parameter : decl.parameters) {
    if (!parameter.type || (isExported && !isEntryLike(decl))) {
      if (isExported)
        error(DiagnosticKind::NotAnEntry, parameter.range,
              fmt::format("`{}` cannot be exported: the type of `{}` does not name every dimension", name,
                          parameter.name.text))
            .hint("an entry point's parameters have types without `..`");
      return;
    }
    introduceDims(*parameter.type, scope, entry);
  }
  for (const ast::Parameter &parameter : decl.parameters)
    if (Local *local = entryArgument(parameter, scope, entry))
      scope->names[parameter.name.text] =
          Binding{TensorValue{build.reference(local, parameter.name.range)}, parameter.name.range};
    else
      scope->names[parameter.name.text] = Binding{Value(), parameter.name.range};
  if (!enterFunction(function, decl.signatureRange))
    return;
  warnNearMiss(decl, scope);
  bool returned = false;
  Value value = block(decl.body, childOf(scope), returned);
  SourceRange last = decl.body.statements.empty() ? decl.body.range : decl.body.statements.back()->range;
  value = checkResults(decl, value, last, scope);
  if (isExported && value.as<NothingValue>())
    error(DiagnosticKind::MissingResult, decl.signatureRange,
          fmt::format("`{}` has no result, so there is nothing to compute", name));
  else if (isExported && !value.isError())
    entryResults(entry, decl, value, scope);
  frames.pop_back();
  if (isExported)
    addDrawArguments(entry);
  entry.updates = std::move(stateUpdates);
  for (Dimension &dimension : entry.dimensions)
    dimension.min = ranges.minimum(dimension.name);
  if (isExported && errorsFound == before)
    program->entries.push_back(std::move(entry));
}

//===- Functions that nobody calls --------------------------------------------------------------------------------===//

/// A module that no field makes is made of its defaults, where it has all of them, and its parameters are dropped.
void Checker::checkUnmade(SourceUnit &unit) {
  std::set<const ast::ModuleDecl *> made;
  for (const Instance &instance : instances)
    made.insert(instance.decl);
  for (const ast::ModuleDecl &decl : unit.ast->modules) {
    bool hasDefaults = std::all_of(decl.parameters.begin(), decl.parameters.end(),
                                   [](const ast::Parameter &parameter) { return parameter.defaultValue != nullptr; });
    if (decl.isModel || made.count(&decl) || !hasDefaults)
      continue;
    size_t kept = program->parameters.size();
    Instance &instance = instances.emplace_back();
    instance.decl = &decl;
    instance.unit = &unit;
    instance.path = instance.checkpoint = decl.name.text;
    making.push_back(&decl);
    bindHyperparameters(instance, decl.parameters, {}, decl.name.range, decl.name.text);
    fillInstance(instance);
    making.pop_back();
    program->parameters.resize(kept);
  }
}

void Checker::checkUncalled(SourceUnit &unit) {
  checkUnmade(unit);
  for (const ast::FunctionDecl &decl : unit.ast->functions)
    if (decl.name && !decl.isExtern && !checkedFunctions.count(&decl))
      checkEntry({&decl, &unit, {nullptr, {}}}, decl.name->text, decl.signatureRange, false);
  for (size_t i = 0; i < instances.size(); ++i) {
    Instance &instance = instances[i];
    if (instance.unit != &unit)
      continue;
    ModuleValue self{&instance, std::vector<ParameterRef::Pick>(instance.counts.size())};
    for (const ast::FunctionDecl &decl : instance.decl->functions)
      if (!decl.isExtern && !checkedFunctions.count(&decl))
        checkEntry({&decl, &unit, self}, decl.name ? decl.name->text : "", decl.signatureRange, false);
  }
}

} // namespace check
} // namespace attnc
