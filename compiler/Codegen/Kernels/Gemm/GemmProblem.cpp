#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

namespace {

/// The loops of a projected permutation, one for each result.
std::optional<SmallVector<unsigned>> mapLoops(AffineMap map) {
  if (!map.isProjectedPermutation())
    return std::nullopt;
  return llvm::map_to_vector(map.getResults(), [](AffineExpr e) { return cast<AffineDimExpr>(e).getPosition(); });
}

bool isZeroFill(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
}

/// out + a * b, in any order.
bool isMultiplyAdd(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  auto yield = cast<linalg::YieldOp>(body.getTerminator());
  auto sum = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value accumulator = body.getArgument(2);
  Value term = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product || (sum.getLhs() != accumulator && sum.getRhs() != accumulator))
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1);
  return (product.getLhs() == a && product.getRhs() == b) || (product.getLhs() == b && product.getRhs() == a);
}

bool isUnit(const SizeExpr &size) { return size == SizeExpr(1); }

} // namespace

Verdict GemmProblem::match(func::FuncOp kernel, std::optional<GemmProblem> &problem) {
  GemmProblem candidate(kernel);
  if (kernel.getNumResults() != 1)
    return Verdict::no("it has " + std::to_string(kernel.getNumResults()) + " results, not one");
  if (auto scatter = computedResults(kernel)[0].getDefiningOp<attn::ScatterAddOp>()) {
    Verdict verdict = candidate.matchOuterProduct(scatter);
    if (verdict)
      problem.emplace(std::move(candidate));
    return verdict;
  }
  SmallVector<linalg::GenericOp> generics(kernel.getOps<linalg::GenericOp>());
  if (generics.empty() || generics.size() > 2)
    return Verdict::no("it contains " + std::to_string(generics.size()) +
                       " linalg.generic, not one contraction and at most one epilogue");
  if (computedResults(kernel)[0].getDefiningOp() != generics.back())
    return Verdict::no("it does not return what its last linalg.generic computes");
  if (Verdict v = candidate.matchContraction(generics.front()); !v)
    return v;
  if (generics.size() == 2)
    if (Verdict v = candidate.matchEpilogue(generics.back()); !v)
      return v;
  if (Verdict v = candidate.groupLoops(); !v)
    return v;
  if (Verdict v = candidate.checkAddresses(); !v)
    return v;
  if (Verdict v = candidate.matchPacking(); !v)
    return v;
  problem.emplace(std::move(candidate));
  return Verdict::yes();
}

Verdict GemmProblem::matchContraction(linalg::GenericOp op) {
  contraction = op;
  std::optional<GroupedContraction> grouped = matchGroupedContraction(op);
  Verdict operands = grouped ? matchGroupedOperands(op, *grouped) : matchOperands(op);
  if (!operands)
    return operands;
  product = {op.getResult(0), *mapLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)))};
  for (const Access *access : {&left, &right})
    if (!argumentOf(access->tensor))
      return Verdict::no("an operand of its contraction is computed in the kernel");
  return findLoopSizes();
}

Verdict GemmProblem::matchOperands(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !isMultiplyAdd(op))
    return Verdict::no("its first linalg.generic is not a sum of products of two operands");
  if (!isZeroFill(op.getDpsInits().front()))
    return Verdict::no("its sum does not start from zero");
  Access *accesses[] = {&left, &right, &product};
  for (auto [operand, access] : llvm::zip(op->getOpOperands(), accesses)) {
    std::optional<SmallVector<unsigned>> loops = mapLoops(op.getMatchingIndexingMap(&operand));
    if (!loops)
      return Verdict::no("an operand of its contraction is not read by plain indices");
    if (!cast<RankedTensorType>(operand.get().getType()).getElementType().isF32())
      return Verdict::no("its contraction is not of f32");
    *access = {operand.get(), *loops};
  }
  return Verdict::yes();
}

