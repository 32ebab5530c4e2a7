//===- KeepExact.cpp - attn-keep-exact ----------------------------------------------------------------------------===//
//
// Marks arithmetic whose last bit matters: operands of comparisons for equality, and of maxima and minima. The gradient
// of a maximum recomputes the formula of the operands and compares them with the maximum for equality
// (compiler/Derive). A fused multiply-add or a reciprocal in one of the two kernels would make the comparison fail. If
// another kernel has stored a compared number, in the loop of a scan for example, the arithmetic of this kernel is
// marked, too. Emitters evaluate marked ops one by one as IEEE 754 specifies.
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
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

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

/// Marks the arithmetic that computes numbers whose last bit matters.
class ExactArithmetic {
public:
  explicit ExactArithmetic(ModuleOp module) : symbols(module) {
    module.walk([&](func::CallOp call) { calls[calleeOf(call)].push_back(call); });
  }
  /// Marks the arithmetic of this kernel that computes `number`, up to elements read from tensors. With
  /// `followsTensors`, also that of these elements, in any kernel.
  void mark(Value number, bool followsTensors);

private:
  void markNumber(Value number, bool followsTensors);
  void followElement(Value number);
  void followTensor(Value tensor);
  void followArgument(BlockArgument argument);
  void followResult(OpResult result);
  func::FuncOp calleeOf(func::CallOp call) { return symbols.lookup<func::FuncOp>(call.getCallee()); }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> calls; ///< by callee
  llvm::DenseSet<Value> marked, followed;                       ///< numbers; numbers and tensors
  SmallVector<std::pair<Value, bool>> work;                     ///< arguments of mark()
};

void ExactArithmetic::mark(Value number, bool followsTensors) {
  work.emplace_back(number, followsTensors);
  while (!work.empty()) {
    auto [value, follows] = work.pop_back_val();
    if (value.getType().isF32() && (follows ? followed : marked).insert(value).second)
      markNumber(value, follows);
  }
}

void ExactArithmetic::markNumber(Value number, bool followsTensors) {
  if (followsTensors)
    followElement(number);
  Operation *op = number.getDefiningOp();
  if (!op)
    return;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
    op->setAttr(exactAttrName, UnitAttr::get(op->getContext()));
  auto reduce = dyn_cast<attn::ReduceOp>(op);
  for (Value operand : reduce ? reduce.getBody().front().getTerminator()->getOperands() : op->getOperands())
    work.emplace_back(operand, followsTensors);
}

/// Follows a number that is an element of a tensor.
void ExactArithmetic::followElement(Value number) {
  if (auto extract = number.getDefiningOp<tensor::ExtractOp>())
    return followTensor(extract.getTensor());
  auto argument = dyn_cast<BlockArgument>(number);
  if (auto generic = argument ? dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp()) : linalg::GenericOp())
    followTensor(generic->getOperand(argument.getArgNumber()));
}

void ExactArithmetic::followTensor(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()) || !followed.insert(tensor).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return followArgument(argument);
  followResult(cast<OpResult>(tensor));
}

void ExactArithmetic::followArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (OpOperand *initial = loop.getTiedLoopInit(argument))
      followTensor(initial->get());
    if (OpOperand *next = loop.getTiedLoopYieldedValue(argument))
      followTensor(next->get());
  } else if (isa<func::FuncOp>(parent)) {
    for (func::CallOp call : calls.lookup(parent))
      followTensor(call.getOperand(argument.getArgNumber()));
  }
}

/// Adds the elements from which a body computes a number.
static void addElements(Value number, llvm::SmallDenseSet<Value> &elements) {
  Operation *op = number.getDefiningOp();
  if (!op || isa<tensor::ExtractOp>(op))
    return void(elements.insert(number));
  for (Value operand : op->getOperands())
    addElements(operand, elements);
}

/// Whether an op sums products of different elements, as a contraction or a convolution does, but not as a sum of
/// squares. Another kernel that needs its result reads it or repeats the same code, and exact products would be slow,
/// so such an op is not followed.
static bool sumsProducts(linalg::GenericOp op) {
  auto isProduct = [](arith::MulFOp product) {
    llvm::SmallDenseSet<Value> left, right;
    addElements(product.getLhs(), left);
    addElements(product.getRhs(), right);
    return !left.empty() && !right.empty() && left != right;
  };
  auto isSum = [](Value result) {
    auto sum = result.getDefiningOp<arith::AddFOp>();
    return sum && llvm::any_of(sum->getOperands(), isAccumulator);
  };
  return llvm::any_of(op.getBody()->getTerminator()->getOperands(), isSum) &&
         llvm::any_of(op.getBody()->getOps<arith::MulFOp>(), isProduct);
}

void ExactArithmetic::followResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!sumsProducts(generic))
      work.emplace_back(generic.getBody()->getTerminator()->getOperand(result.getResultNumber()), true);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp callee = calleeOf(call);
    if (!callee.isExternal())
      followTensor(callee.front().getTerminator()->getOperand(result.getResultNumber()));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    followTensor(loop.getInits()[result.getResultNumber()]);
    followTensor(loop.getYieldedValues()[result.getResultNumber()]);
  } else if (isa<model::ElementOp, model::WithElementOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
                 tensor::ExtractSliceOp, tensor::ConcatOp, linalg::TransposeOp, linalg::BroadcastOp>(op)) {
    for (Value operand : op->getOperands())
      followTensor(operand);
  }
}

struct KeepExact : impl::KeepExactPassBase<KeepExact> {
  void runOnOperation() override {
    ExactArithmetic arithmetic(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel))
        kernel.walk([&](Operation *op) {
          // A maximum is exact so that a comparison with it can be; only a comparison depends on other kernels.
          for (Value number : decisiveOperands(op))
            arithmetic.mark(number, isa<arith::CmpFOp>(op));
        });
  }
};

} // namespace

} // namespace attnc
