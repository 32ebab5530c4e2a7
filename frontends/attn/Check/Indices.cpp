#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

//===- Ranges of indices ------------------------------------------------------------------------------------------===//

bool Checker::openIndices(const std::vector<ast::Binder> &binders, const ScopePtr &scope,
                          std::vector<Index *> &indices) {
  bool isWhole = true;
  for (const ast::Binder &binder : binders) {
    if (binder.isRest) {
      if (restStates.count(scope)) {
        error(DiagnosticKind::Misplaced, binder.range, "`..` stands among the indices once");
        return false;
      }
      restStates[scope] = std::make_shared<RestState>();
      restStates[scope]->range = binder.range;
      indices.push_back(nullptr);
      continue;
    }
    Index *index = build.newIndex(binder.name.text, binder.name.range);
    indices.push_back(index);
    if (binder.bound) {
      Value bound = expression(*binder.bound, scope->parent);
      if (auto *size = bound.as<Dim>(); size && !(size->isConstant() && size->constant() < 0)) {
        giveExtent(index, *size, binder.range);
        indexStates[index].isWritten = true;
      } else {
        if (!bound.isError())
          error(DiagnosticKind::BadRange, binder.bound->range,
                fmt::format("the range of `{}` must be a size, and is {}", binder.name.text,
                            size ? size->text() : describe(bound)))
              .hint(fmt::format("let `{}` run over all, and keep some by `where` or a mask", binder.name.text));
        isWhole = false;
      }
    }
    bindLocal(scope, binder.name, TensorValue{build.reference(index, binder.name.range)}, false);
  }
  return isWhole;
}

void Checker::giveExtent(Index *index, const Dim &extent, SourceRange range) {
  if (!canHaveSize(extent))
    tooLarge(range, fmt::format("the range of `{}`", index->name), extent.text());
  index->extent = extent;
  indexStates[index] = {true, false, range, extent.text()};
}

bool Checker::closeIndices(const ScopePtr &scope, std::vector<Index *> &indices) {
  auto rest = restStates.find(scope);
  if (rest != restStates.end()) {
    auto state = rest->second;
    restStates.erase(rest);
    if (!state->isKnown) {
      error(DiagnosticKind::UnknownRange, state->range, "`..` subscripts nothing, so its indices are not known");
      return false;
    }
    auto place = indices.erase(std::find(indices.begin(), indices.end(), nullptr));
    indices.insert(place, state->indices.begin(), state->indices.end());
  }
  bool isWhole = true;
  for (Index *index : indices)
    if (!indexStates[index].hasExtent) {
      error(DiagnosticKind::UnknownRange, index->range,
            fmt::format("the range of `{}` is not known: it is nowhere a subscript by itself", index->name))
          .hint(fmt::format("write it: `{} < n`", index->name));
      isWhole = false;
    }
  return isWhole;
}

bool Checker::proveRanges(size_t mark) {
  bool isWhole = true;
  ranges.hasExtent = [&](const Index *index) {
    auto state = indexStates.find(index);
    // Indices that Elements makes have their extent from the start.
    return state == indexStates.end() || state->second.hasExtent;
  };
  ranges.decide(mark, [&](const Obligation &obligation, const Verdict &verdict) {
    isWhole = false;
    const Subscript &node = *obligation.subscript->as<Subscript>();
    const char *side = verdict.lower == Side::Failed ? "be less than 0" : "reach the end";
    Diagnostic &report =
        error(DiagnosticKind::OutOfRange, obligation.range,
              fmt::format("this subscript may {}: the dimension's size is {}", side, obligation.extent.text()));
    report.label(obligation.baseRange, textOf(node.base->type));
    if (auto *ref = node.indices[obligation.position]->as<IndexRef>()) {
      report.label(indexStates[ref->index].boundBy,
                   fmt::format("`{}` is less than {}", ref->index->name, ref->index->extent.text()));
      return;
    }
    report.hint("a condition around it that keeps it in range is enough: `if s >= 1 then a[s - 1] else 0`");
  });
  return isWhole;
}

ExprRef Checker::finish(ExprRef expr, size_t mark) {
  if (build.isOpen(expr))
    return expr;
  // Only what is made of indices needs it: other nodes are whole tensors already.
  bool isRaw = expr->as<Comprehension>() || expr->as<IndexReduction>() || expr->as<Subscript>() ||
               (expr->as<LocalRef>() && build.pendingOf(expr->as<LocalRef>()->local));
  if (!isRaw)
    return expr;
  if (!proveRanges(mark))
    return nullptr;
  return elements.close({}, expr, expr->range);
}

Value Checker::finishValue(ExprRef expr, size_t mark) {
  ExprRef result = finish(expr, mark);
  return result ? Value(TensorValue{result}) : Value();
}

//===- Comprehensions ---------------------------------------------------------------------------------------------===//

Value Checker::comprehension(const ast::BuildExpr &expr, const ScopePtr &scope) {
  size_t mark = ranges.mark();
  ScopePtr inner = childOf(scope);
  std::vector<Index *> indices;
  bool isWhole = openIndices(expr.binders, inner, indices);
  ++bodies;
  Value body = expression(*expr.body, inner);
  --bodies;
  if (body.isError()) {
    restStates.erase(inner);
    return Value();
  }
  isWhole &= closeIndices(inner, indices);
  return isWhole ? wrapComprehension(indices, body, expr.range, mark) : Value();
}

