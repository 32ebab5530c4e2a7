//===- FusePointwise.cpp - attn-fuse-pointwise --------------------------------------------------------------------===//
//
// Fuses chains of pointwise ops to one linalg.generic, and a pointwise op with the reduction that reads it.
//
// Precondition: transposes are folded where possible (attn-fold-views); the others become pointwise ops here.
// Postcondition: no pointwise op has a pointwise op as its only user, or a reduction that reads each of its elements
// once.
//
// A producer is not computed twice, unless it has no operands (a constant, positions): it is not fused if it has
// several users, if the user broadcasts it along a dimension, or if the user is a contraction. Formulas with hundreds
// of operations or dozens of tensors are not formed (isFormulaTooLarge). The new value of a parameter (model.set) is a
// second result of the op that reads the parameter, so that an optimizer's update is one op. In a time step of a scan,
// a pointwise op with several users also becomes a further result of its first reader, because a time step is short and
// each op is a launch.
//
//   %a = generic { addf }  ins(%x, %bias)
//   %b = generic { gelu }  ins(%a)                 →     %b = generic { addf, gelu }  ins(%x, %bias)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Legality.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_FUSEPOINTWISEPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// Fuses a pointwise op with the first of its readers to one op with the results of both. The other readers must be
/// updates of parameters, unless the ops are in a time step of a scan.
struct FirstReader {
  /// Returns the op that replaces the consumer and one of its producers; null if it is not the first reader of any
  /// producer.
  static linalg::GenericOp joinProducer(IRRewriter &rewriter, linalg::GenericOp consumer) {
    if (!isJoinable(consumer))
      return nullptr;
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || producer->hasOneUse() || !mayJoin(producer, consumer) ||
          isRefused(reasonId(Reason::PointwiseFused), producer, consumer))
        continue;
      rewriter.setInsertionPoint(consumer);
      linalg::GenericOp joined = join(rewriter, producer, consumer);
      rewriter.replaceOp(consumer, joined.getResults().take_back(consumer.getNumResults()));
      rewriter.replaceOp(producer, joined.getResults().take_front(producer.getNumResults()));
      return joined;
    }
    return nullptr;
  }

  /// True if the fusion is legal: all other users follow the consumer, and are updates of parameters or in a time step
  /// of a scan.
  static bool mayJoin(linalg::GenericOp producer, linalg::GenericOp consumer) {
    Block *block = consumer->getBlock();
    if (producer->getBlock() != block)
      return false;
    bool isOfStep = block->getParentOp()->hasAttr(model::scanAttrName), hasOthers = false;
    for (OpOperand &use : producer->getUses()) {
      Operation *user = use.getOwner(), *reader = block->findAncestorOpInBlock(*user);
      if (user == consumer && !consumer.getMatchingIndexingMap(&use).isIdentity())
        return false;
      if (user == consumer)
        continue;
      if (!reader || !consumer->isBeforeInBlock(reader) || !(isOfStep || isa<model::SetOp>(user)))
        return false;
      hasOthers = true;
    }
    // Upstream's fusion covers the remaining case, a single result with a single reader.
    return (hasOthers || producer.getNumResults() > 1) && isJoinable(producer) &&
           !isFormulaTooLarge(producer, consumer);
  }

  /// True if the op is pointwise and does not read its initial values.
  static bool isJoinable(linalg::GenericOp op) {
    return isPointwise(op) && llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
             return op.getMatchingBlockArgument(&init).use_empty();
           });
  }

  /// Creates the op with the results of both at the position of the consumer. The indices of both ops agree, because
  /// the consumer reads the element that the producer writes at the same indices.
  static linalg::GenericOp join(OpBuilder &rewriter, linalg::GenericOp producer, linalg::GenericOp consumer) {
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    SmallVector<BlockArgument> arguments; // of both bodies, one for each input
    for (linalg::GenericOp op : {producer, consumer})
      for (OpOperand *input : op.getDpsInputOperands())
        if (op == producer || input->get().getDefiningOp() != producer) {
          inputs.push_back(input->get());
          maps.push_back(op.getMatchingIndexingMap(input));
          arguments.push_back(op.getMatchingBlockArgument(input));
        }
    for (linalg::GenericOp op : {producer, consumer})
      for (OpOperand &init : op.getDpsInitsMutable()) {
        inits.push_back(init.get());
        maps.push_back(op.getMatchingIndexingMap(&init));
      }
    auto body = [&](OpBuilder &builder, Location at, ValueRange values) {
      IRMapping mapping;
      for (auto [argument, value] : llvm::zip(arguments, values))
        mapping.map(argument, value);
      SmallVector<Value> results;
      for (linalg::GenericOp op : {producer, consumer}) {
        for (Operation &each : op.getBody()->without_terminator())
          builder.clone(each, mapping);
        for (Value result : op.getBody()->getTerminator()->getOperands())
          results.push_back(mapping.lookupOrDefault(result));
        if (op == producer)
          for (OpOperand *input : consumer.getDpsInputOperands())
            if (input->get().getDefiningOp() == producer)
              mapping.map(consumer.getMatchingBlockArgument(input),
                          results[cast<OpResult>(input->get()).getResultNumber()]);
      }
      linalg::YieldOp::create(builder, at, results);
    };
    SmallVector<Location> places = {producer.getLoc(), consumer.getLoc()};
    return linalg::GenericOp::create(rewriter, rewriter.getFusedLoc(places), ValueRange(inits).getTypes(), inputs,
                                     inits, maps, consumer.getIteratorTypesArray(), body);
  }
};

