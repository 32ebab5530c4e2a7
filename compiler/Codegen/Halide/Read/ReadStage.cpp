#include "compiler/Codegen/Halide/Read/ReadStage.h"
#include "compiler/Analysis/Fold.h"
#include "compiler/Codegen/Nest/LoopNest.h"

using namespace mlir;

namespace attnc::halide {

StageReader::StageReader(func::FuncOp kernel, OtherStages &others, KernelStage &shared)
    : FormulaReader(kernel), others(others) {
  made.arguments = std::move(shared.arguments);
  made.operations = std::move(shared.operations);
  for (Type type : kernel.getArgumentTypes())
    operandCount += isa<RankedTensorType>(type);
}

PlannedStage StageReader::take(KernelStage &shared) {
  shared.arguments = std::move(made.arguments);
  shared.operations = std::move(made.operations);
  PlannedStage planned{std::move(made.stage), {}};
  for (unsigned operand : made.operands)
    planned.sources.push_back({operand >= operandCount, operand < operandCount ? operand : operand - operandCount});
  return planned;
}

bool StageReader::read(OpResult value, attn_dtype element, std::string &reason) {
  made.stage.element = element;
  auto scatter = dyn_cast<attn::ScatterAddOp>(value.getOwner());
  bool isRead = isMove(value.getOwner()) ? readMoved(value)
                : scatter                ? readScatter(scatter)
                          : readGeneric(cast<linalg::GenericOp>(value.getOwner()), value.getResultNumber());
  if (!isRead)
    reason = why;
  return isRead;
}

void StageReader::copy(unsigned number, attn_dtype element) {
  made.stage.element = element;
  SmallVector<unsigned> at;
  for (unsigned dimension = 0; dimension < others.stage(number).result.size(); ++dimension)
    at.push_back(addLoop(others.stage(number).extent(dimension)));
  made.stage.value = loadStage(number, at);
}

/// Adds a loop for the next dimension of the result. Returns the node of its index.
unsigned StageReader::addLoop(const Size &size) {
  unsigned loop = made.stage.loops.size();
  made.stage.result.push_back(loop);
  made.stage.loops.push_back({size, false});
  return indexOf(loop);
}

/// Gives a scalar result one dimension of size 1.
void StageReader::addDimensionOfOne() {
  if (made.stage.result.empty())
    addLoop({1, 0, 0});
}

//===-------------------------------------------- formulas --------------------------------------------------------===//

FormulaReader::MaybeNode StageReader::nodeIn(Scope &inner, Value value) {
  Scope *outer = std::exchange(scope, &inner);
  std::swap(nodes, inner.known);
  MaybeNode node = nodeOf(value);
  std::swap(nodes, inner.known);
  scope = outer;
  return node;
}

/// Scalars that the kernel computes before its loops are recomputed inside of them.
bool StageReader::isInside(Value value) {
  bool isOfKernel = value.getDefiningOp() && value.getParentBlock() == &kernel.getBody().front();
  return (scope && value.getParentBlock() == scope->body) || (isOfKernel && !value.getType().isIndex());
}

FormulaReader::MaybeNode StageReader::ownNode(Value value) {
  if (!scope)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == scope->body)
    return operandNode(scope->body->getParentOp()->getOpOperand(argument.getArgNumber()));
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return scope->iterations[index.getDim()];
  return std::nullopt;
}

/// The node of an operand's element at this iteration.
FormulaReader::MaybeNode StageReader::operandNode(OpOperand &operand) {
  SmallVector<unsigned> subscripts;
  for (AffineExpr each : cast<linalg::GenericOp>(operand.getOwner()).getMatchingIndexingMap(&operand).getResults()) {
    MaybeNode node = affineNode(each, scope->iterations);
    if (!node)
      return std::nullopt;
    subscripts.push_back(*node);
  }
  return isa<RankedTensorType>(operand.get().getType()) ? loadNode(operand.get(), subscripts) : nodeOf(operand.get());
}

unsigned StageReader::loadStage(unsigned number, ArrayRef<unsigned> subscripts) {
  const Stage &earlier = others.stage(number);
  Buffer shape{earlier.element, {}};
  for (unsigned dimension = 0; dimension < earlier.result.size(); ++dimension)
    shape.shape.push_back(earlier.extent(dimension));
  SmallVector<unsigned> at(subscripts);
  if (at.empty())
    at.push_back(integer(0));
  return loadFrom(operandCount + number, shape, at);
}