Value Checker::wrapComprehension(const std::vector<Index *> &indices, const Value &body, SourceRange range,
                                 size_t mark) {
  if (auto *tuple = body.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts) {
      result.parts.push_back(wrapComprehension(indices, part, range, mark));
      if (result.parts.back().isError())
        return Value();
    }
    return result;
  }
  auto *size = body.as<Dim>();
  ExprRef element = asTensor(body, range, size && size->isConstant() ? std::optional(Element::I32) : std::nullopt);
  if (!element)
    return Value();
  if (element->type.element == Element::Index)
    element = build.cast(element, Element::I32);
  Type type{element->type.element, {}};
  for (Index *index : indices)
    type.shape.push_back(index->extent);
  type.shape.insert(type.shape.end(), element->type.shape.begin(), element->type.shape.end());
  std::vector<const Index *> over(indices.begin(), indices.end());
  return finishValue(build.make(Comprehension{std::move(over), element}, std::move(type), range), mark);
}

//===- Reductions -------------------------------------------------------------------------------------------------===//

Value Checker::reduce(const ast::ReduceExpr &expr, const ScopePtr &scope) {
  size_t mark = ranges.mark();
  ScopePtr inner = childOf(scope);
  std::vector<Index *> indices;
  bool isWhole = openIndices(expr.binders, inner, indices);
  ++bodies;
  ExprRef filter = nullptr;
  if (expr.filter) {
    Value condition = expression(*expr.filter, inner);
    filter = asCondition(condition, expr.filter->range, "the filter");
    if (filter && filter->type.rank() > 0) {
      typeError(DiagnosticKind::RankMismatch, expr.filter->range, "the filter must be a single condition")
          .label(textOf(filter->type));
      filter = nullptr;
    }
    isWhole &= filter != nullptr;
  }
  if (filter)
    guards.push_back({filter, true});
  Value body = expression(*expr.body, inner);
  if (filter)
    guards.pop_back();
  --bodies;
  if (body.isError() || !isWhole) {
    restStates.erase(inner);
    return Value();
  }
  return closeIndices(inner, indices) ? reduceBody(expr, indices, filter, body, mark) : Value();
}

ExprRef Checker::reductionTerm(const ast::ReduceExpr &expr, const Value &body) {
  bool isMean = expr.op == ast::ReduceOp::Mean;
  auto *size = body.as<Dim>();
  std::optional<Element> wanted;
  if (size && size->isConstant())
    wanted = Element::I32;
  ExprRef term = isMean ? asReal(body, expr.body->range, "`mean`") : asTensor(body, expr.body->range, wanted);
  if (!term)
    return nullptr;
  if (term->type.element == Element::Index ||
      (term->type.element == Element::Bool && expr.op == ast::ReduceOp::Sum)) // a count
    return build.cast(term, Element::I32);
  if (term->type.element == Element::Bool) {
    asReal(TensorValue{term}, expr.body->range, "the reduction");
    return nullptr;
  }
  return term;
}

ExprRef Checker::countOf(const std::vector<Index *> &indices, ExprRef filter, SourceRange range, size_t mark) {
  if (filter)
    return finish(build.reduction(Combiner::Add, indices, filter, build.real(1, range), range), mark);
  Dim count(1);
  for (Index *index : indices)
    count = count * index->extent;
  return build.cast(build.size(count, range), Element::F32);
}

Value Checker::reduceBody(const ast::ReduceExpr &expr, const std::vector<Index *> &indices, ExprRef filter,
                          const Value &body, size_t mark) {
  static const std::map<ast::ReduceOp, Combiner> combiners = {
      {ast::ReduceOp::Sum, Combiner::Add},  {ast::ReduceOp::Mean, Combiner::Add},
      {ast::ReduceOp::Prod, Combiner::Mul}, {ast::ReduceOp::Max, Combiner::Max},
      {ast::ReduceOp::Min, Combiner::Min},  {ast::ReduceOp::ArgMax, Combiner::ArgMax}};
  ExprRef term = reductionTerm(expr, body);
  if (!term)
    return Value();
  if (expr.op == ast::ReduceOp::ArgMax && indices.size() != 1)
    return notSupported(expr.opRange, "`argmax` over several indices");
  if (expr.op == ast::ReduceOp::ArgMax && !passesNoGradient(term, expr.range, "`argmax`"))
    return Value();
  ExprRef result = finish(build.reduction(combiners.at(expr.op), indices, filter, term, expr.range), mark);
  if (result && expr.op == ast::ReduceOp::Mean) {
    for (const auto &index : indices)
      refuseMeanOfNothing(index->extent);
    ExprRef count = countOf(indices, filter, expr.range, mark);
    result = count ? build.elementwise(Op::Div, {result, count}, expr.range) : nullptr;
  }
  return result ? Value(TensorValue{result}) : Value();
}

} // namespace attnc::check
