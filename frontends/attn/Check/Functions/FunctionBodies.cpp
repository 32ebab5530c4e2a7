#include "frontends/attn/Check/Functions/FunctionBodies.h"

#include "frontends/attn/Check/Names/DeclaredNames.h"

#include <fmt/format.h>

namespace attnc::check {

bool FunctionBodies::enter(const FunctionValue &function, SourceRange call) {
  checkDistinct(reporter, function.decl->parameters);
  if (calls.find(function)) {
    std::string name = function.decl->name ? function.decl->name->text : function.self.instance->decl->name.text;
    reporter.error(DiagnosticKind::Recursion, call, fmt::format("`{}` would call itself forever", name))
        .note("it is declared", function.decl->signatureRange);
    return false;
  }
  calls.push(function, call);
  return true;
}

Value FunctionBodies::check(const ast::FunctionDecl &decl, Scope &scope) {
  warnNearMiss(reporter, decl, scope);
  bool returned = false;
  Value value = blocks.check(decl.body, scopes.childOf(scope), returned);
  SourceRange last = decl.body.statements.empty() ? decl.body.range : decl.body.statements.back()->range;
  return conformResults(decl, value, last, scope);
}

Value FunctionBodies::conformResults(const ast::FunctionDecl &decl, const Value &value, SourceRange bodyRange,
                                     Scope &scope) {
  if (value.isError() || decl.results.empty())
    return value;
  if (value.as<NothingValue>()) {
    reporter
        .error(DiagnosticKind::MissingResult, bodyRange, "the function has a result, but its body ends without a value")
        .label(decl.results.front().range, "declared here")
        .hint("the last line of a body is its value");
    return Value();
  }
  if (decl.results.size() == 1)
    return types.conform(value, decl.results[0].type, bodyRange, scope, "the result");
  auto *tuple = value.as<TupleValue>();
  if (!tuple || tuple->parts.size() != decl.results.size()) {
    reporter
        .typeError(
            DiagnosticKind::ValueCount, bodyRange,
            fmt::format("the function has {} results, but its body has {}", decl.results.size(), describe(value)))
        .label(decl.results.front().range, "declared here");
    return Value();
  }
  TupleValue results;
  for (size_t i = 0; i < decl.results.size(); ++i)
    results.parts.push_back(types.conform(tuple->parts[i], decl.results[i].type, bodyRange, scope, "the result"));
  return results;
}

} // namespace attnc::check
