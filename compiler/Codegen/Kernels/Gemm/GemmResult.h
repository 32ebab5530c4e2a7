//===- GemmResult.h - code of the epilogue of a GEMM kernel -------------------------------------------------------===//
//
// The last step of a GEMM kernel, which the emitters for processors and devices share: the coordinates of a tile's
// sums, and the store of the sums after the epilogue.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Emits the index of each loop (of type index) in iteration number `flat`, in row-major order, of loops of these
/// sizes, outermost first. The iteration must exist.
FlatBuilder::Values coordinatesOf(FlatBuilder &code, KernelFrame &frame, llvm::ArrayRef<SizeExpr> sizes,
                                  mlir::Value flat);
/// `coordinates` has an element for each loop of the contraction. Sets the elements of the loops of `group` to their
/// indices in iteration number `flat` (index) of the group; other elements are unchanged.
void setCoordinates(FlatBuilder &code, KernelFrame &frame, const GemmProblem &problem, LoopGroup group,
                    mlir::Value flat, llvm::MutableArrayRef<LaneIndex> coordinates);
/// The loop along which lanes run: the innermost column loop whose size is not 1, or the innermost one if all have size
/// 1. Null if the product has no column loop.
std::optional<unsigned> innermostColumn(const GemmProblem &problem);

/// Applies the kernel's epilogue, if it has one, to `sums` (f32, a vector or a scalar), or adds them to
/// GemmProblem::initial, and stores the result in the active lanes of `vectoriser`, which must be bound to `frame`.
/// `coordinates` has the index of each loop of the contraction at the first sum; a vector of sums runs along
/// innermostColumn(), which must not be null, and whose element is changed to step 1.
void storeSums(RegionVectoriser &vectoriser, KernelFrame &frame, const GemmProblem &problem, mlir::Value sums,
               llvm::MutableArrayRef<LaneIndex> coordinates);

} // namespace attnc
