//===- Packing.h - matrices in column panels --------------------------------------------------------------------===//
//
// The gemm kernels read the right-hand matrix of a product in panels of `nr` columns, one after the other:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// so that a register tile streams through contiguous memory and never meets a ragged edge. A weight is packed once, by
// `model_prepare` (Interface/PanelPacking.h); a matrix that is computed at run time by a first phase of its
// kernel, with the same code.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"

namespace attnc {

struct Target;

/// Columns of a panel that suit a matrix of `columns` columns: whole vectors, with the least padding for the speed.
/// With `inWholePanels` without any, or 0 where there is no such number.
int64_t choosePanelColumns(int64_t columns, const Target &target, bool inWholePanels = false);

/// How the right-hand side of `kernel`, a gemm, should arrive if it is a weight. Nothing where reading it as it lies is
/// as fast (an N x K matrix that meets a handful of rows is read once, along its rows) or where its shape is dynamic.
std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                               bool inWholePanels = false);

/// Code that packs: one phase with two buffers, the source in f32 and the packed form in the element type of `source`,
/// appended to `code` under `symbol`.
mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                        llvm::StringRef symbol, const Target &target, mlir::ModuleOp code);

} // namespace attnc
