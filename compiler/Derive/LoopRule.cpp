// The reverse of scf.for, over a list of modules or the steps of a scan: the loop backwards, with iterations computed
// again from what was kept.
//
// A list that each turn writes an element of has, of its cotangent, an element in each turn; a list from outside of
// which each turn reads an element gets the list of their cotangents. So no turn touches more of either than its
// element.
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Derive/Reverse.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

namespace {

/// A value of one iteration that the reversed loop reads, and what stands for it there until the list is known: an
/// empty tensor of its size.
struct Kept {
  Value forward; ///< in the forward loop: a carried value at the iteration's start, or a result of an op of its body
  tensor::EmptyOp reader;
  int64_t number = Residual::carried; ///< of the op, for the choice
};

/// A value that joins the reversed loop when its body is known: what it starts from, what it is after a turn, and who
/// gets it in the end.
struct Joined {
  Value init;
  std::function<Value(OpBuilder &, Value before)> next;
  std::function<void(Value result)> give;
};

} // namespace

/// Contractions, reductions and attention are dearer to compute again than what lies between; whether they are kept is
/// a choice. Of a segment of a scan all is computed again.
static bool mayBeKept(Operation &op) {
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

/// Rules give a generic all that the forward's read; what its body makes no use of would be kept for nothing.
static void dropUnreadInputs(Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    eraseDeadOps(*op.getBody(), {});
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    llvm::BitVector unread(op->getNumOperands());
    for (OpOperand *input : op.getDpsInputOperands()) {
      unsigned number = input->getOperandNumber();
      SmallVector<AffineMap> others = op.getIndexingMapsArray();
      for (int each = op->getNumOperands() - 1; each >= 0; --each)
        if (unread[each] || unsigned(each) == number)
          others.erase(others.begin() + each);
      // The sizes of all loops must still be known.
      bool isNeeded = !op.getMatchingBlockArgument(input).use_empty() ||
                      !inversePermutation(concatAffineMaps(others, op.getContext()));
      unread[number] = !isNeeded;
      if (isNeeded) {
        inputs.push_back(input->get());
        maps.push_back(op.getMatchingIndexingMap(input));
      }
    }
    if (unread.none())
      continue;
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(op.getMatchingIndexingMap(&init));
    OpBuilder builder(op);
    op.getBody()->eraseArguments(unread);
    auto made = linalg::GenericOp::create(builder, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
                                          op.getIteratorTypesArray());
    made.getRegion().takeBody(op.getRegion());
    op.replaceAllUsesWith(made.getResults());
    op.erase();
  }
}

/// Gives the forward loop a list for each kept value that is read, and the readers an element of it.
static void addLists(scf::ForOp forward, ArrayRef<Kept> kept, Value place, ResidualChoice &choice) {
  SmallVector<Kept> read;
  for (Kept each : kept)
    if (!each.reader.getResult().use_empty())
      read.push_back(each);
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  SizeExpr count = shapes.size(forward.getUpperBound());
  SmallVector<Value> values;
  for (const Kept &each : read) {
    choice.record(each.number, each.forward, count, shapes, /*kept=*/true);
    values.push_back(each.forward);
  }
  size_t before = forward.getNumResults();
  scf::ForOp wider = addIterationLists(forward, values, shapes);
  for (auto [number, each] : llvm::enumerate(read)) {
    OpBuilder builder(each.reader);
    auto type = cast<RankedTensorType>(each.reader.getType());
    Value element =
        model::ElementOp::create(builder, each.reader.getLoc(), type, wider.getResult(before + number), place);
    each.reader.getResult().replaceAllUsesWith(element);
  }
  for (Kept each : kept)
    each.reader.getOperation()->erase();
}

namespace {

/// Builds the reversed loop.
class LoopReverse {
public:
  LoopReverse(Reverse &outer, OpBuilder &builder, const llvm::DenseSet<Operation *> &wanted, ResidualChoice &choice,
              scf::ForOp forward)
      : outer(outer), builder(builder), wanted(wanted), choice(choice), forward(forward), at(forward.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult checkBounds();
  void startLoop();
  void copyBody(Reverse &inner, IRMapping &copies, SmallVectorImpl<Operation *> &ops);
  LogicalResult fillLoop();
  void giveElements(Reverse &inner, const IRMapping &copies);
  void joinSums(Reverse &inner);
  void joinLists(const Reverse &inner);
  LogicalResult joinParameters(const Reverse &inner);
  LogicalResult widenToTurn(OpBuilder &inside, ParameterElement &element, Value &term);
  void widenLoop();

  Reverse &outer;
  OpBuilder &builder;
  const llvm::DenseSet<Operation *> &wanted;
  ResidualChoice &choice;
  scf::ForOp forward, loop;
  Location at;
  SmallVector<unsigned> carried; ///< numbers of the carried values that are active
  SmallVector<unsigned> lists;   ///< of those that are lists of which each turn writes an element, with a cotangent
  SmallVector<Value> captured;   ///< active values from outside
  SmallVector<Kept> kept;
  SmallVector<Joined> joined;
  Value place; ///< of the iteration, in the reversed loop
};

} // namespace

LogicalResult LoopReverse::checkBounds() {
  if (!hasCanonicalInductionVariable(forward))
    return forward.emitError("no gradient passes here: it counts by other than one from zero [no-gradient]");
  return success();
}

/// The loop with the cotangents of carried values; sums join when the body is known.
void LoopReverse::startLoop() {
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
    inits.push_back(dy ? dy : Reverse::zerosLike(builder, at, forward.getResult(number)));
  }
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(forward.getRegion(), above);
  for (Value value : above)
    if (isReal(value) && outer.isActive(value))
      captured.push_back(value);
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value).getResult(); };
  loop = scf::ForOp::create(builder, at, index(0), forward.getUpperBound(), index(1), inits);
  loop->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  if (inits.empty()) // such a loop is made with the end of its body
    loop.getBody()->getTerminator()->erase();
}

