// The reverse-mode rule of attn.attend.
#include "compiler/Derive/Reverse.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

void saveStatistics(attn::AttendOp op) {
  SmallVector<attn::Statistic> statistics = op.getStatistics();
  auto save = [&](attn::Statistic statistic) {
    if (!llvm::is_contained(statistics, statistic))
      statistics.push_back(statistic);
  };
  if (attn::hasStatistic(op.getNormaliser(), attn::Statistic::Lse))
    save(attn::Statistic::Lse);
  if (op.getResultFor(attn::Statistic::TopWeights))
    save(attn::Statistic::Top);
  if (statistics.size() == op.getNumResults())
    return;
  IRRewriter rewriter(op);
  attn::AttendOp wider = attn::createAttendLike(rewriter, op, statistics);
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), wider->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  rewriter.replaceOp(op, wider.getResults().take_front(op.getNumResults()));
}

/// Whether a reduction in a formula of `attend` depends on the attention weight, or on an op for which `isRead` is
/// true, in its own body or through values of the surrounding formula.
static bool dependsOn(attn::ReduceOp reduce, attn::AttendOp attend, function_ref<bool(Operation *)> isRead) {
  llvm::SetVector<Operation *> work;
  work.insert(reduce);
  for (size_t next = 0; next < work.size(); ++next) {
    Operation *op = work[next];
    if (isRead(op))
      return true;
    for (Value operand : op->getOperands()) {
      Operation *defining = operand.getDefiningOp();
      if (!defining && operand.getParentRegion() == &attend.getWeight() && isa<FloatType>(operand.getType()))
        return true;
      if (defining && attend->isProperAncestor(defining))
        work.insert(defining);
    }
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        work.insert(&inner);
  }
  return false;
}

LogicalResult applyRule(BlockCotangents &block, attn::AttendOp op) {
  auto isRead = [&](Operation *inner) {
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    return extract && block.isActive(extract.getTensor()) && isReal(extract.getTensor());
  };
  WalkResult reductions = op.walk([&](attn::ReduceOp reduce) {
    bool isInMask = op.getMask().isAncestor(reduce->getParentRegion());
    if (isInMask || reduce.getCombine() == attn::Combine::Add || !dependsOn(reduce, op, isRead))
      return WalkResult::advance();
    reduce.emitError("the gradient of a ") << attn::stringifyCombine(reduce.getCombine())
                                           << " over features inside attend is not supported yet [not-supported]";
    return WalkResult::interrupt();
  });
  if (reductions.wasInterrupted())
    return failure();
  SmallVector<Attribute> yields;
  SmallVector<Value> cotangents, saved, of;
  bool hasValue = false, hasTop = false;
  for (auto [statistic, result] : llvm::zip_equal(op.getStatistics(), op.getResults()))
    if (Value dy = block.cotangent(result)) {
      yields.push_back(block.builder.getStringAttr(textOf(statistic)));
      cotangents.push_back(dy);
      hasValue |= statistic == attn::Statistic::Value;
      hasTop |= statistic == attn::Statistic::TopWeights;
    }
  auto save = [&](attn::Statistic statistic) {
    if (Value result = op.getResultFor(statistic))
      saved.push_back(block.stored(result));
  };
  if (hasValue)
    save(attn::Statistic::Value);
  save(attn::Statistic::Lse);
  if (hasTop)
    save(attn::Statistic::Top);
  llvm::SmallSetVector<Value, 4> read;
  op->walk([&](tensor::ExtractOp extract) {
    bool counts = hasValue || !op.getValue().isAncestor(extract->getParentRegion());
    if (block.isActive(extract.getTensor()) && isReal(extract.getTensor()) && counts)
      read.insert(extract.getTensor());
  });
  of.assign(read.begin(), read.end());
  auto gradient = attn::AttendGradientOp::create(
      block.builder, op.getLoc(), ValueRange(of).getTypes(), op.getOuterSizes(), op.getKeySizes(),
      hasValue ? op.getValueSizes() : ValueRange(), cotangents, saved, of, op.getNormaliser(),
      block.builder.getArrayAttr(yields), hasValue ? op.getValueLayoutAttr() : DenseI64ArrayAttr(), op.getAlphaAttr(),
      op.getTopAttr(), op.getSummedAttr());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), gradient->getRegions()))
    if (hasValue || &from != &op.getValue()) {
      IRMapping copies;
      from.cloneInto(&to, copies);
    }
  for (auto [tensor, term] : llvm::zip_equal(of, gradient.getResults()))
    block.addTerm(tensor, term);
  return success();
}

} // namespace attnc
