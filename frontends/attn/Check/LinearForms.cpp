#include "frontends/attn/Check/LinearForms.h"

#include "frontends/attn/Check/Builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

//===- Linear forms -----------------------------------------------------------------------------------------------===//

Linear Linear::operator+(const Linear &other) const {
  Linear result = *this;
  result.constant = constant + other.constant;
  for (const auto &[atom, coefficient] : other.coefficients) {
    Dim sum = result.coefficients[atom] + coefficient;
    if (sum.is(0))
      result.coefficients.erase(atom);
    else
      result.coefficients[atom] = sum;
  }
  return result;
}

Linear Linear::operator*(const Dim &factor) const {
  Linear result;
  if (factor.is(0))
    return result;
  result.constant = constant * factor;
  for (const auto &[atom, coefficient] : coefficients)
    result.coefficients[atom] = coefficient * factor;
  return result;
}

Linear Linear::operator-(const Linear &other) const { return *this + other * Dim(-1); }

//===- Formulas as text -------------------------------------------------------------------------------------------===//

/// True if both types are integers, I32 and Index, so that the conversion does not change the value.
static bool isIntegerConversion(Element to, Element from) {
  auto isInteger = [](Element element) { return element == Element::I32 || element == Element::Index; };
  return isInteger(to) && isInteger(from);
}

static void appendKey(std::string &key, ExprRef expr, unsigned &budget) {
  if (budget == 0 || --budget == 0) {
    key += fmt::format("@{}", static_cast<const void *>(expr));
    return;
  }
  if (auto *node = expr->as<Constant>())
    key += expr->type.element == Element::F32 ? fmt::format("{}f", node->real) : fmt::format("{}", node->integer);
  else if (auto *node = expr->as<DimValue>())
    key += node->dim.text();
  else if (auto *node = expr->as<LocalRef>())
    key += fmt::format("l{}", static_cast<const void *>(node->local));
  else if (auto *node = expr->as<IndexRef>())
    key += fmt::format("i{}", static_cast<const void *>(node->index));
  else if (auto *node = expr->as<StepRef>())
    key += fmt::format("s{}", static_cast<const void *>(node->counter));
  else if (auto *node = expr->as<Cast>()) {
    if (!isIntegerConversion(expr->type.element, node->operand->type.element))
      key += textOf(expr->type.element);
    appendKey(key, node->operand, budget);
  } else if (auto *node = expr->as<Elementwise>())
    key += textOf(node->op);
  else if (!expr->as<Subscript>() && !expr->as<ParameterRef>()) {
    key += fmt::format("@{}", static_cast<const void *>(expr));
    return;
  }
  if (auto *node = expr->as<ParameterRef>()) {
    key += node->parameter->name;
    for (const ParameterRef::Pick &pick : node->picks)
      key += fmt::format("[{}+{}]", static_cast<const void *>(pick.counter), pick.constant);
  }
  if (expr->as<Cast>())
    return;
  key += '(';
  forEachOperand(*expr, [&](ExprRef operand) {
    appendKey(key, operand, budget);
    key += ',';
  });
  key += ')';
}

/// Returns a text that is equal for equal expressions: the same element of the same tensor.
static std::string keyOf(ExprRef expr) {
  std::string key;
  unsigned budget = 200;
  appendKey(key, expr, budget);
  return key;
}

//===- From expressions to linear forms ---------------------------------------------------------------------------===//

std::pair<Linear, bool> LinearForms::atomFor(const std::string &key, bool isData) {
  auto [found, isNew] = atomNumbers.emplace(key, static_cast<unsigned>(atoms.size()));
  if (isNew)
    atoms.emplace_back().isData = isData;
  return {Linear::single(found->second), isNew};
}

void LinearForms::addFact(Linear fact, const Dim &condition) {
  if (std::find(facts.begin(), facts.end(), fact) != facts.end())
    return;
  for (const auto &[atom, coefficient] : fact.coefficients)
    if (coefficient.isConstant())
      atoms[atom].facts.push_back(facts.size());
  facts.push_back(std::move(fact));
  conditions.push_back(condition);
}

