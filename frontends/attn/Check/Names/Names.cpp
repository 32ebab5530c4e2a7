#include "frontends/attn/Check/Names/Names.h"

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Builtin.h"
#include "frontends/attn/Check/Check.h"

#include <fmt/format.h>

namespace attnc::check {

using typed::ParameterRef;

/// Returns the value of a parameter of the module `self`.
Value Names::parameterOf(const ModuleValue &self, const ParameterValue &member) {
  const typed::Parameter &it = *member.parameter;
  bool isElement = member.isStacked && self.element;
  typed::Type type = it.type;
  if (isElement)
    type.shape.erase(type.shape.begin());
  for (const Dim &dim : type.shape)
    if (dim.is(0)) // an omitted parameter is a tensor without elements
      return TensorValue{build.make(typed::Fill{build.real(0, it.range)}, type, it.range)};
  std::vector<ParameterRef::Pick> own(self.picks.begin(),
                                      self.picks.begin() + static_cast<ptrdiff_t>(it.counts.size()));
  typed::ExprRef value = states.read(it, own, it.range);
  return isElement ? expressions.elementOf(value, self.element) : TensorValue{value};
}

/// Returns a member of the module `self`, selected by the indices in the lists around the module.
Value Names::memberOf(const ModuleValue &self, const Value &member) {
  if (auto *parameter = member.as<ParameterValue>())
    return parameterOf(self, *parameter);
  // A field that refers to another field (tied modules) has its own indices.
  if (auto *module = member.as<ModuleValue>())
    return module->picks.empty() && !module->element ? ModuleValue{module->instance, self.picks, self.element}
                                                     : *module;
  if (auto *list = member.as<ModuleListValue>()) {
    ModuleListValue result = *list;
    if (list->picks.empty() && !list->element)
      result.picks = self.picks, result.element = self.element;
    return result;
  }
  if (auto *tuple = member.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts)
      result.parts.push_back(memberOf(self, part));
    return result;
  }
  return member;
}

std::optional<Value> Names::findMember(const ModuleValue &self, const std::string &name) {
  if (!self.instance)
    return std::nullopt;
  auto member = self.instance->members.find(name);
  if (member != self.instance->members.end())
    return memberOf(self, member->second.value);
  for (const ast::FunctionDecl &decl : self.instance->decl->functions)
    if (decl.name && decl.name->text == name)
      return Value(FunctionValue{&decl, self.instance->unit, self});
  return std::nullopt;
}

std::optional<Value> Names::findTopLevel(SourceUnit *unit, const std::string &name) {
  for (const ast::ConstDecl &decl : unit->ast->constants)
    if (decl.name.text == name)
      return evaluateConstant(decl, unit);
  for (const ast::FunctionDecl &decl : unit->ast->functions)
    if (decl.name && decl.name->text == name)
      return Value(FunctionValue{&decl, unit, {nullptr, {}}});
  for (const ast::ModuleDecl &decl : unit->ast->modules)
    if (decl.name.text == name)
      return Value(ClassValue{&decl, unit});
  for (const ast::OptimizerDecl &decl : unit->ast->optimizers)
    if (decl.name.text == name)
      return Value(OptimizerValue{&decl, unit});
  if (unit->decoders.contains(name))
    return Value(DecoderValue{name});
  return std::nullopt;
}

std::optional<Value> Names::findBuiltinValue(const std::string &name) const {
  if (name == "training")
    return Value(context.isTraining);
  if (std::optional<Value> value = builtinConstant(name))
    return value;
  if (const Builtin *builtin = findBuiltin(name))
    return Value(BuiltinValue{builtin});
  return std::nullopt;
}

std::optional<Value> Names::find(Scope &scope, const std::string &name) {
  if (Binding *binding = findBinding(scope, name))
    return binding->value;
  if (std::optional<Value> value = findMember(scope.self, name))
    return value;
  if (std::optional<Value> value = findTopLevel(scope.unit, name))
    return value;
  auto used = scope.unit->uses.find(name);
  if (used != scope.unit->uses.end())
    return Value(NamespaceValue{used->second});
  if (std::optional<Value> value = findBuiltinValue(name))
    return value;
  for (const auto &[word, other] : scope.unit->uses)
    if (std::optional<Value> value = findTopLevel(other, name))
      return value;
  return std::nullopt;
}

