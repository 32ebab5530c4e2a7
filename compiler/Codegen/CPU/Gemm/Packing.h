//===- Packing.h - packed right operands of matrix products -----------------------------------------------------===//
//
// GEMM kernels read the right operand of a product in panels of `nr` columns, one after the other:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// so that a register tile reads contiguous memory and every panel is whole. A weight is packed once, by
// `model_prepare` (Interface/PanelPacking.h). A matrix that is computed at run time is packed by its kernel, with the
// same code.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"

namespace attnc {

struct Target;

/// Columns of a panel for a matrix of `columns` columns: whole vectors, the best trade-off of tile speed and padding.
/// With `inWholePanels` without padding, or 0 if there is no such number.
int64_t choosePanelColumns(int64_t columns, const Target &target, bool inWholePanels = false);

/// The packing of the right operand of `kernel`, a GEMM, if it is a weight. Nothing if the unpacked weight is as fast
/// (an N x K matrix times a few rows is read once, along its rows), or if its shape is dynamic.
std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                               bool inWholePanels = false);

/// The packing code: one phase with two buffers, the source in f32 and the packed matrix in the element type of
/// `source`, appended to `code` under `symbol`.
mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                        llvm::StringRef symbol, const Target &target, mlir::ModuleOp code);

} // namespace attnc
