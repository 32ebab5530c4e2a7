//===- NarrowSlices.cpp - attn-narrow-slices ----------------------------------------------------------------------===//
//
// Computes only the used part of a tensor: a slice along parallel dimensions moves before the computation.
//
// Precondition: slices have unit strides. Postcondition: no slice of a linalg op without other users, unless a
// reduction or an inexact indexing map prevents it.
//
//   %y = linalg.generic (norm of %x)                          %s = extract_slice %x [0, %last, 0] [%b, 1, 768]
//   %z = extract_slice %y [0, %last, 0] [%b, 1, 768]    →     %z = linalg.generic (norm of %s)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_NARROWSLICESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

struct NarrowSlices : impl::NarrowSlicesPassBase<NarrowSlices> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation()))
      narrow(function);
  }

  /// True if every user of the slice's source reads the same slice.
  static bool isOnlyReader(tensor::ExtractSliceOp slice, SymbolicShapes &shapes) {
    auto isEqual = [&](ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
      return llvm::equal(a, b, [&](OpFoldResult x, OpFoldResult y) { return shapes.size(x) == shapes.size(y); });
    };
    return llvm::all_of(slice.getSource().getUsers(), [&](Operation *user) {
      if (isa<tensor::DimOp>(user))
        return true;
      auto other = dyn_cast<tensor::ExtractSliceOp>(user);
      return other && isEqual(other.getMixedOffsets(), slice.getMixedOffsets()) &&
             isEqual(other.getMixedSizes(), slice.getMixedSizes());
    });
  }

  static bool isNarrower(tensor::ExtractSliceOp slice, SymbolicShapes &shapes) {
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!(shapes.size(size) == shapes.extent(slice.getSource(), dim)))
        return true;
    return false;
  }

  /// Splits a rank-reducing slice, because the op that replaces it has the full rank.
  static tensor::ExtractSliceOp withoutDroppedDims(tensor::ExtractSliceOp slice) {
    if (slice.getDroppedDims().none())
      return slice;
    OpBuilder builder(slice);
    auto whole = tensor::ExtractSliceOp::create(builder, slice.getLoc(), slice.getSource(), slice.getMixedOffsets(),
                                                slice.getMixedSizes(), slice.getMixedStrides());
    auto groups = getReassociationIndicesForReshape(whole.getType(), slice.getType());
    if (!groups) {
      whole.erase();
      return slice;
    }
    Value collapsed = tensor::CollapseShapeOp::create(builder, slice.getLoc(), slice.getType(), whole, *groups);
    slice.getResult().replaceAllUsesWith(collapsed);
    slice.erase();
    return whole;
  }

  void narrow(func::FuncOp function) {
    // A tensor with two readers can be narrowed only after both of them, so the walk repeats until nothing changes.
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<tensor::ExtractSliceOp> slices;
      function.walk([&](tensor::ExtractSliceOp slice) { slices.push_back(slice); });
      for (tensor::ExtractSliceOp slice : llvm::reverse(slices))
        changed |= tryNarrow(function, slice);
      resolveSizes(function);
      removeUnused(function);
    }
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    (void)applyPatternsGreedily(function, std::move(patterns));
  }

  bool tryNarrow(func::FuncOp function, tensor::ExtractSliceOp slice) {
    SymbolicShapes shapes(function);
    auto producer = slice.getSource().getDefiningOp<linalg::LinalgOp>();
    if (!producer || !slice.hasUnitStride() || producer->getBlock() != slice->getBlock() ||
        !isNarrower(slice, shapes) || !isOnlyReader(slice, shapes) ||
        isRefused(reasonId(Reason::SliceNarrowed), producer, slice))
      return false;
    slice = withoutDroppedDims(slice);
    OpBuilder builder(slice);
    auto narrowed = tensor::replaceExtractSliceWithTiledProducer(builder, slice, cast<OpResult>(slice.getSource()));
    if (failed(narrowed))
      return false;
    recordDecision(getOperation(), {true,
                                    Reason::SliceNarrowed,
                                    placeOf(producer),
                                    placeOf(slice),
                                    shapes.text(shapes.bytes(slice.getSource())),
                                    function.getName().str(),
                                    false,
                                    {}});
    slice.getResult().replaceAllUsesWith(narrowed->tiledValues.front());
    slice.erase();
    return true;
  }
};

} // namespace

} // namespace attnc
