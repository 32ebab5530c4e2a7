#include "frontends/attn/Check/Functions/Statements.h"

#include <fmt/format.h>

namespace attnc::check {

Value Statements::check(const ast::Block &block, Scope &scope, bool &returned) {
  Value last = NothingValue();
  for (const ast::StmtPtr &stmt : block.statements) {
    last = statement(*stmt, scope, returned);
    if (returned || reporter.hasStopped())
      break;
  }
  return last;
}

void Statements::constant(const ast::ConstDecl &decl, Scope &scope) {
  Value value = expressions.check(*decl.value, scope);
  if (!value.isError() && !value.isNumber()) {
    reporter.error(DiagnosticKind::NotConstant, decl.value->range,
                   fmt::format("the constant `{}` must be a number, but is {}", decl.name.text, describe(value)));
    value = Value();
  }
  if (auto *size = value.as<Dim>())
    value = Value(size->labelled(decl.name.text));
  scopes.bindLocal(scope, decl.name, value, false);
}

Value Statements::statement(const ast::Stmt &stmt, Scope &scope, bool &returned) {
  if (auto *letStmt = stmt.as<ast::LetStmt>())
    let(*letStmt, scope);
  else if (auto *decl = stmt.as<ast::ConstStmt>())
    constant(decl->decl, scope);
  else if (auto *assignment = stmt.as<ast::AssignStmt>())
    assign(*assignment, scope);
  else if (auto *change = stmt.as<ast::UpdateStmt>())
    updates.update(*change, scope);
  else if (auto *loop = stmt.as<ast::ForStmt>())
    loops.check(*loop, scope, returned);
  else if (auto *choice = stmt.as<ast::IfStmt>())
    return conditional(*choice, scope, returned);
  else if (auto *result = stmt.as<ast::ReturnStmt>()) {
    Value value = expressions.check(*result->value, scope);
    returned = true;
    return value;
  } else if (auto *value = stmt.as<ast::ExpressionStmt>())
    return expressions.check(*value->value, scope);
  return NothingValue();
}

void Statements::let(const ast::LetStmt &stmt, Scope &scope) {
  Value value = expressions.check(*stmt.value, scope);
  if (stmt.type && !value.isError())
    value = types.conform(value, *stmt.type, stmt.value->range, scope, "the value");
  if (value.as<NothingValue>()) {
    reporter.error(DiagnosticKind::MissingResult, stmt.value->range, "this has no value to name");
    value = Value();
  }
  if (!stmt.pattern.isTuple) {
    const ast::Name &name = stmt.pattern.names.front();
    scopes.bindLocal(scope, name, bindValue(lets, origins, name.text, value, name.range), stmt.isVar);
    return;
  }
  auto *tuple = value.as<TupleValue>();
  if (!value.isError() && (!tuple || tuple->parts.size() != stmt.pattern.names.size())) {
    reporter
        .typeError(DiagnosticKind::ValueCount, stmt.pattern.range,
                   fmt::format("{} names for {}", stmt.pattern.names.size(), describe(value)))
        .label(stmt.value->range, "");
    tuple = nullptr;
  }
  for (size_t i = 0; i < stmt.pattern.names.size(); ++i) {
    const ast::Name &name = stmt.pattern.names[i];
    scopes.bindLocal(scope, name, tuple ? bindValue(lets, origins, name.text, tuple->parts[i], name.range) : Value(),
                     stmt.isVar);
  }
}

/// True if the name is bound outside of the scan body that contains the scope.
static bool isAroundStep(const Scope &scope, const std::string &name) {
  bool passed = false;
  for (const Scope *at = &scope; at; at = at->parent) {
    if (at->names.count(name))
      return passed;
    passed |= at->isStep;
  }
  return false;
}

void Statements::assign(const ast::AssignStmt &stmt, Scope &scope) {
  Value value = expressions.check(*stmt.value, scope);
  Binding *binding = findBinding(scope, stmt.target.text);
  if (!binding) {
    if (names.find(scope, stmt.target.text))
      reporter.error(DiagnosticKind::NotAssignable, stmt.target.range,
                     fmt::format("`{}` is not a variable", stmt.target.text));
    else
      names.unknownName(stmt.target.range, stmt.target.text, scope);
    return;
  }
  if (!binding->isVar) {
    Diagnostic &report =
        reporter.error(DiagnosticKind::NotAssignable, stmt.target.range,
                       binding->isState ? fmt::format("`{}` is updated, not assigned", stmt.target.text)
                                        : fmt::format("`{}` is bound once and cannot be assigned", stmt.target.text));
    report.note("it is bound", binding->range)
        .hint(binding->isState ? fmt::format("write `{} <- ...`", stmt.target.text)
                               : fmt::format("declare it with `var {} = ...`", stmt.target.text));
    return;
  }
  if (isAroundStep(scope, stmt.target.text)) {
    reporter
        .error(DiagnosticKind::NotAssignable, stmt.target.range,
               fmt::format("`{}` is not carried by the scan", stmt.target.text))
        .note("it is bound", binding->range)
        .hint(fmt::format("a value that one time step passes to the next is declared in `carry ({} = ...)`",
                          stmt.target.text));
    return;
  }
  if (value.as<NothingValue>())
    value = Value();
  binding->value = bindValue(lets, origins, stmt.target.text, value, stmt.target.range);
}

Value Statements::conditional(const ast::IfStmt &stmt, Scope &scope, bool &returned) {
  Value condition = expressions.check(*stmt.condition, scope);
  if (condition.isError())
    return Value();
  auto *holds = condition.as<bool>();
  if (!holds) {
    reporter
        .error(DiagnosticKind::NotConstant, stmt.condition->range,
               fmt::format("the condition of a statement must be known when the model is compiled, but is {}",
                           describe(condition)))
        .hint("a choice between values is the expression `if c then a else b`");
    return Value();
  }
  if (*holds)
    return check(stmt.thenBlock, scopes.childOf(scope), returned);
  return stmt.elseBlock ? check(*stmt.elseBlock, scopes.childOf(scope), returned) : Value(NothingValue());
}

} // namespace attnc::check
