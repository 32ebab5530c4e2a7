#include "compiler/Derive/InverseRead.h"
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Derive/IndexFacts.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {
namespace {

/// Largest ratio of iterations visited by the inverse to iterations of the loop: a stride of 2 in three dimensions.
constexpr int64_t maxVisitRatio = 8;

class Inverter {
public:
  Inverter(linalg::GenericOp op, tensor::ExtractOp load, SymbolicShapes &shapes)
      : op(op), load(load), shapes(shapes), rank(load.getIndices().size()), loops(op.getNumLoops()),
        indices(LoopIndices::around(load)) {}
  std::optional<InverseRead> run();

private:
  /// A subscript of the load under its guard: expr / divisor, without remainder.
  struct Subscript {
    AffineExpr expr;
    int64_t divisor = 1;
  };
  /// The guard implies that `divisor` divides `expr`; `comparison` is the condition.
  struct Divisible {
    AffineExpr expr;
    int64_t divisor;
    Value comparison;
  };

  AffineExpr read(Value index);
  AffineExpr symbolOf(const SizeExpr &size, Value value);
  AffineExpr element(unsigned dim) { return getAffineDimExpr(dim, op.getContext()); }
  AffineExpr loopIndex(unsigned loop) { return getAffineDimExpr(rank + loop, op.getContext()); }
  bool readExtents();
  bool readSubscripts(bool nested);
  AffineExpr affineOf(const SizeExpr &size);
  void addSizes(IndexFacts &facts);
  IndexFacts loopFacts();
  std::optional<Subscript> readSubscript(Value subscript, const IndexFacts &guard);
  std::optional<Subscript> readQuotient(arith::FloorDivSIOp quotient);
  /// A condition, and whether it is true or false.
  struct Guard {
    Value condition;
    bool holds = true;
    bool operator==(const Guard &) const = default;
  };
  /// See selectionOf(). Several selections have one guard and no `op`. `isOfValue` is false if a value is selected that
  /// is computed from the given one.
  struct Selection {
    std::optional<Guard> guard;
    arith::SelectOp op;
    bool isOfValue = true;
  };
  Selection selectionOf(Value value);
  SmallVector<Guard> loadGuards(bool nested);
  void addComparison(arith::CmpIOp comparison, bool holds, IndexFacts &facts);
  void addUnequal(arith::CmpIOp comparison, bool holds, IndexFacts &facts);
  void addGuards(IndexFacts &facts, bool nested);
  SmallVector<AffineExpr> differences(arith::CmpIOp comparison, bool holds = true);
  /// The loops in an expression.
  struct Mentioned {
    SmallVector<int64_t> factors;   ///< the coefficient of each loop outside of quotients
    llvm::SmallBitVector quotients; ///< the loops in quotients, for which nothing can be solved
    bool contains(unsigned loop) const { return factors[loop] != 0 || quotients.test(loop); }
  };
  std::optional<Mentioned> loopsIn(AffineExpr expr);
  std::optional<unsigned> chooseLoop(const Mentioned &mentioned);
  bool solveDigits(unsigned dim);
  bool solve(unsigned dim);
  AffineExpr sizeOf(unsigned dim);
  bool visitsTooMany();
  bool findRanges();
  void addRange(unsigned dim, IndexFacts &facts);
  void findComparisons();

  linalg::GenericOp op;
  tensor::ExtractOp load;
  SymbolicShapes &shapes;
  unsigned rank, loops;
  LoopIndices indices;
  SmallVector<SizeExpr> sizes;     ///< values of symbols
  SmallVector<AffineExpr> extents; ///< extents of loops
  SmallVector<Subscript> subscripts;
  SmallVector<Divisible> divisible;
  llvm::SmallBitVector inSolution; ///< loops that appear in a solution
  llvm::SmallBitVector digits;     ///< loops that are solved by solveDigits
  InverseRead result;
};

} // namespace

//===-------------------------------------------- reading -----------------------------------------------------===//

AffineExpr Inverter::symbolOf(const SizeExpr &size, Value value) {
  if (size.isConstant())
    return getAffineConstantExpr(size.constant(), op.getContext());
  unsigned number = llvm::find(sizes, size) - sizes.begin();
  if (number == sizes.size()) {
    sizes.push_back(size);
    result.symbols.push_back(value);
  }
  if (!result.symbols[number])
    result.symbols[number] = value;
  return getAffineSymbolExpr(number, op.getContext());
}

/// An index of the body in terms of the loops; null if it depends on other values of the body.
AffineExpr Inverter::read(Value index) {
  SubscriptReader reader(indices);
  AffineExpr expr = reader.read(index);
  SmallVector<AffineExpr> dims, symbols;
  for (unsigned loop = 0; loop < loops; ++loop)
    dims.push_back(loopIndex(loop));
  for (Value symbol : reader.symbols()) {
    if (op->isAncestor(symbol.getParentRegion()->getParentOp()))
      return {};
    symbols.push_back(symbolOf(shapes.size(symbol), symbol));
  }
  return expr.replaceDimsAndSymbols(dims, symbols);
}

/// Reads the extents of loops; false if no operand has one.
bool Inverter::readExtents() {
  extents.resize(loops);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto plain = dyn_cast<AffineDimExpr>(expr); plain && !extents[plain.getPosition()])
        extents[plain.getPosition()] = symbolOf(shapes.extent(operand.get(), dim), {});
  return llvm::all_of(extents, [](AffineExpr extent) { return bool(extent); });
}

