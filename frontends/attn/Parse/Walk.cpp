#include "frontends/attn/Parse/Walk.h"

namespace attnc {

using namespace ast;

namespace {

/// Collects the operands of an expression; null pointers are omitted parts.
class Operands {
public:
  void add(const ExprPtr &expr) {
    if (expr)
      list.push_back(expr.get());
  }
  void add(const std::vector<ExprPtr> &exprs) {
    for (const ExprPtr &expr : exprs)
      add(expr);
  }
  void add(const std::vector<SubscriptElement> &subscripts) {
    for (const SubscriptElement &each : subscripts)
      add(each.value), add(each.upper);
  }
  void add(const std::vector<Binder> &binders) {
    for (const Binder &binder : binders)
      add(binder.bound);
  }
  void add(const AttendExpr &attend) {
    add(attend.keys);
    for (const ExprPtr *entry :
         {&attend.score, &attend.mask, &attend.by, &attend.value, &attend.weight, &attend.renormalise})
      add(*entry);
    add(attend.yields);
  }
  void add(const ScanExpr &scan) {
    add(scan.over);
    add(scan.until);
    for (const Carry &carry : scan.carries)
      add(carry.initial);
    for (const ScanResult &result : scan.results)
      add(result.subscripts);
  }
  void addLists(const Expr &expr);

  std::vector<const Expr *> list;
};

} // namespace

/// Adds the operands of expressions with lists of operands.
void Operands::addLists(const Expr &expr) {
  if (auto *tuple = expr.as<TupleExpr>())
    add(tuple->elements);
  else if (auto *elements = expr.as<ListExpr>())
    add(elements->elements);
  else if (auto *repeat = expr.as<ListRepeatExpr>())
    add(repeat->element), add(repeat->count);
  else if (auto *comprehension = expr.as<ListComprehensionExpr>())
    add(comprehension->element), add(comprehension->iteration.source);
  else if (auto *build = expr.as<BuildExpr>())
    add(build->binders), add(build->body);
  else if (auto *reduction = expr.as<ReduceExpr>())
    add(reduction->binders), add(reduction->filter), add(reduction->body);
  else if (auto *attend = expr.as<AttendExpr>())
    add(*attend);
  else if (auto *scan = expr.as<ScanExpr>())
    add(*scan);
}

std::vector<const Expr *> operandsOf(const Expr &expr) {
  Operands operands;
  if (auto *member = expr.as<MemberExpr>()) {
    operands.add(member->object);
  } else if (auto *call = expr.as<CallExpr>()) {
    operands.add(call->callee);
    for (const Argument &argument : call->arguments)
      operands.add(argument.value);
  } else if (auto *element = expr.as<SubscriptExpr>()) {
    operands.add(element->object);
    operands.add(element->subscripts);
  } else if (auto *single = expr.as<UnaryExpr>()) {
    operands.add(single->operand);
  } else if (auto *pair = expr.as<BinaryExpr>()) {
    operands.add(pair->lhs);
    operands.add(pair->rhs);
  } else if (auto *choice = expr.as<ConditionalExpr>()) {
    operands.add(choice->condition);
    operands.add(choice->thenValue);
    operands.add(choice->elseValue);
  } else if (auto *lambda = expr.as<LambdaExpr>()) {
    operands.add(lambda->body);
  } else {
    operands.addLists(expr);
  }
  return std::move(operands.list);
}

void walk(const Expr &expr, const Visitor &visitor) {
  if (visitor.expression)
    visitor.expression(expr);
  for (const Expr *operand : operandsOf(expr))
    walk(*operand, visitor);
  if (auto *scan = expr.as<ScanExpr>())
    walk(*scan->body, visitor);
}

static void walk(const ExprPtr &expr, const Visitor &visitor) {
  if (expr)
    walk(*expr, visitor);
}

static void walk(const TensorType &type, const Visitor &visitor) {
  if (visitor.type)
    visitor.type(type);
  for (const Dimension &dimension : type.dimensions) {
    walk(dimension.size, visitor);
    walk(dimension.bound, visitor);
  }
}

static void walk(const Stmt &stmt, const Visitor &visitor) {
  if (auto *let = stmt.as<LetStmt>()) {
    if (let->type)
      walk(*let->type, visitor);
    walk(let->value, visitor);
  } else if (auto *constant = stmt.as<ConstStmt>()) {
    walk(constant->decl.value, visitor);
  } else if (auto *assign = stmt.as<AssignStmt>()) {
    walk(assign->value, visitor);
  } else if (auto *update = stmt.as<UpdateStmt>()) {
    walk(update->target, visitor);
    walk(update->value, visitor);
  } else if (auto *loop = stmt.as<ForStmt>()) {
    walk(loop->iteration.source, visitor);
    walk(loop->body, visitor);
  } else if (auto *choice = stmt.as<IfStmt>()) {
    walk(choice->condition, visitor);
    walk(choice->thenBlock, visitor);
    if (choice->elseBlock)
      walk(*choice->elseBlock, visitor);
  } else if (auto *result = stmt.as<ReturnStmt>()) {
    walk(result->value, visitor);
  } else if (auto *value = stmt.as<ExpressionStmt>()) {
    walk(value->value, visitor);
  }
}

void walk(const Block &block, const Visitor &visitor) {
  if (visitor.block)
    visitor.block(block);
  for (const StmtPtr &stmt : block.statements)
    walk(*stmt, visitor);
}

static void walk(const std::vector<Parameter> &parameters, const Visitor &visitor) {
  for (const Parameter &parameter : parameters) {
    if (visitor.parameter)
      visitor.parameter(parameter);
    if (parameter.type)
      walk(*parameter.type, visitor);
    walk(parameter.defaultValue, visitor);
  }
}

static void walk(const FunctionDecl &function, const Visitor &visitor) {
  walk(function.parameters, visitor);
  for (const Result &result : function.results)
    walk(result.type, visitor);
  if (!function.isExtern)
    walk(function.body, visitor);
}

static void walk(const ModuleDecl &module, const Visitor &visitor) {
  walk(module.parameters, visitor);
  for (const ConstDecl &constant : module.constants)
    walk(constant.value, visitor);
  for (const FieldDecl &field : module.fields) {
    if (field.type)
      walk(*field.type, visitor);
    walk(field.value, visitor);
    if (field.wrapping)
      walk(field.wrapping->module, visitor);
  }
  for (const FunctionDecl &function : module.functions)
    walk(function, visitor);
}

void walk(const File &file, const Visitor &visitor) {
  for (const ConstDecl &constant : file.constants)
    walk(constant.value, visitor);
  for (const FunctionDecl &function : file.functions)
    walk(function, visitor);
  for (const ModuleDecl &module : file.modules)
    walk(module, visitor);
  for (const OptimizerDecl &optimizer : file.optimizers) {
    walk(static_cast<const ModuleDecl &>(optimizer), visitor);
    for (const OptimizerState &state : optimizer.states)
      walk(state.initial, visitor);
    walk(optimizer.step, visitor);
  }
  for (const ExportDecl &decl : file.exports)
    walk(decl.value, visitor);
}

} // namespace attnc
