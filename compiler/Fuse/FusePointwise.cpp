//===- FusePointwise.cpp - attn-fuse-pointwise --------------------------------------------------------------------===//
//
// Makes one linalg.generic of chains of pointwise ones, and of a pointwise op with the reduction that reads it.
//
// Needs: transposes folded where they can be (attn-fold-views); those left become pointwise ops here. Leaves: no
// pointwise op whose only reader is a pointwise op or a reduction that reads each of its elements once.
//
// A producer is never computed twice, unless it reads nothing (a constant, positions): it keeps its own op where it has
// several readers, where the reader repeats it along a dimension, or where the reader is a contraction. What a
// parameter is set to (model.set) is a second result of the op that reads it, so that an optimizer's step is one op.
//
//   %a = generic { addf }  ins(%x, %bias)
//   %b = generic { gelu }  ins(%a)                 →     %b = generic { addf, gelu }  ins(%x, %bias)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Fuse/Explanation.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Structure.h"
#include "compiler/Fuse/SymbolicShapes.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {
namespace {

/// Fuses a pointwise op that nothing reads besides one pointwise op and what sets parameters, and keeps its results.
struct FuseUpdated : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp consumer, PatternRewriter &rewriter) const override {
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || !isUpdate(producer, consumer) || !linalg::areElementwiseOpsFusable(operand) ||
          !consumer.getMatchingIndexingMap(operand).isIdentity())
        continue;
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      for (auto [before, after] : fused->replacements)
        rewriter.replaceAllUsesWith(before, after);
      rewriter.eraseOp(consumer);
      rewriter.eraseOp(producer);
      return success();
    }
    return failure();
  }

  /// Are all readers the consumer and, behind it, updates?
  static bool isUpdate(linalg::GenericOp producer, linalg::GenericOp consumer) {
    bool sets = false;
    for (Operation *user : producer->getUsers()) {
      bool isBehind = user->getBlock() == consumer->getBlock() && consumer->isBeforeInBlock(user);
      if (user != consumer && !(isa<model::SetOp>(user) && isBehind))
        return false;
      sets |= user != consumer;
    }
    return sets && producer->getBlock() == consumer->getBlock() && isPointwise(producer) && isPointwise(consumer);
  }
};

struct FusePointwise : PassWrapper<FusePointwise, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusePointwise)
  StringRef getArgument() const final { return "attn-fuse-pointwise"; }
  StringRef getDescription() const final { return "fuse chains of pointwise ops"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      generaliseNamedOps(function);
      RewritePatternSet patterns(&getContext());
      patterns.add<FuseUpdated>(&getContext());
      linalg::populateElementwiseOpsFusionPatterns(patterns, [&](OpOperand *operand) { return shouldFuse(operand); });
      if (failed(applyPatternsGreedily(function, std::move(patterns))))
        return signalPassFailure();
    }
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
    if (!producer || !consumer || producer->getBlock() != consumer->getBlock() || !isPointwise(producer) ||
        !linalg::areElementwiseOpsFusable(operand) || matchContraction(consumer))
      return false;
    if (isCheapFormula(producer))
      return true;
    // To read where the element lies costs no more than to read a copy.
    if (onlyMoves(producer) && isPointwise(consumer))
      return record(operand, producer, consumer);
    auto result = cast<OpResult>(operand->get());
    bool readOnce = producer->getNumResults() == 1 && result.hasOneUse();
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    if (!readOnce || !map.isPermutation())
      return false;
    // The end of a norm or a softmax belongs to its rows, and leaves them only for a reader of the same rows.
    if (!map.isIdentity() && llvm::any_of(producer.getInputs(), isReduced))
      return false;
    return record(operand, producer, consumer);
  }

  static bool isReduced(Value value) {
    auto maker = value.getDefiningOp<linalg::GenericOp>();
    return maker && maker.getNumReductionLoops() != 0 && !matchContraction(maker);
  }

  bool record(OpOperand *operand, linalg::GenericOp producer, linalg::GenericOp consumer) {
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

std::unique_ptr<Pass> createFusePointwisePass() { return std::make_unique<FusePointwise>(); }

} // namespace attnc
