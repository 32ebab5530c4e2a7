#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

//===- Blocks -----------------------------------------------------------------------------------------------------===//

Value Checker::block(const ast::Block &block, const ScopePtr &scope, bool &returned) {
  Value last = NothingValue();
  for (const ast::StmtPtr &stmt : block.statements) {
    last = statement(*stmt, scope, returned);
    if (returned || isExhausted)
      break;
  }
  return last;
}

Value Checker::statement(const ast::Stmt &stmt, const ScopePtr &scope, bool &returned) {
  if (auto *let = stmt.as<ast::LetStmt>())
    letStatement(*let, scope);
  else if (auto *decl = stmt.as<ast::ConstStmt>()) {
    Value value = expression(*decl->decl.value, scope);
    if (!value.isError() && !value.isNumber()) {
      error(DiagnosticKind::NotConstant, decl->decl.value->range,
            fmt::format("the constant `{}` must be a number, and is {}", decl->decl.name.text, describe(value)));
      value = Value();
    }
    if (auto *size = value.as<Dim>())
      value = Value(size->labelled(decl->decl.name.text));
    bindLocal(scope, decl->decl.name, value, false);
  } else if (auto *assignment = stmt.as<ast::AssignStmt>())
    assign(*assignment, scope);
  else if (auto *change = stmt.as<ast::UpdateStmt>())
    update(*change, scope);
  else if (auto *loop = stmt.as<ast::ForStmt>())
    forStatement(*loop, scope, returned);
  else if (auto *choice = stmt.as<ast::IfStmt>())
    return ifStatement(*choice, scope, returned);
  else if (auto *result = stmt.as<ast::ReturnStmt>()) {
    Value value = expression(*result->value, scope);
    returned = true;
    return value;
  } else if (auto *value = stmt.as<ast::ExpressionStmt>())
    return expression(*value->value, scope);
  return NothingValue();
}

Value Checker::bindValue(const std::string &name, const Value &value, SourceRange range) {
  if (auto *tuple = value.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts)
      result.parts.push_back(bindValue(name, part, range));
    return result;
  }
  ExprRef tensor = value.tensor();
  if (!tensor || build.isOpen(tensor) || tensor->type.element == Element::Index)
    return value;
  ExprRef reference = build.bind(name, tensor, range);
  origins.addVariable(reference, tensor);
  return TensorValue{reference};
}

void Checker::letStatement(const ast::LetStmt &stmt, const ScopePtr &scope) {
  Value value = expression(*stmt.value, scope);
  if (stmt.type && !value.isError())
    value = conform(value, *stmt.type, stmt.value->range, scope, "the value");
  if (value.as<NothingValue>()) {
    error(DiagnosticKind::MissingResult, stmt.value->range, "this has no value to name");
    value = Value();
  }
  if (!stmt.pattern.isTuple) {
    const ast::Name &name = stmt.pattern.names.front();
    bindLocal(scope, name, bindValue(name.text, value, name.range), stmt.isVar);
    return;
  }
  auto *tuple = value.as<TupleValue>();
  if (!value.isError() && (!tuple || tuple->parts.size() != stmt.pattern.names.size())) {
    typeError(DiagnosticKind::ValueCount, stmt.pattern.range,
              fmt::format("{} names for {}", stmt.pattern.names.size(), describe(value)))
        .label(stmt.value->range, "");
    tuple = nullptr;
  }
  for (size_t i = 0; i < stmt.pattern.names.size(); ++i) {
    const ast::Name &name = stmt.pattern.names[i];
    bindLocal(scope, name, tuple ? bindValue(name.text, tuple->parts[i], name.range) : Value(), stmt.isVar);
  }
}

/// Is the name bound outside of the body of a scan that the scope is in?
static bool isAroundStep(const ScopePtr &scope, const std::string &name) {
  bool passed = false;
  for (const Scope *at = scope; at; at = at->parent) {
    if (at->names.count(name))
      return passed;
    passed |= at->isStep;
  }
  return false;
}

