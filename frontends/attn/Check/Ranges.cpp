#include "frontends/attn/Check/Ranges.h"

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

static Linear single(unsigned atom) {
  Linear result;
  result.coefficients[atom] = Dim(1);
  return result;
}

static Linear number(const Dim &dim) {
  Linear result;
  result.constant = dim;
  return result;
}

//===- Formulas as text -------------------------------------------------------------------------------------------===//

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
  else if (auto *node = expr->as<Cast>())
    appendKey(key, node->operand, budget); // conversions between index and i32 preserve the value
  else if (auto *node = expr->as<Elementwise>())
    key += textOf(node->op);
  else if (!expr->as<Subscript>() && !expr->as<ParameterRef>()) {
    key += fmt::format("@{}", static_cast<const void *>(expr));
    return;
  }
  if (auto *node = expr->as<ParameterRef>())
    key += node->parameter->name;
  if (expr->as<Cast>())
    return;
  key += '(';
  forEachOperand(*expr, [&](ExprRef operand) {
    appendKey(key, operand, budget);
    key += ',';
  });
  key += ')';
}

std::string keyOf(ExprRef expr) {
  std::string key;
  unsigned budget = 200;
  appendKey(key, expr, budget);
  return key;
}

//===- From expressions to linear forms ---------------------------------------------------------------------------===//

std::pair<Linear, bool> Ranges::atomFor(ExprRef expr, bool isData) {
  auto [found, isNew] = atomNumbers.emplace(keyOf(expr), static_cast<unsigned>(atoms.size()));
  if (isNew)
    atoms.emplace_back().isData = isData;
  return {single(found->second), isNew};
}

void Ranges::addFact(Linear fact) {
  if (std::find(facts.begin(), facts.end(), fact) != facts.end())
    return;
  for (const auto &[atom, coefficient] : fact.coefficients)
    if (coefficient.isConstant())
      atoms[atom].facts.push_back(facts.size());
  facts.push_back(std::move(fact));
}

Linear Ranges::quotient(ExprRef expr, const Linear &dividend, int64_t divisor) {
  // q = floor(e / c):  e - c*q >= 0  and  c*q + c - 1 - e >= 0
  auto [q, isNew] = atomFor(expr, speaksOfData(dividend));
  if (isNew) {
    addFact(dividend - q * Dim(divisor));
    addFact(q * Dim(divisor) + number(Dim(divisor - 1)) - dividend);
  }
  return q;
}

Linear Ranges::choice(ExprRef expr, Op op, ExprRef a, ExprRef b) {
  Linear left = linear(a), right = linear(b);
  auto [result, isNew] = atomFor(expr, speaksOfData(left) || speaksOfData(right));
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

Linear Ranges::linear(ExprRef expr) {
  if (auto known = forms.find(expr); known != forms.end())
    return known->second;
  return forms[expr] = formOf(expr);
}

Linear Ranges::formOf(ExprRef expr) {
  if (auto *node = expr->as<Constant>())
    return number(Dim(node->integer));
  if (auto *node = expr->as<DimValue>())
    return number(node->dim);
  if (expr->as<IndexRef>() || expr->as<StepRef>()) {
    auto [index, isNew] = atomFor(expr, false);
    if (!isNew)
      return index;
    addFact(index);
    if (auto *step = expr->as<StepRef>())
      addFact(number(step->counter->count - Dim(1)) - index);
    else if (auto *node = expr->as<IndexRef>(); hasExtent(node->index))
      addFact(number(node->index->extent - Dim(1)) - index);
    return index;
  }
  if (auto *node = expr->as<Cast>())
    if (node->operand->type.element == Element::I32 || node->operand->type.element == Element::Index)
      return linear(node->operand);
  if (auto *node = expr->as<Elementwise>())
    if (std::optional<Linear> form = linearOf(expr, *node))
      return *form;
  return atomFor(expr, true).first;
}

/// Returns the constant to which a linear form is equal; null for other forms.
static std::optional<Dim> constantOf(const Linear &form) {
  return form.coefficients.empty() ? std::optional<Dim>(form.constant) : std::nullopt;
}

std::optional<Linear> Ranges::linearOf(ExprRef expr, const Elementwise &node) {
  const std::vector<ExprRef> &operands = node.operands;
  if (node.op == Op::Select)
    return choice(expr, Op::Select, operands[1], operands[2]);
  if (node.op == Op::Min || node.op == Op::Max)
    return choice(expr, node.op, operands[0], operands[1]);
  Linear a = linear(operands[0]);
  if (node.op == Op::Neg)
    return a * Dim(-1);
  if (node.op == Op::Abs) {
    auto [result, isNew] = atomFor(expr, speaksOfData(a));
    if (isNew) {
      addFact(result - a);
      addFact(result + a);
    }
    return result;
  }
  if (operands.size() != 2)
    return std::nullopt;
  Linear b = linear(operands[1]);
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
    if (divisor && divisor->isConstant() && divisor->constant() > 0)
      return quotient(expr, a, divisor->constant());
    return std::nullopt;
  case Op::Rem: {
    if (!divisor || !isNonNegative(*divisor, true))
      return std::nullopt;
    // 0 <= r <= c - 1. Goals that require more use r = e - c*floor(e/c).
    auto [rest, isNew] = atomFor(expr, speaksOfData(a));
    if (isNew) {
      addFact(rest);
      addFact(number(*divisor - Dim(1)) - rest);
    }
    return rest;
  }
  default:
    return std::nullopt;
  }
}