/// Expressions that are >= 0 exactly if a comparison of indices holds; empty if it is not affine or of another kind.
SmallVector<AffineExpr> Inverter::differences(arith::CmpIOp comparison, bool holds) {
  if (!comparison.getLhs().getType().isIndex())
    return {};
  AffineExpr left = read(comparison.getLhs()), right = read(comparison.getRhs());
  if (!left || !right)
    return {};
  arith::CmpIPredicate predicate = comparison.getPredicate();
  switch (holds ? predicate : arith::invertPredicate(predicate)) {
  case arith::CmpIPredicate::sge:
    return {left - right};
  case arith::CmpIPredicate::sgt:
    return {left - right - 1};
  case arith::CmpIPredicate::sle:
    return {right - left};
  case arith::CmpIPredicate::slt:
    return {right - left - 1};
  case arith::CmpIPredicate::eq:
    return {left - right, right - left};
  default:
    return {};
  }
}

/// The selection through which all uses of `value` pass, or the common condition of several.
Inverter::Selection Inverter::selectionOf(Value value) {
  Selection found;
  llvm::SetVector<Value> computed;
  computed.insert(value);
  for (size_t next = 0; next < computed.size(); ++next)
    for (OpOperand &use : computed[next].getUses()) {
      Operation *user = use.getOwner();
      auto choice = dyn_cast<arith::SelectOp>(user);
      bool isChosen = choice && use.getOperandNumber() > 0 && choice.getTrueValue() != choice.getFalseValue() &&
                      choice.getCondition() != computed[next];
      if (!isChosen && user->getNumResults() == 1 && isPure(user)) {
        computed.insert(user->getResult(0));
        continue;
      }
      if (!isChosen)
        return {};
      Guard guard{choice.getCondition(), use.getOperandNumber() == 1};
      if (found.guard && *found.guard != guard)
        return {};
      found.op = found.guard ? arith::SelectOp() : choice;
      found.guard = guard;
      found.isOfValue &= next == 0;
    }
  return found;
}

/// The condition under which the load is used. With `nested`, also those of the selections around its selection, such
/// as `i >= 2` in `if i >= 2 then (if wanted[i] then x[i - 2] else 0) else 0`.
SmallVector<Inverter::Guard> Inverter::loadGuards(bool nested) {
  SmallVector<Guard> guards;
  Selection selection = selectionOf(load.getResult());
  result.isGuardedAlone = selection.isOfValue;
  if (selection.guard)
    guards.push_back(*selection.guard);
  while (nested && selection.op) {
    result.isGuardedAlone = false;
    selection = selectionOf(selection.op.getResult());
    if (selection.guard)
      guards.push_back(*selection.guard);
  }
  return guards;
}