void Checker::assign(const ast::AssignStmt &stmt, const ScopePtr &scope) {
  Value value = expression(*stmt.value, scope);
  Binding *binding = findBinding(scope, stmt.target.text);
  if (!binding) {
    if (find(scope, stmt.target.text))
      error(DiagnosticKind::NotAssignable, stmt.target.range, fmt::format("`{}` is no variable", stmt.target.text));
    else
      unknownName(stmt.target.range, stmt.target.text, scope);
    return;
  }
  if (!binding->isVar) {
    Diagnostic &report = error(DiagnosticKind::NotAssignable, stmt.target.range,
                               binding->isState ? fmt::format("`{}` is updated, not assigned", stmt.target.text)
                                                : fmt::format("`{}` is bound once", stmt.target.text));
    report.note("it is bound", binding->range)
        .hint(binding->isState ? fmt::format("write `{} <- ...`", stmt.target.text)
                               : fmt::format("declare it with `var {} = ...`", stmt.target.text));
    return;
  }
  if (isAroundStep(scope, stmt.target.text)) {
    error(DiagnosticKind::NotAssignable, stmt.target.range,
          fmt::format("`{}` is not carried by the scan", stmt.target.text))
        .note("it is bound", binding->range)
        .hint(fmt::format("what passes from step to step stands in `carry ({} = ...)`", stmt.target.text));
    return;
  }
  if (value.as<NothingValue>())
    value = Value();
  binding->value = bindValue(stmt.target.text, value, stmt.target.range);
}

void Checker::update(const ast::UpdateStmt &stmt, const ScopePtr &scope) {
  auto *name = stmt.target->as<ast::NameRefExpr>();
  Binding *binding = name ? findBinding(scope, name->name) : nullptr;
  Value value = expression(*stmt.value, scope);
  const Parameter *state = name && !binding ? moduleState(scope->self, name->name) : nullptr;
  if (state)
    return updateState(*state, stmt, value, scope->self);
  if (!binding || !binding->isState) {
    error(DiagnosticKind::NotAssignable, stmt.target->range,
          fmt::format("`{}` is no state that could be updated here", sources.text(stmt.target->range)))
        .hint("a function updates the states of its module, the step of an optimizer its parameter and the optimizer's "
              "states; a variable is assigned by `=`");
    return;
  }
  if (ExprRef next = nextValue(binding->value.tensor()->type, stmt, value))
    binding->value = bindValue(name->name, TensorValue{next}, stmt.target->range);
}

/// The right side of `<-` as a tensor of the type of the left one.
ExprRef Checker::nextValue(const Type &declared, const ast::UpdateStmt &stmt, const Value &value) {
  ExprRef next = value.isError() ? nullptr : asTensor(value, stmt.value->range, declared.element);
  if (!next)
    return nullptr;
  if (next->type.element == declared.element && next->type.rank() == 0 && declared.rank() > 0)
    next = build.make(Fill{next}, declared, stmt.value->range);
  if (next->type == declared)
    return next;
  typeError(DiagnosticKind::DimMismatch, stmt.value->range,
            fmt::format("`{}` is {}, and its next value would be {}", sources.text(stmt.target->range),
                        textOf(declared), textOf(next->type)));
  return nullptr;
}

//===- States of modules ------------------------------------------------------------------------------------------===//

const Parameter *Checker::moduleState(const ModuleValue &self, const std::string &name) {
  if (!self.instance)
    return nullptr;
  auto member = self.instance->members.find(name);
  auto *field = member == self.instance->members.end() ? nullptr : member->second.value.as<ParameterValue>();
  return field && field->parameter->isUpdated ? field->parameter : nullptr;
}

