//===- BatchIterations.cpp - attn-batch-iterations ----------------------------------------------------------------===//
//
// Loop distribution of recurrences: contractions that do not depend on the recurrence leave the loop. One matrix
// product over all time steps replaces one product in each.
//
// Precondition: invariant code is outside of loops. Postcondition, in loops with model.scan:
//
//   - no contraction of list elements with weights: it is computed before the loop, whose iterations read its elements;
//   - no contraction with weights whose results are only written to a list: it is computed after the loop, on the list
//     of its operands;
//   - no sum of contractions over the iterations, such as a weight's gradient: it is one contraction, with the
//     iterations as one more reduction.
//
//   scf.for %t iter_args(%h, %dw) {                            %u = generic %x, %w : of all iterations
//     %x_t = model.element %x[%t]                              scf.for %t iter_args(%h, %zs) {
//     %u_t = generic %x_t @ %w                                   %u_t = model.element %u[%t]
//     %next = ... %u_t, %h                            →           %next = ... %u_t, %h
//     %sum = %dw + generic %x_t' @ %z_t                          model.with_element %z_t into %zs[%t]
//                                                              %dw = generic %x' @ %zs : sums over iterations and rows
//
// A weight here is a tensor of static shape from outside of the loop, so no list is quadratic in the sequence.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/WideOps.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_BATCHITERATIONSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// An element of a per-iteration list, at index `place`.
struct Listed {
  Value list;
  IterationOrder order = IterationOrder::None;
  Value place;
};

/// The values of a loop that are elements of per-iteration lists defined outside of it.
class ListedValues {
public:
  ListedValues(scf::ForOp loop, SymbolicShapes &shapes) : loop(loop), shapes(shapes) {
    for (auto element : loop.getOps<model::ElementOp>())
      add(element);
  }

  void add(model::ElementOp element) {
    IterationOrder order = iterationOrder(element.getPlace(), loop, shapes);
    bool isWhole =
        isOutside(element.getList(), loop) && shapes.extent(element.getList(), 0) == shapes.size(loop.getUpperBound());
    if (order != IterationOrder::None && isWhole)
      values[element.getResult()] = {element.getList(), order, element.getPlace()};
  }
  void add(Value value, Listed listed) { values[value] = listed; }
  Listed lookup(Value value) const { return values.lookup(value); }

private:
  scf::ForOp loop;
  SymbolicShapes &shapes;
  llvm::DenseMap<Value, Listed> values;
};

/// True if the value is defined outside of the loop, with a size that is independent of the input.
bool isWeight(Value value, scf::ForOp loop) {
  return isOutside(value, loop) && cast<RankedTensorType>(value.getType()).hasStaticShape();
}

/// True if the input has one element for each point of the op's loops, so that the list of results is no larger than
/// its list.
bool keepsSize(OpOperand *input, linalg::GenericOp op) {
  AffineMap map = op.getMatchingIndexingMap(input);
  return map.isPermutation() && map.getNumDims() == op.getNumLoops();
}

//===-------------------------------------------- before the loop ---------------------------------------------===//

/// Hoists ops on list elements out of a loop.
class Hoister {
public:
  Hoister(scf::ForOp loop, SymbolicShapes &shapes) : loop(loop), shapes(shapes), listed(loop, shapes) {}

  void run() {
    for (auto op : loop.getOps<linalg::GenericOp>())
      considerCandidate(op);
    for (linalg::GenericOp op : candidates)
      if (isContraction(op))
        choose(op);
    for (linalg::GenericOp op : candidates)
      if (op.getNumReductionLoops() == 0 && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
            return chosen.contains(input->get().getDefiningOp()) && keepsSize(input, op);
          }))
        choose(op);
    for (linalg::GenericOp op : candidates)
      if (chosen.contains(op))
        hoist(op);
  }

