#include "frontends/attn/Check/Names/Scopes.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

Scope &Scopes::unitScope(SourceUnit *unit) {
  Scope &scope = scopes.emplace_back();
  scope.unit = unit;
  return scope;
}

Scope &Scopes::moduleScope(const ModuleValue &self) {
  Scope &scope = unitScope(self.instance->unit);
  scope.self = self;
  return scope;
}

Scope &Scopes::functionScope(const FunctionValue &function) {
  Scope &scope = childOf(function.self.instance ? moduleScope(function.self) : unitScope(function.unit));
  scope.isFunction = true;
  return scope;
}

Scope &Scopes::childOf(Scope &parent) {
  Scope &scope = scopes.emplace_back();
  scope.parent = &parent;
  scope.unit = parent.unit;
  scope.self = parent.self;
  return scope;
}

void Scopes::bindLocal(Scope &scope, const ast::Name &name, Value value, bool isVar) {
  if (name.text == "_")
    return;
  auto [existing, isNew] = scope.names.emplace(name.text, Binding{value, name.range, isVar});
  if (isNew)
    return;
  reporter.error(DiagnosticKind::AlreadyDefined, name.range, fmt::format("`{}` is defined twice", name.text))
      .note("it is defined first", existing->second.range)
      .hint("declare it with `var` and assign, or choose another name");
  existing->second.value = value;
}

Binding *findBinding(Scope &scope, const std::string &name) {
  for (Scope *at = &scope; at; at = at->parent) {
    auto found = at->names.find(name);
    if (found != at->names.end())
      return &found->second;
  }
  return nullptr;
}

Value bindValue(LetBuilder &lets, Origins &origins, const std::string &name, const Value &value, SourceRange range) {
  if (auto *tuple = value.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts)
      result.parts.push_back(bindValue(lets, origins, name, part, range));
    return result;
  }
  ExprRef tensor = value.tensor();
  if (!tensor || lets.isOpen(tensor) || tensor->type.element == Element::Index)
    return value;
  ExprRef reference = lets.bind(name, tensor, range);
  origins.addVariable(reference, tensor);
  return TensorValue{reference};
}

} // namespace attnc::check