Linear LinearForms::quotient(ExprRef expr, int64_t divisor) {
  Linear dividend = of(expr);
  // q = floor(e / c):  e - c*q >= 0  and  c*q + c - 1 - e >= 0
  auto [q, isNew] = atomFor(fmt::format("{}/{}", keyOf(expr), divisor), dependsOnData(dividend));
  if (isNew) {
    addFact(dividend - q * Dim(divisor));
    addFact(q * Dim(divisor) + Linear::number(Dim(divisor - 1)) - dividend);
  }
  return q;
}

Linear LinearForms::choice(ExprRef expr, Op op, ExprRef a, ExprRef b) {
  Linear left = of(a), right = of(b);
  auto [result, isNew] = atomFor(keyOf(expr), dependsOnData(left) || dependsOnData(right));
  if (!isNew)
    return result;
  Atom &atom = atoms[result.coefficients.begin()->first];
  atom.branches = {left, right};
  atom.op = op;
  if (op == Op::Min || op == Op::Max)
    for (const Linear &side : {left, right})
      addFact(op == Op::Min ? side - result : result - side);
  return result;
}

Linear LinearForms::of(ExprRef expr) {
  if (auto known = forms.find(expr); known != forms.end())
    return known->second;
  return forms[expr] = formOf(expr);
}

Linear LinearForms::formOf(ExprRef expr) {
  if (auto *node = expr->as<Constant>())
    return Linear::number(Dim(node->integer));
  if (auto *node = expr->as<DimValue>())
    return Linear::number(node->dim);
  if (expr->as<IndexRef>() || expr->as<StepRef>()) {
    auto [index, isNew] = atomFor(keyOf(expr), false);
    if (!isNew)
      return index;
    addFact(index);
    if (auto *step = expr->as<StepRef>())
      addFact(Linear::number(step->counter->count - Dim(1)) - index);
    else if (auto *node = expr->as<IndexRef>(); hasExtent(node->index))
      addFact(Linear::number(node->index->extent - Dim(1)) - index);
    return index;
  }
  if (auto *node = expr->as<Cast>())
    if (isIntegerConversion(expr->type.element, node->operand->type.element))
      return of(node->operand);
  if (auto *node = expr->as<Elementwise>())
    if (std::optional<Linear> form = linearOf(expr, *node))
      return *form;
  return atomFor(keyOf(expr), true).first;
}

/// Returns the constant to which a linear form is equal; null for other forms.
static std::optional<Dim> constantOf(const Linear &form) {
  return form.coefficients.empty() ? std::optional<Dim>(form.constant) : std::nullopt;
}

std::optional<Linear> LinearForms::linearOf(ExprRef expr, const Elementwise &node) {
  const std::vector<ExprRef> &operands = node.operands;
  if (node.op == Op::Select)
    return choice(expr, Op::Select, operands[1], operands[2]);
  if (node.op == Op::Min || node.op == Op::Max)
    return choice(expr, node.op, operands[0], operands[1]);
  Linear a = of(operands[0]);
  if (node.op == Op::Neg)
    return a * Dim(-1);
  if (node.op == Op::Abs) {
    auto [result, isNew] = atomFor(keyOf(expr), dependsOnData(a));
    if (isNew) {
      addFact(result - a);
      addFact(result + a);
    }
    return result;
  }
  if (operands.size() != 2)
    return std::nullopt;
  Linear b = of(operands[1]);
  std::optional<Dim> divisor = constantOf(b);
  switch (node.op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    if (std::optional<Dim> factor = constantOf(a))
      return b * *factor;
    if (divisor)
      return a * *divisor;
    return std::nullopt;
  case Op::Div:
    if (divisor && divisor->is(0)) // a / 0 is 0, and a % 0 is a
      return Linear::number(0);
    if (divisor && divisor->isConstant() && divisor->constant() > 0)
      return quotient(operands[0], divisor->constant());
    return std::nullopt;
  case Op::Rem: {
    if (divisor && divisor->is(0))
      return a;
    if (divisor && divisor->isConstant() && divisor->constant() > 0)
      return a - quotient(operands[0], divisor->constant()) * *divisor;
    if (!divisor || !bounds.isNonNegative(*divisor - Dim(1), true))
      return std::nullopt;
    auto [rest, isNew] = atomFor(keyOf(expr), dependsOnData(a)); // 0 <= r <= c - 1
    if (isNew) {
      addFact(rest, *divisor - Dim(1));
      addFact(Linear::number(*divisor - Dim(1)) - rest, *divisor - Dim(1));
    }
    return rest;
  }
  default:
    return std::nullopt;
  }
}