private:
  scf::ForOp loop;
  SymbolicShapes &shapes;
  ListedValues listed;
  SmallVector<linalg::GenericOp> candidates;
  llvm::DenseMap<Value, Listed> promised; ///< results of candidates that will have a list if the candidate is hoisted
  llvm::SetVector<Operation *> chosen;

  Listed placeOf(Value value) const {
    Listed found = listed.lookup(value);
    return found.list ? found : promised.lookup(value);
  }

  /// Records the op as a candidate if all operands are defined outside, or are elements of lists that all iterations
  /// read in the same order.
  void considerCandidate(linalg::GenericOp op) {
    if (!canWiden(op, loop))
      return;
    Listed common;
    for (Value input : op.getInputs()) {
      if (isOutside(input, loop))
        continue;
      Listed found = placeOf(input);
      if (found.order == IterationOrder::None || (common.place && common.order != found.order))
        return;
      common = found;
    }
    if (!common.place)
      return;
    candidates.push_back(op);
    promised[op.getResult(0)] = {Value(), common.order, common.place};
  }

  bool isContraction(linalg::GenericOp op) const {
    return matchContraction(op) && llvm::any_of(op.getInputs(), [&](Value input) { return isWeight(input, loop); });
  }

  void choose(Operation *op) {
    if (!chosen.insert(op))
      return;
    for (Value input : cast<linalg::GenericOp>(op).getInputs())
      if (promised.contains(input))
        choose(input.getDefiningOp());
  }

  void hoist(linalg::GenericOp op) {
    SmallVector<WideOperand> inputs;
    for (Value input : op.getInputs()) {
      Listed found = listed.lookup(input);
      if (!found.list && !isOutside(input, loop))
        return; // the producer of this operand was not hoisted
      inputs.push_back({found.list ? found.list : input, bool(found.list)});
    }
    OpBuilder before(loop), inside(op);
    Value list = widen(before, op, inputs, loop, shapes);
    if (!list)
      return;
    Listed place = promised.lookup(op.getResult(0));
    auto element = model::ElementOp::create(inside, op.getLoc(), op.getResultTypes()[0], list, place.place);
    listed.add(element.getResult(), {list, place.order, place.place});
    listed.add(op.getResult(0), {list, place.order, place.place});
    op.getResult(0).replaceAllUsesWith(element);
  }
};

//===-------------------------------------------- after the loop ----------------------------------------------===//

/// Sinks ops whose results no later iteration reads below a loop.
class Sinker {
public:
  Sinker(scf::ForOp loop, SymbolicShapes &shapes) : loop(loop), shapes(shapes), listed(loop, shapes) {}

  void run() {
    SmallVector<unsigned> others;
    for (unsigned number = 0; number < loop.getNumResults(); ++number)
      if (!loop.getResult(number).use_empty() && !planList(number) && !planSum(number))
        others.push_back(number);
    // The ops sunk so far may have given other ops per-iteration lists as operands.
    for (unsigned number : others)
      planSum(number);
    if (sunk.empty() || !hasKnownSizes)
      return;
    stackValues();
    OpBuilder behind(loop->getContext());
    behind.setInsertionPointAfter(loop);
    for (const Sunk &each : sunk)
      write(behind, each);
  }

private:
  /// The source of an operand of a sunk op.
  struct Source {
    enum { Outside, List, Stack, Op } kind;
    Value value;         ///< if Outside or List
    unsigned number = 0; ///< index of the stack, or of the op in the tree
  };
  struct Node {
    linalg::GenericOp op;
    SmallVector<Source> inputs;
  };
  /// A result of the loop that is computed after it, from one tree or as the sum of several trees.
  struct Sunk {
    unsigned result;
    bool isSum;
    SmallVector<unsigned> roots;
  };
  /// A value of each iteration that ops after the loop read; a result of the loop is the list of these values.
  struct Stack {
    Value value;
    IterationOrder order;
    std::optional<unsigned> result; ///< index of that result, if the loop has it already
  };

  scf::ForOp loop;
  SymbolicShapes &shapes;
  ListedValues listed;
  SmallVector<Node> nodes;
  SmallVector<Stack> stacks;
  SmallVector<Sunk> sunk;
  bool hasKnownSizes = true;

  /// Records that the per-iteration list of the value is allocated before the loop.
  void needsKnownSize(Value value) {
    OpBuilder before(loop);
    hasKnownSizes &= !llvm::is_contained(dynamicSizes(before, shapes, value), Value());
  }
  Value yielded(unsigned number) { return loop.getYieldedValues()[number]; }