Verdict GemmProblem::matchGroupedOperands(linalg::GenericOp op, GroupedContraction grouped) {
  auto inputAccess = [&](unsigned number) {
    OpOperand *operand = op.getDpsInputOperand(number);
    return Access{operand->get(), *mapLoops(op.getMatchingIndexingMap(operand))};
  };
  left = inputAccess(grouped.left);
  selector = inputAccess(grouped.selector);
  if (!grouped.summedRows.empty())
    return Verdict::no("it sums over rows of a grouped product");
  if (!argumentOf(selector->tensor))
    return Verdict::no("the numbers of its matrices are computed in the kernel");
  right = {grouped.element.getTensor(), {op.getNumLoops()}}; // the loop over the matrices is none of the op
  llvm::append_range(right.loops, grouped.matrixLoops);
  return Verdict::yes();
}

Verdict GemmProblem::matchOuterProduct(attn::ScatterAddOp op) {
  std::optional<GroupedOuterProduct> outer = matchGroupedOuterProduct(op);
  if (!outer)
    return Verdict::no("its scatter is not of outer products");
  auto accessOf = [](const GroupedOuterProduct::Operand &operand) { return Access{operand.tensor, operand.loops}; };
  left = accessOf(outer->left), right = accessOf(outer->right), selector = accessOf(outer->selector);
  selecting = LoopGroup::Depth;
  if (!isZeroFill(op.getInit()))
    initial = op.getInit();
  for (Value tensor : {left.tensor, right.tensor, selector->tensor, initial})
    if (tensor && !argumentOf(tensor))
      return Verdict::no("an operand of its outer product is computed in the kernel");
  for (Value size : op.getSizes())
    loopSizes.push_back(sizes.valueOf(size));
  unsigned matrices = loopSizes.size();
  product = result = {op.getResult(), {matrices, outer->row, outer->column}};
  loopSizes.push_back(sizes.dimension(op.getResult(), 0));
  auto add = [&](LoopGroup group, unsigned loop) { groups[static_cast<int>(group)].push_back(loop); };
  for (unsigned loop = 0; loop < matrices; ++loop)
    add(loop == outer->row ? LoopGroup::Row : loop == outer->column ? LoopGroup::Column : LoopGroup::Depth, loop);
  add(LoopGroup::Batch, matrices);
  for (unsigned dimension : {1, 2}) {
    SizeExpr size = loopSizes[product.loops[dimension]];
    if (!size.isConstant() || size == SizeExpr(0) || !(size == sizes.dimension(op.getResult(), dimension)))
      return Verdict::no("its outer products are empty, of unknown size, or smaller than the result's matrices");
  }
  if (!isUnit(innerStride(left, LoopGroup::Row)) || !isUnit(innerStride(right, LoopGroup::Column)))
    return Verdict::no("the rows of its outer products are not contiguous");
  return Verdict::yes();
}

Verdict GemmProblem::findLoopSizes() {
  SmallVector<std::optional<SizeExpr>> known(contraction.getNumLoops() + (selector ? 1 : 0));
  SmallVector<const Access *> accesses = {&left, &right};
  if (selector)
    accesses.push_back(&*selector);
  for (const Access *access : accesses)
    for (auto [d, loop] : llvm::enumerate(access->loops)) {
      SizeExpr size = sizes.dimension(access->tensor, d);
      if (!known[loop] || size.isConstant())
        known[loop] = size;
    }
  for (auto [loop, size] : llvm::enumerate(known)) {
    if (!size)
      return Verdict::no("loop " + std::to_string(loop) + " of its contraction is not a dimension of an operand");
    loopSizes.push_back(*size);
  }
  return Verdict::yes();
}

