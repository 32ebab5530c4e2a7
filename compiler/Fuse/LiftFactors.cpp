#include "compiler/Fuse/LiftFactors.h"
#include "compiler/Analysis/Fold.h"
#include "compiler/Analysis/OpClassification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {
namespace {

/// Factors of a term that are multiplied into one tensor, and the loops that they depend on.
struct FactorGroup {
  SmallVector<Value> factors;
  llvm::SmallBitVector loops;
};

class FactorLifter {
public:
  explicit FactorLifter(linalg::GenericOp op) : op(op), builder(op) {}
  /// Returns the two sides of an equivalent contraction; null if there is none, or if the op is a contraction already.
  std::optional<std::pair<FactorGroup, FactorGroup>> sides();
  void lift(const std::pair<FactorGroup, FactorGroup> &sides, SymbolicShapes &shapesOfFunction);

private:
  Value termOfSum();
  void collectFactors(Value value, SmallVectorImpl<Value> &factors);
  bool addLoops(Value value, llvm::SmallBitVector &loops);
  std::optional<std::pair<FactorGroup, FactorGroup>> grouped(ArrayRef<Value> factors);
  void collectArguments(Value value, llvm::SetVector<Value> &arguments);
  bool isProductOfMatrices(const FactorGroup &left, const FactorGroup &right);
  SizeExpr sizeOf(unsigned loop);
  OpFoldResult extentOf(unsigned loop);
  std::optional<AffineMap> plainRead(Value factor);
  std::optional<SmallVector<unsigned>> orderInMemory(const FactorGroup &group, const llvm::SmallBitVector &shared);
  std::pair<Value, AffineMap> operandFor(const FactorGroup &group, const FactorGroup &other);
  Value cloneInto(OpBuilder &body, Value value, IRMapping &mapping, ArrayRef<unsigned> loops);

  linalg::GenericOp op;
  SymbolicShapes *shapes = nullptr;
  OpBuilder builder;
};

} // namespace

/// Returns x if the body is `out + x`, otherwise null.
Value FactorLifter::termOfSum() {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0 || !startsFromZero(op, 0) ||
      !getElementTypeOrSelf(op.getResult(0).getType()).isF32())
    return {};
  auto sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value out = op.getRegionOutputArgs()[0];
  if (!sum || !out.hasOneUse() || (sum.getLhs() != out && sum.getRhs() != out))
    return {};
  return sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
}

void FactorLifter::collectFactors(Value value, SmallVectorImpl<Value> &factors) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != op.getBody() || !value.hasOneUse()) {
    factors.push_back(value);
    return;
  }
  collectFactors(product.getLhs(), factors);
  collectFactors(product.getRhs(), factors);
}

/// Adds the loops that a value of the body depends on. Returns false if the value depends on the running sum.
bool FactorLifter::addLoops(Value value, llvm::SmallBitVector &loops) {
  if (value.getParentBlock() != op.getBody())
    return value.getParentRegion()->isAncestor(op->getParentRegion());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return false;
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    return true;
  }
  Operation *maker = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    loops.set(index.getDim());
  return maker->getNumRegions() == 0 &&
         llvm::all_of(maker->getOperands(), [&](Value operand) { return addLoops(operand, loops); });
}