SmallVector<unsigned> loopsOfResult(linalg::GenericOp op, unsigned result) {
  SmallVector<unsigned> loops;
  for (AffineExpr each : op.getMatchingIndexingMap(op.getDpsInitOperand(result)).getResults())
    loops.push_back(cast<AffineDimExpr>(each).getPosition());
  return loops;
}

FormulaReader::MaybeNode StageReader::loadIntermediate(Value tensor, ArrayRef<unsigned> subscripts) {
  auto value = dyn_cast<OpResult>(tensor);
  if (value && isMove(value.getOwner()))
    return loadMoved(value.getOwner(), subscripts);
  if (!value || !isa<linalg::GenericOp, attn::ScatterAddOp>(value.getOwner()))
    return FormulaReader::loadIntermediate(tensor, subscripts);
  if (others.isComputedWhereRead(value, loops)) {
    auto op = cast<linalg::GenericOp>(value.getOwner());
    Scope own(*op.getBody(), op.getNumLoops());
    for (auto [subscript, loop] : llvm::zip(subscripts, loopsOfResult(op, value.getResultNumber())))
      own.iterations[loop] = subscript;
    return pointOf(op, value.getResultNumber(), own);
  }
  std::optional<unsigned> number = others.stageOf(value, made, why);
  return number ? MaybeNode(loadStage(*number, subscripts)) : std::nullopt;
}

//===-------------------------------------------- moves -----------------------------------------------------------===//

bool isMove(Operation *op) {
  return isa<linalg::FillOp, linalg::TransposeOp, tensor::ExtractSliceOp, tensor::ConcatOp>(op);
}

/// Reads a result that is only filled or moved.
bool StageReader::readMoved(Value value) {
  SmallVector<unsigned> at;
  for (int64_t dimension = 0; dimension < cast<RankedTensorType>(value.getType()).getRank(); ++dimension) {
    SizeExpr size = sizes.dimension(value, dimension);
    if (size.isConstant() && size.constant() == 0)
      return decline("one of its loops has no iterations");
    at.push_back(addLoop(*sizeOf(size)));
  }
  loops = at.size();
  addDimensionOfOne();
  MaybeNode element = loadNode(value, at);
  made.stage.value = element.value_or(0);
  return element.has_value();
}

FormulaReader::MaybeNode StageReader::loadMoved(Operation *move, ArrayRef<unsigned> subscripts) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(move))
    return loadSlice(slice, subscripts);
  if (auto join = dyn_cast<tensor::ConcatOp>(move))
    return loadJoined(join, subscripts);
  auto transpose = cast<linalg::TransposeOp>(move);
  SmallVector<unsigned> at(subscripts.size());
  for (auto [subscript, place] : llvm::zip(subscripts, transpose.getPermutation()))
    at[place] = subscript;
  return loadNode(transpose.getInput(), at);
}

FormulaReader::MaybeNode StageReader::loadSlice(tensor::ExtractSliceOp slice, ArrayRef<unsigned> subscripts) {
  if (slice.getSourceType().getRank() != slice.getType().getRank())
    return FormulaReader::loadIntermediate(slice.getResult(), subscripts);
  auto number = [&](OpFoldResult given) -> MaybeNode {
    auto value = dyn_cast<Value>(given);
    return value ? nodeOf(value) : MaybeNode(integer(cast<IntegerAttr>(cast<Attribute>(given)).getInt()));
  };
  SmallVector<unsigned> at;
  for (auto [subscript, first, step] : llvm::zip(subscripts, slice.getMixedOffsets(), slice.getMixedStrides())) {
    MaybeNode offset = number(first), stride = number(step);
    if (!offset || !stride)
      return std::nullopt;
    at.push_back(add(Op::Add, ATTN_I32, {*offset, add(Op::Mul, ATTN_I32, {subscript, *stride})}));
  }
  return loadNode(slice.getSource(), at);
}

/// Loads from a concatenation: the element of each operand at the position, clamped to the operand, and a selection
/// among them.
FormulaReader::MaybeNode StageReader::loadJoined(tensor::ConcatOp join, ArrayRef<unsigned> subscripts) {
  int64_t end = join.getResultType().getDimSize(join.getDim());
  unsigned place = subscripts[join.getDim()];
  MaybeNode chosen;
  for (Value part : llvm::reverse(join.getInputs())) {
    int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(join.getDim());
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(end) || size == 0)
      return decline("it concatenates tensors of unknown sizes"), std::nullopt;
    unsigned own = add(Op::Sub, ATTN_I32, {place, integer(end - size)});
    unsigned below = add(Op::Min, ATTN_I32, {own, integer(size - 1)});
    SmallVector<unsigned> at(subscripts);
    at[join.getDim()] = add(Op::Max, ATTN_I32, {below, integer(0)});
    MaybeNode element = loadNode(part, at);
    if (!element)
      return std::nullopt;
    unsigned isHere = chosen ? add(Op::Less, ATTN_BOOL, {place, integer(end)}) : 0;
    chosen = chosen ? add(Op::Select, made.stage.nodes[*element].element, {isHere, *element, *chosen}) : *element;
    end -= size;
  }
  return chosen;
}