//===- Conditions -------------------------------------------------------------------------------------------------===//

void Ranges::addGuard(const Guard &guard) {
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
  Linear a = linear(node->operands[0]), b = linear(node->operands[1]);
  if (op == Op::Le || op == Op::Eq)
    addFact(b - a);
  if (op == Op::Ge || op == Op::Eq)
    addFact(a - b);
  if (op == Op::Lt)
    addFact(b - a - number(Dim(1)));
  if (op == Op::Gt)
    addFact(a - b - number(Dim(1)));
}

//===- Proofs -----------------------------------------------------------------------------------------------------===//

/// Replaces each dimension n by n + 1, so that the new n is at least 0 if the old one is at least 1.
Dim Ranges::shifted(const Dim &dim) const {
  std::map<std::string, Dim> values;
  for (const auto &[monomial, coefficient] : dim.getTerms())
    for (const std::string &name : monomial)
      if (!maybeEmpty.count(name))
        values[name] = Dim::symbol(name) + Dim(1);
  return dim.substitute(values);
}

/// Raises the least size to 1 for each dimension without which `holds` fails. It holds if all dimensions are at least
/// 1.
void Ranges::raiseMinima(const std::function<bool()> &holds) {
  for (auto &[name, minimum] : minima) {
    if (existing.count(name))
      continue;
    maybeEmpty.insert(name);
    if (holds())
      continue;
    maybeEmpty.erase(name);
    minimum = 1;
  }
  maybeEmpty.clear();
}

bool Ranges::require(const std::vector<Dim> &dims) {
  auto holds = [&] {
    return std::all_of(dims.begin(), dims.end(), [&](const Dim &dim) { return isNonNegative(dim, true); });
  };
  existing.clear();
  if (!holds())
    return false;
  raiseMinima(holds);
  return true;
}

/// Collects the dimensions that are at least 1: an index of extent n has a value only if n is at least 1, and a product
/// only if its factors are.
void Ranges::exist(ExprRef index) {
  existing.clear();
  for (unsigned number : build.freeOf(index).indices) {
    const auto &terms = build.indexAt(number)->extent.getTerms();
    if (terms.size() == 1 && terms.begin()->second > 0)
      existing.insert(terms.begin()->first.begin(), terms.begin()->first.end());
  }
}

bool Ranges::isNonNegative(const Dim &dim, bool positive) const {
  if (dim.isPlainlyNonNegative() || (positive && shifted(dim).isPlainlyNonNegative()))
    return true;
  // Subtracted terms are replaced by their maxima.
  Dim least;
  for (const auto &[monomial, coefficient] : dim.getTerms()) {
    Dim term(coefficient);
    for (const std::string &name : monomial) {
      auto maximum = maxima.find(name);
      if (coefficient < 0 && maximum == maxima.end())
        return false;
      term = term * (coefficient < 0 ? Dim(maximum->second) : Dim::symbol(name));
    }
    least = least + term;
  }
  return least.isPlainlyNonNegative() || (positive && shifted(least).isPlainlyNonNegative());
}

bool Ranges::proveChoice(const Linear &goal, unsigned atom, const Dim &coefficient, Proof &proof, unsigned depth) {
  Linear without = goal;
  without.coefficients.erase(atom);
  return std::all_of(atoms[atom].branches.begin(), atoms[atom].branches.end(),
                     [&](const Linear &branch) { return prove(without + branch * coefficient, proof, depth + 1); });
}

