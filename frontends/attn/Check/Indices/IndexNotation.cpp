#include "frontends/attn/Check/Indices/IndexNotation.h"

#include <limits>
#include <span>

namespace attnc::check {

using namespace typed;

Value IndexNotation::comprehension(const ast::BuildExpr &expr, Scope &scope) {
  size_t mark = ranges.mark();
  Scope &inner = scopes.childOf(scope);
  std::vector<Index *> indices;
  bool isWhole = indexScopes.open(expr.binders, inner, indices);
  indexScopes.enterBody();
  Value body = expressions.check(*expr.body, inner);
  indexScopes.leaveBody();
  if (body.isError()) {
    indexScopes.forget(inner);
    return Value();
  }
  isWhole &= indexScopes.close(inner, indices);
  return isWhole ? bodies.wrap(indices, body, expr.range, mark) : Value();
}

ExprRef IndexNotation::filterOf(const ast::ReduceExpr &expr, Scope &scope) {
  Value condition = expressions.check(*expr.filter, scope);
  ExprRef filter = conversions.asCondition(condition, expr.filter->range, "the filter");
  if (!filter || filter->type.rank() == 0)
    return filter;
  reporter.typeError(DiagnosticKind::RankMismatch, expr.filter->range, "the filter must be a single condition")
      .label(textOf(filter->type));
  return nullptr;
}

Value IndexNotation::reduce(const ast::ReduceExpr &expr, Scope &scope) {
  size_t mark = ranges.mark();
  Scope &inner = scopes.childOf(scope);
  std::vector<Index *> indices;
  bool isWhole = indexScopes.open(expr.binders, inner, indices);
  indexScopes.enterBody();
  ExprRef filter = expr.filter ? filterOf(expr, inner) : nullptr;
  isWhole &= filter || !expr.filter;
  if (filter)
    guards.push_back({filter, true});
  Value body = expressions.check(*expr.body, inner);
  if (filter)
    guards.pop_back();
  indexScopes.leaveBody();
  if (body.isError() || !isWhole) {
    indexScopes.forget(inner);
    return Value();
  }
  return indexScopes.close(inner, indices) ? reduceBody(expr, indices, filter, body, mark) : Value();
}

ExprRef IndexNotation::reductionTerm(const ast::ReduceExpr &expr, const Value &body) {
  bool isMean = expr.op == ast::ReduceOp::Mean;
  auto *size = body.as<Dim>();
  std::optional<Element> wanted;
  if (size && size->isConstant())
    wanted = Element::I32;
  ExprRef term = isMean ? conversions.asReal(body, expr.body->range, "`mean`")
                        : conversions.asTensor(body, expr.body->range, wanted);
  if (!term)
    return nullptr;
  if (term->type.element == Element::Index ||
      (term->type.element == Element::Bool && expr.op == ast::ReduceOp::Sum)) // a count
    return build.cast(term, Element::I32);
  if (term->type.element == Element::Bool) {
    conversions.asReal(TensorValue{term}, expr.body->range, "the reduction");
    return nullptr;
  }
  return term;
}

/// The number of tuples of the indices.
static Dim tuplesOf(std::span<Index *const> indices) {
  Dim count(1);
  for (const Index *index : indices)
    count = count * index->extent;
  return count;
}

ExprRef IndexNotation::countOf(const std::vector<Index *> &indices, ExprRef filter, SourceRange range, size_t mark) {
  if (filter)
    return bodies.finish(build.reduction(Combiner::Add, indices, filter, build.real(1, range), range), mark);
  return build.cast(build.size(tuplesOf(indices), range), Element::F32);
}

Value IndexNotation::argMaxOfSeveral(const ast::ReduceExpr &expr, const std::vector<Index *> &indices, ExprRef filter,
                                     ExprRef term, size_t mark) {
  if (term->type.rank() > 0)
    return reporter.notSupported(expr.opRange, "`argmax` of rows over several indices");
  bool isReal = term->type.element == Element::F32;
  if (filter) {
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    ExprRef least = isReal ? build.real(lowest, expr.range)
                           : build.integer(std::numeric_limits<int32_t>::min(), Element::I32, expr.range);
    term = build.elementwise(Op::Select, {filter, term, least}, expr.range);
  }
  Value terms = bodies.wrap(indices, TensorValue{term}, expr.range, mark);
  if (terms.isError())
    return Value();
  ExprRef flat = build.reshape(terms.tensor(), {tuplesOf(indices)}, expr.range);
  ExprRef place = build.reduceAxes(Combiner::ArgMax, flat, {0}, expr.range);
  auto integer = [&](const Dim &size) { return build.cast(build.size(size, expr.range), Element::I32); };
  TupleValue places;
  for (size_t i = 0; i < indices.size(); ++i) {
    Dim inner = tuplesOf(std::span(indices).subspan(i + 1));
    ExprRef index = build.elementwise(Op::Div, {place, integer(inner)}, expr.range);
    if (i > 0)
      index = build.elementwise(Op::Rem, {index, integer(indices[i]->extent)}, expr.range);
    places.parts.push_back(TensorValue{index});
  }
  return places;
}

Value IndexNotation::reduceBody(const ast::ReduceExpr &expr, const std::vector<Index *> &indices, ExprRef filter,
                                const Value &body, size_t mark) {
  static const std::map<ast::ReduceOp, Combiner> combiners = {
      {ast::ReduceOp::Sum, Combiner::Add},  {ast::ReduceOp::Mean, Combiner::Add},
      {ast::ReduceOp::Prod, Combiner::Mul}, {ast::ReduceOp::Max, Combiner::Max},
      {ast::ReduceOp::Min, Combiner::Min},  {ast::ReduceOp::ArgMax, Combiner::ArgMax}};
  ExprRef term = reductionTerm(expr, body);
  if (!term)
    return Value();
  if (expr.op == ast::ReduceOp::ArgMax && !gradients.passesNoGradient(term, expr.range, "`argmax`"))
    return Value();
  if (expr.op == ast::ReduceOp::ArgMax && indices.size() != 1)
    return argMaxOfSeveral(expr, indices, filter, term, mark);
  ExprRef result = bodies.finish(build.reduction(combiners.at(expr.op), indices, filter, term, expr.range), mark);
  if (result && expr.op == ast::ReduceOp::Mean) {
    for (const auto &index : indices)
      bodies.requireNonEmptyMean(index->extent);
    ExprRef count = countOf(indices, filter, expr.range, mark);
    result = count ? build.elementwise(Op::Div, {result, count}, expr.range) : nullptr;
  }
  return result ? Value(TensorValue{result}) : Value();
}

} // namespace attnc::check
