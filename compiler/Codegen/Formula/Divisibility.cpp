#include "compiler/Codegen/Formula/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

bool isMultipleOf(Value value, int64_t divisor, llvm::function_ref<bool(Value)> isKnown) {
  if (isKnown(value))
    return true;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() % divisor == 0;
  auto isMultiple = [&](Value part) { return isMultipleOf(part, divisor, isKnown); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_if_present<scf::ForOp>(argument.getOwner()->getParentOp()); // null in a loop's builder
    return loop && argument == loop.getInductionVar() && isMultiple(loop.getLowerBound()) && isMultiple(loop.getStep());
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), isMultiple);
  return isa<arith::MulIOp>(op) && llvm::any_of(op->getOperands(), isMultiple);
}

} // namespace attnc