void LoopReverse::copyBody(Reverse &inner, IRMapping &copies, SmallVectorImpl<Operation *> &ops) {
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  place = elementIndex(IterationOrder::Descending, body, loop);
  copies.map(forward.getInductionVar(), place);
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  auto makeReader = [&](Value value, int64_t number) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    auto reader = tensor::EmptyOp::create(body, value.getLoc(), type.getShape(), type.getElementType(),
                                          dynamicSizes(body, shapes, value));
    kept.push_back({value, reader, number});
    return reader;
  };
  for (BlockArgument argument : forward.getRegionIterArgs()) {
    Value reader = makeReader(argument, Residual::carried);
    copies.map(argument, reader);
    if (outer.isActive(argument))
      inner.activate(reader);
  }
  for (Value value : captured) {
    inner.activate(value);
    inner.gatherElements(value);
  }
  for (Operation &op : forward.getBody()->without_terminator()) {
    Operation *copy = body.clone(op, copies);
    if (!llvm::any_of(copy->getResults(), isReal))
      continue;
    ops.push_back(copy);
    inner.propagate(copy);
    if (!mayBeKept(op))
      continue;
    int64_t number = choice.number();
    for (auto [original, result] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      if (choice.isRecomputed(number)) {
        choice.record(number, original, shapes.size(forward.getUpperBound()), shapes, /*kept=*/false);
        continue;
      }
      Value reader = makeReader(original, number);
      inner.keep(result, reader);
      copies.map(original, reader);
    }
  }
}

LogicalResult LoopReverse::fillLoop() {
  Reverse inner(OpBuilder::atBlockEnd(loop.getBody()), wanted, choice);
  IRMapping copies;
  SmallVector<Operation *> ops;
  copyBody(inner, copies, ops);
  for (auto [position, number] : llvm::enumerate(carried))
    inner.give(copies.lookupOrDefault(forward.getYieldedValues()[number]), loop.getRegionIterArgs()[position]);
  giveElements(inner, copies);
  if (failed(inner.run(ops)))
    return failure();
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  SmallVector<Value> next;
  for (auto [position, number] : llvm::enumerate(carried)) {
    Value dy = inner.cotangent(copies.lookup(forward.getRegionIterArgs()[number]));
    next.push_back(dy ? dy : Reverse::zerosLike(body, at, loop.getRegionIterArgs()[position]));
  }
  scf::YieldOp::create(body, at, next);
  joinSums(inner);
  joinLists(inner);
  if (failed(joinParameters(inner)))
    return failure();
  widenLoop();
  return success();
}

/// What a turn wrote into a list gets its element of the list's cotangent.
void LoopReverse::giveElements(Reverse &inner, const IRMapping &copies) {
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  SymbolicShapes shapes(forward->getParentOfType<func::FuncOp>());
  for (unsigned number : lists) {
    model::WithElementOp writer = listWriter(forward, number, shapes);
    Value dy = outer.cotangent(forward.getResult(number)), written = copies.lookupOrDefault(writer.getElement());
    inner.give(written, model::ElementOp::create(body, at, writer.getElement().getType(), dy,
                                                 copies.lookupOrDefault(writer.getPlace())));
  }
}

/// The cotangent of a value from outside is the sum over the turns.
void LoopReverse::joinSums(Reverse &inner) {
  OpBuilder before(loop);
  for (Value value : captured)
    if (Value term = inner.cotangent(value))
      joined.push_back({Reverse::zerosLike(before, at, value),
                        [=, this](OpBuilder &inside, Value sum) { return Reverse::sum(inside, at, sum, term); },
                        [=, this](Value result) { outer.give(value, result); }});
}