//===-------------------------------------------- linalg.generic --------------------------------------------------===//

/// The dynamic size of an initial tensor; null if it is static or unknown.
static std::optional<SizeExpr> madeWith(Value init, unsigned dimension, const KernelSizes &sizes) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getOutputs()[0];
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  return empty && empty.getType().isDynamicDim(dimension) ? sizes.tryValueOf(empty.getDynamicSize(dimension))
                                                          : std::nullopt;
}

bool StageReader::addLoops(linalg::GenericOp op, Scope &own) {
  SmallVector<SizeExpr> extents = loopSizes(op, sizes);
  // Operands of one size may have different symbols. The sizes of initial tensors use one symbol for each.
  for (OpOperand &init : op.getDpsInitsMutable())
    for (auto [dimension, each] : llvm::enumerate(op.getMatchingIndexingMap(&init).getResults()))
      if (std::optional<SizeExpr> size = madeWith(init.get(), dimension, sizes); size && isa<AffineDimExpr>(each))
        extents[cast<AffineDimExpr>(each).getPosition()] = *size;
  for (auto [size, iterator] : llvm::zip(extents, op.getIteratorTypesArray())) {
    if (size.isConstant() && size.constant() == 0)
      return decline("one of its loops has no iterations");
    made.stage.loops.push_back({*sizeOf(size), iterator == utils::IteratorType::reduction});
    own.iterations.push_back(indexOf(made.stage.loops.size() - 1));
  }
  return true;
}

bool StageReader::readGeneric(linalg::GenericOp op, unsigned result) {
  if (OpOperand *fold = others.foldToFinish(op))
    return readFinished(op, result, *fold);
  Stage &stage = made.stage;
  loops = op.getNumLoops();
  Scope own(*op.getBody());
  if (!addLoops(op, own))
    return false;
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(result)).isProjectedPermutation())
    return decline("its result is written at computed subscripts");
  for (unsigned loop : loopsOfResult(op, result))
    stage.result.push_back(loop);
  for (auto [number, loop] : llvm::enumerate(stage.loops))
    if (!loop.reduces && !llvm::is_contained(stage.result, number))
      return decline("a parallel loop is not a dimension of its result");
  addDimensionOfOne();
  if (op.getNumReductionLoops() > 0)
    return readFold(op, result, own);
  MaybeNode value = pointOf(op, result, own);
  stage.value = value.value_or(0);
  return value.has_value();
}

FormulaReader::MaybeNode StageReader::pointOf(linalg::GenericOp op, unsigned result, Scope &own) {
  if (llvm::any_of(op.getRegionOutputArgs(), [](BlockArgument out) { return !out.use_empty(); }))
    return decline("it reads previous elements of its result"), std::nullopt;
  return nodeIn(own, op.getBody()->getTerminator()->getOperand(result));
}

bool StageReader::readFold(linalg::GenericOp op, unsigned result, Scope &own) {
  auto fold = matchFold(op, result);
  if (!fold || !getElementTypeOrSelf(op.getResult(result).getType()).isF32())
    return decline("it is not a sum, product, minimum or maximum of f32");
  constexpr Fold folds[] = {Fold::Add, Fold::Mul, Fold::Max, Fold::Min}; // in the order of attn::Combine
  made.stage.fold = folds[static_cast<int>(fold->kind)];
  SmallVector<unsigned> at;
  for (unsigned loop : loopsOfResult(op, result))
    at.push_back(own.iterations[loop]);
  MaybeNode value = nodeIn(own, fold->term), start = loadNode(op.getDpsInits()[result], at);
  if (!value || !start)
    return false;
  made.stage.value = repeated(*value);
  made.stage.start = *start;
  return true;
}