struct FusePointwise : impl::FusePointwisePassBase<FusePointwise> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      generaliseNamedOps(function);
      // Applies upstream's patterns for reshapes and unused operands alone. A greedy driver that also fused would visit
      // each op of a formula again after each fusion.
      RewritePatternSet patterns(&getContext());
      linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return false; });
      if (failed(applyPatternsGreedily(function, std::move(patterns))))
        return signalPassFailure();
      // Producers come before their readers, so the operands of an op are completely fused before it is.
      SmallVector<linalg::GenericOp> ops;
      function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
      for (linalg::GenericOp op : ops)
        if (failed(fuseProducers(op)))
          return signalPassFailure();
    }
  }

  /// Fuses producers into the consumer, one after the other, until no legal fusion remains.
  LogicalResult fuseProducers(linalg::GenericOp consumer) {
    IRRewriter rewriter(consumer);
    while (true) {
      if (linalg::GenericOp joined = FirstReader::joinProducer(rewriter, consumer)) {
        consumer = joined;
      } else {
        auto operands = consumer->getOpOperands();
        auto operand = llvm::find_if(operands, [&](OpOperand &each) { return shouldFuse(&each); });
        if (operand == operands.end())
          return success();
        consumer = fuse(rewriter, consumer, *operand);
      }
      // Tensors that both ops read become one operand.
      FailureOr<linalg::GenericOp> clean =
          linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, consumer, /*removeOutputs=*/true);
      if (failed(clean))
        return failure();
      consumer = *clean;
    }
  }

  /// Inlines the producer of `operand` into the consumer. The producer is erased unless other ops read it.
  static linalg::GenericOp fuse(IRRewriter &rewriter, linalg::GenericOp consumer, OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, &operand);
    assert(succeeded(fused) && "areElementwiseOpsFusable holds");
    for (auto [before, after] : fused->replacements)
      if (before.getDefiningOp() == consumer)
        rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(consumer);
    if (isOpTriviallyDead(producer))
      rewriter.eraseOp(producer);
    return cast<linalg::GenericOp>(fused->fusedOp);
  }

  void generaliseNamedOps(func::FuncOp function) {
    SmallVector<linalg::LinalgOp> named;
    function.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op))
        named.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  }

  bool shouldFuse(OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    if (!producer || !consumer || producer->getBlock() != consumer->getBlock() || !isPointwise(producer))
      return false;
    // Reading an element in its original location costs no more than reading a copy.
    bool isCheap = isCheapFormula(producer);
    if (!isCheap && !(onlyMoves(producer) && isPointwise(consumer)) && !readsOnce(consumer, operand, producer))
      return false;
    if (!linalg::areElementwiseOpsFusable(operand) || matchContraction(consumer))
      return false;
    if (isCheap)
      return !isRefused(reasonId(Reason::PointwiseFused), producer, consumer);
    return !isFormulaTooLarge(producer, consumer) && record(operand, producer, consumer);
  }

  /// True if the operand is the only reader of its producer, and reads each element once.
  static bool readsOnce(linalg::GenericOp consumer, OpOperand *operand, linalg::GenericOp producer) {
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    if (producer->getNumResults() != 1 || !operand->get().hasOneUse() || !map.isPermutation())
      return false;
    // The last op of a norm or softmax belongs to the kernel of its rows; a reader fuses with it only if it reads the
    // same rows.
    return map.isIdentity() || llvm::none_of(producer.getInputs(), isReduced);
  }

  static bool isReduced(Value value) {
    auto maker = value.getDefiningOp<linalg::GenericOp>();
    return maker && maker.getNumReductionLoops() != 0 && !matchContraction(maker);
  }

  /// Records the decision and returns true, unless a strategy refuses the fusion.
  bool record(OpOperand *operand, linalg::GenericOp producer, linalg::GenericOp consumer) {
    if (isRefused(reasonId(Reason::PointwiseFused), producer, consumer))
      return false;
    SymbolicShapes shapes(consumer->getParentOfType<func::FuncOp>());
    recordDecision(getOperation(), {true,
                                    Reason::PointwiseFused,
                                    placeOf(producer),
                                    placeOf(consumer),
                                    shapes.text(shapes.bytes(operand->get())),
                                    consumer->getParentOfType<func::FuncOp>().getName().str(),
                                    false,
                                    {}});
    return true;
  }
};

} // namespace

} // namespace attnc
