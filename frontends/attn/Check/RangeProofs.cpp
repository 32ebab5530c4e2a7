#include "frontends/attn/Check/RangeProofs.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace attnc::check {

using namespace typed;

//===- Proofs -----------------------------------------------------------------------------------------------------===//

namespace {

class RangeProof {
public:
  /// The first `factCount` facts may be used. With `positive`, dimensions are at least 1.
  RangeProof(const LinearForms &forms, const DimensionBounds &bounds, size_t factCount, bool positive)
      : forms(forms), bounds(bounds), factCount(factCount), positive(positive) {}

  bool prove(const Linear &given, unsigned depth = 0);

private:
  bool proveByAtom(const Linear &goal, unsigned depth);
  bool proveChoice(const Linear &goal, unsigned atom, const Dim &coefficient, unsigned depth);
  bool isNonNegative(const Dim &dim) const { return bounds.isNonNegative(dim, positive); }

  const LinearForms &forms;
  const DimensionBounds &bounds;
  size_t factCount;
  bool positive;
  std::map<Linear, unsigned> failed; ///< failed goals, by the least depth of a failed attempt
  unsigned steps = 0;
};

bool RangeProof::proveChoice(const Linear &goal, unsigned atom, const Dim &coefficient, unsigned depth) {
  const std::vector<Linear> &branches = forms.atom(atom).branches;
  Linear without = goal;
  without.coefficients.erase(atom);
  return std::all_of(branches.begin(), branches.end(),
                     [&](const Linear &branch) { return prove(without + branch * coefficient, depth + 1); });
}

/// Returns the greatest common divisor of the coefficients of a form; 1 if one of them is not a constant.
static int64_t divisorOf(const Linear &form) {
  int64_t divisor = 0;
  for (const auto &[atom, coefficient] : form.coefficients)
    divisor = coefficient.isConstant() ? std::gcd(divisor, coefficient.constant()) : 1;
  return std::max<int64_t>(divisor, 1);
}

/// Divides a goal by the common divisor g of its coefficients: atoms are integers, so g*L + c >= 0 if and only if
/// L + floor(c / g) >= 0.
static Linear reduced(const Linear &goal) {
  int64_t divisor = divisorOf(goal);
  if (divisor == 1)
    return goal;
  auto found = goal.constant.getTerms().find({});
  int64_t number = found == goal.constant.getTerms().end() ? 0 : found->second;
  int64_t rest = (number % divisor + divisor) % divisor; // number - rest is a multiple of the divisor
  std::optional<Dim> constant = (goal.constant - Dim(rest)).dividedBy(Dim(divisor));
  if (!constant)
    return goal;
  Linear result = Linear::number(*constant);
  for (const auto &[atom, coefficient] : goal.coefficients)
    result.coefficients[atom] = Dim(coefficient.constant() / divisor);
  return result;
}

bool RangeProof::prove(const Linear &given, unsigned depth) {
  constexpr unsigned maximalDepth = 100, maximalSteps = 3000;
  const Linear goal = reduced(given);
  if (goal.coefficients.empty())
    return isNonNegative(goal.constant);
  auto before = failed.find(goal);
  if (before != failed.end() && before->second <= depth)
    return false;
  if (depth > maximalDepth || ++steps > maximalSteps)
    return false;
  if (proveByAtom(goal, depth))
    return true;
  failed[goal] = depth;
  return false;
}

bool RangeProof::proveByAtom(const Linear &goal, unsigned depth) {
  auto [atom, coefficient] = *goal.coefficients.rbegin();
  bool isAbove = isNonNegative(coefficient);
  if (!isAbove && !isNonNegative(coefficient * Dim(-1)))
    return false;
  // Use facts that bound the atom in the required direction: F = k*atom + ..., with k of the coefficient's sign.
  for (size_t each : forms.atom(atom).facts) {
    const Linear &fact = forms.getFacts()[each];
    int64_t own = fact.coefficients.at(atom).constant();
    if (each >= factCount || (own > 0) != isAbove || !forms.holds(each, positive))
      continue;
    int64_t k = std::abs(own);
    Dim multiple = isAbove ? coefficient : coefficient * Dim(-1);
    // Goals are integers, so k*G >= -(k - 1) implies G >= 0.
    if (prove(goal * Dim(k) + Linear::number(Dim(k - 1)) - fact * multiple, depth + 1))
      return true;
  }
  const LinearForms::Atom &choice = forms.atom(atom);
  bool splits = !choice.branches.empty() && (choice.op == Op::Select || (choice.op == Op::Min) == isAbove);
  return splits && proveChoice(goal, atom, coefficient, depth);
}

} // namespace