/// Only a step of training over the state's module does it, when it returns; whatever the call reads is what the state
/// was before.
void Checker::updateState(const Parameter &state, const ast::UpdateStmt &stmt, const Value &value,
                          const ModuleValue &self) {
  ExprRef next = nextValue(state.type, stmt, value);
  if (!next || !isTraining || !isMinimizedOver(state))
    return;
  if (build.isOpen(next)) {
    notSupported(stmt.range, "updating a state inside index notation");
    return;
  }
  for (const StateUpdate &update : stateUpdates)
    if (update.parameter == &state) {
      error(DiagnosticKind::NotAssignable, stmt.target->range,
            fmt::format("`{}` is updated twice in a call", sources.text(stmt.target->range)))
          .note("the first time is", update.range)
          .hint("a module that is called twice has one state: update it in one of the calls");
      return;
    }
  bool isOfAllRounds = self.picks.size() == loopsAround.size();
  for (size_t i = 0; isOfAllRounds && i < loopsAround.size(); ++i)
    isOfAllRounds = self.picks[i].counter == loopsAround[i];
  if (!isOfAllRounds) {
    notSupported(stmt.range, "updating a state of one module in a loop over others, or of one element of a list");
    return;
  }
  stateUpdates.push_back({&state, loopsAround, build.bind(state.name, next, stmt.range), stmt.range});
}

Value Checker::ifStatement(const ast::IfStmt &stmt, const ScopePtr &scope, bool &returned) {
  Value condition = expression(*stmt.condition, scope);
  if (condition.isError())
    return Value();
  auto *holds = condition.as<bool>();
  if (!holds) {
    error(DiagnosticKind::NotConstant, stmt.condition->range,
          fmt::format("the condition of a statement must be known when the model is compiled, and is {}",
                      describe(condition)))
        .hint("a choice between values is the expression `if c then a else b`");
    return Value();
  }
  if (*holds)
    return block(stmt.thenBlock, childOf(scope), returned);
  return stmt.elseBlock ? block(*stmt.elseBlock, childOf(scope), returned) : Value(NothingValue());
}

//===- Loops ------------------------------------------------------------------------------------------------------===//

void Checker::forStatement(const ast::ForStmt &stmt, const ScopePtr &scope, bool &returned) {
  if (stmt.iteration.isBelow) {
    std::optional<int64_t> count = constantInteger(*stmt.iteration.source, scope, "the number of rounds");
    if (!count)
      return;
    // Rounds are written out; each counts towards the limit on steps.
    for (int64_t i = 0; i < *count && !returned && !isExhausted; ++i)
      unroll(stmt, {Value(Dim(i).labelled(stmt.iteration.name.text))}, scope, returned);
    return;
  }
  Value source = expression(*stmt.iteration.source, scope);
  if (source.isError())
    return;
  if (auto *list = source.as<ModuleListValue>())
    return loop(stmt, *list, scope, returned);
  if (auto *tuple = source.as<TupleValue>())
    return unroll(stmt, tuple->parts, scope, returned);
  error(DiagnosticKind::NotAList, stmt.iteration.source->range,
        fmt::format("a loop runs over a list, and this is {}", describe(source)))
      .hint("the rows of a tensor are reached by index notation");
}

void Checker::unroll(const ast::ForStmt &stmt, const std::vector<Value> &values, const ScopePtr &scope,
                     bool &returned) {
  for (const Value &value : values) {
    ++steps;
    ScopePtr inner = childOf(scope);
    bindLocal(inner, stmt.iteration.name, value, false);
    block(stmt.body, inner, returned);
    if (returned)
      error(DiagnosticKind::Misplaced, stmt.range, "a loop cannot be left by `return`");
    if (returned || isExhausted)
      return;
  }
}

/// The variables around a loop that its body assigns, once each.
static void collectAssigned(const ast::Block &block, std::vector<std::string> &names) {
  for (const ast::StmtPtr &stmt : block.statements) {
    if (auto *assignment = stmt->as<ast::AssignStmt>()) {
      if (std::find(names.begin(), names.end(), assignment->target.text) == names.end())
        names.push_back(assignment->target.text);
    } else if (auto *change = stmt->as<ast::UpdateStmt>()) {
      auto *state = change->target->as<ast::NameRefExpr>();
      if (state && std::find(names.begin(), names.end(), state->name) == names.end())
        names.push_back(state->name);
    } else if (auto *loop = stmt->as<ast::ForStmt>()) {
      collectAssigned(loop->body, names);
    } else if (auto *choice = stmt->as<ast::IfStmt>()) {
      collectAssigned(choice->thenBlock, names);
      if (choice->elseBlock)
        collectAssigned(*choice->elseBlock, names);
    }
  }
}

