// The reverse-mode rule of a load with invertible subscripts, as a gather: each element sums over the iterations that
// may read it.
//
//   y[i] = sum_k x[i + k] * w[k]          dx[e] = sum_k (if 0 <= e - k < n then dy[e - k] else 0) * w[k]
//
// If the subscript has a stride, elements of each residue class are read by different iterations (Residues.h).
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Derive/GenericReverse.h"
#include "compiler/Derive/Residues.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

/// Emits a map or a reduction over the iterations that may read an element.
class GenericReverse::Gather {
public:
  /// For all elements, or for those of these residues.
  Gather(GenericReverse &reverse, tensor::ExtractOp load, const InverseRead &inverse, ArrayRef<Residue> residues = {})
      : reverse(reverse), load(load), inverse(inverse), residues(residues), at(reverse.at) {}
  FailureOr<Value> run();

private:
  std::optional<AffineMap> mapOver(AffineMap map);
  bool dependsOnResidue(AffineMap map);
  OpFoldResult sizeOf(unsigned loop);
  void chooseOperands();
  Value emptyLikeElements();
  Value solvedIndex(OpBuilder &inner, unsigned loop, const InverseRead::Solution &solution);
  void findIndices(OpBuilder &inner);
  Value loadAt(OpBuilder &inner, unsigned number);
  bool isConditional(Value value);
  Value selectRead(const Reader &reader, Value term);
  Value term(const Reader &reader, Value element);

  GenericReverse &reverse;
  tensor::ExtractOp load;
  const InverseRead &inverse;
  ArrayRef<Residue> residues;
  Location at;
  SmallVector<Value> operands; ///< of the gradient op; the first is the element itself, unless residues are given
  SmallVector<AffineMap> maps;
  llvm::DenseMap<unsigned, unsigned> operandOf; ///< by number in GenericReverse::tensors
  llvm::DenseMap<unsigned, Value> sizes;        ///< extents of solved loops whose index may be out of range
  SmallVector<Value> indices;        ///< in the body: subscripts of the element, then indices of the forward's loops
  llvm::DenseSet<Value> conditional; ///< values that are valid only if an iteration reads the element
  Value isRead;                      ///< null if every iteration of the free loops reads the element
  bool isZero = false, hasFailed = false;
};

/// A map of the forward's loops in terms of the element's subscripts and the free loops; null if it needs a solved
/// loop.
std::optional<AffineMap> GenericReverse::Gather::mapOver(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr each : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(each).getPosition();
    const auto *position = llvm::find(inverse.remaining, loop);
    const auto &solution = inverse.solutions[loop];
    std::optional<unsigned> subscript = solution ? solution->element : std::nullopt;
    if (!subscript && position == inverse.remaining.end())
      return std::nullopt;
    unsigned dim = subscript ? *subscript : inverse.rank + (position - inverse.remaining.begin());
    results.push_back(getAffineDimExpr(dim, load.getContext()));
  }
  return AffineMap::get(inverse.rank + inverse.remaining.size(), 0, results, load.getContext());
}

/// Whether a map of mapOver() depends on a subscript or loop that is restricted to one residue.
bool GenericReverse::Gather::dependsOnResidue(AffineMap map) {
  return llvm::any_of(residues, [&](const Residue &each) {
    const auto *position = llvm::find(inverse.remaining, each.loop.value_or(inverse.solutions.size()));
    unsigned dim = inverse.rank + (position - inverse.remaining.begin());
    return map.isFunctionOfDim(each.dim) || (position != inverse.remaining.end() && map.isFunctionOfDim(dim));
  });
}

/// Iterations of a free loop.
OpFoldResult GenericReverse::Gather::sizeOf(unsigned loop) {
  for (const Residue &each : residues)
    if (each.loop == loop)
      return reverse.builder.getIndexAttr(each.iterations);
  return getAsOpFoldResult(reverse.loopSize(loop));
}

Value GenericReverse::Gather::emptyLikeElements() {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(reverse.builder, at, load.getTensor());
  for (const Residue &each : residues)
    sizes[each.dim] = reverse.builder.getIndexAttr(each.elements);
  return tensor::EmptyOp::create(reverse.builder, at, sizes, reverse.builder.getF32Type());
}