/// Reads a pointwise op on the result of `fold`, whose loops become the stage's.
bool StageReader::readFinished(linalg::GenericOp op, unsigned result, OpOperand &fold) {
  auto folded = cast<OpResult>(fold.get());
  auto maker = cast<linalg::GenericOp>(folded.getOwner());
  loops = maker.getNumLoops();
  Scope inner(*maker.getBody()), own(*op.getBody(), op.getNumLoops());
  if (!addLoops(maker, inner))
    return false;
  SmallVector<unsigned> places(op.getNumLoops()), dims = loopsOfResult(maker, folded.getResultNumber());
  for (auto [dim, each] : llvm::zip(dims, op.getMatchingIndexingMap(&fold).getResults()))
    places[cast<AffineDimExpr>(each).getPosition()] = dim;
  for (unsigned loop = 0; loop < places.size(); ++loop)
    own.iterations[loop] = indexOf(places[loop]);
  for (unsigned loop : loopsOfResult(op, result))
    made.stage.result.push_back(places[loop]);
  addDimensionOfOne();
  if (!readFold(maker, folded.getResultNumber(), inner))
    return false;
  loops = op.getNumLoops();
  own.known[op.getMatchingBlockArgument(&fold)] = add(Op::Folded, ATTN_F32, {});
  MaybeNode value = pointOf(op, result, own);
  made.stage.finish = value;
  return value.has_value();
}

/// Makes the term depend on all loops of the fold.
unsigned StageReader::repeated(unsigned term) {
  Stage &stage = made.stage;
  for (unsigned loop = 0; loop < stage.loops.size(); ++loop) {
    bool isSeen = dependsOn(stage, term, loop);
    for (unsigned place : stage.places)
      isSeen |= dependsOn(stage, place, loop);
    if (stage.loops[loop].reduces && !isSeen)
      term = add(Op::Repeated, ATTN_F32, {term, indexOf(loop)});
  }
  return term;
}

//===-------------------------------------------- attn.scatter_add ------------------------------------------------===//

bool StageReader::readScatter(attn::ScatterAddOp op) {
  Stage &stage = made.stage;
  auto term = cast<attn::TermOp>(op.getBody().front().getTerminator());
  if (stage.element != ATTN_F32 || !term.getValue().getType().isF32())
    return decline("it adds a value that is not stored as f32");
  loops = op.getSizes().size();
  SmallVector<unsigned> at;
  for (unsigned dimension = 0; dimension < term.getSubscripts().size(); ++dimension)
    at.push_back(addLoop(*sizeOf(sizes.dimension(op.getInit(), dimension))));
  addDimensionOfOne();
  Scope own(op.getBody().front());
  for (auto [size, argument] : llvm::zip(op.getSizes(), op.getBody().getArguments())) {
    MaybeNode index = loopOfTerms(term, argument, size);
    if (!index)
      return false;
    own.known[argument] = *index;
  }
  MaybeNode start = loadNode(op.getInit(), at), value = nodeIn(own, term.getValue());
  if (!start || !value)
    return false;
  for (Value subscript : term.getSubscripts()) {
    MaybeNode place = nodeIn(own, subscript);
    if (!place)
      return false;
    stage.places.push_back(*place);
  }
  if (stage.places.empty())
    stage.places.push_back(integer(0));
  for (unsigned dimension = 0; dimension < stage.places.size(); ++dimension)
    if (!stage.isApart(dimension))
      stage.places[dimension] = inRange(stage.places[dimension], stage.extent(dimension));
  stage.fold = Fold::Add;
  stage.start = *start;
  stage.value = repeated(*value);
  return true;
}

/// The index of a loop over terms: the loop of a result dimension if the index is a subscript over that whole
/// dimension, otherwise a further loop.
FormulaReader::MaybeNode StageReader::loopOfTerms(attn::TermOp term, Value argument, Value given) {
  std::optional<SizeExpr> known = sizes.tryValueOf(given);
  if (!known)
    return decline("it uses a size that is computed in it"), std::nullopt;
  if (known->isConstant() && known->constant() == 0)
    return decline("one of its loops has no iterations"), std::nullopt;
  Size size = *sizeOf(*known);
  for (auto [dimension, subscript] : llvm::enumerate(term.getSubscripts()))
    if (subscript == argument && made.stage.extent(dimension) == size)
      return indexOf(made.stage.result[dimension]);
  made.stage.loops.push_back({size, true});
  return indexOf(made.stage.loops.size() - 1);
}

/// Clamps a position to the dimension. The gather of the forward pass has reported out-of-range subscripts; the scatter
/// must only avoid writes out of bounds.
unsigned StageReader::inRange(unsigned place, const Size &size) {
  unsigned last = add(Op::Sub, ATTN_I32, {nodeOfSize(size), integer(1)});
  unsigned below = add(Op::Min, ATTN_I32, {place, last});
  return add(Op::Max, ATTN_I32, {below, integer(0)});
}

} // namespace attnc::halide
