#include "frontends/attn/Check/Functions/Loops.h"

#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void Loops::check(const ast::ForStmt &stmt, Scope &scope, bool &returned) {
  if (stmt.iteration.isBelow) {
    std::optional<int64_t> count =
        constantInteger(reporter, expressions, *stmt.iteration.source, scope, "the number of iterations");
    if (!count)
      return;
    // Unrolls the iterations; each counts towards the limit on steps.
    for (int64_t i = 0; i < *count && !returned && !reporter.hasStopped(); ++i)
      unroll(stmt, {Value(Dim(i).labelled(stmt.iteration.name.text))}, scope, returned);
    return;
  }
  Value source = expressions.check(*stmt.iteration.source, scope);
  if (source.isError())
    return;
  if (auto *list = source.as<ModuleListValue>())
    return loopOverModules(stmt, *list, scope, returned);
  if (auto *tuple = source.as<TupleValue>())
    return unroll(stmt, tuple->parts, scope, returned);
  reporter
      .error(DiagnosticKind::NotAList, stmt.iteration.source->range,
             fmt::format("a loop runs over a list, but this is {}", describe(source)))
      .hint("read the rows of a tensor by index notation");
}

void Loops::unroll(const ast::ForStmt &stmt, const std::vector<Value> &values, Scope &scope, bool &returned) {
  for (const Value &value : values) {
    expressions.countStep();
    Scope &inner = scopes.childOf(scope);
    scopes.bindLocal(inner, stmt.iteration.name, value, false);
    blocks.check(stmt.body, inner, returned);
    if (returned)
      reporter.error(DiagnosticKind::Misplaced, stmt.range, "a loop cannot be left by `return`");
    if (returned || reporter.hasStopped())
      return;
  }
}

/// Collects the variables around a loop that its body assigns, each once.
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

/// Makes a variable a loop-carried value; false if that is not possible.
bool Loops::carry(Loop &loop, const std::string &name, Binding &binding, const ast::ForStmt &stmt) {
  if (binding.value.isNumber()) // a number that changes becomes a tensor
    if (ExprRef tensor = conversions.asTensor(binding.value, binding.range))
      binding.value = TensorValue{tensor->type.element == Element::Index ? build.cast(tensor, Element::I32) : tensor};
  ExprRef initial = binding.value.tensor();
  if (!initial || build.isOpen(initial)) {
    reporter.notSupported(stmt.iteration.range, initial ? "a loop over modules inside index notation"
                                                        : fmt::format("changing `{}` in a loop over modules", name));
    return false;
  }
  const Local *argument = build.newLocal(name, initial->type, binding.range);
  loop.carried.push_back({initial, argument, nullptr, build.newLocal(name, initial->type, binding.range)});
  binding.value = TensorValue{build.reference(argument, stmt.range)};
  return true;
}

/// Records the value of a loop-carried variable at the end of the body, and after the loop.
void Loops::takeNext(Loop::Carried &carried, Binding &variable, SourceRange range) {
  Value next = variable.value;
  variable.value = Value();
  ExprRef tensor = next.isNumber() ? conversions.asTensor(next, range, carried.argument->type.element) : next.tensor();
  if (!tensor)
    return;
  if (tensor->type != carried.argument->type) {
    reporter
        .typeError(DiagnosticKind::LoopChangesType, range,
                   fmt::format("`{}` is {} before the loop and {} after an iteration", carried.argument->name,
                               textOf(carried.argument->type), textOf(tensor->type)))
        .label(carried.argument->range, textOf(carried.argument->type))
        .hint("a list of equal modules is one loop; modules of different sizes are written `[Module(..) for l < n]`");
    return;
  }
  carried.next = tensor;
  variable.value = TensorValue{build.reference(carried.result, range)};
}

void Loops::loopOverModules(const ast::ForStmt &stmt, const ModuleListValue &list, Scope &scope, bool &returned) {
  LoopCounter *counter =
      &program.counters.emplace_back(LoopCounter{stmt.iteration.name.text, Dim(list.count), stmt.iteration.range});
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
  Block *outside = lets.getBlock();
  lets.setBlock(loop.body.get());
  Scope &inner = scopes.childOf(scope);
  ModuleValue element{list.instance, list.picks, list.element};
  if (list.isStacked)
    element.element = build.make(StepRef{counter}, {Element::Index, {}}, stmt.iteration.range);
  else
    element.picks.push_back({counter, 0});
  scopes.bindLocal(inner, stmt.iteration.name, element, false);
  loopsAround.push_back(counter);
  states.enterLoop();
  blocks.check(stmt.body, inner, returned);
  if (returned)
    reporter.error(DiagnosticKind::Misplaced, stmt.range, "a loop cannot be left by `return`");
  for (size_t i = 0; i < variables.size(); ++i)
    takeNext(loop.carried[i], *variables[i], stmt.range);
  lets.setBlock(outside);
  states.leaveLoop(loop);
  loopsAround.pop_back();
  for (const Loop::Carried &carried : loop.carried)
    if (!carried.next)
      return;
  outside->statements.push_back(std::move(loop));
}

} // namespace attnc::check
