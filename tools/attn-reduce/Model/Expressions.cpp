// Transformations of expressions and numbers.
#include "frontends/attn/Parse/Walk.h"
#include "tools/attn-reduce/Model/ModelText.h"

#include <set>

namespace attnc::reduce {

using namespace ast;

static bool isLiteral(const Expr &expr) {
  return expr.kind == ExprKind::Integer || expr.kind == ExprKind::Float || expr.kind == ExprKind::Boolean ||
         expr.kind == ExprKind::String;
}

/// Replaces an expression by an operand, by an operand of an operand, or by a literal of each type.
std::vector<Change> simplifyExpressions(const ModelText &model) {
  std::vector<Change> changes;
  auto simplify = [&](const Expr &expr) {
    if (isLiteral(expr))
      return;
    auto replace = [&](std::string text) { changes.push_back({{expr.range, std::move(text)}}); };
    for (const char *literal : {"0.0", "1", "0", "true", "1.0"})
      replace(literal);
    std::vector<const Expr *> operands = operandsOf(expr);
    for (const Expr *operand : operands)
      replace("(" + model.source(operand->range) + ")");
    for (const Expr *operand : operands)
      for (const Expr *inner : operandsOf(*operand))
        replace("(" + model.source(inner->range) + ")");
  };
  if (model.isParsed)
    walk(model.file, {.expression = simplify});
  return changes;
}

/// Smaller numbers that may replace one. 1 comes before 0, as both have magnitude 0 and a size of 1 removes less.
static std::vector<int64_t> smallerThan(int64_t value) {
  std::vector<int64_t> smaller;
  for (int64_t each : {int64_t(1), int64_t(0), int64_t(2), value / 2, value - 1})
    if (each < value)
      smaller.push_back(each);
  return smaller;
}

std::vector<Change> shrinkNumbers(const ModelText &model) {
  std::vector<Change> changes;
  if (!model.isParsed)
    return changes;
  std::vector<const IntegerExpr *> integers;
  std::vector<Change> single;
  walk(model.file, {.expression = [&](const Expr &expr) {
         if (auto *integer = expr.as<IntegerExpr>())
           integers.push_back(integer);
         if (auto *real = expr.as<FloatExpr>(); real && real->value != 0 && real->value != 1)
           single.insert(single.end(), {{{real->range, "0.0"}}, {{real->range, "1.0"}}});
       }});
  std::set<int64_t, std::greater<>> values;
  for (const IntegerExpr *integer : integers)
    values.insert(integer->value);
  for (int64_t value : values)
    for (int64_t smaller : smallerThan(value)) {
      Change all;
      for (const IntegerExpr *integer : integers)
        if (integer->value == value)
          all.push_back({integer->range, std::to_string(smaller)});
      changes.push_back(std::move(all));
    }
  for (const IntegerExpr *integer : integers)
    for (int64_t smaller : smallerThan(integer->value))
      changes.push_back({{integer->range, std::to_string(smaller)}});
  changes.insert(changes.end(), single.begin(), single.end());
  return changes;
}

} // namespace attnc::reduce
