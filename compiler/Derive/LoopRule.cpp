// The reverse-mode rule of scf.for, over a list of modules or the time steps of a scan: the loop runs backwards, and
// recomputes each iteration from its residuals.
//
// If the loop writes a per-iteration list, each reversed iteration reads its element of the list's cotangent. If the
// loop reads a list, each reversed iteration writes its element of the cotangent. An iteration therefore touches one
// element of each list.
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Derive/Reverse.h"
#include "compiler/Derive/Tapes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

namespace {

/// A residual: a value of a forward iteration that the reversed loop reads. An empty tensor of its size stands for it
/// until the per-iteration list exists.
struct StoredValue {
  Value forward; ///< in the forward loop: a carried value at the start of an iteration, or a result of an op
  tensor::EmptyOp reader;
  int64_t number = Residual::carried; ///< number of the op in the ResidualChoice
};

/// A loop-carried value that is added to the reversed loop after its body is complete: its initial value, its update in
/// an iteration, and the use of its result.
struct AddedCarry {
  Value init;
  std::function<Value(OpBuilder &, Value before)> next;
  std::function<void(Value result)> useResult;
};

} // namespace

/// Whether it is a choice to store the op's results. Contractions, reductions and attention are expensive to recompute;
/// all else is recomputed. A loop over segments of a scan recomputes everything.
static bool mayBeStored(Operation &op) {
  if (op.getParentOp()->hasAttr(segmentLoopAttrName))
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getNumReductionLoops() != 0;
  return isa<attn::AttendOp>(op);
}

static void eraseDeadOps(Block &block, const llvm::DenseSet<Operation *> &spared) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) && !spared.contains(&op))
      op.erase();
}

/// Drops inputs of generics that their bodies do not read. Rules pass all inputs of the forward, which would otherwise
/// be stored in vain.
static void dropUnusedInputs(Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    eraseDeadOps(*op.getBody(), {});
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    llvm::BitVector unused(op->getNumOperands());
    for (OpOperand *input : op.getDpsInputOperands()) {
      unsigned number = input->getOperandNumber();
      SmallVector<AffineMap> others = op.getIndexingMapsArray();
      for (int each = op->getNumOperands() - 1; each >= 0; --each)
        if (unused[each] || unsigned(each) == number)
          others.erase(others.begin() + each);
      // The remaining operands must determine the extents of all loops.
      bool isNeeded = !op.getMatchingBlockArgument(input).use_empty() ||
                      !inversePermutation(concatAffineMaps(others, op.getContext()));
      unused[number] = !isNeeded;
      if (isNeeded) {
        inputs.push_back(input->get());
        maps.push_back(op.getMatchingIndexingMap(input));
      }
    }
    if (unused.none())
      continue;
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(op.getMatchingIndexingMap(&init));
    OpBuilder builder(op);
    op.getBody()->eraseArguments(unused);
    auto result = linalg::GenericOp::create(builder, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
                                            op.getIteratorTypesArray());
    result.getRegion().takeBody(op.getRegion());
    op.replaceAllUsesWith(result.getResults());
    op.erase();
  }
}

/// Adds a per-iteration list to the forward loop for each residual that is read, and replaces its placeholder by an
/// element of the list.
static void addLists(scf::ForOp forward, ArrayRef<StoredValue> stored, Value position, ResidualChoice &choice) {
  SmallVector<StoredValue> read;
  for (StoredValue each : stored)
    if (!each.reader.getResult().use_empty())
      read.push_back(each);
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  SizeExpr count = shapes.size(forward.getUpperBound());
  SmallVector<Value> values;
  for (const StoredValue &each : read) {
    choice.record(each.number, each.forward, count, shapes, /*kept=*/true);
    values.push_back(each.forward);
  }
  size_t before = forward.getNumResults();
  scf::ForOp wider = addIterationLists(forward, values, shapes);
  for (auto [number, each] : llvm::enumerate(read)) {
    OpBuilder builder(each.reader);
    auto type = cast<RankedTensorType>(each.reader.getType());
    Value element =
        model::ElementOp::create(builder, each.reader.getLoc(), type, wider.getResult(before + number), position);
    each.reader.getResult().replaceAllUsesWith(element);
  }
  for (StoredValue each : stored)
    each.reader.getOperation()->erase();
}