bool LinearForms::holds(size_t fact, bool positive) const { return bounds.isNonNegative(conditions[fact], positive); }

//===- Conditions -------------------------------------------------------------------------------------------------===//

/// The number of values 0, 1, ... of an index or of a remainder e % c of a constant c; null for other expressions.
std::optional<Dim> LinearForms::valuesOf(ExprRef expr) const {
  for (auto *cast = expr->as<Cast>(); cast && isIntegerConversion(expr->type.element, cast->operand->type.element);
       cast = expr->as<Cast>())
    expr = cast->operand;
  if (auto *ref = expr->as<IndexRef>())
    return hasExtent(ref->index) ? std::optional(ref->index->extent) : std::nullopt;
  auto *node = expr->as<Elementwise>();
  auto *divisor = node && node->op == Op::Rem ? node->operands[1]->as<Constant>() : nullptr;
  return divisor && divisor->integer > 0 ? std::optional(Dim(divisor->integer)) : std::nullopt;
}

/// An index or a remainder that differs from its least or greatest value is above or below it.
void LinearForms::addUnequal(ExprRef expr, ExprRef other) {
  std::optional<Dim> values = valuesOf(expr), value = constantOf(of(other));
  if (!values || !value)
    return;
  if (value->is(0))
    addFact(of(expr) - Linear::number(Dim(1)));
  if (*value == *values - Dim(1))
    addFact(Linear::number(*values - Dim(2)) - of(expr));
}

void LinearForms::addGuard(const Guard &guard) {
  auto *node = guard.first->as<Elementwise>();
  if (!node || guard.first->type.rank() > 0)
    return;
  bool holds = guard.second;
  if (node->op == Op::Not)
    return addGuard({node->operands[0], !holds});
  if ((node->op == Op::And && holds) || (node->op == Op::Or && !holds)) {
    for (ExprRef operand : node->operands)
      addGuard({operand, holds});
    return;
  }
  if (node->operands.size() != 2 || node->operands[0]->type.element == Element::F32 ||
      node->operands[0]->type.element == Element::Bool)
    return;
  Op op = node->op;
  if (!holds) {
    static const std::map<Op, Op> opposite = {{Op::Lt, Op::Ge}, {Op::Ge, Op::Lt}, {Op::Gt, Op::Le},
                                              {Op::Le, Op::Gt}, {Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}};
    auto found = opposite.find(op);
    if (found == opposite.end())
      return;
    op = found->second;
  }
  Linear a = of(node->operands[0]), b = of(node->operands[1]);
  if (op == Op::Le || op == Op::Eq)
    addFact(b - a);
  if (op == Op::Ge || op == Op::Eq)
    addFact(a - b);
  if (op == Op::Lt)
    addFact(b - a - Linear::number(Dim(1)));
  if (op == Op::Gt)
    addFact(a - b - Linear::number(Dim(1)));
  if (op == Op::Ne) {
    addUnequal(node->operands[0], node->operands[1]);
    addUnequal(node->operands[1], node->operands[0]);
  }
}

bool LinearForms::dependsOnData(const Linear &form) const {
  return std::any_of(form.coefficients.begin(), form.coefficients.end(),
                     [&](const auto &term) { return atoms[term.first].isData; });
}

} // namespace attnc::check