void GenericReverse::Gather::chooseOperands() {
  MLIRContext *context = load.getContext();
  unsigned loops = inverse.rank + inverse.remaining.size();
  AffineMap elementMap = AffineMap::getMultiDimIdentityMap(loops, context).getMajorSubMap(inverse.rank);
  if (residues.empty()) {
    operands.push_back(load.getTensor());
    maps.push_back(elementMap);
  }
  llvm::SmallBitVector found(loops);
  for (auto [number, tensor] : llvm::enumerate(reverse.tensors))
    if (auto map = mapOver(reverse.tensorMaps[number]); map && !dependsOnResidue(*map)) {
      operandOf[number] = operands.size();
      operands.push_back(tensor);
      maps.push_back(*map);
      for (AffineExpr each : map->getResults())
        found.set(cast<AffineDimExpr>(each).getPosition());
    }
  // An empty tensor gives the extent of a loop that no operand has.
  for (auto [position, loop] : llvm::enumerate(inverse.remaining)) {
    if (found.test(inverse.rank + position))
      continue;
    OpFoldResult size = sizeOf(loop);
    operands.push_back(tensor::EmptyOp::create(reverse.builder, at, ArrayRef(size), reverse.builder.getF32Type()));
    maps.push_back(AffineMap::get(loops, 0, getAffineDimExpr(inverse.rank + position, context)));
  }
  maps.push_back(elementMap);
}

/// The index of a solved loop, clamped to its range if no iteration reads the element; adds the condition to `isRead`.
Value GenericReverse::Gather::solvedIndex(OpBuilder &inner, unsigned loop, const InverseRead::Solution &solution) {
  Value numerator = writeSubscript(inner, at, solution.numerator, indices, inverse.symbols), index = numerator;
  auto require = [&](Value condition) {
    isRead = isRead ? arith::AndIOp::create(inner, at, isRead, condition).getResult() : condition;
  };
  if (solution.divisor != 1) {
    Value divisor = arith::ConstantIndexOp::create(inner, at, solution.divisor);
    index = arith::FloorDivSIOp::create(inner, at, numerator, divisor);
    Value product = arith::MulIOp::create(inner, at, index, divisor);
    require(arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, product, numerator));
  }
  if (solution.isInRange)
    return index;
  Value zero = arith::ConstantIndexOp::create(inner, at, 0), one = arith::ConstantIndexOp::create(inner, at, 1);
  Value last = arith::SubIOp::create(inner, at, sizes[loop], one);
  require(arith::CmpIOp::create(inner, at, arith::CmpIPredicate::sge, index, zero));
  require(arith::CmpIOp::create(inner, at, arith::CmpIPredicate::sle, index, last));
  return arith::MaxSIOp::create(inner, at, arith::MinSIOp::create(inner, at, index, last), zero);
}

void GenericReverse::Gather::findIndices(OpBuilder &inner) {
  for (unsigned dim = 0; dim < inverse.rank; ++dim)
    indices.push_back(linalg::IndexOp::create(inner, at, dim));
  indices.resize(inverse.rank + inverse.solutions.size());
  for (auto [position, loop] : llvm::enumerate(inverse.remaining))
    indices[inverse.rank + loop] = linalg::IndexOp::create(inner, at, inverse.rank + position);
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions)) {
    if (!solution)
      continue;
    Value &index = indices[inverse.rank + loop];
    index = solvedIndex(inner, loop, *solution);
    if (!solution->element)
      conditional.insert(index);
  }
  // Solutions are in terms of the numbers of elements and iterations within a residue class.
  auto setIndex = [&](Value &index, const Residue &residue, int64_t first) {
    Value stride = arith::ConstantIndexOp::create(inner, at, residue.stride);
    index = arith::AddIOp::create(inner, at, arith::MulIOp::create(inner, at, index, stride),
                                  arith::ConstantIndexOp::create(inner, at, first));
  };
  for (const Residue &each : residues) {
    setIndex(indices[each.dim], each, each.elementResidue);
    if (each.loop)
      setIndex(indices[inverse.rank + *each.loop], each, each.loopResidue);
  }
}

/// Loads an element of a tensor at solved loops, or within a residue class.
Value GenericReverse::Gather::loadAt(OpBuilder &inner, unsigned number) {
  SmallVector<Value> subscripts;
  AffineMap map = reverse.tensorMaps[number];
  for (AffineExpr each : map.getResults())
    subscripts.push_back(indices[inverse.rank + cast<AffineDimExpr>(each).getPosition()]);
  Value loaded = tensor::ExtractOp::create(inner, at, reverse.tensors[number], subscripts);
  if (!mapOver(map))
    conditional.insert(loaded);
  return loaded;
}

bool GenericReverse::Gather::isConditional(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next) {
    if (conditional.contains(seen[next]))
      return true;
    if (Operation *defining = seen[next].getDefiningOp(); defining && defining->getBlock() == value.getParentBlock())
      seen.insert(defining->operand_begin(), defining->operand_end());
  }
  return false;
}

