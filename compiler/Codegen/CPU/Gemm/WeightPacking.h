//===- WeightPacking.h - packed right operands of matrix products -----------------------------------------------===//
//
// GEMM kernels read the right operand of a product in panels of `nr` columns, one after the other:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// where B[b] is matrix b of the batch, K x N, and p numbers its panels. A register tile then reads contiguous memory,
// and every panel is whole. A weight is packed once, by `model_prepare` (Interface/PanelPacking.h). A matrix that is
// computed at run time is packed by its kernel, with the same code.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"

namespace attnc {

struct Target;

/// The packing that suits the right operand of `kernel`, a GEMM, if this is a weight, which the caller decides. Nothing
/// if the unpacked weight is as fast (an N x K matrix times a few rows is read once, along its rows), if its shape is
/// dynamic, if the kernel also reads it elsewhere, or if it has no whole panels and these are requested.
std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                               bool inWholePanels = false);

/// Appends the packing code to `code` under `symbol`: one phase, a chunk for each panel, with two buffers, the source
/// in f32 and the packed matrix in the element type of `source`. Requires a static shape and whole vectors in a panel;
/// never fails.
mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                        llvm::StringRef symbol, const Target &target, mlir::ModuleOp code);

} // namespace attnc