void Inverter::addComparison(arith::CmpIOp comparison, bool holds, IndexFacts &facts) {
  SmallVector<AffineExpr> parts = differences(comparison, holds);
  if (parts.empty())
    return addUnequal(comparison, holds, facts);
  for (AffineExpr part : parts)
    facts.addNonNegative(part);
  // expr mod divisor = 0
  auto remainder = holds && parts.size() == 2 ? dyn_cast<AffineBinaryOpExpr>(parts[0]) : AffineBinaryOpExpr(nullptr);
  auto divisor = remainder ? dyn_cast<AffineConstantExpr>(remainder.getRHS()) : AffineConstantExpr(nullptr);
  if (divisor && remainder.getKind() == AffineExprKind::Mod)
    divisible.push_back({remainder.getLHS(), divisor.getValue(), comparison});
}

/// An index that differs from its least or greatest value is above or below it.
void Inverter::addUnequal(arith::CmpIOp comparison, bool holds, IndexFacts &facts) {
  for (AffineExpr part : differences(comparison, !holds)) // of equal indices: both expressions are >= 0
    if (facts.isNonNegative(part)) {
      facts.addNonNegative(part - 1);
      return;
    }
}

/// Adds the conditions under which the load is used.
void Inverter::addGuards(IndexFacts &facts, bool nested) {
  SmallVector<Guard> parts = loadGuards(nested);
  while (!parts.empty()) {
    auto [condition, holds] = parts.pop_back_val();
    Operation *part = condition.getDefiningOp();
    if (holds ? isa_and_present<arith::AndIOp>(part) : isa_and_present<arith::OrIOp>(part))
      for (Value operand : part->getOperands())
        parts.push_back({operand, holds});
    else if (auto comparison = dyn_cast_if_present<arith::CmpIOp>(part))
      addComparison(comparison, holds, facts);
  }
}

/// A size as an expression of symbols and quotients; null if it has products of them, or another operation.
AffineExpr Inverter::affineOf(const SizeExpr &size) {
  std::optional<std::vector<SizeExpr::Product>> products = size.products(/*quotients=*/true);
  AffineExpr sum = getAffineConstantExpr(0, op.getContext());
  for (const SizeExpr::Product &each : products.value_or(std::vector<SizeExpr::Product>())) {
    if (each.symbols.size() + each.quotients.size() > 1)
      return {};
    AffineExpr factor = getAffineConstantExpr(1, op.getContext());
    if (!each.symbols.empty())
      factor = symbolOf(SizeExpr::symbol(each.symbols[0]), {});
    for (const auto &[dividend, divisor] : each.quotients) {
      AffineExpr inner = affineOf(dividend);
      if (!inner)
        return {};
      factor = inner.floorDiv(divisor);
    }
    sum = sum + factor * each.coefficient;
  }
  return products ? sum : AffineExpr();
}

/// Adds the definitions of sizes in terms of others: 2*n + 1 in terms of n.
void Inverter::addSizes(IndexFacts &facts) {
  for (unsigned number = 0; number < sizes.size(); ++number)
    if (AffineExpr definition = affineOf(SizeExpr(sizes[number]))) {
      facts.addNonNegative(getAffineSymbolExpr(number, op.getContext()) - definition);
      facts.addNonNegative(definition - getAffineSymbolExpr(number, op.getContext()));
    }
}

IndexFacts Inverter::loopFacts() {
  IndexFacts facts(rank + loops);
  addSizes(facts);
  for (unsigned loop = 0; loop < loops; ++loop)
    facts.addInRange(loopIndex(loop), extents[loop]);
  return facts;
}

