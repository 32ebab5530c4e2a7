#include "compiler/Memory/Steps.h"
#include "compiler/Memory/Plan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

bool isViewOfOperand(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, model::ElementOp>(op);
}

Steps::Steps(func::FuncOp entry) {
  entry.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = ops.size();
    ops.push_back(op);
  });
}

unsigned Steps::lastUse(Value root) const {
  unsigned last = 0;
  Block *home = root.getParentBlock();
  SmallVector<Value> views = {root};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isa<tensor::DimOp>(user))
        continue;
      if (isViewOfOperand(user)) {
        if (user->getOperand(0) == view)
          views.push_back(user->getResult(0));
        continue;
      }
      Operation *here = home->findAncestorOpInBlock(*user);
      last = std::max(last, here == user ? of(user) : endOf(cast<scf::ForOp>(here)));
    }
  }
  return last;
}

bool Steps::isLastUse(func::CallOp call, unsigned operand) const {
  Value root = EntryPlan::root(call.getOperand(operand));
  unsigned uses = llvm::count_if(call.getOperands(), [&](Value other) { return EntryPlan::root(other) == root; });
  return uses == 1 && lastUse(root) == of(call);
}

} // namespace attnc