Value Names::evaluateConstant(const ast::ConstDecl &decl, SourceUnit *unit) {
  auto known = unit->constants.find(decl.name.text);
  if (known != unit->constants.end())
    return known->second;
  if (!unit->evaluating.insert(&decl).second) {
    reporter.error(DiagnosticKind::Recursion, decl.name.range,
                   fmt::format("the constant `{}` is defined by itself", decl.name.text));
    return Value();
  }
  Value value = expressions.check(*decl.value, scopes.unitScope(unit));
  if (!value.isError() && !value.isNumber() && !value.as<StringValue>()) {
    reporter.error(DiagnosticKind::NotConstant, decl.value->range,
                   fmt::format("the constant `{}` must be a number, but is {}", decl.name.text, describe(value)));
    value = Value();
  }
  unit->evaluating.erase(&decl);
  return unit->constants[decl.name.text] = value;
}

Value Names::nameRef(const ast::NameRefExpr &ref, Scope &scope) {
  if (std::optional<Value> value = find(scope, ref.name))
    return *value;
  return unknownName(ref.range, ref.name, scope);
}

std::vector<std::string> visibleNames(const Scope &scope) {
  std::vector<std::string> names;
  for (const Scope *at = &scope; at; at = at->parent)
    for (const auto &[name, binding] : at->names)
      names.push_back(name);
  if (const Instance *self = scope.self.instance) {
    for (const auto &[name, binding] : self->members)
      names.push_back(name);
    for (const ast::FunctionDecl &decl : self->decl->functions)
      if (decl.name)
        names.push_back(decl.name->text);
  }
  auto addTopLevel = [&](const SourceUnit &unit) {
    for (const ast::ConstDecl &decl : unit.ast->constants)
      names.push_back(decl.name.text);
    for (const ast::FunctionDecl &decl : unit.ast->functions)
      if (decl.name)
        names.push_back(decl.name->text);
    for (const ast::ModuleDecl &decl : unit.ast->modules)
      names.push_back(decl.name.text);
    for (const ast::OptimizerDecl &decl : unit.ast->optimizers)
      names.push_back(decl.name.text);
    names.insert(names.end(), unit.decoders.begin(), unit.decoders.end());
  };
  addTopLevel(*scope.unit);
  for (const auto &[name, unit] : scope.unit->uses) {
    names.push_back(name);
    addTopLevel(*unit);
  }
  for (const Builtin &builtin : builtins())
    names.push_back(builtin.name);
  return names;
}

Value Names::unknownName(SourceRange range, const std::string &name, Scope &scope) {
  Diagnostic &report = reporter.error(DiagnosticKind::UnknownName, range, fmt::format("`{}` is not known here", name));
  for (const ast::ExportDecl &decl : scope.unit->ast->exports)
    if (decl.name.text == name) {
      report.note("it is exported", decl.name.range)
          .hint(
              fmt::format("a function can call an entry point made by `decode`, if `{}` is exported before it", name));
      return Value();
    }
  std::vector<std::string> names = visibleNames(scope);
  if (auto meant = nearest(name, names)) {
    report.hint(fmt::format("did you mean `{}`?", *meant));
    return Value();
  }
  for (const std::string &file : preludeNames())
    if (preludeText(file)->find(fmt::format("fn {}(", name)) != std::string_view::npos ||
        preludeText(file)->find(fmt::format("module {}(", name)) != std::string_view::npos ||
        preludeText(file)->find(fmt::format("optimizer {}(", name)) != std::string_view::npos)
      report.hint(fmt::format("`{}` is in the prelude: write `use {}`", name, file));
  return Value();
}

static std::vector<std::string> membersOf(const Instance &instance) {
  std::vector<std::string> names;
  for (const auto &[name, binding] : instance.members)
    names.push_back(name);
  for (const ast::FunctionDecl &decl : instance.decl->functions)
    if (decl.name)
      names.push_back(decl.name->text);
  return names;
}

Value Names::member(const ast::MemberExpr &expr, Scope &scope) {
  Value object = expressions.check(*expr.object, scope);
  if (object.isError())
    return object;
  const std::string &name = expr.member.text;
  std::vector<std::string> candidates;
  std::string owner;
  if (auto *unit = object.as<NamespaceValue>()) {
    if (std::optional<Value> value = findTopLevel(unit->unit, name))
      return *value;
    candidates = visibleNames(scopes.unitScope(unit->unit));
    owner = fmt::format("`{}`", unit->unit->name);
  } else if (auto *module = object.as<ModuleValue>()) {
    if (std::optional<Value> value = findMember(*module, name))
      return *value;
    candidates = membersOf(*module->instance);
    owner = fmt::format("`{}`", module->instance->decl->name.text);
  } else {
    reporter.error(DiagnosticKind::NoMembers, expr.member.range, fmt::format("{} has no members", describe(object)));
    return Value();
  }
  Diagnostic &report =
      reporter.error(DiagnosticKind::UnknownName, expr.member.range, fmt::format("{} has no `{}`", owner, name));
  if (auto meant = nearest(name, candidates))
    report.hint(fmt::format("did you mean `{}`?", *meant));
  return Value();
}

} // namespace attnc::check
