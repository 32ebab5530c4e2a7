//===- KeepExact.cpp - attn-keep-exact ----------------------------------------------------------------------------===//
//
// Marks arithmetic whose last bit matters: operands of comparisons for equality, and of maxima and minima. The gradient
// of a maximum recomputes the formula of the operands and compares them with the maximum for equality
// (compiler/Derive). A fused multiply-add or a reciprocal in one of the two kernels would make the comparison fail.
// Emitters evaluate marked ops one by one as IEEE 754 specifies.
//
// Precondition: outlined kernels. Postcondition: `attn.exact` on these sums, differences, products and quotients.
//
//   %q = arith.divf %x, %d : f32                          %q = arith.divf %x, %d {attn.exact} : f32
//   %is = arith.cmpf oeq, %q, %largest : f32       →      %is = arith.cmpf oeq, %q, %largest : f32
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_KEEPEXACTPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

bool asksForEquality(arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  return llvm::is_contained({Predicate::OEQ, Predicate::UEQ, Predicate::ONE, Predicate::UNE}, op.getPredicate());
}

/// True if the value is the running result of a reduction.
bool isAccumulator(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto generic = argument ? dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp()) : linalg::GenericOp();
  return generic && generic.getNumReductionLoops() > 0 && argument.getArgNumber() >= generic.getNumDpsInputs();
}

/// Returns the operands of `op` whose last bit changes its result.
SmallVector<Value> decisiveOperands(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op); compare && asksForEquality(compare))
    return {compare.getLhs(), compare.getRhs()};
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) && llvm::any_of(op->getOperands(), isAccumulator))
    return op->getOperands();
  auto reduce = dyn_cast<attn::ReduceOp>(op->getParentOp());
  bool isExtreme = reduce && llvm::is_contained({attn::Combine::Max, attn::Combine::Min}, reduce.getCombine());
  return isExtreme && op->hasTrait<OpTrait::IsTerminator>() ? op->getOperands() : SmallVector<Value>();
}

struct KeepExact : impl::KeepExactPassBase<KeepExact> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isKernel(kernel))
        continue;
      SmallVector<Value> work;
      kernel.walk([&](Operation *op) { work.append(decisiveOperands(op)); });
      markAll(std::move(work));
    }
  }

  /// Marks the arithmetic that computes the values, up to elements read from tensors.
  static void markAll(SmallVector<Value> work) {
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || !value.getType().isF32() || !seen.insert(value).second)
        continue;
      if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
        op->setAttr(exactAttrName, UnitAttr::get(op->getContext()));
      if (auto reduce = dyn_cast<attn::ReduceOp>(op))
        llvm::append_range(work, reduce.getBody().front().getTerminator()->getOperands());
      else
        llvm::append_range(work, op->getOperands());
    }
  }
};

} // namespace

} // namespace attnc