void FactorLifter::collectArguments(Value value, llvm::SetVector<Value> &arguments) {
  if (value.getParentBlock() != op.getBody())
    return;
  if (isa<BlockArgument>(value)) {
    arguments.insert(value);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collectArguments(operand, arguments);
}

/// Groups the factors by loops: a factor joins the first group that has all of its loops. Returns the groups if they
/// are two and form a matrix product.
std::optional<std::pair<FactorGroup, FactorGroup>> FactorLifter::grouped(ArrayRef<Value> factors) {
  SmallVector<FactorGroup> single;
  for (Value factor : factors) {
    llvm::SmallBitVector loops(op.getNumLoops());
    if (!addLoops(factor, loops))
      return std::nullopt;
    single.push_back({{factor}, loops});
  }
  SmallVector<FactorGroup> groups;
  SmallVector<FactorGroup *> order = llvm::map_to_vector(single, [](FactorGroup &each) { return &each; });
  llvm::sort(order, [](FactorGroup *a, FactorGroup *b) { // ties in the order of `single`
    return std::pair(b->loops.count(), a) < std::pair(a->loops.count(), b);
  });
  for (FactorGroup *each : order) {
    auto home = llvm::find_if(groups, [&](FactorGroup &group) { return !each->loops.test(group.loops); });
    if (home != groups.end())
      home->factors.append(each->factors);
    else
      groups.push_back(*each);
  }
  if (groups.size() != 2 || !isProductOfMatrices(groups[0], groups[1]))
    return std::nullopt;
  return std::pair(groups[0], groups[1]);
}

/// True if both groups depend on all reduction loops, and each on a loop of the result that the other lacks.
bool FactorLifter::isProductOfMatrices(const FactorGroup &left, const FactorGroup &right) {
  bool rows = false, columns = false;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inLeft = left.loops.test(loop), inRight = right.loops.test(loop);
    if (iterator == utils::IteratorType::reduction && !(inLeft && inRight))
      return false;
    rows |= inLeft && !inRight;
    columns |= inRight && !inLeft;
  }
  return rows && columns;
}

SizeExpr FactorLifter::sizeOf(unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto plain = dyn_cast<AffineDimExpr>(expr); plain && plain.getPosition() == loop)
        return shapes->extent(operand.get(), dim);
  llvm_unreachable("a loop that no operand has");
}

OpFoldResult FactorLifter::extentOf(unsigned loop) {
  SizeExpr size = sizeOf(loop);
  return size.isConstant() ? OpFoldResult(builder.getIndexAttr(size.constant()))
                           : OpFoldResult(shapes->materialise(builder, op.getLoc(), size));
}

/// Returns the indexing map of an element whose subscripts are loops over the whole tensor; otherwise null.
std::optional<AffineMap> FactorLifter::plainRead(Value factor) {
  auto load = factor.getDefiningOp<tensor::ExtractOp>();
  if (!load || load.getTensor().getParentBlock() == op.getBody())
    return std::nullopt;
  SmallVector<AffineExpr> read;
  for (auto [dim, subscript] : llvm::enumerate(load.getIndices())) {
    auto index = subscript.getDefiningOp<linalg::IndexOp>();
    if (!index || !(shapes->extent(load.getTensor(), dim) == sizeOf(index.getDim())))
      return std::nullopt;
    read.push_back(getAffineDimExpr(index.getDim(), op.getContext()));
  }
  AffineMap map = AffineMap::get(op.getNumLoops(), 0, read, op.getContext());
  return map.isProjectedPermutation() ? std::optional(map) : std::nullopt;
}

Value FactorLifter::cloneInto(OpBuilder &body, Value value, IRMapping &mapping, ArrayRef<unsigned> loops) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (value.getParentBlock() != op.getBody())
    return value;
  Operation *maker = value.getDefiningOp();
  Value made;
  if (auto index = dyn_cast<linalg::IndexOp>(maker)) {
    made = linalg::IndexOp::create(body, index.getLoc(), llvm::find(loops, index.getDim()) - loops.begin());
  } else {
    for (Value operand : maker->getOperands())
      mapping.map(operand, cloneInto(body, operand, mapping, loops));
    made = body.clone(*maker, mapping)->getResult(cast<OpResult>(value).getResultNumber());
  }
  mapping.map(value, made);
  return made;
}

