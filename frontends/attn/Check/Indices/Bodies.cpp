#include "frontends/attn/Check/Indices/Bodies.h"
#include "frontends/attn/Check/Indices/RangeErrors.h"

namespace attnc::check {

using namespace typed;

bool Bodies::proveRanges(size_t mark) {
  bool isProved = true;
  auto hasExtent = [&](const Index *index) { return indexScopes.isComplete(index); };
  ranges.decide(mark, hasExtent, [&](const Obligation &obligation, const Verdict &verdict) {
    isProved = false;
    reportOutOfRange(reporter, indexScopes, obligation, verdict);
  });
  return isProved;
}

ExprRef Bodies::finish(ExprRef expr, size_t mark) {
  if (build.isOpen(expr))
    return expr;
  // Other nodes are complete tensors.
  bool isRaw = expr->as<Comprehension>() || expr->as<IndexReduction>() || expr->as<Subscript>() ||
               (expr->as<LocalRef>() && pendings.find(expr->as<LocalRef>()->local));
  if (!isRaw)
    return expr;
  if (!proveRanges(mark))
    return nullptr;
  return elements.close(expr, expr->range);
}

Value Bodies::finishValue(ExprRef expr, size_t mark) {
  ExprRef result = finish(expr, mark);
  return result ? Value(TensorValue{result}) : Value();
}

Value Bodies::wrap(const std::vector<Index *> &indices, const Value &body, SourceRange range, size_t mark) {
  if (auto *tuple = body.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts) {
      result.parts.push_back(wrap(indices, part, range, mark));
      if (result.parts.back().isError())
        return Value();
    }
    return result;
  }
  auto *size = body.as<Dim>();
  ExprRef element =
      conversions.asTensor(body, range, size && size->isConstant() ? std::optional(Element::I32) : std::nullopt);
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

void Bodies::requireNonEmptyMean(const Dim &extent) {
  if (context.isTraining && guards.empty())
    bounds.require({extent - Dim(1)});
}

} // namespace attnc::check
