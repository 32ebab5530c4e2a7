// Canonicalisation of attention: removes regions without effect and unused statistics.
#include "dialects/Attn/Attn.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::attn;

static Value yieldedBy(Region &region) { return cast<YieldOp>(region.front().getTerminator()).getValue(); }

namespace {

/// mask(...) { attn.yield true }  ->  no mask
struct DropFullMask : OpRewritePattern<AttendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttendOp op, PatternRewriter &rewriter) const override {
    if (op.getMask().empty() || !matchPattern(yieldedBy(op.getMask()), m_One()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&op.getMask().front()); });
    return success();
  }
};

/// weight(%p, ...) { attn.yield %p }  ->  no weight
struct DropIdentityWeight : OpRewritePattern<AttendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttendOp op, PatternRewriter &rewriter) const override {
    if (op.getWeight().empty() || yieldedBy(op.getWeight()) != op.getWeight().getArgument(0))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&op.getWeight().front()); });
    return success();
  }
};

/// %y, %lse = attn.attend ... yields [value, lse] with %lse unused  ->  %y = attn.attend ... yields [value]
struct DropUnusedStatistics : OpRewritePattern<AttendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttendOp op, PatternRewriter &rewriter) const override {
    SmallVector<Statistic> statistics;
    SmallVector<Value> used;
    for (auto [statistic, result] : llvm::zip_equal(op.getStatistics(), op.getResults()))
      if (!result.use_empty()) {
        statistics.push_back(statistic);
        used.push_back(result);
      }
    if (used.empty() || used.size() == op.getNumResults())
      return failure();
    bool valued = llvm::is_contained(statistics, Statistic::Value);
    AttendOp smaller = createAttendLike(rewriter, op, statistics);
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), smaller->getRegions()))
      if (valued || &from != &op.getValue())
        rewriter.inlineRegionBefore(from, to, to.end());
    for (auto [result, replacement] : llvm::zip_equal(used, smaller.getResults()))
      rewriter.replaceAllUsesWith(result, replacement);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void AttendOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropFullMask, DropIdentityWeight, DropUnusedStatistics>(context);
}