/// Returns the group's loops in the memory order of its first factor, batch loops first. Null if a subscript is not a
/// single loop, or if rows and reduction loops alternate more than once.
std::optional<SmallVector<unsigned>> FactorLifter::orderInMemory(const FactorGroup &group,
                                                                 const llvm::SmallBitVector &shared) {
  auto load = group.factors[0].getDefiningOp<tensor::ExtractOp>();
  auto iterators = op.getIteratorTypesArray();
  auto isSum = [&](unsigned loop) { return iterators[loop] == utils::IteratorType::reduction; };
  SmallVector<unsigned> loops, inner;
  for (Value subscript : load ? load.getIndices() : ValueRange()) {
    llvm::SmallBitVector of(op.getNumLoops());
    if (subscript.getParentBlock() != op.getBody() || !addLoops(subscript, of) || of.count() != 1)
      return std::nullopt;
    unsigned loop = of.find_first();
    if (llvm::is_contained(loops, loop) || llvm::is_contained(inner, loop))
      return std::nullopt;
    (shared.test(loop) && !isSum(loop) ? loops : inner).push_back(loop);
  }
  unsigned changes = 0;
  for (size_t each = 1; each < inner.size(); ++each)
    changes += isSum(inner[each - 1]) != isSum(inner[each]);
  loops.append(inner);
  return loops.size() == group.loops.count() && changes <= 1 ? std::optional(loops) : std::nullopt;
}

/// Returns a tensor with the group's product, and the indexing map by which the contraction reads it. The right operand
/// keeps the memory order of its first factor where possible, which needs no transposition; the left one is ordered by
/// rows.
std::pair<Value, AffineMap> FactorLifter::operandFor(const FactorGroup &group, const FactorGroup &other) {
  MLIRContext *context = op.getContext();
  if (auto argument = dyn_cast<BlockArgument>(group.factors[0]); argument && group.factors.size() == 1) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (plainDims(op.getMatchingIndexingMap(&operand)))
      return {operand.get(), op.getMatchingIndexingMap(&operand)};
  }
  if (auto read = plainRead(group.factors[0]); read && group.factors.size() == 1)
    return {group.factors[0].getDefiningOp<tensor::ExtractOp>().getTensor(), *read};
  SmallVector<unsigned> loops(group.loops.set_bits());
  AffineExpr lastOfResult = op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults().back();
  auto hasLast = [&](unsigned loop) { return lastOfResult.isFunctionOfDim(loop); };
  bool isRight = llvm::any_of(loops, hasLast) && llvm::none_of(other.loops.set_bits(), hasLast);
  if (auto order = isRight ? orderInMemory(group, other.loops) : std::nullopt)
    loops = *order;
  SmallVector<AffineExpr> replacements(op.getNumLoops(), getAffineConstantExpr(0, context)), read;
  SmallVector<OpFoldResult> extents;
  for (auto [position, loop] : llvm::enumerate(loops)) {
    replacements[loop] = getAffineDimExpr(position, context);
    read.push_back(getAffineDimExpr(loop, context));
    extents.push_back(extentOf(loop));
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::SetVector<Value> arguments;
  for (Value factor : group.factors)
    collectArguments(factor, arguments);
  for (Value argument : arguments) {
    OpOperand &operand = op->getOpOperand(cast<BlockArgument>(argument).getArgNumber());
    inputs.push_back(operand.get());
    maps.push_back(op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(replacements, {}, loops.size(), 0));
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(loops.size(), context));
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), extents, builder.getF32Type());
  SmallVector<utils::IteratorType> iterators(loops.size(), utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      builder, op.getLoc(), empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &body, Location location, ValueRange elements) {
        IRMapping mapping;
        for (auto [argument, element] : llvm::zip(arguments, elements))
          mapping.map(argument, element);
        Value product;
        for (Value factor : group.factors) {
          Value value = cloneInto(body, factor, mapping, loops);
          product = product ? arith::MulFOp::create(body, location, product, value).getResult() : value;
        }
        linalg::YieldOp::create(body, location, product);
      });
  return {made.getResult(0), AffineMap::get(op.getNumLoops(), 0, read, context)};
}

