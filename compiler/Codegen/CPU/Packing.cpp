#include "compiler/Codegen/CPU/Packing.h"
#include "compiler/Codegen/CPU/GemmSchedule.h"
#include "compiler/Codegen/CPU/KernelFrame.h"
#include "compiler/Codegen/CPU/PackPanel.h"
#include "compiler/Codegen/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace attnc {

namespace {

/// Sizes of a source as batch x outer x inner.
struct SourceShape {
  int64_t batch = 1, outer = 1, inner = 1;
  SourceShape(ArrayRef<int64_t> shape, const PanelPacking &packing) {
    for (auto [d, size] : llvm::enumerate(shape)) {
      int64_t dimension = d;
      (dimension < packing.batchDims                       ? batch
       : dimension < packing.batchDims + packing.outerDims ? outer
                                                           : inner) *= size;
    }
  }
};

} // namespace

DictionaryAttr PanelPacking::attribute(MLIRContext *context) const {
  Builder builder(context);
  return builder.getDictionaryAttr({builder.getNamedAttr("layout", builder.getStringAttr("panels")),
                                    builder.getNamedAttr("nr", builder.getI64IntegerAttr(nr)),
                                    builder.getNamedAttr("transposed", builder.getBoolAttr(transposed)),
                                    builder.getNamedAttr("batch_dims", builder.getI64IntegerAttr(batchDims)),
                                    builder.getNamedAttr("outer_dims", builder.getI64IntegerAttr(outerDims))});
}

std::optional<PanelPacking> PanelPacking::fromAttribute(Attribute attribute) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dictionary)
    return std::nullopt;
  auto layout = dictionary.getAs<StringAttr>("layout");
  auto nr = dictionary.getAs<IntegerAttr>("nr");
  if (!layout || layout.getValue() != "panels" || !nr || nr.getInt() <= 0)
    return std::nullopt;
  auto integerOr = [&](StringRef key, int64_t otherwise) {
    auto value = dictionary.getAs<IntegerAttr>(key);
    return value ? value.getInt() : otherwise;
  };
  auto transposed = dictionary.getAs<BoolAttr>("transposed");
  return PanelPacking{nr.getInt(), transposed && transposed.getValue(), integerOr("batch_dims", 0),
                      integerOr("outer_dims", 1)};
}

std::optional<OperandPacking> preferredPacking(func::FuncOp kernel, const Target &target) {
  std::optional<GemmProblem> problem;
  if (!GemmProblem::match(kernel, problem))
    return std::nullopt;
  auto type = cast<RankedTensorType>(problem->right.tensor.getType());
  SizeExpr rows = problem->extent(LoopGroup::Row);
  bool readOnce = problem->rightIsTransposed() && rows.isConstant() && rows.constant() <= mostDotRows;
  if (!type.hasStaticShape() || readOnce)
    return std::nullopt;
  PanelPacking packing;
  packing.nr = choosePanelColumns(problem->extent(LoopGroup::Column).constant(), target);
  packing.transposed = problem->rightIsTransposed();
  packing.batchDims = problem->loopsOf(LoopGroup::Batch).size();
  packing.outerDims = problem->loopsOf(packing.transposed ? LoopGroup::Column : LoopGroup::Depth).size();
  return OperandPacking{cast<BlockArgument>(problem->right.tensor).getArgNumber(), packing};
}

int64_t packedBytes(RankedTensorType source, const PanelPacking &packing) {
  SourceShape shape(source.getShape(), packing);
  int64_t columns = packing.transposed ? shape.outer : shape.inner;
  int64_t depth = packing.transposed ? shape.inner : shape.outer;
  return llvm::alignTo(shape.batch * llvm::divideCeil(columns, packing.nr) * depth * packing.nr * 4, scratchAlignment);
}

FailureOr<KernelCode> emitPacking(RankedTensorType source, const PanelPacking &packing, StringRef symbol,
                                  const Target &target, ModuleOp code) {
  SourceShape shape(source.getShape(), packing);
  int64_t columns = packing.transposed ? shape.outer : shape.inner;
  int64_t depth = packing.transposed ? shape.inner : shape.outer;
  int64_t panels = llvm::divideCeil(columns, packing.nr);
  // A function with the operands of the phase, from which its frame is opened.
  OpBuilder builder(source.getContext());
  auto packed = RankedTensorType::get({shape.batch, panels, depth, packing.nr}, source.getElementType());
  OwningOpRef<func::FuncOp> signature =
      func::FuncOp::create(builder, code.getLoc(), symbol, builder.getFunctionType({source}, {packed}));
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
  emitPackPanel(loops, matrix, frame.chunk);

  KernelCode result;
  result.phases.push_back({symbol.str(), SizeExpr(shape.batch * panels)});
  result.cost = {SizeExpr(0), SizeExpr(shape.batch * depth * columns * 4), SizeExpr(packedBytes(source, packing))};
  return result;
}

} // namespace attnc