namespace {

/// Builds the reversed loop.
class LoopReverse {
public:
  LoopReverse(BlockCotangents &outer, ResidualChoice &choice, scf::ForOp forward)
      : outer(outer), choice(choice), forward(forward), at(forward.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult checkBounds();
  void startLoop();
  Value readTape(OpBuilder &body, Tape tape, unsigned number);
  void copyBody(BlockCotangents &inner, IRMapping &copies, SmallVectorImpl<Operation *> &ops);
  LogicalResult fillLoop();
  void seedElements(BlockCotangents &inner, const IRMapping &copies);
  void addSums(BlockCotangents &inner);
  void addListCotangents(const BlockCotangents &inner);
  LogicalResult addParameters(const BlockCotangents &inner);
  LogicalResult widenToIteration(OpBuilder &inside, ParameterElement &element, Value &term);
  void addCarries();

  BlockCotangents &outer;
  ResidualChoice &choice;
  scf::ForOp forward, loop;
  Location at;
  SmallVector<unsigned> carried; ///< numbers of active carried values
  SmallVector<unsigned> lists;   ///< of those that are per-iteration lists which the loop writes, with a cotangent
  SmallVector<Value> captured;   ///< active values defined outside of the loop
  SmallVector<StoredValue> stored;
  SmallVector<AddedCarry> added;
  Value position; ///< number of the forward iteration, in the reversed loop
};

} // namespace

LogicalResult LoopReverse::checkBounds() {
  if (!hasCanonicalInductionVariable(forward))
    return forward.emitError("no gradient passes here: it does not count from 0 in steps of 1 [no-gradient]");
  return success();
}

/// Creates the loop with the cotangents of carried values; sums are added when the body is complete.
void LoopReverse::startLoop() {
  OpBuilder &builder = outer.builder;
  SmallVector<Value> inits;
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  for (auto [number, argument] : llvm::enumerate(forward.getRegionIterArgs())) {
    if (!outer.isActive(argument))
      continue;
    Value dy = outer.cotangent(forward.getResult(number));
    if (listWriter(forward, number, shapes)) {
      if (dy)
        lists.push_back(number);
      continue;
    }
    carried.push_back(number);
    inits.push_back(dy ? dy : zerosLike(builder, at, forward.getResult(number)));
  }
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(forward.getRegion(), above);
  for (Value value : above)
    if (isReal(value) && outer.isActive(value))
      captured.push_back(value);
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value).getResult(); };
  loop = scf::ForOp::create(builder, at, index(0), forward.getUpperBound(), index(1), inits);
  loop->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  if (inits.empty()) // such a loop is created with a terminator
    loop.getBody()->getTerminator()->erase();
}

/// The tape before the forward iteration at `position`.
Value LoopReverse::readTape(OpBuilder &body, Tape tape, unsigned number) {
  Value row = position;
  if (tape.order == IterationOrder::Descending) {
    Value one = arith::ConstantIndexOp::create(body, at, 1);
    Value last = arith::SubIOp::create(body, at, forward.getUpperBound(), one);
    row = arith::SubIOp::create(body, at, last, position);
  }
  return tapeBefore(body, at, tape, forward.getInits()[number], forward.getResult(number), row);
}

void LoopReverse::copyBody(BlockCotangents &inner, IRMapping &copies, SmallVectorImpl<Operation *> &ops) {
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  position = elementIndex(IterationOrder::Descending, body, loop);
  copies.map(forward.getInductionVar(), position);
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  auto makeReader = [&](Value value, int64_t number) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    auto reader = tensor::EmptyOp::create(body, value.getLoc(), type.getShape(), type.getElementType(),
                                          dynamicSizes(body, shapes, value));
    stored.push_back({value, reader, number});
    return reader;
  };
  for (auto [number, argument] : llvm::enumerate(forward.getRegionIterArgs())) {
    std::optional<Tape> tape = findTape(forward, number, shapes);
    Value before = tape ? readTape(body, *tape, number) : makeReader(argument, Residual::carried);
    copies.map(argument, before);
    if (outer.isActive(argument))
      inner.activate(before);
  }
  for (Value value : captured) {
    inner.activate(value);
    inner.collectElementTerms(value);
  }
  for (Operation &op : forward.getBody()->without_terminator()) {
    Operation *copy = body.clone(op, copies);
    if (!llvm::any_of(copy->getResults(), isReal))
      continue;
    ops.push_back(copy);
    inner.propagate(copy);
    if (!mayBeStored(op))
      continue;
    int64_t number = choice.number();
    for (auto [original, result] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      if (choice.isRecomputed(number)) {
        choice.record(number, original, shapes.size(forward.getUpperBound()), shapes, /*kept=*/false);
        continue;
      }
      Value reader = makeReader(original, number);
      inner.setStored(result, reader);
      copies.map(original, reader);
    }
  }
}

