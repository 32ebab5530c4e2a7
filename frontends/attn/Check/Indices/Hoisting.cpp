// Hoisting of nested reductions and costly functions out of bodies (Elements.h).

#include "frontends/attn/Check/Indices/Elements.h"

#include <algorithm>

namespace attnc::check {

using namespace typed;

ExprRef Elements::rebuild(ExprRef expr, const std::function<ExprRef(ExprRef)> &map) {
  Expr copy = *expr;
  bool changed = false;
  auto replace = [&](ExprRef &operand) {
    if (!operand)
      return;
    ExprRef mapped = map(operand);
    changed |= mapped != operand;
    operand = mapped;
  };
  if (auto *node = std::get_if<Elementwise>(&copy.node))
    for (ExprRef &operand : node->operands)
      replace(operand);
  else if (auto *node = std::get_if<Cast>(&copy.node))
    replace(node->operand);
  else if (auto *node = std::get_if<Subscript>(&copy.node))
    for (ExprRef &index : node->indices)
      replace(index);
  else if (auto *node = std::get_if<Draw>(&copy.node))
    for (ExprRef &index : node->element)
      replace(index);
  else if (auto *node = std::get_if<IndexReduction>(&copy.node)) {
    replace(node->filter);
    replace(node->body);
  }
  return changed ? build.make(std::move(copy.node), std::move(copy.type), copy.range) : expr;
}

static bool isCostly(const Elementwise &node) {
  switch (node.op) {
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR)                                                         \
  case Op::OP:                                                                                                         \
    return COSTLY;
#include "frontends/attn/Check/MathFunctions.def"
  case Op::Pow:
    return true;
  default:
    return false;
  }
}

/// True if the expression has a run-time check that may fail.
static bool mayFail(ExprRef expr) {
  if (auto *node = expr->as<Elementwise>())
    return std::any_of(node->operands.begin(), node->operands.end(), mayFail);
  if (auto *node = expr->as<Cast>())
    return mayFail(node->operand);
  if (auto *node = expr->as<IndexReduction>())
    return mayFail(node->body) || (node->filter && mayFail(node->filter));
  auto *node = expr->as<Subscript>();
  return node && (std::find(node->inRange.begin(), node->inRange.end(), InRange::Runtime) != node->inRange.end() ||
                  std::any_of(node->indices.begin(), node->indices.end(), mayFail));
}

static bool isArgMax(ExprRef expr) {
  auto *reduction = expr->as<IndexReduction>();
  return reduction && (reduction->combiner == Combiner::ArgMax || reduction->combiner == Combiner::ArgMin);
}

void Elements::refuseArgMax(ExprRef expr) {
  std::string what = expr->as<IndexReduction>()->combiner == Combiner::ArgMax ? "`argmax`" : "`argmin`";
  bool readsWeight = !build.freeOf(expr).scalars.empty();
  what += readsWeight ? " of a weight inside `attend`"
                      : " inside `attend` with a subscript that may be out of range in a masked pair";
  reporter.notSupported(expr->range, what);
}

bool Elements::isWorthHoisting(ExprRef expr, const Hoisting &hoisting, bool isRoot) const {
  const Free &free = build.freeOf(expr);
  if (!free.scalars.empty())
    return false;
  if (!hoisting.isAttend)
    return (expr->as<IndexReduction>() || factors.contains(expr)) && !isRoot;
  auto *operation = expr->as<Elementwise>();
  if (!expr->as<IndexReduction>() && !(operation && isCostly(*operation)))
    return false;
  if (hoisting.isMasked && mayFail(expr)) // a hoisted tensor would also be computed for masked rows and keys
    return false;
  if (isArgMax(expr))
    return true;
  auto speaksOf = [&](const std::set<unsigned> &indices) {
    return std::any_of(indices.begin(), indices.end(), [&](unsigned index) { return free.indices.count(index); });
  };
  return !speaksOf(hoisting.keys) || !speaksOf(hoisting.outer);
}

/// Binds an element expression as a tensor over the indices it depends on. Returns a read of its element.
ExprRef Elements::materialise(ExprRef expr) {
  std::vector<Index *> outer, own;
  Environment environment;
  std::vector<unsigned> numbers(build.freeOf(expr).indices.begin(), build.freeOf(expr).indices.end());
  // The dimensions of rows are the last ones, as in memory.
  std::stable_partition(numbers.begin(), numbers.end(), [&](unsigned number) { return !rowIndices.contains(number); });
  for (unsigned number : numbers) {
    Index *index = build.indexAt(number), *copy = build.newIndex(index->name, index->range);
    copy->extent = index->extent;
    if (rowIndices.contains(number))
      rowIndices.insert(build.numberOf(copy));
    outer.push_back(index);
    own.push_back(copy);
    environment[number] = build.reference(copy, expr->range);
  }
  ExprRef body = element(expr, {}, environment);
  Hoisting hoisting;
  body = hoist(body, hoisting, true);
  if (body->type.element == Element::Index)
    body = build.cast(body, Element::I32);
  Type type{body->type.element, {}};
  for (Index *index : own)
    type.shape.push_back(index->extent);
  std::vector<const Index *> over(own.begin(), own.end());
  ExprRef tensor = build.make(Comprehension{std::move(over), body}, std::move(type), expr->range);
  ExprRef base = lets.bind("", tensor, expr->range);
  ExprRef value =
      read(base, references(outer, expr->range), std::vector<InRange>(outer.size(), InRange::Proved), expr->range);
  return build.cast(value, expr->type.element);
}

ExprRef Elements::hoist(ExprRef expr, Hoisting &hoisting, bool isRoot) {
  auto found = hoisting.done.find(expr);
  if (found != hoisting.done.end())
    return found->second;
  bool isHoisted = isWorthHoisting(expr, hoisting, isRoot);
  if (!isHoisted && hoisting.isAttend && isArgMax(expr))
    refuseArgMax(expr);
  ExprRef result =
      isHoisted ? materialise(expr) : rebuild(expr, [&](ExprRef operand) { return hoist(operand, hoisting, false); });
  hoisting.done.emplace(expr, result);
  return result;
}

} // namespace attnc::check