Verdict GemmProblem::matchEpilogue(linalg::GenericOp op) {
  epilogue = op;
  if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1)
    return Verdict::no("its second linalg.generic is not pointwise with one result");
  bool usesProduct = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (operand->get() == contraction.getResult(0)) {
      if (!map.isPermutation())
        return Verdict::no("its epilogue does not read the product element by element");
      usesProduct = true;
      epilogueLoops.assign(op.getNumLoops(), 0);
      for (auto [d, loop] : llvm::enumerate(*mapLoops(map)))
        epilogueLoops[loop] = product.loops[d];
    } else if (!mapLoops(map)) {
      return Verdict::no("an operand of its epilogue is not read by plain indices");
    }
  }
  if (!usesProduct || op.getDpsInits().front() == contraction.getResult(0))
    return Verdict::no("its epilogue does not take the product as an input");
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return Verdict::no("its epilogue does not write each element once");
  if (!op.getRegionOutputArgs().front().use_empty())
    return Verdict::no("its epilogue reads what it writes");
  return canVectorise(op.getRegion());
}

Verdict GemmProblem::groupLoops() {
  auto has = [](const Access &access, unsigned loop) { return llvm::is_contained(access.loops, loop); };
  auto isRow = [&](unsigned loop) { return has(selector ? product : left, loop) && !has(right, loop); };
  // Lanes run along the innermost loop of the result, which has to be a column loop, unless there is one column only.
  result = product;
  if (epilogue) {
    auto map = epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
    result.tensor = epilogue.getResult(0);
    result.loops = llvm::map_to_vector(*mapLoops(map), [&](unsigned loop) { return epilogueLoops[loop]; });
  }
  ArrayRef<unsigned> stored = result.loops;
  auto inner = llvm::find_if(llvm::reverse(stored), [&](unsigned loop) { return !isUnit(loopSizes[loop]); });
  if (inner != stored.rend() && isRow(*inner) && !packedAttribute(right)) {
    if (selector)
      return Verdict::no("the innermost dimension of its result is a row of a grouped product");
    std::swap(left, right);
  }
  for (unsigned loop = 0; loop < loopSizes.size() && !selector; ++loop)
    if (has(product, loop) ? !has(left, loop) && !has(right, loop) : !has(left, loop) || !has(right, loop))
      return Verdict::no("loop " + std::to_string(loop) + " of its contraction is a dimension of one tensor only");
  auto add = [&](LoopGroup group, unsigned loop) { groups[static_cast<int>(group)].push_back(loop); };
  auto groupOfRight = [&](unsigned loop) {
    if (selector && loop == right.loops.front())
      return LoopGroup::Batch;
    return !has(product, loop) ? LoopGroup::Depth : has(left, loop) ? LoopGroup::Batch : LoopGroup::Column;
  };
  for (unsigned loop : right.loops)
    add(groupOfRight(loop), loop);
  for (unsigned loop : selector ? product.loops : left.loops)
    if (isRow(loop))
      add(LoopGroup::Row, loop);
  ArrayRef<unsigned> columns = loopsOf(LoopGroup::Column);
  if (inner != stored.rend()) {
    auto lastColumn = llvm::find_if(llvm::reverse(columns), [&](unsigned l) { return !isUnit(loopSizes[l]); });
    if (lastColumn != columns.rend() && *lastColumn != *inner)
      return Verdict::no("its result and its right operand order the columns in different ways");
  }
  return Verdict::yes();
}

Verdict GemmProblem::checkAddresses() {
  for (LoopGroup group : {LoopGroup::Batch, LoopGroup::Column, LoopGroup::Depth})
    if (!isFlat(right, group))
      return Verdict::no("its right operand interleaves rows and columns");
  if (!isFlat(left, LoopGroup::Depth) && !depthRun().isConstant())
    return Verdict::no("its left operand splits the summed index over dimensions of unknown size");
  bool contiguous = isUnit(innerStride(right, LoopGroup::Column)) || isUnit(innerStride(right, LoopGroup::Depth));
  bool batchOutside = true;
  unsigned batchLoops = loopsOf(LoopGroup::Batch).size();
  for (unsigned loop : loopsOf(LoopGroup::Batch))
    batchOutside &= llvm::is_contained(ArrayRef(right.loops).take_front(batchLoops), loop);
  if (!contiguous || !batchOutside)
    return Verdict::no("the innermost dimension of its right operand counts separate matrices");
  return Verdict::yes();
}

Attribute GemmProblem::packedAttribute(const Access &access) {
  return kernel.getArgAttr(argumentOf(access.tensor).getArgNumber(), packedAttrName);
}

