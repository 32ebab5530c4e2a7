//===- WeightPacking.h - packed layout of the right operand of a matrix product -----------------------------------===//
//
// GEMM kernels read the right operand of a product, a K x N matrix, in panels of `nr` columns:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// where B[b] is matrix b of the batch and p is the number of the panel. A register tile then reads contiguous memory,
// and every panel has nr columns. A weight is packed once, by the function `<prefix>_prepare` of the object
// (Interface/PanelPacking.h). A matrix that all time steps of a scan read is packed by a `pack` kernel. Any other right
// operand is packed by the GEMM kernel itself (GemmPhase.h, SplitKGemm.h), or is read without packing.
// CpuEmitter.cpp calls both functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"

namespace attnc {

struct Target;

/// Emitter::preferredPacking of a GEMM kernel: the number of the argument that is the right operand, and its layout.
/// The result is valid whether this argument is a weight or not; the caller packs only weights. Null in these cases:
/// - the right operand is stored as N x K and multiplied with a constant number of rows, at most mostDotRows
///   (GemmSchedule.h): unpacked, it is as fast;
/// - its shape is dynamic;
/// - the kernel also reads it elsewhere;
/// - `inWholePanels` is true, and no permitted `nr` divides N;
/// - the kernel is not a GEMM that GemmProblem supports.
std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                               bool inWholePanels = false);

/// Appends the packing code to `code` as one phase `symbol`, with a chunk for each panel of each matrix. The phase has
/// two buffers: the source, a tensor of f32 with the shape of `source`, and the packed matrix, in the element type of
/// `source`. Requires that `source` has a static shape and that `packing.nr` is a multiple of target.f32Lanes. Never
/// fails.
mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                        llvm::StringRef symbol, const Target &target, mlir::ModuleOp code);

} // namespace attnc