//===- Verdicts ---------------------------------------------------------------------------------------------------===//

/// Adds the dimensions that are at least 1 if `extent` is: a product is at least 1 only if its factors are, and a
/// quotient e / c only if e - (c - 1) is. A negative constant term makes the other term larger.
static void addExisting(const Dim &extent, std::set<std::string> &existing) {
  const std::pair<const Dim::Monomial, int64_t> *only = nullptr;
  for (const auto &term : extent.getTerms()) {
    if (term.first.empty() && term.second < 0)
      continue;
    if (only || term.second < 0 || term.first.empty())
      return;
    only = &term;
  }
  for (const Dim::Factor &factor : only ? only->first : Dim::Monomial()) {
    if (!factor.quotient)
      existing.insert(factor.name);
    else
      addExisting(factor.quotient->dividend - Dim(factor.quotient->divisor - 1), existing);
  }
}

/// Returns the dimensions that are at least 1 if the indices in the expressions have values: an index of extent n has a
/// value only if n is at least 1.
static std::set<std::string> existingDimensions(Builder &build, const std::vector<ExprRef> &expressions) {
  std::set<std::string> existing;
  for (ExprRef expr : expressions)
    for (unsigned number : build.freeOf(expr).indices)
      addExisting(build.indexAt(number)->extent, existing);
  return existing;
}

Verdict RangeProofs::decide(const Obligation &obligation, const HasExtent &hasExtent) {
  ExprRef subscript = obligation.subscript->as<Subscript>()->indices[obligation.position];
  LinearForms forms(bounds, hasExtent);
  Linear index = forms.of(subscript);
  size_t unguardedFacts = forms.getFacts().size();
  std::vector<ExprRef> evaluated = {subscript}; // where the tensor is read
  for (const Guard &guard : obligation.guards) {
    forms.addGuard(guard);
    evaluated.push_back(guard.first);
  }
  auto decideSide = [&](const Linear &goal) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      bool guarded = attempt & 1, positive = attempt & 2;
      size_t factCount = guarded ? forms.getFacts().size() : unguardedFacts;
      auto holds = [&] { return RangeProof(forms, bounds, factCount, positive).prove(goal); };
      if (!holds())
        continue;
      if (positive)
        bounds.raiseMinima(existingDimensions(build, evaluated), holds);
      return attempt == 0 ? Side::Proved : Side::Clamped;
    }
    return forms.dependsOnData(goal) ? Side::Runtime : Side::Failed;
  };
  return {decideSide(index), decideSide(Linear::number(obligation.extent - Dim(1)) - index)};
}

void RangeProofs::decide(size_t mark, const HasExtent &hasExtent,
                         const std::function<void(const Obligation &, const Verdict &)> &failed) {
  std::vector<Obligation> open; // obligations with an index whose extent is not yet known
  for (size_t i = mark; i < obligations.size(); ++i) {
    const Obligation &obligation = obligations[i];
    const Free &free = build.freeOf(obligation.subscript->as<Subscript>()->indices[obligation.position]);
    if (!std::all_of(free.indices.begin(), free.indices.end(),
                     [&](unsigned index) { return hasExtent(build.indexAt(index)); })) {
      open.push_back(obligation);
      continue;
    }
    Verdict verdict = decide(obligation, hasExtent);
    verdicts[{obligation.subscript, obligation.position}] = verdict;
    if (verdict.lower == Side::Failed || verdict.upper == Side::Failed)
      failed(obligation, verdict);
  }
  obligations.resize(mark, Obligation());
  obligations.insert(obligations.end(), open.begin(), open.end());
}

Verdict RangeProofs::verdictOf(ExprRef subscript, unsigned position) const {
  auto found = verdicts.find({subscript, position});
  return found == verdicts.end() ? Verdict() : found->second;
}

} // namespace attnc::check