  /// Returns the op that writes a list of exactly one element for each iteration, or null.
  model::WithElementOp writerOf(unsigned number) {
    auto writer = listWriter(loop, number, shapes);
    bool isWhole = writer && shapes.extent(loop.getRegionIterArg(number), 0) == shapes.size(loop.getUpperBound());
    return isWhole ? writer : nullptr;
  }

  std::optional<unsigned> writtenAs(Value value, IterationOrder order) {
    for (unsigned number = 0; number < loop.getNumResults(); ++number)
      if (auto writer = writerOf(number); writer && writer.getElement() == value)
        if (iterationOrder(writer.getPlace(), loop, shapes) == order)
          return number;
    return std::nullopt;
  }

  bool isSinkable(Value value) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op->getBlock() != loop.getBody() || !value.hasOneUse() || !canWiden(op, loop))
      return false;
    if (matchContraction(op))
      return llvm::any_of(op.getInputs(), [&](Value input) { return isWeight(input, loop); });
    return op.getNumReductionLoops() == 0 && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
             return keepsSize(input, op) && isSinkable(input->get());
           });
  }

  Source sourceOf(Value value, IterationOrder order) {
    if (isOutside(value, loop))
      return {Source::Outside, value};
    if (Listed found = listed.lookup(value); found.list && found.order == order)
      return {Source::List, found.list};
    if (isSinkable(value))
      return {Source::Op, {}, addNode(value.getDefiningOp<linalg::GenericOp>(), order)};
    for (auto [number, stack] : llvm::enumerate(stacks))
      if (stack.value == value && stack.order == order)
        return {Source::Stack, {}, unsigned(number)};
    stacks.push_back({value, order, writtenAs(value, order)});
    needsKnownSize(value);
    return {Source::Stack, {}, unsigned(stacks.size() - 1)};
  }

  unsigned addNode(linalg::GenericOp op, IterationOrder order) {
    needsKnownSize(op.getResult(0));
    Node node{op, {}};
    for (Value input : op.getInputs())
      node.inputs.push_back(sourceOf(input, order));
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }

  bool planList(unsigned number) {
    auto writer = writerOf(number);
    if (!writer || !isSinkable(writer.getElement()))
      return writer != nullptr;
    IterationOrder order = iterationOrder(writer.getPlace(), loop, shapes);
    sunk.push_back({number, false, {addNode(writer.getElement().getDefiningOp<linalg::GenericOp>(), order)}});
    return true;
  }

  /// True if the op is a + b, element by element.
  static bool isAddition(linalg::GenericOp op) {
    if (!op || !isPointwise(op) || !isElementFunction(op) || op.getNumDpsInputs() != 2 ||
        llvm::range_size(op.getBody()->without_terminator()) != 1 ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
      return false;
    auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
    Value a = op.getBody()->getArgument(0), b = op.getBody()->getArgument(1);
    return add && ((add.getLhs() == a && add.getRhs() == b) || (add.getLhs() == b && add.getRhs() == a));
  }

  /// Collects the terms of a sum. Returns false if one of them cannot be summed after the loop.
  bool collectTerms(Value value, IterationOrder order, SmallVectorImpl<linalg::GenericOp> &terms) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op->getBlock() != loop.getBody() || !value.hasOneUse())
      return false;
    if (isAddition(op))
      return llvm::all_of(op.getInputs(), [&](Value input) { return collectTerms(input, order, terms); });
    if (op.getNumReductionLoops() == 0 || !canWiden(op, loop) || !startsFromZero(op, 0))
      return false;
    // A contraction justifies new lists of its operands; other sums require operands in lists.
    bool isWorth = matchContraction(op) || llvm::all_of(op.getInputs(), [&](Value input) {
                     return isOutside(input, loop) || listed.lookup(input).order == order || isStacked(input, order);
                   });
    terms.push_back(op);
    return isWorth;
  }

  bool isStacked(Value value, IterationOrder order) {
    return writtenAs(value, order) ||
           llvm::any_of(stacks, [&](const Stack &stack) { return stack.value == value && stack.order == order; });
  }

  /// Returns the order in which iterations read lists; ascending if they read none.
  IterationOrder usualOrder() {
    for (auto element : loop.getOps<model::ElementOp>())
      if (Listed found = listed.lookup(element.getResult()); found.list)
        return found.order;
    return IterationOrder::Ascending;
  }

  bool planSum(unsigned number) {
    auto total = yielded(number).getDefiningOp<linalg::GenericOp>();
    BlockArgument sum = loop.getRegionIterArg(number);
    if (!sum.hasOneUse() || !total || !isAddition(total) || !yielded(number).hasOneUse() ||
        !llvm::is_contained(total.getInputs(), sum))
      return false;
    Value added = total.getInputs()[total.getInputs()[0] == sum ? 1 : 0];
    SmallVector<linalg::GenericOp> terms;
    IterationOrder order = usualOrder();
    if (!collectTerms(added, order, terms))
      return false;
    Sunk result{number, true, {}};
    for (linalg::GenericOp term : terms)
      result.roots.push_back(addNode(term, order));
    sunk.push_back(std::move(result));
    return true;
  }

  /// Adds results to the loop: the lists of values that ops after it read.
  void stackValues() {
    SmallVector<Value> values, places;
    OpBuilder start = OpBuilder::atBlockBegin(loop.getBody());
    for (Stack &stack : stacks) {
      if (stack.result)
        continue;
      stack.result = loop.getNumResults() + values.size();
      values.push_back(stack.value);
      places.push_back(elementIndex(stack.order, start, loop));
    }
    loop = addIterationLists(loop, values, shapes, places);
  }

  WideOperand operand(OpBuilder &behind, const Source &source) {
    switch (source.kind) {
    case Source::Outside:
      return {source.value, false};
    case Source::List:
      return {source.value, true};
    case Source::Stack:
      return {loop.getResult(*stacks[source.number].result), true};
    case Source::Op:
      return {widen(behind, nodes[source.number].op, operands(behind, source.number), loop, shapes), true};
    }
    llvm_unreachable("a source");
  }

  SmallVector<WideOperand> operands(OpBuilder &behind, unsigned node) {
    SmallVector<WideOperand> inputs;
    for (const Source &source : nodes[node].inputs)
      inputs.push_back(operand(behind, source));
    return inputs;
  }

  void write(OpBuilder &behind, const Sunk &each) {
    Value made;
    for (unsigned root : each.roots) {
      SmallVector<WideOperand> inputs = operands(behind, root);
      Value term = each.isSum ? widenToSum(behind, nodes[root].op, inputs, shapes)
                              : widen(behind, nodes[root].op, inputs, loop, shapes);
      made = made ? add(behind, made, term) : term;
    }
    Value init = loop.getInits()[each.result];
    auto fill = init.getDefiningOp<linalg::FillOp>();
    bool isZero = fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    if (each.isSum && !isZero)
      made = add(behind, init, made);
    loop.getResult(each.result).replaceAllUsesWith(made);
    loop.getBody()->getTerminator()->setOperand(each.result, loop.getRegionIterArg(each.result));
  }

  static Value add(OpBuilder &builder, Value a, Value b) {
    auto map = AffineMap::getMultiDimIdentityMap(cast<RankedTensorType>(a.getType()).getRank(), builder.getContext());
    SmallVector<utils::IteratorType> loops(map.getNumDims(), utils::IteratorType::parallel);
    Value empty = tensor::EmptyOp::create(builder, a.getLoc(), tensor::getMixedSizes(builder, a.getLoc(), a),
                                          builder.getF32Type());
    auto body = [](OpBuilder &inner, Location at, ValueRange v) {
      linalg::YieldOp::create(inner, at, arith::AddFOp::create(inner, at, v[0], v[1]).getResult());
    };
    return linalg::GenericOp::create(builder, a.getLoc(), empty.getType(), ValueRange{a, b}, empty,
                                     ArrayRef<AffineMap>{map, map, map}, loops, body)
        .getResult(0);
  }
};

//===-------------------------------------------- the pass ----------------------------------------------------===//

struct BatchIterations : impl::BatchIterationsPassBase<BatchIterations> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) {
        if (loop->hasAttr(model::scanAttrName) && hasCanonicalInductionVariable(loop))
          loops.push_back(loop);
      });
      for (scf::ForOp loop : loops) {
        SymbolicShapes shapes(function);
        Hoister(loop, shapes).run();
        removeUnused(function);
        SymbolicShapes again(function);
        Sinker(loop, again).run();
        removeUnused(function);
      }
    }
  }
};

} // namespace

} // namespace attnc