/// Whether the condition is constant true, or a conjunction of such.
static bool isTrue(Value condition) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  return both ? isTrue(both.getLhs()) && isTrue(both.getRhs()) : matchPattern(condition, m_One());
}

/// The term if an iteration reads the element, else 0. If only one factor of a product depends on the iteration, only
/// that factor is selected, so that sums of such products are contractions. If the forward guards the other factor as
/// well, which may be infinite, the whole product is selected.
Value GenericReverse::Gather::selectRead(const Reader &reader, Value term) {
  if (!inverse.isGuardedAlone)
    return reader.make<arith::SelectOp>(isRead, term, reader.number(0));
  if (auto choice = term.getDefiningOp<arith::SelectOp>(); choice && isTrue(choice.getCondition()))
    return selectRead(reader, choice.getTrueValue());
  if (auto product = term.getDefiningOp<arith::MulFOp>()) {
    bool left = isConditional(product.getLhs()), right = isConditional(product.getRhs());
    if (left != right) {
      Value factor = selectRead(reader, left ? product.getLhs() : product.getRhs());
      return reader.make<arith::MulFOp>(factor, left ? product.getRhs() : product.getLhs());
    }
  }
  return reader.make<arith::SelectOp>(isRead, term, reader.number(0));
}

/// The contribution of an iteration to the element's gradient.
Value GenericReverse::Gather::term(const Reader &reader, Value element) {
  IRMapping copies;
  copies.map(load.getResult(), element);
  for (Value comparison : inverse.impliedComparisons)
    copies.map(comparison, arith::ConstantOp::create(reader.builder, at, reader.builder.getBoolAttr(true)).getResult());
  auto cotangents = reverse.reverseBody(reader, copies);
  hasFailed = failed(cotangents);
  Value term = hasFailed ? Value() : cotangents->lookup(element);
  isZero = !term;
  if (isZero)
    return reader.number(0);
  return isRead ? selectRead(reader, term) : term;
}

FailureOr<Value> GenericReverse::Gather::run() {
  OpBuilder &builder = reverse.builder;
  chooseOperands();
  for (auto [loop, solution] : llvm::enumerate(inverse.solutions))
    if (solution && !solution->isInRange)
      sizes[loop] = reverse.loopSize(loop);
  bool isReduction = !inverse.remaining.empty();
  Value start = emptyLikeElements();
  if (isReduction) {
    Value zero = arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(0));
    start = linalg::FillOp::create(builder, at, zero, start).getResult(0);
  }
  SmallVector<utils::IteratorType> loops(inverse.rank, utils::IteratorType::parallel);
  loops.append(inverse.remaining.size(), utils::IteratorType::reduction);
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    findIndices(inner);
    Reader reader{inner, at,
                  [&](unsigned number) {
                    auto operand = operandOf.find(number);
                    return operand == operandOf.end() ? loadAt(inner, number) : v[operand->second];
                  },
                  [&](unsigned loop) { return indices[inverse.rank + loop]; }};
    Value element = v.front();
    if (!residues.empty())
      element = tensor::ExtractOp::create(inner, at, load.getTensor(), ArrayRef(indices).take_front(inverse.rank));
    Value each = term(reader, element);
    linalg::YieldOp::create(inner, at, isReduction ? reader.make<arith::AddFOp>(v.back(), each) : each);
  };
  auto gradient = linalg::GenericOp::create(builder, at, start.getType(), operands, start, maps, loops, body);
  if (!hasFailed && !isZero)
    return gradient.getResult(0);
  gradient.erase();
  return hasFailed ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
}

FailureOr<Value> GenericReverse::gatherGradient(tensor::ExtractOp load, const InverseRead &inverse) {
  auto sizeOf = [&](unsigned loop) {
    auto dimension = dimensionOf(loop);
    return dimension ? cast<RankedTensorType>(dimension->first.getType()).getDimSize(dimension->second)
                     : ShapedType::kDynamic;
  };
  auto type = cast<RankedTensorType>(load.getTensor().getType());
  std::vector<ResidueClass> classes = residueClasses(inverse, type, sizeOf);
  if (classes.empty())
    return Gather(*this, load, inverse).run();
  for (ResidueClass &each : classes) {
    if (!each.isRead)
      continue;
    FailureOr<Value> gradient = Gather(*this, load, each.inverse, each.residues).run();
    if (failed(gradient) || !*gradient)
      return gradient;
    each.gradient = *gradient;
  }
  return interleave(builder, at, load.getTensor(), classes);
}

} // namespace attnc