bool Ranges::prove(const Linear &goal, Proof &proof, unsigned depth) {
  constexpr unsigned maximalDepth = 100, maximalSteps = 3000;
  if (goal.coefficients.empty())
    return isNonNegative(goal.constant, proof.positive);
  auto failed = proof.failed.find(goal);
  if (failed != proof.failed.end() && failed->second <= depth)
    return false;
  if (depth > maximalDepth || ++proof.steps > maximalSteps)
    return false;
  if (proveByAtom(goal, proof, depth))
    return true;
  proof.failed[goal] = depth;
  return false;
}

bool Ranges::proveByAtom(const Linear &goal, Proof &proof, unsigned depth) {
  auto [atom, coefficient] = *goal.coefficients.rbegin();
  bool isAbove = isNonNegative(coefficient, proof.positive);
  if (!isAbove && !isNonNegative(coefficient * Dim(-1), proof.positive))
    return false;
  // Use facts that bound the atom in the required direction: F = k*atom + ..., with k of the coefficient's sign.
  for (size_t each : atoms[atom].facts) {
    int64_t own = facts[each].coefficients.at(atom).constant();
    if (each >= proof.facts || (own > 0) != isAbove)
      continue;
    int64_t k = std::abs(own);
    Dim multiple = isAbove ? coefficient : coefficient * Dim(-1);
    // Goals are integers, so k*G >= -(k - 1) implies G >= 0.
    if (prove(goal * Dim(k) + number(Dim(k - 1)) - facts[each] * multiple, proof, depth + 1))
      return true;
  }
  const Atom &choice = atoms[atom];
  bool splits = !choice.branches.empty() && (choice.op == Op::Select || (choice.op == Op::Min) == isAbove);
  return splits && proveChoice(goal, atom, coefficient, proof, depth);
}

bool Ranges::speaksOfData(const Linear &goal) const {
  return std::any_of(goal.coefficients.begin(), goal.coefficients.end(),
                     [&](const auto &term) { return atoms[term.first].isData; });
}

Side Ranges::decideSide(const Linear &goal, size_t unguardedFacts) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    bool guarded = attempt & 1, positive = attempt & 2;
    auto holds = [&] {
      Proof proof{positive, guarded ? facts.size() : unguardedFacts};
      return prove(goal, proof, 0);
    };
    if (!holds())
      continue;
    if (positive && !guarded)
      raiseMinima(holds);
    return attempt == 0 ? Side::Proved : Side::Clamped;
  }
  return speaksOfData(goal) ? Side::Runtime : Side::Failed;
}

void Ranges::decide(size_t mark, const std::function<void(const Obligation &, const Verdict &)> &failed) {
  std::vector<Obligation> open; // obligations with an index whose extent is not yet known
  for (size_t i = mark; i < obligations.size(); ++i) {
    const Obligation &obligation = obligations[i];
    const Free &free = build.freeOf(obligation.subscript->as<Subscript>()->indices[obligation.position]);
    if (!std::all_of(free.indices.begin(), free.indices.end(),
                     [&](unsigned index) { return hasExtent(build.indexAt(index)); })) {
      open.push_back(obligation);
      continue;
    }
    atoms.clear();
    atomNumbers.clear();
    forms.clear();
    facts.clear();
    Linear index = linear(obligation.subscript->as<Subscript>()->indices[obligation.position]);
    exist(obligation.subscript->as<Subscript>()->indices[obligation.position]);
    size_t unguarded = facts.size();
    for (const Guard &guard : obligation.guards)
      addGuard(guard);
    Verdict verdict{decideSide(index, unguarded), decideSide(number(obligation.extent - Dim(1)) - index, unguarded)};
    verdicts[{obligation.subscript, obligation.position}] = verdict;
    if (verdict.lower == Side::Failed || verdict.upper == Side::Failed)
      failed(obligation, verdict);
  }
  obligations.resize(mark, Obligation());
  obligations.insert(obligations.end(), open.begin(), open.end());
}

Verdict Ranges::verdictOf(ExprRef subscript, unsigned position) const {
  auto found = verdicts.find({subscript, position});
  return found == verdicts.end() ? Verdict() : found->second;
}

} // namespace attnc::check