LogicalResult LoopReverse::fillLoop() {
  BlockCotangents inner(OpBuilder::atBlockEnd(loop.getBody()), outer.requested);
  IRMapping copies;
  SmallVector<Operation *> ops;
  copyBody(inner, copies, ops);
  for (auto [position, number] : llvm::enumerate(carried))
    inner.addTerm(copies.lookupOrDefault(forward.getYieldedValues()[number]), loop.getRegionIterArgs()[position]);
  seedElements(inner, copies);
  if (failed(reverse(inner, ops, choice)))
    return failure();
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  SmallVector<Value> next;
  for (auto [position, number] : llvm::enumerate(carried)) {
    Value dy = inner.cotangent(copies.lookup(forward.getRegionIterArgs()[number]));
    next.push_back(dy ? dy : zerosLike(body, at, loop.getRegionIterArgs()[position]));
  }
  scf::YieldOp::create(body, at, next);
  addSums(inner);
  addListCotangents(inner);
  if (failed(addParameters(inner)))
    return failure();
  addCarries();
  return success();
}

/// Adds an element of the list's cotangent to the cotangent of each element that the forward iteration wrote.
void LoopReverse::seedElements(BlockCotangents &inner, const IRMapping &copies) {
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  for (unsigned number : lists) {
    model::WithElementOp writer = listWriter(forward, number, shapes);
    Value dy = outer.cotangent(forward.getResult(number)), written = copies.lookupOrDefault(writer.getElement());
    inner.addTerm(written, model::ElementOp::create(body, at, writer.getElement().getType(), dy,
                                                    copies.lookupOrDefault(writer.getPlace())));
  }
}

/// The cotangent of a value defined outside of the loop is the sum over iterations.
void LoopReverse::addSums(BlockCotangents &inner) {
  OpBuilder before(loop);
  for (Value value : captured)
    if (Value term = inner.cotangent(value))
      added.push_back({zerosLike(before, at, value),
                       [=, this](OpBuilder &inside, Value sum) { return addElementwise(inside, at, sum, term); },
                       [=, this](Value result) { outer.addTerm(value, result); }});
}

/// The cotangent of a list that the loop reads has an element for each iteration. If iterations share elements, or some
/// elements are not read, terms are added to zeros.
void LoopReverse::addListCotangents(const BlockCotangents &inner) {
  OpBuilder before(loop);
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  SizeExpr count = shapes.size(loop.getUpperBound());
  for (auto [list, position, term] : inner.elementTerms) {
    bool isOnce = iterationOrder(position, loop, shapes) != IterationOrder::None,
         isWhole = isOnce && shapes.extent(list, 0) == count;
    Value init = isWhole ? emptyList(before, shapes, term, loop) : zerosLike(before, at, list);
    auto next = [=, this](OpBuilder &inside, Value sums) -> Value {
      Value total = term;
      if (!isOnce)
        total = addElementwise(inside, at, model::ElementOp::create(inside, at, term.getType(), sums, position), term);
      return model::WithElementOp::create(inside, at, sums.getType(), total, sums, position);
    };
    added.push_back({init, next, [=, this, list = list](Value result) { outer.addTerm(list, result); }});
  }
}

