#include "frontends/attn/Check/Check.h"

#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

std::unique_ptr<typed::Program> checkFile(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                                          const CheckOptions &options) {
  if (diagnostics.hasErrors())
    return nullptr;
  check::StackedLists stacked(sources);
  while (true) {
    DiagnosticEngine found(sources);
    size_t known = stacked.size();
    std::unique_ptr<typed::Program> program = check::Checker(sources, found, options, stacked).run(file);
    if (stacked.size() > known)
      continue;
    diagnostics.take(std::move(found));
    return program;
  }
}

namespace check {

using namespace typed;

std::unique_ptr<Program> Checker::run(FileId file) {
  SourceUnit *unit = files.load(file, "");
  if (reporter.hasReported())
    return nullptr;
  const ast::ModuleDecl *decl = chooseModel(*unit);
  Block outside; // block of expressions outside of entry points; remains empty
  lets.setBlock(&outside);
  Instance *model = decl ? modules.instantiateModel(*decl, *unit, options.settings) : nullptr;
  checkEntries(*unit, model);
  if (options.writer && !reporter.hasReported())
    decoders.addWriter(*options.writer);
  checkEntryNames(reporter, *program);
  checkUncalled(*unit);
  if (reporter.hasReported())
    return nullptr;
  return std::move(program);
}

const ast::ModuleDecl *Checker::chooseModel(SourceUnit &unit) {
  const ast::ModuleDecl *model = nullptr;
  for (const ast::ModuleDecl &decl : unit.ast->modules) {
    if (!decl.isModel)
      continue;
    if (model)
      reporter.error(DiagnosticKind::SeveralModels, decl.name.range, "a file has one model, but this is a second")
          .note("the first is", model->name.range)
          .hint("a part of a model is a `module`");
    else
      model = &decl;
  }
  if (!model && !options.settings.empty())
    reporter.error(
        DiagnosticKind::UnknownSetting, {unit.file, 0, 0},
        fmt::format("there is no model, so there is no hyperparameter `{}` to set", options.settings.front().first));
  return model;
}

void Checker::checkEntries(SourceUnit &unit, Instance *model) {
  for (const ast::ExportDecl &decl : unit.ast->exports)
    exports.check(decl, unit, model);
  if (!unit.ast->exports.empty())
    return;
  // Without exports, every function that is entry-like becomes an entry point.
  const std::vector<ast::FunctionDecl> &functions = model ? model->decl->functions : unit.ast->functions;
  bool hasEntry = false;
  for (const ast::FunctionDecl &decl : functions)
    if (decl.name && isEntryLike(decl)) {
      hasEntry = true;
      entries.add({&decl, &unit, {model, {}}}, decl.name->text, decl.name->range);
    }
  if (!hasEntry)
    reporter
        .error(DiagnosticKind::NoEntry, model ? model->decl->name.range : SourceRange{unit.file, 0, 0},
               "there is no function here that a program could call")
        .hint("an entry point is a function with a name, whose parameters have types, as `fn f(x: f32[n]) -> f32[n]`");
}

/// Returns the modules that no field instantiates and whose hyperparameters all have defaults.
static std::vector<const ast::ModuleDecl *> modulesToInstantiate(const SourceUnit &unit,
                                                                 const std::deque<Instance> &instances) {
  std::vector<const ast::ModuleDecl *> result;
  for (const ast::ModuleDecl &decl : unit.ast->modules) {
    bool hasDefaults = std::all_of(decl.parameters.begin(), decl.parameters.end(),
                                   [](const ast::Parameter &parameter) { return parameter.defaultValue != nullptr; });
    bool isInstantiated = std::any_of(instances.begin(), instances.end(),
                                      [&](const Instance &instance) { return instance.decl == &decl; });
    if (!decl.isModel && !isInstantiated && hasDefaults)
      result.push_back(&decl);
  }
  return result;
}

void Checker::checkUncalled(SourceUnit &unit) {
  for (const ast::ModuleDecl *decl : modulesToInstantiate(unit, modules.getInstances()))
    modules.instantiateAlone(*decl, unit);
  for (const ast::FunctionDecl &decl : unit.ast->functions)
    if (decl.name && !decl.isExtern && !stack.isReached(decl))
      entries.checkAlone({&decl, &unit, {nullptr, {}}}, decl.name->text, decl.signatureRange);
  std::deque<Instance> &instances = modules.getInstances();
  for (size_t i = 0; i < instances.size(); ++i) {
    Instance &instance = instances[i];
    if (instance.unit != &unit)
      continue;
    ModuleValue self{&instance, std::vector<ParameterRef::Pick>(instance.counts.size())};
    if (instance.stacked)
      self.element = build.integer(0, Element::Index, instance.field);
    for (const ast::FunctionDecl &decl : instance.decl->functions)
      if (!decl.isExtern && !stack.isReached(decl))
        entries.checkAlone({&decl, &unit, self}, decl.name ? decl.name->text : "", decl.signatureRange);
  }
}

} // namespace check
} // namespace attnc