/// A quotient whose dividend is divisible under the guard.
std::optional<Inverter::Subscript> Inverter::readQuotient(arith::FloorDivSIOp quotient) {
  AffineExpr expr = read(quotient.getLhs()), divisor = read(quotient.getRhs());
  auto by = dyn_cast_if_present<AffineConstantExpr>(divisor);
  if (!expr || !by || by.getValue() <= 0)
    return std::nullopt;
  for (const Divisible &each : divisible) {
    AffineExpr apart = simplifyAffineExpr(expr - each.expr, rank + loops, sizes.size());
    auto constant = dyn_cast<AffineConstantExpr>(apart);
    if (each.divisor != by.getValue() || !constant || constant.getValue() % by.getValue() != 0)
      continue;
    result.impliedComparisons.push_back(each.comparison);
    return Subscript{expr, by.getValue()};
  }
  return std::nullopt;
}

/// Drops maxima and minima that do not change the subscript under the guard; null if one does, or if it is not affine.
std::optional<Inverter::Subscript> Inverter::readSubscript(Value subscript, const IndexFacts &guard) {
  Operation *defining = subscript.getDefiningOp();
  if (isa_and_present<arith::MaxSIOp, arith::MinSIOp>(defining)) {
    auto inner = readSubscript(defining->getOperand(0), guard);
    AffineExpr bound = read(defining->getOperand(1));
    if (!inner || !bound)
      return std::nullopt;
    // The largest expr with the quotient `bound` is bound * divisor + divisor - 1.
    AffineExpr above = inner->expr - bound * inner->divisor;
    bool isMax = isa<arith::MaxSIOp>(defining);
    return guard.isNonNegative(isMax ? above : inner->divisor - 1 - above) ? inner : std::nullopt;
  }
  if (auto quotient = dyn_cast_if_present<arith::FloorDivSIOp>(defining))
    return readQuotient(quotient);
  AffineExpr expr = read(subscript);
  return expr ? std::optional(Subscript{expr}) : std::nullopt;
}

/// Reads the subscripts under the guard of the load, or with `nested`, under all guards around it.
bool Inverter::readSubscripts(bool nested) {
  subscripts.clear();
  divisible.clear();
  result.impliedComparisons.clear();
  IndexFacts guard = loopFacts();
  addGuards(guard, nested);
  for (Value each : load.getIndices()) {
    auto subscript = readSubscript(each, guard);
    if (!subscript)
      return false;
    subscripts.push_back(*subscript);
  }
  return true;
}

//===-------------------------------------------- solving -----------------------------------------------------===//

/// Null for an expression with a remainder, or with a product of loops or sizes.
std::optional<Inverter::Mentioned> Inverter::loopsIn(AffineExpr expr) {
  Mentioned mentioned{{}, llvm::SmallBitVector(loops)};
  bool hasRemainder = false;
  expr.walk([&](AffineExpr part) {
    hasRemainder |= part.getKind() == AffineExprKind::Mod;
    for (unsigned loop = 0; part.getKind() == AffineExprKind::FloorDiv && loop < loops; ++loop)
      if (part.isFunctionOfDim(rank + loop))
        mentioned.quotients.set(loop);
  });
  SmallVector<int64_t> row; // of dimensions, sizes and quotients
  if (hasRemainder || failed(getFlattenedAffineExpr(expr, rank + loops, sizes.size(), &row)))
    return std::nullopt;
  mentioned.factors.assign(row.begin() + rank, row.begin() + rank + loops);
  return mentioned;
}

/// The loop with the most iterations, so that free loops are short; among equal ones that with the smaller coefficient.
std::optional<unsigned> Inverter::chooseLoop(const Mentioned &mentioned) {
  ArrayRef<int64_t> factors = mentioned.factors;
  std::optional<unsigned> best;
  auto rankOf = [&](unsigned loop) {
    auto constant = dyn_cast<AffineConstantExpr>(extents[loop]);
    return std::pair(constant ? constant.getValue() : std::numeric_limits<int64_t>::max(), -std::abs(factors[loop]));
  };
  for (unsigned loop = 0; loop < loops; ++loop)
    if (factors[loop] != 0 && !mentioned.quotients.test(loop) && !result.solutions[loop] && !inSolution.test(loop) &&
        (!best || rankOf(loop) > rankOf(*best)))
      best = loop;
  return best;
}

