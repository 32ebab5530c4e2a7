#include "compiler/Narrow/NarrowKernel.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

/// Whether `op` of a rows kernel yields one number for each row.
static bool yieldsRowStatistic(func::FuncOp kernel, linalg::GenericOp op) {
  unsigned loops = 0;
  for (auto each : kernel.getOps<linalg::GenericOp>())
    loops = std::max(loops, each.getNumLoops());
  return op.getNumReductionLoops() != 0 || op.getNumLoops() < loops;
}

static std::string resultReason(func::FuncOp kernel, unsigned number) {
  auto result = cast<OpResult>(computedResults(kernel)[number]);
  Operation *op = result.getOwner();
  if (auto attend = dyn_cast<attn::AttendOp>(op))
    return attend.getResultFor(attn::Statistic::Value) == result ? "" : "it is a statistic of rows";
  if (isa<attn::ScatterAddOp>(op))
    return "terms are added to it in memory";
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && kernelTraits(*kernelKindOf(kernel)).body == KernelBody::Rows && yieldsRowStatistic(kernel, generic))
    return "it is a statistic of rows";
  bool accumulates = generic && generic.getNumReductionLoops() != 0 &&
                     argumentOf(generic.getTiedOpOperand(result)->get()) != BlockArgument();
  return accumulates ? "terms are added to it in memory" : "";
}

static std::string argumentReason(BlockArgument argument) {
  for (OpOperand &use : argument.getUses()) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    bool isAddedTo = generic ? generic.getNumReductionLoops() != 0 && generic.isDpsInit(&use)
                             : isa<attn::ScatterAddOp>(use.getOwner());
    if (isAddedTo)
      return "terms are added to it in memory";
  }
  return "";
}

std::string portReason(func::FuncOp kernel, unsigned port) {
  if (!kernelTraits(*kernelKindOf(kernel)).allowsNarrow)
    return "kernel " + kernel.getName().str() + " has no code for it";
  unsigned arguments = kernel.getNumArguments();
  return port < arguments ? argumentReason(kernel.getArgument(port)) : resultReason(kernel, port - arguments);
}

static Type stored(Type type, FloatType element) { return cast<RankedTensorType>(type).clone(element); }

OwningOpRef<func::FuncOp> narrowKernel(func::FuncOp kernel, const llvm::SmallBitVector &ports, FloatType element) {
  func::FuncOp copy = kernel.clone();
  OpBuilder builder(copy.getContext());
  builder.setInsertionPointToStart(&copy.front());
  unsigned arguments = copy.getNumArguments();
  for (BlockArgument argument : copy.getArguments()) {
    if (!ports.test(argument.getArgNumber()))
      continue;
    Type wide = argument.getType();
    argument.setType(stored(wide, element));
    Value widened = arith::ExtFOp::create(builder, argument.getLoc(), wide, argument);
    argument.replaceUsesWithIf(widened, [&](OpOperand &use) {
      return use.getOwner() != widened.getDefiningOp() && !isa<tensor::DimOp>(use.getOwner());
    });
  }
  Operation *end = copy.front().getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &returned : end->getOpOperands())
    if (ports.test(arguments + returned.getOperandNumber()))
      returned.set(arith::TruncFOp::create(builder, returned.get().getLoc(), stored(returned.get().getType(), element),
                                           returned.get()));
  copy.setFunctionType(builder.getFunctionType(copy.front().getArgumentTypes(), end->getOperandTypes()));
  return copy;
}

OwningOpRef<func::FuncOp> conversionKernel(RankedTensorType type, StringRef symbol) {
  OpBuilder builder(type.getContext());
  Location location = builder.getUnknownLoc();
  RankedTensorType wide = type.clone(builder.getF32Type());
  auto kernel = func::FuncOp::create(builder, location, symbol, builder.getFunctionType(wide, type));
  kernel->setAttr(kernelAttrName, builder.getStringAttr(kernelKindName(KernelKind::Loops)));
  builder.setInsertionPointToEnd(kernel.addEntryBlock());
  Value stored = arith::TruncFOp::create(builder, location, type, kernel.getArgument(0));
  func::ReturnOp::create(builder, location, stored);
  return kernel;
}

} // namespace attnc
