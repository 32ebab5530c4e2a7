#include "frontends/attn/Check/Names/DeclaredNames.h"

#include <fmt/format.h>

namespace attnc::check {

namespace {

/// Names that must be distinct, each with the range of its first declaration.
class Distinct {
public:
  explicit Distinct(Reporter &reporter) : reporter(reporter) {}
  void add(const ast::Name &name) {
    auto [first, isNew] = seen.emplace(name.text, name.range);
    if (!isNew)
      reporter
          .error(DiagnosticKind::AlreadyDefined, name.range,
                 name.text.empty() ? "a module has one function without a name, but this is another one"
                                   : fmt::format("`{}` is defined twice", name.text))
          .note("it is defined first", first->second);
  }

private:
  Reporter &reporter;
  std::map<std::string, SourceRange> seen;
};

} // namespace

void checkDistinct(Reporter &reporter, const std::vector<ast::Parameter> &parameters) {
  Distinct names(reporter);
  for (const ast::Parameter &parameter : parameters)
    names.add(parameter.name);
}

static void checkModuleNames(Reporter &reporter, const ast::ModuleDecl &module) {
  Distinct names(reporter);
  for (const ast::Parameter &parameter : module.parameters)
    names.add(parameter.name);
  for (const ast::ConstDecl &decl : module.constants)
    names.add(decl.name);
  for (const ast::FieldDecl &decl : module.fields)
    names.add(decl.name);
  for (const ast::FunctionDecl &decl : module.functions) {
    names.add(decl.name ? *decl.name : ast::Name{"", decl.signatureRange});
    if (decl.isExtern)
      reporter.notSupported(decl.signatureRange, "`extern fn`");
  }
}

void checkNames(Reporter &reporter, const SourceUnit &unit) {
  const ast::File &file = *unit.ast;
  Distinct names(reporter);
  for (const ast::UseDecl &use : file.uses)
    names.add(use.path.back());
  for (const ast::ConstDecl &decl : file.constants)
    names.add(decl.name);
  for (const ast::FunctionDecl &decl : file.functions) {
    if (decl.name) {
      names.add(*decl.name);
    } else {
      reporter.error(DiagnosticKind::Misplaced, decl.signatureRange, "only a module has a function without a name")
          .hint("write `fn name(...)`");
    }
    if (decl.isExtern)
      reporter.notSupported(decl.signatureRange, "`extern fn`");
  }
  for (const ast::ModuleDecl &decl : file.modules) {
    names.add(decl.name);
    checkModuleNames(reporter, decl);
  }
  for (const ast::OptimizerDecl &decl : file.optimizers) {
    names.add(decl.name);
    checkModuleNames(reporter, decl);
  }
}

} // namespace attnc::check