/// A list of `length` with `element` at number `at`, and zeros elsewhere.
static Value aloneInList(OpBuilder &builder, Value element, int64_t at, int64_t length) {
  Location location = element.getLoc();
  auto type = cast<RankedTensorType>(element.getType());
  SmallVector<Value> parts;
  auto addZeros = [&](int64_t count) {
    if (count == 0)
      return;
    Value empty = tensor::EmptyOp::create(builder, location, listType(type, count).getShape(), type.getElementType());
    parts.push_back(zerosLike(builder, location, empty));
  };
  SmallVector<ReassociationIndices> dimensions;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    dimensions.push_back(dimension ? ReassociationIndices{dimension + 1} : ReassociationIndices{0, 1});
  addZeros(at);
  parts.push_back(tensor::ExpandShapeOp::create(builder, location, listType(type, 1), element, dimensions));
  addZeros(length - at - 1);
  return parts.size() == 1 ? parts[0] : tensor::ConcatOp::create(builder, location, 0, parts).getResult();
}

/// Extends the term of an element of an inner list to the whole inner list, with zeros elsewhere.
LogicalResult LoopReverse::widenToIteration(OpBuilder &inside, ParameterElement &element, Value &term) {
  while (llvm::is_contained(element.indices, position) && element.indices.back() != position) {
    std::optional<int64_t> number = getConstantIntValue(element.indices.pop_back_val());
    if (!number)
      return forward.emitError("the gradient of an element of a list inside a list, at an index that is not constant, "
                               "is not supported yet [not-supported]");
    term = aloneInList(inside, term, *number, element.parameter.getCounts()[element.indices.size()]);
  }
  return success();
}

/// The gradient of a list of parameters has an element for each iteration; that of any other parameter is summed.
LogicalResult LoopReverse::addParameters(const BlockCotangents &inner) {
  OpBuilder before(loop);
  OpBuilder inBody(loop.getBody()->getTerminator());
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  for (auto [element, term] : inner.parameterTerms) {
    if (failed(widenToIteration(inBody, element, term)))
      return failure();
    ParameterElement whole = element;
    bool isList = !element.indices.empty() && element.indices.back() == position;
    if (isList)
      whole.indices.pop_back();
    Value sums = isList ? emptyList(before, shapes, term, loop) : zerosLike(before, at, term);
    auto next = [=, this, term = term](OpBuilder &inside, Value sums) -> Value {
      return isList ? model::WithElementOp::create(inside, at, sums.getType(), term, sums, position).getResult()
                    : addElementwise(inside, at, sums, term);
    };
    added.push_back({sums, next, [=, this](Value result) { outer.addParameterTerm(whole, result); }});
  }
  return success();
}

/// Replaces the loop by one with the added loop-carried values.
void LoopReverse::addCarries() {
  SmallVector<Value> inits;
  for (const AddedCarry &each : added)
    inits.push_back(each.init);
  auto yield = [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> next;
    for (auto [each, argument] : llvm::zip_equal(added, arguments))
      next.push_back(each.next(inside, argument));
    return next;
  };
  IRRewriter rewriter(loop);
  auto wider = loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yield);
  loop = cast<scf::ForOp>(wider->getOperation());
  loop->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  for (auto [position, number] : llvm::enumerate(carried))
    outer.addTerm(forward.getInits()[number], loop.getResult(position));
  for (auto [position, each] : llvm::enumerate(added))
    each.useResult(loop.getResult(carried.size() + position));
}

LogicalResult LoopReverse::run() {
  if (failed(checkBounds()))
    return failure();
  startLoop();
  if (failed(fillLoop()))
    return failure();
  resolveSizes(loop->getParentOfType<func::FuncOp>());
  llvm::DenseSet<Operation *> spared; // ops that elements of lists will replace or use
  for (const StoredValue &each : stored)
    spared.insert(each.reader);
  if (Operation *op = position.getDefiningOp())
    spared.insert(op);
  eraseDeadOps(*loop.getBody(), spared);
  dropUnusedInputs(*loop.getBody());
  eraseDeadOps(*loop.getBody(), spared);
  addLists(forward, stored, position, choice);
  return success();
}

LogicalResult applyRule(BlockCotangents &block, scf::ForOp loop, ResidualChoice &choice) {
  return LoopReverse(block, choice, loop).run();
}

} // namespace attnc