/// Solves a subscript whose loops are the digits of a number, such as 64*i + 16*j + k for j < 4 and k < 16: then k is
/// e mod 16, j is (e floordiv 16) mod 4, and i is e floordiv 64.
bool Inverter::solveDigits(unsigned dim) {
  auto mentioned = loopsIn(subscripts[dim].expr);
  if (!mentioned || mentioned->quotients.any() || subscripts[dim].divisor != 1)
    return false;
  SmallVector<std::pair<int64_t, unsigned>> places; // by factor
  for (unsigned loop = 0; loop < loops; ++loop)
    if (mentioned->factors[loop] != 0)
      places.push_back({mentioned->factors[loop], loop});
  llvm::sort(places);
  int64_t expected = 1;
  for (auto [number, place] : llvm::enumerate(places)) {
    auto [factor, loop] = place;
    auto extent = dyn_cast<AffineConstantExpr>(extents[loop]);
    bool isLast = number + 1 == places.size();
    if (factor != expected || result.solutions[loop] || inSolution.test(loop) || (!extent && !isLast) ||
        llvm::MulOverflow(factor, extent ? extent.getValue() : 1, expected))
      return false;
  }
  if (places.size() < 2)
    return false;
  AffineExpr position = element(dim) - subscripts[dim].expr;
  for (auto [factor, loop] : places)
    position = position + loopIndex(loop) * factor;
  position = simplifyAffineExpr(position, rank + loops, sizes.size());
  AffineExpr above;
  for (auto [factor, loop] : llvm::reverse(places)) {
    AffineExpr digit = position.floorDiv(factor);
    AffineExpr index = above ? digit - above * extents[loop] : digit;
    result.solutions[loop] = {dim, index, /*divisor=*/1, /*isInRange=*/false, /*element=*/std::nullopt};
    digits.set(loop);
    above = digit;
  }
  return true;
}

/// Solves element subscript = load subscript for a loop. If the dimension has one element, which all iterations read,
/// there is nothing to solve.
bool Inverter::solve(unsigned dim) {
  bool isOne = cast<RankedTensorType>(load.getTensor().getType()).getDimSize(dim) == 1;
  if (isOne && loopFacts().isInRange(subscripts[dim].expr, getAffineConstantExpr(1, op.getContext())))
    return true;
  SmallVector<AffineExpr> known;
  for (unsigned each = 0; each < rank; ++each)
    known.push_back(element(each));
  for (unsigned loop = 0; loop < loops; ++loop) {
    bool isKnown = result.solutions[loop] && result.solutions[loop]->divisor == 1;
    known.push_back(isKnown ? result.solutions[loop]->numerator : loopIndex(loop));
  }
  AffineExpr zero = (element(dim) * subscripts[dim].divisor - subscripts[dim].expr).replaceDims(known);
  auto mentioned = loopsIn(zero);
  auto loop = mentioned ? chooseLoop(*mentioned) : std::nullopt;
  if (!loop)
    return false;
  // zero = numerator' + factor * loop
  int64_t factor = mentioned->factors[*loop];
  if (mentioned->quotients.any() && std::abs(factor) != 1)
    return false;
  AffineExpr numerator = factor > 0 ? loopIndex(*loop) * factor - zero : zero - loopIndex(*loop) * factor;
  numerator = simplifyAffineExpr(numerator, rank + loops, sizes.size());
  for (unsigned other = 0; other < loops; ++other) {
    bool isMentioned = other != *loop && mentioned->contains(other);
    if (isMentioned && result.solutions[other]) // solved with a divisor
      return false;
    if (isMentioned)
      inSolution.set(other);
  }
  result.solutions[*loop] = {dim, numerator, std::abs(factor), /*isInRange=*/false, /*element=*/std::nullopt};
  return true;
}

AffineExpr Inverter::sizeOf(unsigned dim) { return symbolOf(shapes.extent(load.getTensor(), dim), {}); }