/// Makes a variable one that passes from round to round; false where that is not possible.
bool Checker::carry(Loop &loop, const std::string &name, Binding &binding, const ast::ForStmt &stmt) {
  if (binding.value.isNumber()) // a number becomes a tensor where it changes from round to round
    if (ExprRef tensor = asTensor(binding.value, binding.range))
      binding.value = TensorValue{tensor->type.element == Element::Index ? build.cast(tensor, Element::I32) : tensor};
  ExprRef initial = binding.value.tensor();
  if (!initial || build.isOpen(initial)) {
    notSupported(stmt.iteration.range, initial ? "a loop over modules inside index notation"
                                               : fmt::format("changing `{}` in a loop over modules", name));
    return false;
  }
  const Local *argument = build.newLocal(name, initial->type, binding.range);
  loop.carried.push_back({initial, argument, nullptr, build.newLocal(name, initial->type, binding.range)});
  binding.value = TensorValue{build.reference(argument, stmt.range)};
  return true;
}

/// What a variable is after a round, and after the loop.
void Checker::takeNext(Loop::Carried &carried, Binding &variable, SourceRange range) {
  Value next = variable.value;
  variable.value = Value();
  ExprRef tensor = next.isNumber() ? asTensor(next, range, carried.argument->type.element) : next.tensor();
  if (!tensor)
    return;
  if (tensor->type != carried.argument->type) {
    typeError(DiagnosticKind::LoopChangesType, range,
              fmt::format("`{}` is {} before the loop and {} after a round of it", carried.argument->name,
                          textOf(carried.argument->type), textOf(tensor->type)))
        .label(carried.argument->range, textOf(carried.argument->type))
        .hint("a list of equal modules is one loop; modules of different sizes are written `[Module(..) for l < n]`");
    return;
  }
  carried.next = tensor;
  variable.value = TensorValue{build.reference(carried.result, range)};
}

void Checker::loop(const ast::ForStmt &stmt, const ModuleListValue &list, const ScopePtr &scope, bool &returned) {
  LoopCounter *counter =
      &program->counters.emplace_back(LoopCounter{stmt.iteration.name.text, Dim(list.count), stmt.iteration.range});
  Loop loop;
  loop.counter = counter;
  loop.range = stmt.range;
  loop.body = std::make_unique<Block>();
  std::vector<std::string> names;
  collectAssigned(stmt.body, names);
  std::vector<Binding *> variables;
  for (const std::string &name : names) {
    Binding *binding = findBinding(scope, name);
    if (!binding || !(binding->isVar || binding->isState) || binding->value.isError())
      continue;
    if (!carry(loop, name, *binding, stmt))
      return;
    variables.push_back(binding);
  }
  Block *outside = build.getBlock();
  build.setBlock(loop.body.get());
  ScopePtr inner = childOf(scope);
  std::vector<ParameterRef::Pick> picks = list.picks;
  picks.push_back({counter, 0});
  bindLocal(inner, stmt.iteration.name, ModuleValue{list.instance, picks}, false);
  loopsAround.push_back(counter);
  block(stmt.body, inner, returned);
  loopsAround.pop_back();
  if (returned)
    error(DiagnosticKind::Misplaced, stmt.range, "a loop cannot be left by `return`");
  for (size_t i = 0; i < variables.size(); ++i)
    takeNext(loop.carried[i], *variables[i], stmt.range);
  build.setBlock(outside);
  for (const Loop::Carried &carried : loop.carried)
    if (!carried.next)
      return;
  outside->statements.push_back(std::move(loop));
}

} // namespace attnc::check