/// That of a list has an element of each turn; where turns share elements, or some elements have none, they are added
/// to zeros.
void LoopReverse::joinLists(const Reverse &inner) {
  OpBuilder before(loop);
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  SizeExpr count = shapes.size(loop.getUpperBound());
  for (auto [list, place, term] : inner.elementTerms) {
    bool isOnce = iterationOrder(place, loop, shapes) != IterationOrder::None,
         isWhole = isOnce && shapes.extent(list, 0) == count;
    Value init = isWhole ? emptyList(before, shapes, term, loop) : Reverse::zerosLike(before, at, list);
    auto next = [=, this](OpBuilder &inside, Value sums) -> Value {
      Value total = term;
      if (!isOnce)
        total = Reverse::sum(inside, at, model::ElementOp::create(inside, at, term.getType(), sums, place), term);
      return model::WithElementOp::create(inside, at, sums.getType(), total, sums, place);
    };
    joined.push_back({init, next, [=, this, list = list](Value result) { outer.give(list, result); }});
  }
}

/// `element` as number `at` of a list of `length`, zero elsewhere.
static Value aloneInList(OpBuilder &builder, Value element, int64_t at, int64_t length) {
  Location location = element.getLoc();
  auto type = cast<RankedTensorType>(element.getType());
  SmallVector<Value> parts;
  auto addZeros = [&](int64_t count) {
    if (count == 0)
      return;
    Value empty = tensor::EmptyOp::create(builder, location, listType(type, count).getShape(), type.getElementType());
    parts.push_back(Reverse::zerosLike(builder, location, empty));
  };
  SmallVector<ReassociationIndices> dimensions;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    dimensions.push_back(dimension ? ReassociationIndices{dimension + 1} : ReassociationIndices{0, 1});
  addZeros(at);
  parts.push_back(tensor::ExpandShapeOp::create(builder, location, listType(type, 1), element, dimensions));
  addZeros(length - at - 1);
  return parts.size() == 1 ? parts[0] : tensor::ConcatOp::create(builder, location, 0, parts).getResult();
}

/// An element of an inner list, of each turn: the whole inner list, zero elsewhere.
LogicalResult LoopReverse::widenToTurn(OpBuilder &inside, ParameterElement &element, Value &term) {
  while (llvm::is_contained(element.indices, place) && element.indices.back() != place) {
    std::optional<int64_t> number = getConstantIntValue(element.indices.pop_back_val());
    if (!number)
      return forward.emitError("the gradient of an element of a list inside a list, by a number that is not constant, "
                               "is not supported yet [not-supported]");
    term = aloneInList(inside, term, *number, element.parameter.getCounts()[element.indices.size()]);
  }
  return success();
}

/// A list's parameter has a place for each iteration; any other is summed over them.
LogicalResult LoopReverse::joinParameters(const Reverse &inner) {
  OpBuilder before(loop);
  OpBuilder inBody(loop.getBody()->getTerminator());
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  for (auto [element, term] : inner.parameterTerms) {
    if (failed(widenToTurn(inBody, element, term)))
      return failure();
    ParameterElement whole = element;
    bool isList = !element.indices.empty() && element.indices.back() == place;
    if (isList)
      whole.indices.pop_back();
    Value sums = isList ? emptyList(before, shapes, term, loop) : Reverse::zerosLike(before, at, term);
    auto next = [=, this, term = term](OpBuilder &inside, Value sums) -> Value {
      return isList ? model::WithElementOp::create(inside, at, sums.getType(), term, sums, place).getResult()
                    : Reverse::sum(inside, at, sums, term);
    };
    joined.push_back({sums, next, [=, this](Value result) { outer.giveParameter(whole, result); }});
  }
  return success();
}

/// The loop with what has joined it.
void LoopReverse::widenLoop() {
  SmallVector<Value> inits;
  for (const Joined &each : joined)
    inits.push_back(each.init);
  auto yield = [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> next;
    for (auto [each, argument] : llvm::zip_equal(joined, arguments))
      next.push_back(each.next(inside, argument));
    return next;
  };
  IRRewriter rewriter(loop);
  auto wider = loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yield);
  loop = cast<scf::ForOp>(wider->getOperation());
  loop->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  for (auto [position, number] : llvm::enumerate(carried))
    outer.give(forward.getInits()[number], loop.getResult(position));
  for (auto [position, each] : llvm::enumerate(joined))
    each.give(loop.getResult(carried.size() + position));
}

LogicalResult LoopReverse::run() {
  if (failed(checkBounds()))
    return failure();
  startLoop();
  if (failed(fillLoop()))
    return failure();
  resolveSizes(loop->getParentOfType<func::FuncOp>());
  llvm::DenseSet<Operation *> spared; // what the elements of lists are read by
  for (const Kept &each : kept)
    spared.insert(each.reader);
  if (Operation *op = place.getDefiningOp())
    spared.insert(op);
  eraseDeadOps(*loop.getBody(), spared);
  dropUnreadInputs(*loop.getBody());
  eraseDeadOps(*loop.getBody(), spared);
  addLists(forward, kept, place, choice);
  return success();
}

LogicalResult Reverse::reverse(scf::ForOp loop) { return LoopReverse(*this, builder, wanted, choice, loop).run(); }

} // namespace attnc
