// Removal of optional syntax: elements of lists, and parts with a default.
#include "frontends/attn/Parse/Walk.h"
#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

using namespace ast;

namespace {

/// Collects changes that remove parts of a canonical text.
class Parts {
public:
  explicit Parts(const ModelText &model) : model(model), text(model.text()) {}

  /// Adds the removal of each element of a list.
  template <typename Elements> void list(const Elements &elements) {
    for (const auto &element : elements)
      changes.push_back({{withComma(model, rangeOf(element)), ""}});
  }
  /// Adds the removal of a range with the given words before and after it, if these words are there.
  void part(SourceRange range, std::string_view before, std::string_view behind = "") {
    bool isBehind = text.substr(range.end, behind.size()) == behind;
    if (range.begin < before.size() || !isBehind || text.substr(range.begin - before.size(), before.size()) != before)
      return;
    range.begin -= uint32_t(before.size());
    range.end += uint32_t(behind.size());
    changes.push_back({{range, ""}});
  }
  void part(const ExprPtr &expr, std::string_view before, std::string_view behind = "") {
    if (expr)
      part(expr->range, before, behind);
  }

  void expression(const Expr &expr);
  void attend(const AttendExpr &attend);
  void scan(const ScanExpr &scan);
  void block(const Block &block);
  void type(const TensorType &type);
  void function(const FunctionDecl &function);
  void field(const FieldDecl &field);
  void exported(const ExportDecl &decl);

  std::vector<Change> changes;

private:
  static SourceRange rangeOf(const ExprPtr &expr) { return expr->range; }
  template <typename Node> static SourceRange rangeOf(const Node &node) { return node.range; }
  const ModelText &model;
  std::string_view text;
};

} // namespace

void Parts::expression(const Expr &expr) {
  if (auto *call = expr.as<CallExpr>())
    list(call->arguments);
  else if (auto *tuple = expr.as<TupleExpr>())
    list(tuple->elements);
  else if (auto *elements = expr.as<ListExpr>())
    list(elements->elements);
  else if (auto *subscript = expr.as<SubscriptExpr>())
    list(subscript->subscripts);
  else if (auto *build = expr.as<BuildExpr>())
    list(build->binders);
  else if (auto *reduction = expr.as<ReduceExpr>()) {
    list(reduction->binders);
    part(reduction->filter, " where ");
  } else if (auto *attention = expr.as<AttendExpr>())
    attend(*attention);
  else if (auto *recurrence = expr.as<ScanExpr>())
    scan(*recurrence);
}

void Parts::attend(const AttendExpr &attend) {
  list(attend.keys);
  part(attend.mask, "mask: ", ",");
  part(attend.by, "by: ", ",");
  part(attend.weight, "weight: ", ",");
  part(attend.value, "value: ", ",");
  part(attend.renormalise, "renormalise: ", ",");
  list(attend.yields);
  if (!attend.yields.empty())
    part(merge(attend.yields.front()->range, attend.yields.back()->range), " yields (", ")");
}

void Parts::scan(const ScanExpr &scan) {
  part(scan.until, " until ");
  list(scan.results);
  for (const Carry &carry : scan.carries)
    changes.push_back({{withComma(model, merge(carry.name.range, carry.initial->range)), ""}});
}

void Parts::block(const Block &block) {
  for (const StmtPtr &stmt : block.statements) {
    if (auto *let = stmt->as<LetStmt>()) {
      list(let->pattern.names);
      if (let->type)
        part(let->type->range, ": ");
    } else if (auto *choice = stmt->as<IfStmt>(); choice && choice->elseBlock) {
      part(choice->elseBlock->range, " else ");
    }
  }
}

void Parts::type(const TensorType &type) {
  list(type.dimensions);
  for (const Dimension &dimension : type.dimensions)
    part(dimension.bound, " <= ");
}

void Parts::function(const FunctionDecl &function) {
  if (function.results.empty())
    return;
  list(function.results);
  SourceRange all = merge(function.results.front().range, function.results.back().range);
  part(all, " -> ");
  part(all, " -> (", ")");
}

void Parts::field(const FieldDecl &field) {
  if (field.type)
    part(field.value, " = ");
  if (field.checkpoint)
    part(field.checkpoint->range, " as ");
  for (const Name &tag : field.tags)
    part(tag.range, " #");
  if (field.isFrozen)
    changes.push_back({{{field.name.range.file, field.range.begin, field.name.range.begin},
                        field.kind == FieldKind::State ? "state " : ""}});
}

void Parts::exported(const ExportDecl &decl) {
  if (decl.results.empty())
    return;
  list(decl.results);
  part(merge(decl.results.front().range, decl.results.back().range), " -> (", ")");
}

std::vector<Change> dropParts(const ModelText &model) {
  if (!model.isParsed)
    return {};
  Parts parts(model);
  for (const FunctionDecl &function : model.file.functions)
    parts.function(function);
  for (const ModuleDecl &module : model.file.modules) {
    for (const FieldDecl &field : module.fields)
      parts.field(field);
    for (const FunctionDecl &function : module.functions)
      parts.function(function);
  }
  for (const ExportDecl &decl : model.file.exports)
    parts.exported(decl);
  walk(model.file, {.expression = [&](const Expr &expr) { parts.expression(expr); },
                    .block = [&](const Block &block) { parts.block(block); },
                    .type = [&](const TensorType &type) { parts.type(type); },
                    .parameter = [&](const Parameter &each) { parts.part(each.defaultValue, " = "); }});
  return std::move(parts.changes);
}

} // namespace attnc::reduce
