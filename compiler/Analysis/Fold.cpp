#include "compiler/Analysis/Fold.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

std::optional<FoldMatch> matchFold(linalg::GenericOp op, unsigned result) {
  BlockArgument out = op.getRegionOutputArgs()[result];
  Operation *combiner = op.getBody()->getTerminator()->getOperand(result).getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBody() || !out.hasOneUse() || combiner->getNumOperands() != 2)
    return std::nullopt;
  // A set bit is -1 as a signed number, so `or` is the minimum and `and` the maximum.
  bool isTruth = out.getType().isInteger(1);
  auto kind = llvm::TypeSwitch<Operation *, std::optional<attn::Combine>>(combiner)
                  .Case<arith::OrIOp>([](auto) { return attn::Combine::Min; })
                  .Case<arith::AndIOp>([](auto) { return attn::Combine::Max; })
                  .Case<arith::AddFOp, arith::AddIOp>([](auto) { return attn::Combine::Add; })
                  .Case<arith::MulFOp, arith::MulIOp>([](auto) { return attn::Combine::Mul; })
                  .Case<arith::MaximumFOp, arith::MaxSIOp>([](auto) { return attn::Combine::Max; })
                  .Case<arith::MinimumFOp, arith::MinSIOp>([](auto) { return attn::Combine::Min; })
                  .Default(std::nullopt);
  if (!kind || isTruth != isa<arith::OrIOp, arith::AndIOp>(combiner))
    return std::nullopt;
  if (combiner->getOperand(0) == out)
    return FoldMatch{*kind, combiner->getOperand(1)};
  if (combiner->getOperand(1) == out)
    return FoldMatch{*kind, combiner->getOperand(0)};
  return std::nullopt;
}

} // namespace attnc