std::optional<std::pair<FactorGroup, FactorGroup>> FactorLifter::sides() {
  Value term = termOfSum();
  if (!term || matchContraction(op))
    return std::nullopt;
  SmallVector<Value> factors;
  collectFactors(term, factors);
  return factors.size() < 2 ? std::nullopt : grouped(factors);
}

void FactorLifter::lift(const std::pair<FactorGroup, FactorGroup> &sides, SymbolicShapes &shapesOfFunction) {
  shapes = &shapesOfFunction;
  auto [left, leftMap] = operandFor(sides.first, sides.second);
  auto [right, rightMap] = operandFor(sides.second, sides.first);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto contraction = linalg::GenericOp::create(
      builder, op.getLoc(), op.getResultTypes(), ValueRange{left, right}, op.getDpsInits(),
      ArrayRef<AffineMap>{leftMap, rightMap, out}, op.getIteratorTypesArray(),
      [](OpBuilder &body, Location location, ValueRange elements) {
        Value product = arith::MulFOp::create(body, location, elements[0], elements[1]);
        linalg::YieldOp::create(body, location,
                                arith::AddFOp::create(body, location, elements[2], product).getResult());
      });
  op.replaceAllUsesWith(contraction.getResults());
  op.erase();
}

/// Returns the loops of a sum of products that have one iteration by their types. Two loops of the result remain, the
/// last one among them, as rows and columns of a matrix product.
static SmallVector<unsigned> unitLoopsOfSum(Operation *op) {
  auto sum = dyn_cast<linalg::GenericOp>(op);
  if (!sum || sum.getNumResults() != 1 || sum.getNumReductionLoops() == 0)
    return {};
  auto fold = matchFold(sum, 0);
  AffineMap result = sum.getMatchingIndexingMap(sum.getDpsInitOperand(0));
  if (!fold || fold->kind != attn::Combine::Add || !fold->term.getDefiningOp<arith::MulFOp>() ||
      result.getNumResults() == 0)
    return {};
  SmallVector<int64_t> sizes = sum.getStaticLoopRanges();
  SmallVector<unsigned> loops, parallel;
  sum.getReductionDims(loops);
  sum.getParallelDims(parallel);
  if (llvm::count_if(parallel, [&](unsigned loop) { return sizes[loop] != 1; }) >= 2)
    loops.append(parallel);
  AffineExpr last = result.getResults().back();
  llvm::erase_if(loops, [&](unsigned loop) { return sizes[loop] != 1 || last.isFunctionOfDim(loop); });
  llvm::sort(loops);
  return loops;
}

void dropUnitLoops(func::FuncOp function) {
  linalg::ControlDropUnitDims control;
  control.controlFn = unitLoopsOfSum;
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::GenericOp> sums;
  function.walk([&](linalg::GenericOp op) {
    if (!unitLoopsOfSum(op).empty())
      sums.push_back(op);
  });
  for (linalg::GenericOp op : sums) {
    rewriter.setInsertionPoint(op);
    if (auto dropped = linalg::dropUnitDims(rewriter, op, control); succeeded(dropped))
      rewriter.replaceOp(op, dropped->replacements);
  }
}

bool isProductOfFactors(linalg::GenericOp sum) { return FactorLifter(sum).sides().has_value(); }

void liftFactors(func::FuncOp function, SymbolicShapes &shapes,
                 llvm::function_ref<bool(linalg::GenericOp)> staysWindow) {
  SmallVector<linalg::GenericOp> sums;
  function.walk([&](linalg::GenericOp op) { sums.push_back(op); });
  for (linalg::GenericOp op : sums) {
    FactorLifter lifter(op);
    if (auto sides = lifter.sides(); sides && !staysWindow(op))
      lifter.lift(*sides, shapes);
  }
}

} // namespace attnc
