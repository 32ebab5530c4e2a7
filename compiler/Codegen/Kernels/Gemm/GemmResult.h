//===- GemmResult.h - epilogue and coordinates of the sums of a GEMM kernel -------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The coordinates of number `flat` in loops of these sizes, outermost first.
FlatBuilder::Values coordinatesOf(FlatBuilder &code, KernelFrame &frame, llvm::ArrayRef<SizeExpr> sizes,
                                  mlir::Value flat);
/// Sets `coordinates`, one for each loop of the contraction, to those of number `flat` of a group.
void setCoordinates(FlatBuilder &code, KernelFrame &frame, const GemmProblem &problem, LoopGroup group,
                    mlir::Value flat, llvm::MutableArrayRef<LaneIndex> coordinates);
/// The loop along which lanes run: the innermost of the columns; there is none if the result has no columns.
std::optional<unsigned> innermostColumn(const GemmProblem &problem);

/// Applies the kernel's pointwise formula (if it has one) to sums, a vector or a scalar, and stores the result.
/// `coordinates` are those of the first sum; a vector runs along the innermost column.
void storeSums(RegionVectoriser &vectoriser, KernelFrame &frame, const GemmProblem &problem, mlir::Value sums,
               llvm::MutableArrayRef<LaneIndex> coordinates);

} // namespace attnc
