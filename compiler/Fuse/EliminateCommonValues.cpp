//===- EliminateCommonValues.cpp - attn-eliminate-common-values ---------------------------------------------------===//
//
// Common subexpression elimination in linear time. MLIR's hash of an op ignores its regions, so MLIR's pass compares
// each pair of linalg.generics with equal operands, body by body. Here the pass runs on ops that have a hash of their
// regions as an attribute.
//
// Precondition: none. Postcondition: of the ops that compute the same value, only one that dominates the others
// remains.
//
//   %a = linalg.generic ins(%x) { x * 2 }            %a = linalg.generic ins(%x) { x * 2 }
//   %b = linalg.generic ins(%x) { x * 3 }      →     %b = linalg.generic ins(%x) { x * 3 }
//   %c = linalg.generic ins(%x) { x * 2 }
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Fuse/Fuse.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_ELIMINATECOMMONVALUESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

constexpr llvm::StringLiteral hashAttrName = "attn.hash";

/// Value numbering by hashes: values that are computed by equal expressions have equal hashes. Ops are added in program
/// order, the ops of a region before the op that has the region.
class ValueHashes {
public:
  size_t add(Operation *op) {
    size_t operands = 0;
    for (Value operand : op->getOperands())
      operands = llvm::hash_combine(operands, hashOf(operand));
    llvm::hash_code hash =
        llvm::hash_combine(op->getName(), op->getDiscardableAttrDictionary(), op->hashProperties(), operands);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          hash = llvm::hash_combine(hash, hashes.lookup(&block.back()));
    hashes[op] = hash;
    return hash;
  }

private:
  size_t hashOf(Value value) const {
    if (auto result = dyn_cast<OpResult>(value))
      return llvm::hash_combine(hashes.lookup(result.getOwner()), result.getResultNumber(), result.getType());
    return llvm::hash_combine(cast<BlockArgument>(value).getArgNumber(), value.getType());
  }

  llvm::DenseMap<Operation *, size_t> hashes;
};

struct EliminateCommonValues : impl::EliminateCommonValuesPassBase<EliminateCommonValues> {
  void runOnOperation() override {
    Builder builder(&getContext());
    ValueHashes hashes;
    getOperation().walk([&](Operation *op) {
      size_t hash = hashes.add(op);
      if (op->getNumRegions() > 0 && !isa<ModuleOp, FunctionOpInterface>(op))
        op->setAttr(hashAttrName, builder.getI64IntegerAttr(static_cast<int64_t>(hash)));
    });
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    getOperation().walk([&](Operation *op) { op->removeAttr(hashAttrName); });
  }
};

} // namespace

} // namespace attnc