/// Whether the inverse visits far more iterations than there are, for elements that no iteration reads.
bool Inverter::visitsTooMany() {
  double visits = 1;
  for (unsigned loop = 0; loop < loops; ++loop) {
    const auto &solution = result.solutions[loop];
    if (!solution || digits.test(loop) || sizeOf(solution->dim) == extents[loop])
      continue;
    auto size = dyn_cast<AffineConstantExpr>(sizeOf(solution->dim)),
         extent = dyn_cast<AffineConstantExpr>(extents[loop]);
    if (!size && extent) // a dynamic number of elements, of which the loop reads some
      return true;
    visits *= size && extent ? double(size.getValue()) / std::max<int64_t>(extent.getValue(), 1) : solution->divisor;
  }
  return visits > maxVisitRatio;
}

/// Computes the range of each solution over all elements; false if a loop may be empty although there are elements, as
/// tensors of its extent then have no elements to read.
bool Inverter::findRanges() {
  IndexFacts facts(rank + loops);
  for (unsigned dim = 0; dim < rank; ++dim)
    facts.addInRange(element(dim), sizeOf(dim));
  addSizes(facts);
  for (unsigned loop : result.remaining)
    facts.addInRange(loopIndex(loop), extents[loop]);
  for (unsigned loop = 0; loop < loops; ++loop) {
    auto &solution = result.solutions[loop];
    if (!solution)
      continue;
    solution->isInRange = facts.isInRange(solution->numerator, (extents[loop] - 1) * solution->divisor + 1);
    auto subscript = dyn_cast<AffineDimExpr>(solution->numerator);
    if (subscript && solution->divisor == 1 && subscript.getPosition() < rank &&
        extents[loop] == sizeOf(subscript.getPosition()))
      solution->element = subscript.getPosition();
    if (!facts.isNonNegative(extents[loop] - 1))
      return false;
  }
  return true;
}

/// Adds that a subscript of the load is in range.
void Inverter::addRange(unsigned dim, IndexFacts &facts) {
  facts.addInRange(subscripts[dim].expr, (sizeOf(dim) - 1) * subscripts[dim].divisor + 1);
}

void Inverter::findComparisons() {
  IndexFacts facts = loopFacts();
  for (unsigned dim = 0; dim < rank; ++dim)
    addRange(dim, facts);
  op.getBody()->walk([&](arith::CmpIOp comparison) {
    SmallVector<AffineExpr> expressions = differences(comparison);
    if (!expressions.empty() && llvm::all_of(expressions, [&](AffineExpr each) { return facts.isNonNegative(each); }))
      result.impliedComparisons.push_back(comparison);
  });
}

std::optional<InverseRead> Inverter::run() {
  // Nested guards are the second choice: if the load is guarded alone, its gradient may be a contraction.
  if (!readExtents() || (!readSubscripts(/*nested=*/false) && !readSubscripts(/*nested=*/true)))
    return std::nullopt;
  result.rank = rank;
  result.solutions.resize(loops);
  inSolution.resize(loops);
  digits.resize(loops);
  // Subscripts of a single loop are solved first.
  SmallVector<std::pair<int64_t, unsigned>> order;
  for (unsigned dim = 0; dim < rank; ++dim) {
    auto mentioned = loopsIn(subscripts[dim].expr);
    if (!mentioned)
      return std::nullopt;
    int64_t count = 0;
    for (unsigned loop = 0; loop < loops; ++loop)
      count += mentioned->contains(loop);
    order.push_back({count, dim});
  }
  llvm::sort(order);
  for (auto [count, dim] : order)
    if (!solveDigits(dim) && !solve(dim))
      return std::nullopt;
  if (visitsTooMany())
    return std::nullopt;
  for (bool isInWindow : {true, false})
    for (unsigned loop = 0; loop < loops; ++loop)
      if (!result.solutions[loop] && inSolution.test(loop) == isInWindow)
        result.remaining.push_back(loop);
  if (!findRanges())
    return std::nullopt;
  findComparisons();
  return result;
}

std::optional<InverseRead> InverseRead::compute(linalg::GenericOp op, tensor::ExtractOp load, SymbolicShapes &shapes) {
  return Inverter(op, load, shapes).run();
}

} // namespace attnc