Verdict GemmProblem::matchPacking() {
  if (packedAttribute(left))
    return Verdict::no("the operand that is packed is the one whose rows the result has");
  Attribute attribute = packedAttribute(right);
  if (!attribute)
    return Verdict::yes();
  packing = PanelPacking::fromAttribute(attribute);
  if (!packing)
    return Verdict::no("its attn.packed does not describe panels");
  auto type = cast<RankedTensorType>(right.tensor.getType());
  if (!type.hasStaticShape() || packing->transposed != rightIsTransposed() ||
      packing->batchDims != static_cast<int64_t>(loopsOf(LoopGroup::Batch).size()) ||
      !(extent(LoopGroup::Depth) == SizeExpr(PanelSource(type, *packing).depth)))
    return Verdict::no("its attn.packed packs along other dimensions than the contraction reads");
  return Verdict::yes();
}

SizeExpr GemmProblem::extent(LoopGroup group) const {
  SizeExpr size = 1;
  for (unsigned loop : loopsOf(group))
    size *= loopSizes[loop];
  return size;
}

SizeExpr GemmProblem::stride(const Access &access, unsigned dimension) const {
  SizeExpr stride = 1;
  for (unsigned loop : ArrayRef(access.loops).drop_front(dimension + 1))
    stride *= loopSizes[loop];
  return stride;
}

bool GemmProblem::isFlat(const Access &access, LoopGroup group) const {
  SmallVector<unsigned> expected, positions;
  for (unsigned loop : loopsOf(group))
    if (!isUnit(loopSizes[loop]))
      expected.push_back(loop);
  for (auto [d, loop] : llvm::enumerate(access.loops))
    if (llvm::is_contained(expected, loop))
      positions.push_back(d);
  if (positions.size() != expected.size())
    return expected.empty();
  for (unsigned i = 0; i < positions.size(); ++i) {
    if (access.loops[positions[i]] != expected[i])
      return false;
    if (i > 0 && !(stride(access, positions[i - 1]) == stride(access, positions[i]) * loopSizes[expected[i]]))
      return false;
  }
  return true;
}

SizeExpr GemmProblem::innerStride(const Access &access, LoopGroup group) const {
  for (unsigned loop : llvm::reverse(loopsOf(group)))
    if (!isUnit(loopSizes[loop]))
      return stride(access, llvm::find(access.loops, loop) - access.loops.begin());
  return 1;
}

SizeExpr GemmProblem::depthRun() const {
  if (isFlat(left, LoopGroup::Depth))
    return extent(LoopGroup::Depth);
  for (unsigned loop : llvm::reverse(loopsOf(LoopGroup::Depth)))
    if (!isUnit(loopSizes[loop]))
      return loopSizes[loop];
  return 1;
}

bool GemmProblem::rightIsTransposed() const {
  if (isUnit(extent(LoopGroup::Column)))
    return false;
  return !isUnit(innerStride(right, LoopGroup::Column));
}

unsigned GemmProblem::rightOuterDims() const {
  ArrayRef<unsigned> outer = loopsOf(rightIsTransposed() ? LoopGroup::Column : LoopGroup::Depth);
  unsigned batch = loopsOf(LoopGroup::Batch).size(), count = 0;
  for (auto [dimension, loop] : llvm::enumerate(ArrayRef(right.loops).drop_front(batch)))
    if (llvm::is_contained(outer, loop) && !isUnit(loopSizes[loop]))
      count = dimension + 1;
  return count;
}

SizeExpr GemmProblem::flops() const {
  SizeExpr matrices = selector ? SizeExpr(1) : extent(LoopGroup::Batch); // of each row, or of each depth step
  SizeExpr elements = matrices * extent(LoopGroup::Row) * extent(LoopGroup::Column);
  SizeExpr each = extent(LoopGroup::Depth) * SizeExpr(2);
  if (linalg::GenericOp op = epilogue)
    each += costOf(op.getRegion()).flops;
  return elements * each;
}

} // namespace attnc
