#include "compiler/Codegen/CPU/Gemm/WeightPacking.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

/// Whether one op of the kernel reads the tensor, and reads it once: other readers would read panels.
static bool isReadOnce(Value tensor) {
  return llvm::count_if(tensor.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) == 1;
}

std::optional<OperandPacking> preferredPacking(func::FuncOp kernel, const Target &target, bool inWholePanels) {
  std::optional<GemmProblem> problem;
  if (!GemmProblem::match(kernel, problem) || problem->isOuterProduct())
    return std::nullopt;
  auto type = cast<RankedTensorType>(problem->right.tensor.getType());
  SizeExpr rows = problem->extent(LoopGroup::Row);
  bool isDot =
      !problem->selector && problem->rightIsTransposed() && rows.isConstant() && rows.constant() <= mostDotRows;
  BlockArgument argument = argumentOf(problem->right.tensor);
  bool isOnlyRight = isReadOnce(argument) && isReadOnce(problem->right.tensor); // not of w @ w'
  if (!type.hasStaticShape() || isDot || !isOnlyRight)
    return std::nullopt;
  PanelPacking packing;
  packing.nr = choosePanelColumns(problem->extent(LoopGroup::Column).constant(), target, inWholePanels);
  if (packing.nr == 0)
    return std::nullopt;
  packing.transposed = problem->rightIsTransposed();
  packing.batchDims = problem->loopsOf(LoopGroup::Batch).size();
  packing.outerDims = problem->rightOuterDims();
  return OperandPacking{argument.getArgNumber(), packing};
}

FailureOr<KernelCode> emitPacking(RankedTensorType source, const PanelPacking &packing, StringRef symbol,
                                  const Target &target, ModuleOp code) {
  PanelSource shape(source, packing);
  int64_t columns = shape.columns, depth = shape.depth;
  int64_t panels = llvm::divideCeil(columns, packing.nr);
  // The frame of the phase is opened from a function with its operands.
  OpBuilder builder(source.getContext());
  auto packed = RankedTensorType::get({shape.batch, panels, depth, packing.nr}, source.getElementType());
  RankedTensorType wide = source.clone(builder.getF32Type());
  OwningOpRef<func::FuncOp> signature =
      func::FuncOp::create(builder, code.getLoc(), symbol, builder.getFunctionType({wide}, {packed}));
  signature->addEntryBlock();

  KernelFrame frame(*signature, symbol, code);
  FlatBuilder loops(frame.builder, frame.location, target.f32Lanes);
  PackedMatrix matrix;
  matrix.source = loops.flat(frame.buffer(signature->getArgument(0)));
  matrix.packed = loops.flat(frame.result(0));
  matrix.depth = loops.constant(depth);
  matrix.columns = loops.constant(columns);
  matrix.batchStride = loops.constant(depth * columns);
  matrix.outerStride = loops.constant(packing.transposed ? depth : columns);
  matrix.transposed = packing.transposed;
  matrix.nr = packing.nr;
  emitPackPanel(loops, code, matrix, frame.chunk);

  KernelCode result;
  result.phases.push_back({symbol.str(), SizeExpr(shape.batch * panels)});
  result.cost = {SizeExpr(0), SizeExpr(shape.batch * depth * columns * 4), SizeExpr(packedBytes(source, packing))};
  return result;
}

} // namespace attnc
